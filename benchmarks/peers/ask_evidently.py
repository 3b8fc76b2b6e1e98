"""Which columns evidently calls drifted: run by its own Python, answers with one line of JSON.

The folder given as argument holds

- ``speed.npz``: arrays ``target`` and ``reference`` of numbers, a column an attribute;
- ``worlds.npz``: for each world ``<world>.target`` and ``<world>.reference``, repeats x rows x attributes;
- ``categories.json``: numbers of the attributes of the worlds that are categories;
- ``demo/*.csv``: one file a table, ``reference.csv`` among them.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from evidently import DataDefinition, Dataset, Report
from evidently.presets import DataDriftPreset

REPEATS = 3


def drift(target: pd.DataFrame, reference: pd.DataFrame, **options: object) -> dict[str, dict[str, object]]:
    """Value, method and threshold of every column; the tool chooses the method unless it is told."""
    numbers = [c for c in target.columns if pd.api.types.is_numeric_dtype(target[c])]
    definition = DataDefinition(numerical_columns=numbers, categorical_columns=[c for c in target.columns if c not in numbers])
    report = Report([DataDriftPreset(**options)])
    result = report.run(Dataset.from_pandas(target, definition), Dataset.from_pandas(reference, definition)).dict()
    found = {}
    for metric in result["metrics"]:
        config = metric["config"]
        if "column" in config:
            method, threshold, value = config["method"], config["threshold"], float(metric["value"])
            flagged = value < threshold if "p_value" in method else value >= threshold
            found[config["column"]] = {"value": value, "method": method, "threshold": threshold, "flagged": bool(flagged)}
    return found


def frame(values: np.ndarray, categories: set[int]) -> pd.DataFrame:
    """Columns of numbers, and of words where a number stands for a category."""
    columns = {f"x{i}": values[:, i] for i in range(values.shape[1])}
    return pd.DataFrame(
        {name: np.where(v == 1, "yes", "no") if i in categories else v for i, (name, v) in enumerate(columns.items())}
    )


def main() -> None:
    """Answer all three questions."""
    folder = Path(sys.argv[1])
    with np.load(folder / "speed.npz") as arrays:
        target, reference = (frame(arrays[side], set()) for side in ("target", "reference"))
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        speed = drift(target, reference, num_method="ks")
        seconds.append(time.process_time() - start)

    categories = set(json.loads((folder / "categories.json").read_text()))
    worlds: dict[str, list[list[bool]]] = {}
    methods: dict[str, list[str]] = {}
    with np.load(folder / "worlds.npz") as arrays:
        for name in sorted({key.rsplit(".", 1)[0] for key in arrays.files}):
            pairs = zip(arrays[f"{name}.target"], arrays[f"{name}.reference"], strict=True)
            found = [drift(frame(t, categories), frame(r, categories)) for t, r in pairs]
            worlds[name] = [[bool(f[f"x{i}"]["flagged"]) for i in range(len(f))] for f in found]
            methods[name] = sorted({f"{c['method']}, {c['threshold']:g}" for f in found for c in f.values()})

    demo = {path.stem: pd.read_csv(path) for path in sorted((folder / "demo").glob("*.csv"))}
    reference = demo.pop("reference")
    print(
        json.dumps(
            {
                "version": version("evidently"),
                "seconds": float(np.median(seconds)),
                "speed": {name: column["value"] for name, column in speed.items()},
                "worlds": worlds,
                "methods": methods,
                "demo": {name: [c for c, f in drift(table, reference).items() if f["flagged"]] for name, table in demo.items()},
            }
        )
    )


if __name__ == "__main__":
    main()
