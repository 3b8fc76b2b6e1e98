"""What aequitas says of the groups of a table: run by its own Python, answers with one line of JSON.

The folder given as argument holds ``groups.npz`` with the integer arrays ``sex``, ``region``, ``label`` and ``prediction``.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from aequitas.group import Group

REPEATS = 3
RATES = {
    "pprev": "selection_rate",
    "prev": "base_rate",
    "tpr": "true_positive_rate",
    "fpr": "false_positive_rate",
    "fnr": "false_negative_rate",
    "tnr": "true_negative_rate",
    "precision": "precision",
    "accuracy": "accuracy",
}


def main() -> None:
    """Measure, and print the values with the time they took."""
    with np.load(Path(sys.argv[1]) / "groups.npz") as arrays:
        table = pd.DataFrame(
            {
                "score": arrays["prediction"],
                "label_value": arrays["label"],
                "sex": arrays["sex"].astype(str),
                "region": arrays["region"].astype(str),
            }
        )
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        found, _ = Group().get_crosstabs(table.copy())
        seconds.append(time.process_time() - start)
    values = {
        f"{row.attribute_name} {row.attribute_value}": {ours: float(getattr(row, theirs)) for theirs, ours in RATES.items()}
        for row in found.itertuples()
    }
    print(json.dumps({"version": version("aequitas"), "seconds": float(np.median(seconds)), "values": values}))


if __name__ == "__main__":
    main()
