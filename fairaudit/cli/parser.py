"""Words of the command line. Names of functions and metrics are checked by the settings, which know them all."""

from __future__ import annotations

import argparse
import difflib
import sys
from typing import Any, NoReturn

from fairaudit.qmad.settings import DETECTABLE_REPEATS, STABILITY_RESAMPLES


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, with the nearest option."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **kwargs)

    def error(self, message: str) -> NoReturn:
        """Print the problem and end with code 2."""
        hint = ""
        if message.startswith("unrecognized arguments:"):
            given = message.split(":", 1)[1].split()[0].split("=")[0]
            known = [o for parser in (self, *_children(self)) for a in parser._actions for o in a.option_strings]
            near = difflib.get_close_matches(given, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
        print(f"{self.prog}: {message}.{hint} See: {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)


def _children(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    return [p for a in parser._actions if isinstance(a, argparse._SubParsersAction) for p in a.choices.values()]


def make_parser() -> Parser:
    """The whole command line."""
    parser = Parser(
        prog="fairaudit",
        description="An audit of data and decisions for differences between groups of people.",
        epilog="exit codes: 0 no disparity found, 1 disparity found (only with --fail-on-disparity), 2 bad input or settings,\n"
        "3 nothing could be measured",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _audit(commands)
    _inject(commands)
    _evaluate(commands)
    _reproduce(commands)
    _app(commands)
    _schema(commands)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from fairaudit.results import versions

        print(f"fairaudit {versions()['fairaudit']}")
        parser.exit()


def _command(commands: Any, name: str, module: str, what: str, example: str, more: str = "") -> Parser:
    parser: Parser = commands.add_parser(
        name, help=what, description=f"{what[0].upper()}{what[1:]}.{more}", epilog=f"example:\n  {example}"
    )
    parser.set_defaults(module=module)
    return parser


def _settings(parser: Parser) -> None:
    parser.add_argument(
        "--settings", metavar="FILE", help="settings file (YAML or JSON); options on the command line win over it"
    )
    parser.add_argument(
        "--set", metavar="ENTRY=VALUE", action="append", default=[], help="any entry of the settings, such as qmad.weights.age=2"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of every random step")


def _sample(parser: Parser, one: bool = False) -> None:
    parser.add_argument(
        "--sample",
        metavar="N" if one else "[NAME=]N",
        action="append",
        help="work with a random sample of N rows, drawn with --seed (or 0) and stated in JSON and HTML, and on the terminal; "
        + ("a smaller table stays whole" if one else "smaller tables stay whole; NAME= for one table only"),
    )


def _reading(parser: Parser) -> None:
    group = parser.add_argument_group("reading files (decided from the content where not given)")
    group.add_argument("--delimiter", metavar="C", help="character between the values; \\t for a tab")
    group.add_argument("--encoding", metavar="NAME", help="character encoding, such as cp1252")
    group.add_argument("--decimal", metavar="MARK", help="decimal mark: . or ,")
    group.add_argument("--sheet", metavar="NAME", help="sheet of an Excel file")
    group.add_argument("--keep-markers", action="store_true", help="read NA, None, null and the like as text")


def _roles(parser: Parser) -> None:
    group = parser.add_argument_group("roles of columns (proposed from the data where none is given)")
    group.add_argument("--schema", metavar="FILE", help="roles and types as fairaudit schema writes them")
    group.add_argument("--label", metavar="COLUMN", help="true outcome")
    group.add_argument("--prediction", metavar="COLUMN", help="output of the model")
    group.add_argument("--score", metavar="COLUMN", help="number from which decisions are made")
    group.add_argument("--sensitive", metavar="COLUMN", nargs="+", help="columns that define groups of people")
    group.add_argument("--pos-label", metavar="VALUE", nargs="+", help="favourable value, or values, of label and prediction")
    group.add_argument("--decision-threshold", type=float, metavar="X", help="predictions or scores from X on are favourable")
    group.add_argument(
        "--reference-group", metavar="COLUMN=VALUE", nargs="+", help="group that others are compared with, by sensitive column"
    )
    group.add_argument("--ignore", metavar="COLUMN", nargs="+", help="columns that take no part")


def _audit(commands: Any) -> None:
    parser = _command(
        commands,
        "audit",
        "audit",
        "compare target tables with a reference table",
        "fairaudit audit --reference R.csv --target day1=A.csv --target day2=B.csv --pair ks-harmonic --html report.html",
        " Files are CSV, Parquet or Excel; - reads the standard input.",
    )
    parser.add_argument("--reference", metavar="[NAME=]FILE", help="reference table")
    parser.add_argument(
        "--target",
        metavar="[NAME=]FILE",
        action="append",
        help="target table; the name is the file's where not given. None is needed for the groups inside the reference",
    )
    _settings(parser)
    _sample(parser)
    choices = parser.add_argument_group("choices")
    choices.add_argument(
        "--pair", metavar="NAME", help="comparison and aggregation: rom-arithmetic, ks-harmonic, ad-harmonic, qdd"
    )
    choices.add_argument("--comparison", metavar="NAME", help="comparison function, such as ks, ad, rom, wasserstein")
    choices.add_argument("--aggregation", metavar="NAME", help="aggregation function, such as harmonic, arithmetic, cauchy")
    choices.add_argument("--bins", type=int, metavar="N", help="number of bins")
    choices.add_argument("--binning", metavar="NAME", help="sequential or quantile")
    choices.add_argument("--contrast", metavar="NAME", help="frame_vs_reference, group_vs_reference_group or within_group")
    choices.add_argument("--intersections", action="store_true", help="groups are combinations of several sensitive columns")
    choices.add_argument("--attributes", metavar="COLUMN", nargs="+", help="columns to compare")
    choices.add_argument("--alpha", type=float, metavar="X", help="level of the verdicts")
    choices.add_argument("--threshold", type=float, metavar="X", help="score from which the uncalibrated rule raises a flag")
    choices.add_argument("--resamples", type=int, metavar="N", help="largest number of permutations; 0: the paper's rule only")
    choices.add_argument(
        "--stability",
        type=int,
        metavar="N",
        nargs="?",
        const=STABILITY_RESAMPLES,
        help=f"how often each attribute would be flagged again, from N bootstrap resamples ({STABILITY_RESAMPLES} without N)",
    )
    choices.add_argument(
        "--detectable",
        type=int,
        metavar="N",
        nargs="?",
        const=DETECTABLE_REPEATS,
        help=f"how small a difference would have been found, from N data sets without one ({DETECTABLE_REPEATS} without N)",
    )
    choices.add_argument("--baselines", metavar="METRIC", nargs="*", help="classical metrics too; without names the usual ones")
    _roles(parser)
    _reading(parser)
    output = parser.add_argument_group("results")
    output.add_argument("--json", metavar="FILE", help="everything as JSON; - for the standard output")
    output.add_argument("--html", metavar="FILE", help="report that opens offline, with classical metrics")
    output.add_argument("--csv", metavar="FILE", help="table of attributes (name ends in .csv), or a folder for all tables")
    output.add_argument("--save-settings", metavar="FILE", help="settings with which the same numbers can be had again")
    output.add_argument("--auditor", metavar="NAME", help="who made the audit, for the report")
    output.add_argument("--purpose", metavar="TEXT", help="what the audit is for, for the report")
    output.add_argument("--quiet", action="store_true", help="print no summary")
    output.add_argument("--fail-on-disparity", action="store_true", help="end with code 1 when a disparity is found")


def _inject(commands: Any) -> None:
    parser = _command(
        commands,
        "inject",
        "inject",
        "plant a known bias in a table",
        'fairaudit inject hiring.csv --injection "{kind: set_value, group: {gender: WOMAN}, column: education, value: GRAD}" --out biased.csv',
        " The original file is not changed.",
    )
    parser.add_argument("table", metavar="FILE", help="table; - for the standard input")
    parser.add_argument("--injection", metavar="YAML", action="append", default=[], help="one bias; may be given several times")
    parser.add_argument(
        "--preset", metavar="NAME", help="a bias of the papers: hiring_day2, adult_day2, adult_day3, student_label"
    )
    parser.add_argument("--replay", metavar="FILE", help="description that an earlier run saved")
    _settings(parser)
    _roles(parser)
    _reading(parser)
    parser.add_argument(
        "--out", metavar="FILE", required=True, help="new table: .csv, .parquet or .xlsx; - for CSV on the standard output"
    )
    parser.add_argument("--changed", metavar="FILE", help="which rows were changed (1) or not (0), as CSV")
    parser.add_argument("--description", metavar="FILE", help="what was planted, as JSON; recreates the table")


def _evaluate(commands: Any) -> None:
    parser = _command(
        commands,
        "evaluate",
        "evaluate",
        "train on biased data, measure on fair and on biased test data",
        "fairaudit evaluate grades.csv --label passed --sensitive sex --levels 0 0.3 0.6 \\\n"
        '    --injection "{kind: label, group: {sex: F}, score: score, threshold: 10}" --json result.json',
    )
    parser.add_argument("table", metavar="FILE", help="table; - for the standard input")
    parser.add_argument("--injection", metavar="YAML", help="the planted bias")
    parser.add_argument("--levels", type=float, metavar="X", nargs="+", help="strengths of the bias, from 0 to 1")
    parser.add_argument("--models", metavar="NAME", nargs="+", help="random_forest, decision_tree, mlp")
    parser.add_argument("--mitigations", metavar="NAME", nargs="+", help="none, reweighing, massaging, ftu, eop, ceo, roc_spd …")
    parser.add_argument("--folds", type=int, metavar="N", help="3 or more")
    parser.add_argument(
        "--jobs", type=int, metavar="N", default=1, help="processes; -1 is one per core; the numbers stay the same"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://127.0.0.1:8786")
    parser.add_argument("--resume", metavar="FILE", help="JSON of a run that was stopped")
    _settings(parser)
    _sample(parser, one=True)
    _roles(parser)
    _reading(parser)
    parser.add_argument("--json", metavar="FILE", help="the whole result as JSON; - for the standard output")
    parser.add_argument("--csv", metavar="FILE", help="one row per level, fold, model, method, test set and metric")
    parser.add_argument("--quiet", action="store_true", help="print no summary")


def _reproduce(commands: Any) -> None:
    parser = _command(
        commands,
        "reproduce",
        "reproduce",
        "recompute the tables of the QMAD paper beside the published values",
        "fairaudit reproduce --table 5 --seeds 20 --csv table5.csv",
    )
    parser.add_argument("--table", metavar="N", nargs="+", default=["5"], help="5, 6, 7, 8, 9, 10 or all")
    parser.add_argument("--seeds", type=int, metavar="N", help="independent repeats")
    parser.add_argument("--bins", type=int, metavar="N", help="bins; by default the number that fits the paper's data")
    parser.add_argument("--seed", type=int, metavar="N", default=0, help="the first seed")
    parser.add_argument("--json", metavar="FILE", help="the whole result as JSON; - for the standard output")
    parser.add_argument("--csv", metavar="FILE", help="published and recomputed values, cell by cell")
    parser.add_argument("--quiet", action="store_true", help="print no summary")


def _app(commands: Any) -> None:
    parser = _command(commands, "app", "app", "open the dashboard in the browser", "fairaudit app --port 8502")
    parser.add_argument("--port", type=int, metavar="N", help="port on this machine")
    parser.add_argument("--no-browser", action="store_true", help="start the server only")
    parser.add_argument("streamlit", nargs=argparse.REMAINDER, metavar="-- OPTIONS", help="more options for Streamlit")


def _schema(commands: Any) -> None:
    parser = _command(
        commands,
        "schema",
        "schema",
        "propose roles and types of the columns of a file, as YAML to check and edit",
        "fairaudit schema people.csv --out schema.yaml",
    )
    parser.add_argument("table", metavar="FILE", help="table; - for the standard input")
    _roles(parser)
    _reading(parser)
    parser.add_argument("--out", metavar="FILE", default="-", help="file to write; the standard output by default")
