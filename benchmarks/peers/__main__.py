"""Write docs/peers.md: what aequitas and evidently say of the same tables, and how long they take.

``make bench-peers`` makes an environment for each of them and then calls this; ``--quick`` is for trying out and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

import fairaudit  # noqa: E402
from benchmarks.power import shifted  # noqa: E402
from benchmarks.timing import short, table  # noqa: E402
from benchmarks.validity import KINDS  # noqa: E402
from fairaudit.baselines import rates  # noqa: E402
from fairaudit.baselines.counts import count_table  # noqa: E402
from fairaudit.comparison import COMPARISONS  # noqa: E402
from fairaudit.datasets import demo  # noqa: E402
from fairaudit.results import AuditResult  # noqa: E402
from fairaudit.schema import Schema  # noqa: E402

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "peers.md"
REPEATS, PERMUTATIONS, SEED = 3, 199, 4
OURS = {"fairaudit, ten bins": 10, "fairaudit, one bin": 1}
"""How often our default pair is asked, and with how many bins."""
ATTRIBUTES = [kind for _ in range(3) for kind in KINDS][:10]
"""Kinds of the ten attributes of a made-up table, in order; those of the second four carry the planted difference."""
CHANGED = range(4, 8)


@dataclass(frozen=True)
class World:
    """How made-up tables are drawn.

    Attributes
    ----------
    name : str
    target, reference : int
        Rows.
    shift : float
        Planted in four of ten attributes, in standard deviations.
    repeats : int
    """

    name: str
    target: int
    reference: int
    shift: float
    repeats: int

    def draw(self) -> tuple[np.ndarray, np.ndarray]:
        """Repeats x rows x attributes of both sides."""
        rng = np.random.default_rng([SEED, self.target, round(1000 * self.shift)])
        sides = []
        for rows, shift in ((self.target, self.shift), (self.reference, 0.0)):
            values = np.empty((self.repeats, rows, len(ATTRIBUTES)))
            for repeat in range(self.repeats):
                for i, kind in enumerate(ATTRIBUTES):
                    column = KINDS[kind][1](rng, rows)
                    if i in CHANGED and shift:
                        column = shifted(column, kind, shift, 0.0, 1.0, rng)
                    values[repeat, :, i] = column
            sides.append(values)
        return sides[0], sides[1]


def worlds(quick: bool) -> tuple[World, ...]:
    """Small and large tables, without and with a difference."""
    small, large = (10, 3) if quick else (200, 40)
    return (
        World("small, no difference", 800, 400, 0.0, small),
        World("small, 0.3 sd in four", 800, 400, 0.3, small),
        World("large, no difference", 20_000, 10_000, 0.0, large),
        World("large, 0.1 sd in four", 20_000, 10_000, 0.1, large),
    )


def ask(peer: str, folder: Path, python: str) -> dict[str, Any]:
    """The answer of a peer, run by the Python of its own environment."""
    done = subprocess.run([python, str(HERE / f"ask_{peer}.py"), str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{peer} could not be asked: {done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def median_seconds(call: Callable[[], Any]) -> float:
    """CPU seconds, the middle of three calls, as the peers measure theirs."""
    taken = []
    for _ in range(REPEATS):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def groups(folder: Path, python: str, quick: bool) -> tuple[str, list[str]]:
    """Rates of groups beside aequitas."""
    n = 50_000 if quick else 1_000_000
    rng = np.random.default_rng(SEED)
    sex, region = rng.integers(0, 2, n), rng.integers(0, 5, n)
    label = (rng.random(n) < 0.3 + 0.1 * sex).astype(np.int64)
    prediction = np.where(rng.random(n) < 0.2, 1 - label, label)
    np.savez(folder / "groups.npz", sex=sex, region=region, label=label, prediction=prediction)
    theirs = ask("aequitas", folder, python)

    def ours() -> dict[str, dict[str, float]]:
        found = {}
        for name, codes, levels in (("sex", sex, "01"), ("region", region, "01234")):
            counts = count_table(codes, label, prediction, names=(tuple(levels),)).counts
            for i, level in enumerate(levels):
                found[f"{name} {level}"] = {rate: float(rates.rate(counts[i], rate)) for rate in theirs["values"]["sex 0"]}
        return found

    mine = ours()
    assert set(mine) == set(theirs["values"])
    for group, values in theirs["values"].items():
        for rate, value in values.items():
            assert abs(mine[group][rate] - value) < 1e-9, (group, rate, mine[group][rate], value)
    seconds = median_seconds(ours)
    return theirs["version"], [
        "8 rates of 2 + 5 groups",
        f"{n:,}",
        "aequitas",
        short(theirs["seconds"]),
        short(seconds),
        f"{theirs['seconds'] / seconds:.0f}×",
    ]


def as_tables(target: np.ndarray, reference: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame, Schema]:
    """One repeat of a world as tables with the types of its attributes."""
    names = [f"x{i}" for i in range(target.shape[1])]
    schema = Schema(types=tuple((name, KINDS[kind][0]) for name, kind in zip(names, ATTRIBUTES, strict=True)))
    return pd.DataFrame(target, columns=names), pd.DataFrame(reference, columns=names), schema


def flags(result: AuditResult) -> list[bool]:
    """Calibrated and corrected verdict of every attribute."""
    return (result.attributes()["verdict"] == "disparity").tolist()


def world_row(world: World, tool: str, flagged: np.ndarray) -> list[str]:
    """A line of the table of alarms, from flags of repeats x attributes."""
    planted = np.zeros(len(ATTRIBUTES), dtype=bool)
    planted[list(CHANGED)] = world.shift > 0
    alarms = flagged[:, ~planted]
    shares = alarms.any(axis=1).mean(), alarms.mean(), flagged[:, planted].mean() if planted.any() else np.nan
    shown = ["–" if np.isnan(share) else f"{100 * share:.0f} %" for share in shares]
    return [world.name, f"{world.target:,} / {world.reference:,}", f"{world.repeats}", tool, *shown]


def drift(folder: Path, python: str, quick: bool) -> tuple[str, list[str], list[list[str]], list[list[str]], str]:
    """Columns that differ beside evidently: time, false and missed alarms, the demo."""
    n, m = (4_000, 2_000) if quick else (20_000, 10_000)
    rng = np.random.default_rng(SEED)
    target, reference = rng.normal(size=(n, 15)), rng.normal(size=(m, 15))
    np.savez(folder / "speed.npz", target=target, reference=reference)
    chosen = worlds(quick)
    drawn = {world.name: world.draw() for world in chosen}
    np.savez(
        folder / "worlds.npz",
        **{f"{name}.{side}": a for name, (t, r) in drawn.items() for side, a in (("target", t), ("reference", r))},
    )
    (folder / "categories.json").write_text(json.dumps([i for i, kind in enumerate(ATTRIBUTES) if kind == "binary 0.2"]))
    (folder / "demo").mkdir()
    hiring, days, schema = demo("hiring").load()
    for name, data in {"reference": hiring, **days}.items():
        data.to_csv(folder / "demo" / f"{name}.csv", index=False)
    theirs = ask("evidently", folder, python)

    columns = [f"x{i}" for i in range(15)]
    tables = pd.DataFrame(reference, columns=columns), pd.DataFrame(target, columns=columns)

    def ours() -> AuditResult:
        return fairaudit.audit(*tables, comparison="ks_auto", aggregation="harmonic", bins=1, resamples=0)

    scores = ours().attributes().set_index("attribute")["score"]
    for column, value in theirs["speed"].items():
        assert abs(scores[column] - value) < 1e-9, (column, scores[column], value)
    seconds = median_seconds(ours)
    time_row = [
        f"{COMPARISONS['ks_auto'].label}, 15 attributes, one bin",
        f"{n:,} / {m:,}",
        "evidently",
        short(theirs["seconds"]),
        short(seconds),
        f"{theirs['seconds'] / seconds:.0f}×",
    ]

    rows = []
    for world in chosen:
        found = {"evidently": np.array(theirs["worlds"][world.name])}
        tables_of = [as_tables(t, r) for t, r in zip(*drawn[world.name], strict=True)]
        for tool, bins in OURS.items():
            audits = [fairaudit.audit(r, t, schema=schema_, bins=bins, resamples=PERMUTATIONS) for t, r, schema_ in tables_of]
            found[tool] = np.array([flags(result) for result in audits])
        rows += [world_row(world, tool, flagged) for tool, flagged in found.items()]

    result = fairaudit.audit(hiring, days, schema=schema, resamples=999).attributes()
    ratio = fairaudit.audit(hiring, days, schema=schema, comparison="rom", aggregation="arithmetic", resamples=999).attributes()
    days_rows = []
    for day in days:
        by = [", ".join(f.loc[(f["frame"] == day) & (f["verdict"] == "disparity"), "attribute"]) or "–" for f in (result, ratio)]
        days_rows.append([day, ", ".join(theirs["demo"][day]) or "–", *by])
    methods = "; ".join(
        f"{name.split(',')[0]}: {' / '.join(m)}" for name, m in theirs["methods"].items() if name.endswith("no difference")
    )
    return theirs["version"], time_row, rows, days_rows, methods


def main() -> None:
    """Ask both peers and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aequitas", required=True, metavar="PYTHON", help="Python of an environment with aequitas")
    parser.add_argument("--evidently", required=True, metavar="PYTHON", help="Python of an environment with evidently")
    parser.add_argument("--quick", action="store_true", help="small sizes; nothing is written")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        aequitas, group_row = groups(Path(name), options.aequitas, options.quick)
        evidently, time_row, rows, days, methods = drift(Path(name), options.evidently, options.quick)
    page = f"""# What other tools say of the same tables

Made by `make bench-peers`: aequitas {aequitas} and evidently {evidently}, each in an environment of its own, on the tables that fairaudit gets. Both are good
at what they are made for: aequitas at the rates of groups, evidently at watching a model's inputs. This page shows what an auditor gets who takes their
defaults.

## Time

CPU seconds, the middle of {REPEATS} calls, one thread, start-up not counted. The values are equal to 1e-9, which is checked before the times are compared.

{table(["what", "rows", "peer", "peer's time", "ours", "faster"], [group_row, time_row])}

The drift report makes data for its charts too.

## False alarms and what is found

Made-up tables with ten attributes: normal, with 28 % zeros, binary with a share of 0.2, integers from 17 to 90. Where a difference is planted, it is in four of
them, one of each kind. evidently chooses its method by the number of rows ({methods})
and decides column by column; it has no correction for their number. fairaudit: its default pair (Kolmogorov–Smirnov and harmonic mean), {PERMUTATIONS} permutations, corrected
over the attributes. Bins are stretches of rows: ten of them show *when* something changed, and pay for it where the difference is the same in all rows,
because each sees a tenth of them.

{table(["tables", "rows target / reference", "audits", "tool", "audits with a false alarm", "unchanged columns flagged", "changed columns found"], rows)}

## The hiring demo

Planted on day 2: fewer graduates among women (education), another place of work for women (job location), and less relevant experience for women.

{table(["day", "evidently flags", "fairaudit, default pair", "fairaudit, recommended pair (ratio of means)"], days)}
"""
    print(page)
    if not options.quick:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
