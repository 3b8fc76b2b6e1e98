"""Names and numbers in figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairaudit.charts.text import (
    clean,
    column_label,
    count,
    cut,
    listed,
    missing,
    number,
    p_short,
    p_text,
    percent,
    plain,
    width_of,
    wrapped,
)

ENTITIES = {"&lt;": "<", "&gt;": ">", "&#36;": "$", "&#37;": "%", "&amp;": "&"}


def as_shown(text: str) -> str:
    """What a reader sees: plotly replaces each entity once."""
    out, i = "", 0
    while i < len(text):
        entity = next((e for e in ENTITIES if text.startswith(e, i)), None)
        out += ENTITIES[entity] if entity else text[i]
        i += len(entity) if entity else 1
    return out


@given(st.text())
def test_plain_text_is_shown_as_it_is_and_holds_no_markup(text: str) -> None:
    escaped = plain(text)
    assert as_shown(escaped) == text
    assert not set("<>$") & set(escaped)
    assert "%{" not in escaped


@given(st.text(), st.integers(4, 40))
def test_cut_names_are_one_line_and_never_wider_than_allowed(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert "\n" not in short and short
    assert width_of(short) <= max(limit, len("(no name)"))
    if width_of(clean(text)) <= limit:
        assert short == clean(text)


def test_clean_drops_what_cannot_be_seen() -> None:
    assert clean("a\n\tb\u202ec") == "a bc"
    assert clean(" \n ") == "(no name)"
    assert clean(7) == "7"


def test_wrapping_keeps_the_name_and_bounds_the_lines() -> None:
    assert wrapped("<b>x</b>") == "&lt;b&gt;x&lt;/b&gt;"
    assert wrapped("word " * 100, 20, 3).count("<br>") == 2
    assert wrapped("word " * 100, 20, 3).endswith("…")
    assert column_label("day 2 (biased)", 8) == "day 2<br>(biased)"
    assert column_label("x" * 90, 8).count("<br>") <= 2


@pytest.mark.parametrize("value", [None, np.nan, pd.NA, pd.NaT])
def test_missing(value: object) -> None:
    assert missing(value)
    assert number(value) == percent(value) == p_text(value) == "not defined"  # type: ignore[arg-type]
    assert count(value) == "unknown"
    assert p_short(value) == "–"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("p", "short", "text"),
    [
        (1.0, "1", "1"),
        (0.04996, "0.050", "0.05"),
        (0.0012345, "0.001", "0.00123"),
        (3.21e-7, "3e-7", "3.21e-07"),
        (4e-12, "4e-12", "4e-12"),
        (0.0, "≈0", "< 1e-300"),
    ],
)
def test_p_values(p: float, short: str, text: str) -> None:
    assert p_short(p) == short
    assert p_text(p) == text


def test_lists_and_numbers() -> None:
    assert listed(list("abcdef"), 2) == "a, b and 4 more"
    assert listed(["a"]) == "a"
    assert number(float("inf")) == "∞"
    assert number(np.int64(20_000)) == "20,000"
    assert percent(0.0756) == "7.6 %"
