"""Small files that stand for kinds of trouble, each with the right answer: read by the tests of Python, command line and page."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ROWS = 120


def columns(seed: int = 0, n: int = ROWS) -> dict[str, list[Any]]:
    """Ordinary people; the two sides of a case have different seeds."""
    rng = np.random.default_rng(seed)
    return {
        "age": np.round(rng.uniform(18, 70, n), 1).tolist(),
        "sex": rng.choice(["F", "M"], n).tolist(),
        "town": rng.choice(["Ulm", "Hof", "Jena"], n).tolist(),
        "hired": rng.choice(["yes", "no"], n).tolist(),
    }


def csv(
    table: Mapping[str, Sequence[Any]],
    mark: str = ",",
    codec: str = "utf-8",
    decimal: str = ".",
    names: Sequence[str] | None = None,
) -> bytes:
    """Rows of a table as text; cells are written as they are, without quotes."""

    def cell(value: Any) -> str:
        return str(value).replace(".", decimal) if isinstance(value, float) else str(value)

    lines = [mark.join(names or list(table))]
    lines += [mark.join(map(cell, row)) for row in zip(*table.values(), strict=True)]
    return ("\n".join(lines) + "\n").encode(codec)


def changed(seed: int = 0, n: int = ROWS, drop: Sequence[str] = (), **new: Any) -> dict[str, list[Any]]:
    """Ordinary people with some columns replaced, added or dropped."""
    return {c: v for c, v in {**columns(seed, n), **new}.items() if c not in drop}


def cycle(*values: Any, n: int = ROWS) -> list[Any]:
    """The values over and over."""
    return [values[i % len(values)] for i in range(n)]


@dataclass(frozen=True)
class Case:
    """Two files and the right answer.

    Attributes
    ----------
    reference, target : bytes
    code : int
        How the command line ends: 0 an answer, 2 bad input, 3 nothing measurable.
    says : tuple of str
        What Python and the command line must say, in a message, a finding or a note.
    shown : tuple of str
        What the Data page must show; None: the same as ``says`` for bad input, nothing otherwise.
    verdicts : dict of str to str
        Expected verdict of attributes; "measured" stands for a verdict with a score, "absent" for not compared.
    options : tuple of str
        More words of the command line.
    choices : dict
        The same choices for ``fairaudit.audit``.
    reading : dict
        The same choices for ``fairaudit.read_table``.
    """

    reference: bytes
    target: bytes
    code: int = 0
    says: tuple[str, ...] = ()
    shown: tuple[str, ...] | None = None
    verdicts: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    choices: dict[str, Any] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)

    @property
    def on_page(self) -> tuple[str, ...]:
        """What the Data page must show."""
        return self.shown if self.shown is not None else self.says if self.code == 2 else ()


ALL = dict.fromkeys(("age", "sex", "town", "hired"), "measured")
REF, DAY = csv(columns(0)), csv(columns(1))
TEXT = ["".join(np.random.default_rng(i).choice(list("abcdefg hij klm"), 60)) for i in range(ROWS)]
GROUPS = ("--contrast", "group_vs_reference_group", "--sensitive", "sex")
BY_SEX: dict[str, Any] = {"contrast": "group_vs_reference_group", "schema": {"sensitive_features": ("sex",)}}
WITHIN = ("--contrast", "within_group", "--sensitive", "sex")
WITHIN_SEX = BY_SEX | {"contrast": "within_group"}
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
DATES = [str(datetime.date(2000, 1, 1) + datetime.timedelta(days=37 * i)) for i in range(ROWS)]
FEW_F = [*["F"], *["M"] * (ROWS - 1)]


def both(table: Mapping[str, Sequence[Any]], other: Mapping[str, Sequence[Any]], **how: Any) -> tuple[bytes, bytes]:
    """Both sides written in one way."""
    return csv(table, **how), csv(other, **how)


FILES: dict[str, Case] = {
    "semicolons and decimal commas": Case(
        *both(columns(0), columns(1), mark=";", decimal=","),
        says=("semicolon", "decimal mark a comma"),
        shown=("decimal mark a comma",),
        verdicts=ALL,
    ),
    "decimal commas on one side only": Case(
        csv(columns(0), mark=";", decimal=","), DAY, says=("semicolon", "comma"), verdicts=ALL
    ),
    "tabs": Case(*both(columns(0), columns(1), mark="\t"), says=("tab",), shown=("tab",), verdicts=ALL),
    "pipes": Case(*both(columns(0), columns(1), mark="|"), says=("pipe",), verdicts=ALL),
    "a delimiter chosen by hand": Case(
        *both(columns(0), columns(1), mark=";"),
        says=("semicolon",),
        options=("--delimiter", ";"),
        reading={"delimiter": ";"},
        verdicts=ALL,
    ),
    "a wrong delimiter chosen by hand": Case(
        *both(columns(0), columns(1)),
        options=("--delimiter", "|"),
        reading={"delimiter": "|"},
        code=2,
        says=("No column can be compared",),
        shown=(),
    ),
    "unicode text of a spreadsheet": Case(
        *both(columns(0), columns(1), mark="\t", codec="utf-16"), says=("utf-16",), shown=("utf-16",), verdicts=ALL
    ),
    "an older encoding": Case(
        *both(changed(0, größe=cycle("süß", "né", "à")), changed(1, größe=cycle("süß", "né", "à")), codec="latin-1"),
        says=("cp1252", "not UTF-8"),
        shown=("cp1252",),
        verdicts={"größe": "measured"},
    ),
    "a byte order mark": Case(*both(columns(0), columns(1), codec="utf-8-sig"), says=("utf-8",), verdicts=ALL),
    "two columns of one name": Case(
        csv(changed(0, again=columns(5)["age"]), names=("age", "sex", "town", "hired", "age")),
        csv(changed(1, again=columns(6)["age"]), names=("age", "sex", "town", "hired", "age")),
        says=("'age (2)'", "renamed"),
        shown=("age (2)",),
        verdicts=ALL | {"age (2)": "measured"},
    ),
    "names that differ in case only": Case(
        csv(changed(0, Age=columns(5)["age"])), csv(changed(1, Age=columns(6)["age"])), verdicts=ALL | {"Age": "measured"}
    ),
    "spaces around names": Case(
        csv(columns(0), names=(" age", "sex ", "town", "hired")), DAY, says=("' age'", "'age'"), shown=("renamed",), verdicts=ALL
    ),
    "a name spelt wrongly": Case(
        csv(columns(0), names=("age", "gendr", "town", "hired")),
        csv(columns(1), names=("age", "gender", "town", "hired")),
        code=2,
        says=("'gendr'", "'gender'"),
    ),
    "a feature spelt wrongly": Case(
        csv(columns(0), names=("age", "sex", "twon", "hired")),
        DAY,
        says=("'twon'", "'town'"),
        shown=("twon",),
        verdicts={"age": "measured", "twon": "not_measurable"},
    ),
    "another order and more columns": Case(
        REF,
        csv({"new": cycle(1, 2, 3), **dict(reversed(columns(1).items()))}),
        says=("'new'", "left out"),
        shown=("left out",),
        verdicts=ALL,
    ),
    "markers that are answers": Case(
        *both(changed(0, town=cycle("NA", "None", "null", "unknown")), changed(1, town=cycle("NA", "None", "null", "unknown"))),
        says=("read as missing", "'NA' 30", "'unknown'"),
        shown=("'NA' 30", "'unknown'"),
        verdicts={"town": "no_evidence"},
    ),
    "markers kept as text": Case(
        *both(changed(0, town=cycle("NA", "None", "null", "unknown")), changed(1, town=cycle("NA", "None", "null", "unknown"))),
        options=("--keep-markers",),
        reading={"keep_markers_as_text": True},
        verdicts={"town": "measured"},
        shown=(),
    ),
    "numbers here, dates there": Case(
        REF, csv(changed(1, age=DATES)), says=("numbers", "dates"), shown=("dates",), verdicts=ALL | {"age": "not_measurable"}
    ),
    "numbers here, words there": Case(
        REF,
        csv(changed(1, age=cycle("young", "old"))),
        says=("numbers", "text"),
        shown=("numbers",),
        verdicts=ALL | {"age": "not_measurable"},
    ),
    "an identifier": Case(
        *both(
            changed(0, key=[f"c{i * 7919:06d}" for i in range(ROWS)], number=list(range(1000, 1000 + ROWS))),
            changed(1, key=[f"c{i * 104729:06d}" for i in range(ROWS)], number=list(range(5000, 5000 + ROWS))),
        ),
        says=("identifier",),
        shown=("identifier",),
        verdicts=ALL | {"key": "absent", "number": "absent"},
    ),
    "free text": Case(
        *both(changed(0, note=TEXT), changed(1, note=TEXT[::-1])),
        says=("free text",),
        shown=("free text",),
        verdicts=ALL | {"note": "absent"},
    ),
    "nothing but identifiers": Case(
        *both({"key": [f"c{i:04d}" for i in range(50)]}, {"key": [f"d{i:04d}" for i in range(50)]}),
        code=2,
        says=("No column can be compared",),
        shown=(),
    ),
    "a new category": Case(
        REF,
        csv(changed(1, town=cycle("Ulm", "Hof", "Jena", "Bonn"))),
        says=("'Bonn' (30 rows)", "reference does not have"),
        shown=("Bonn",),
        verdicts=ALL,
    ),
    "a vanished category": Case(
        REF, csv(changed(1, town=cycle("Ulm", "Hof"))), says=("'Jena'", "target does not have"), shown=("Jena",), verdicts=ALL
    ),
    "no category in common": Case(
        REF, csv(changed(1, town=cycle("A", "B", "C"))), says=("'A' (40 rows)",), verdicts={"town": "disparity"}
    ),
    "an empty file": Case(REF, b"", code=2, says=("empty",)),
    "only blanks and line ends": Case(REF, b" \r\n\r\n  \n", code=2, says=("empty",)),
    "only a byte order mark": Case(REF, b"\xef\xbb\xbf", code=2, says=("empty",)),
    "names only": Case(REF, b"age,sex,town,hired\n", code=2, says=("no rows of data",)),
    "names only, no line end": Case(REF, b"age,sex,town,hired", code=2, says=("no rows of data",)),
    "one row": Case(REF, csv(columns(1, 1)), says=("1 row;", "4 bins were asked for, 1 are possible"), shown=("1 row;",)),
    "two rows": Case(
        REF,
        csv(columns(1, 2)),
        says=("2 rows;", "10 bins were asked for, 2 are possible"),
        options=("--bins", "10"),
        choices={"bins": 10},
    ),
    "a picture": Case(REF, PICTURE, code=2, says=("picture",)),
    "a picture as reference": Case(PICTURE, DAY, code=2, says=("picture",)),
    "a document": Case(REF, b"%PDF-1.7\n" + bytes(range(128, 256)) * 9, code=2, says=("PDF",)),
    "a web page": Case(REF, b"<!DOCTYPE html>\n<html><body><p>Not found</p>\n</body></html>\n", code=2, says=("web page",)),
    "nothing in common": Case(REF, csv({"x": cycle(1, 2, 3), "y": cycle("a", "b")}), code=2, says=("no column in common",)),
    "cut off in a quoted cell": Case(REF, DAY + b'33.1,F,"Ul', code=2, says=("line 122", "never closed")),
    "cut off in a row": Case(REF, DAY + b"33.1,F", code=2, says=("line 122", "cut off")),
    "a ragged row": Case(
        REF, DAY.replace(b"\n", b"\nx,y,z,a,b\n", 3).replace(b"\nx,y,z,a,b\n", b"\n", 2), code=2, says=("Line 4", "5 values")
    ),
    "quoted line breaks": Case(
        REF, DAY.replace(b"Ulm", b'"Ulm\nan der Donau"'), says=("'Ulm\\nan der Donau'",), shown=("Donau",), verdicts=ALL
    ),
    "a trailing delimiter": Case(*(c.replace(b"\n", b",\n") for c in (REF, DAY)), says=("column 5",), verdicts=ALL),
    "a trailing delimiter on some lines": Case(REF, DAY.replace(b"yes\n", b"yes,\n"), code=2, says=("ends with a delimiter",)),
    "names that are formulas and pages": Case(
        csv(columns(0), names=("=1+1", "<script>alert(1)</script>", "@town", "-hired")),
        csv(columns(1), names=("=1+1", "<script>alert(1)</script>", "@town", "-hired")),
        verdicts={"=1+1": "measured", "<script>alert(1)</script>": "measured", "@town": "measured", "-hired": "measured"},
    ),
    "cells that are formulas and pages": Case(
        *both(changed(0, town=cycle("=1+1", "@x", "<b>x</b>")), changed(1, town=cycle("=1+1", "+x", "<b>x</b>"))),
        says=("'@x'", "'+x'"),
        shown=("@x",),
        verdicts=ALL,
    ),
    "a zero byte": Case(REF, DAY.replace(b"Ulm", b"U\0m"), code=2, says=("characters that no text has",)),
    "line ends of three systems": Case(REF.replace(b"\n", b"\r\n"), DAY.replace(b"\n", b"\r"), verdicts=ALL),
}

GROUPED: dict[str, Case] = {
    "a group of one": Case(
        csv(changed(0, sex=FEW_F)),
        csv(changed(1, sex=FEW_F)),
        options=GROUPS,
        choices=BY_SEX,
        code=3,
        says=("sex=F has 1 row", "fewer than the 10"),
        verdicts=dict.fromkeys(("age", "town", "hired"), "not_measurable"),
    ),
    "a group that one table lacks": Case(
        csv(changed(0, sex=cycle("F", "M", "X"))), DAY, options=WITHIN, choices=WITHIN_SEX, says=("sex=X has no rows in target",)
    ),
    "missing sensitive values": Case(
        *both(changed(0, sex=cycle("F", "M", "")), changed(1, sex=cycle("F", "M", ""))),
        options=GROUPS,
        choices=BY_SEX,
        says=("sex=(missing)",),
        shown=("missing",),
    ),
    "missing sensitive values left out": Case(
        *both(changed(0, sex=cycle("F", "M", "")), changed(1, sex=cycle("F", "M", ""))),
        options=(*GROUPS, "--set", "schema.missing_groups=leave_out"),
        choices=BY_SEX | {"schema": {"sensitive_features": ("sex",), "missing_groups": "leave_out"}},
        says=("sex=",),
    ),
    "one group only": Case(
        *both(changed(0, sex=["F"] * ROWS), changed(1, sex=["F"] * ROWS)),
        options=GROUPS,
        choices=BY_SEX,
        code=2,
        says=("At least two groups",),
        shown=(),
    ),
    "no group at all": Case(
        *both(changed(0, sex=[""] * ROWS), changed(1, sex=[""] * ROWS)),
        options=GROUPS,
        choices=BY_SEX,
        code=2,
        says=("At least two groups",),
        shown=(),
    ),
    "no sensitive attribute": Case(
        *both(changed(0, drop=("sex",)), changed(1, drop=("sex",))),
        options=GROUPS[:2],
        choices={"contrast": "group_vs_reference_group"},
        code=2,
        says=("sensitive attribute is chosen",),
        shown=(),
    ),
    "an identifier as groups": Case(
        *both(changed(0, sex=[f"c{i:04d}" for i in range(ROWS)]), changed(1, sex=[f"d{i:04d}" for i in range(ROWS)])),
        options=GROUPS,
        choices=BY_SEX,
        code=2,
        says=("cannot define groups",),
        shown=(),
    ),
    "a continuous sensitive attribute": Case(
        REF,
        DAY,
        options=(*GROUPS[:3], "age"),
        choices={"contrast": "group_vs_reference_group", "schema": {"sensitive_features": ("age",)}},
        says=("to below 60.325", "and above"),
        shown=(),
    ),
    "a reference group that does not occur": Case(
        REF,
        DAY,
        options=(*GROUPS, "--reference-group", "sex=Z"),
        choices=BY_SEX | {"schema": {"sensitive_features": ("sex",), "reference_groups": {"sex": "Z"}}},
        code=2,
        says=("'Z'",),
        shown=(),
    ),
}

VALUES: dict[str, Case] = {
    "an empty column in one table": Case(
        REF,
        csv(changed(1, age=[""] * ROWS)),
        says=("no valid values",),
        shown=("no valid values",),
        verdicts=ALL | {"age": "not_measurable"},
    ),
    "an empty column in both": Case(
        *both(changed(0, age=[""] * ROWS), changed(1, age=[""] * ROWS)),
        says=("no valid values",),
        shown=("no valid values",),
        verdicts=ALL | {"age": "not_measurable"},
    ),
    "nothing but empty columns": Case(
        *both({"a": [""] * 40, "b": ["NA"] * 40}, {"a": [""] * 40, "b": ["NA"] * 40}, mark=";"),
        code=3,
        says=("no valid values",),
        verdicts={"a": "not_measurable", "b": "not_measurable"},
    ),
    "values go missing": Case(
        REF,
        csv(changed(1, age=[v if i % 20 == 0 else "" for i, v in enumerate(columns(1)["age"])])),
        says=("share of missing values is 95.0%",),
        shown=("95.0%",),
        verdicts={"town": "measured"},
    ),
    "infinite values": Case(
        REF,
        csv(changed(1, age=[v if i % 4 else "1e400" for i, v in enumerate(columns(1)["age"])])),
        says=("30 values are infinite",),
        shown=("infinite",),
        verdicts=ALL,
    ),
    "words of infinity": Case(
        REF, csv(changed(1, age=[v if i % 4 else "-inf" for i, v in enumerate(columns(1)["age"])])), verdicts={"town": "measured"}
    ),
    "equal constants": Case(
        *both(changed(0, age=[3.5] * ROWS, town=["Ulm"] * ROWS), changed(1, age=[3.5] * ROWS, town=["Ulm"] * ROWS)),
        says=("dentical",),
        shown=("Every value is",),
        verdicts={"age": "no_evidence", "town": "no_evidence"},
    ),
    "different constants": Case(
        *both(changed(0, age=[3.5] * ROWS, town=["Ulm"] * ROWS), changed(1, age=[4.5] * ROWS, town=["Hof"] * ROWS)),
        says=("maximal difference",),
        shown=("Every value is",),
        verdicts={"age": "disparity", "town": "disparity"},
    ),
    "zeros in quantile bins": Case(
        *both(*(changed(s, age=[0.0] * 108 + [i + 0.5 for i in range(12)]) for s in (0, 1))),
        options=("--binning", "quantile", "--bins", "5"),
        choices={"binning": "quantile", "bins": 5},
        says=("4 of 5 bins of the target hold one single value",),
    ),
    "more bins than rows": Case(
        csv(columns(0, 8)),
        csv(columns(1, 8)),
        options=("--bins", "50"),
        choices={"bins": 50},
        says=("50 bins were asked for, 8 are possible",),
        shown=("8 rows",),
    ),
    "a reference mean of zero": Case(
        *both(changed(0, age=[0.0] * ROWS), changed(1)),
        options=("--pair", "rom-arithmetic"),
        choices={"comparison": "rom", "aggregation": "arithmetic"},
        says=("the reference mean is 0",),
        verdicts={"age": "not_measurable"},
    ),
    "means of other signs": Case(
        REF,
        csv(changed(1, age=[-v for v in columns(1)["age"]])),
        options=("--pair", "rom-arithmetic"),
        choices={"comparison": "rom", "aggregation": "arithmetic"},
        says=("differ in sign",),
        verdicts={"age": "not_measurable"},
    ),
    "samples that Anderson-Darling cannot tell apart": Case(
        REF,
        REF,
        options=("--pair", "ad-harmonic"),
        choices={"comparison": "ad", "aggregation": "harmonic"},
        says=("ceiling",),
        verdicts={"age": "no_evidence"},
    ),
    "samples far apart": Case(
        REF,
        csv(changed(1, age=[v + 900 for v in columns(1)["age"]])),
        options=("--pair", "ad-harmonic"),
        choices={"comparison": "ad", "aggregation": "harmonic"},
        says=("floor",),
        verdicts={"age": "disparity"},
    ),
    "mostly numbers": Case(
        REF,
        csv(changed(1, age=[v if i % 9 else "abt 40" for i, v in enumerate(columns(1)["age"])])),
        says=("numbers",),
        shown=("numbers",),
        verdicts={"town": "measured"},
    ),
    "a code for no answer": Case(
        *both(*(changed(s, age=[v if i % 10 else 999 for i, v in enumerate(columns(s)["age"])]) for s in (0, 1))),
        says=("'999'", "no answer"),
        shown=("999",),
        verdicts=ALL,
    ),
    "repeated rows": Case(REF + REF.split(b"\n", 1)[1], DAY, says=("repeat an earlier row",), shown=("repeat",), verdicts=ALL),
}

ENDED = {"label": "hired"}
OUTCOMES: dict[str, Case] = {
    "words": Case(REF, DAY, says=("hired",), verdicts=ALL),
    "truth values": Case(*both(*(changed(s, hired=cycle("True", "False", "True")) for s in (0, 1))), verdicts=ALL),
    "one and two": Case(*both(*(changed(s, hired=cycle(1, 2, 2)) for s in (0, 1))), verdicts=ALL),
    "three values": Case(*both(*(changed(s, hired=cycle("yes", "no", "later")) for s in (0, 1))), verdicts=ALL),
    "none": Case(*both(*(changed(s, drop=("hired",)) for s in (0, 1))), verdicts={"age": "measured", "town": "measured"}),
    "a label that is not there": Case(
        REF, DAY, options=("--label", "hird"), choices={"schema": {"label": "hird"}}, code=2, says=("'hird'", "'hired'"), shown=()
    ),
    "a favourable value that does not occur": Case(
        REF,
        DAY,
        options=("--label", "hired", "--pos-label", "oui"),
        choices={"schema": ENDED | {"pos_label": "oui"}},
        code=2,
        says=("'oui'",),
        shown=(),
    ),
    "one decision for all": Case(
        *both(*(changed(s, prediction=["yes"] * ROWS) for s in (0, 1))),
        says=("dentical",),
        shown=("Every value is",),
        verdicts={"prediction": "no_evidence"},
    ),
    "a score instead of a decision": Case(
        *both(*(changed(s, prediction=columns(s + 7)["age"]) for s in (0, 1))), verdicts={"prediction": "measured"}
    ),
}

CASES: dict[str, Case] = {
    f"{section}: {name}": case
    for section, cases in (("files", FILES), ("groups", GROUPED), ("values", VALUES), ("outcomes", OUTCOMES))
    for name, case in cases.items()
}
