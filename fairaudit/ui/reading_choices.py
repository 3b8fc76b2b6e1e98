"""Controls that override how files are read."""

from __future__ import annotations

import streamlit as st

from fairaudit.reading import DEFAULT_MISSING_MARKERS, ReadOptions

_AUTO = "decide from the file"
_DELIMITERS = {_AUTO: None, "comma": ",", "semicolon": ";", "tab": "\t", "pipe |": "|", "space": " "}
_ENCODINGS = (_AUTO, "utf-8", "utf-16", "cp1252", "latin-1", "iso-8859-15", "shift_jis", "gb18030")
_DECIMALS = {_AUTO: None, "point": ".", "comma": ","}


def reading_choices() -> ReadOptions:
    """How files are read; by default everything is decided from their content."""
    with st.expander("How files are read", icon=":material/tune:"):
        first, second, third = st.columns(3)
        delimiter = first.selectbox("Delimiter", list(_DELIMITERS), key="read.delimiter", persist_state="session")
        encoding = second.selectbox("Encoding", _ENCODINGS, key="read.encoding", persist_state="session")
        decimal = third.selectbox("Decimal mark", list(_DECIMALS), key="read.decimal", persist_state="session")
        keep = first.toggle(
            "Keep NA, None, null … as text",
            key="read.keep",
            persist_state="session",
            help="Otherwise these cells are read as missing: " + ", ".join(f"`{m}`" for m in DEFAULT_MISSING_MARKERS if m) + ".",
        )
        header = second.toggle("The first row holds the names", value=True, key="read.header", persist_state="session")
        sheet = third.text_input(
            "Sheet of an Excel file", key="read.sheet", persist_state="session", placeholder="the first one with content"
        )
    return ReadOptions(
        delimiter=_DELIMITERS[delimiter],
        encoding=None if encoding == _AUTO else encoding,
        decimal=_DECIMALS[decimal],
        header=None if header else False,
        keep_markers_as_text=keep,
        sheet=sheet.strip() or None,
    )
