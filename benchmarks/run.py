"""Write docs/performance.md: ``python -m benchmarks.run`` (about half an hour; ``--quick`` takes a few minutes and writes nothing).

``--only`` measures one part and puts it in the place of the old one.
"""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path

# One thread everywhere, and the processor's own routines: before numpy is imported.
os.environ.pop("OPENBLAS_CORETYPE", None)
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
import scipy  # noqa: E402

from benchmarks import bench_calibration, bench_groups, bench_memory, bench_qmad, bench_reject_option  # noqa: E402

PARTS = {
    "qmad": bench_qmad,
    "calibration": bench_calibration,
    "groups": bench_groups,
    "experiments": bench_reject_option,
    "memory": bench_memory,
}
PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"


def main() -> None:
    """Run the parts that were asked for, and put them on the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes; nothing is written")
    parser.add_argument("--only", choices=PARTS, action="append", help="run one part; may be given several times")
    options = parser.parse_args()
    parts = []
    for name in options.only or PARTS:
        parts.append(PARTS[name].run(options.quick))
        print(parts[-1], flush=True)
    if options.quick:
        return
    head = f"""# What things cost

Made by `python -m benchmarks.run`. CPU seconds, medians of calls taken in turns, one thread; {platform.machine()}, Python {platform.python_version()},
numpy {np.__version__}, scipy {scipy.__version__}. The ratios are what counts: read each time as ±30 %.

"""
    found = sections(PAGE.read_text(encoding="utf-8")) if options.only else {}
    found |= sections("\n".join(parts))
    PAGE.write_text(head + "\n".join(found.values()), encoding="utf-8")


def sections(page: str) -> dict[str, str]:
    """Parts of the page by the first words of their headings; what stands above the first heading is left out."""
    _, *parts = ("\n" + page).split("\n## ")
    return {part.split("\n")[0].split(":")[0]: f"## {part.strip()}\n" for part in parts}


if __name__ == "__main__":
    main()
