"""Write the files of ``sample_data``: ``python -m fairaudit.datasets write sample_data [--adult FOLDER]``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from fairaudit.datasets.adult import read_adult_raw
from fairaudit.datasets.grades import course_grades
from fairaudit.datasets.hiring import hiring_days, hiring_reference


def sample_tables() -> dict[str, pd.DataFrame]:
    """Generated sample files by name."""
    reference = hiring_reference()
    days = hiring_days(reference)
    return {
        "hiring_reference.csv": reference,
        "hiring_day1.csv": days["day1"],
        "hiring_day2_biased.csv": days["day2"],
        "hiring_day3.csv": days["day3"],
        "course_grades.csv": course_grades(),
    }


def write(folder: Path, adult: Path | None = None) -> list[Path]:
    """Write the generated files, and the Adult copies where the raw UCI files are at hand."""
    tables = sample_tables()
    if adult is not None:
        tables["adult_train.csv"] = read_adult_raw(adult / "adult.data")
        tables["adult_test.csv"] = read_adult_raw(adult / "adult.test")
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        table.to_csv(folder / name, index=False, lineterminator="\n")
    return [folder / name for name in tables]


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and write."""
    parser = argparse.ArgumentParser(prog="python -m fairaudit.datasets", description="Makes the files of sample_data.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("write", help="write the files into a folder")
    command.add_argument("folder", type=Path)
    command.add_argument("--adult", type=Path, help="folder with the raw UCI files adult.data and adult.test")
    options = parser.parse_args(arguments)
    for path in write(options.folder, options.adult):
        print(f"{path} ({path.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()
