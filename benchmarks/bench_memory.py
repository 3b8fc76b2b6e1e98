"""Peak memory of reading two large files and auditing them, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.bench_qmad import column
from benchmarks.timing import table


def write(path: Path, rows: int, seed: int) -> None:
    """A CSV with 15 columns."""
    rng = np.random.default_rng(seed)
    pd.DataFrame({f"x{k}": column(rng, k, rows, 0.0) for k in range(15)}).to_csv(path, index=False, float_format="%.6g")


def peak(code: str) -> float:
    """Peak resident memory in MB of a Python process that runs ``code``; Linux only."""
    code += "\nprint(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return int(out.stdout.split()[-1]) / 1024


def run(quick: bool) -> str:
    """Measure and describe."""
    n = 100_000 if quick else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.csv" for name in ("reference", "target")]
        for seed, file in enumerate(files):
            write(file, n, seed)
        size = sum(f.stat().st_size for f in files) / 1024**2
        start = "from fairaudit.inference import calibrate; from fairaudit.reading import read_table"
        idle = peak(start)
        lines = [
            start,
            "from fairaudit.validation import check_frames; from fairaudit.qmad import QmadSettings, audit_frames",
            f"reference, target = (read_table(__import__('pathlib').Path(f)).data for f in {[str(f) for f in files]!r})",
            "frames = check_frames(reference, {'t': target})",
        ]
        read = peak("\n".join(lines))
        audited = peak("\n".join([*lines, "audit_frames(frames, QmadSettings(resamples=0))"]))
        calibrated = peak("\n".join([*lines, "audit_frames(frames, QmadSettings(resamples=19))"]))
    rows = [
        [what, f"{m:,.0f} MB", f"{(m - idle) / size:.1f}"]
        for what, m in (("read and checked", read), ("plain audit, ks", audited), ("19 permutations, ks", calibrated))
    ]
    return f"""## Memory: two files of {n:,} rows × 15 columns, {size:,.0f} MB together

Peak resident memory of one process; {idle:,.0f} MB of it are the imports, which the last column leaves out.

{table(["after", "peak", "times the files"], rows)}
"""
