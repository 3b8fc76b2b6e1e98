"""From the files of an upload control to the tables of a session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import streamlit as st
from starlette.formparsers import MultiPartParser

from fairaudit.errors import FairAuditError, ValidationError
from fairaudit.reading import ReadOptions, ReadTable, read_table
from fairaudit.reading.memory import give_back
from fairaudit.schema import Frames, Schema
from fairaudit.ui import state
from fairaudit.ui.components import plain
from fairaudit.validation.remedies import Remedy
from fairaudit.validation.repairs import check_and_repair

FILE_TYPES = ("csv", "tsv", "tab", "txt", "dat", "parquet", "pq", "xlsx", "xlsm")
_DONE = "fairaudit.upload"
_PROPOSED = "fairaudit.upload.schema"


def keep_in_memory() -> None:
    """Uploads stay in memory while they arrive.

    Otherwise the form parser of the server puts what is larger than 1 MB into a temporary file on the disk, for as long as it arrives. How large
    an upload may be is limited before.
    """
    MultiPartParser.spool_max_size = 0


def table_name(file_name: str) -> str:
    """Name of a table: the file's name without its ending."""
    return PurePath(file_name).stem or file_name


def take(reference: Any, targets: Sequence[Any], options: ReadOptions) -> bool:
    """Read and check new files; True when there were any: files that were taken already are not read again.

    Raises
    ------
    FairAuditError
        With all problems of all files together; nothing stays loaded then.
    """
    files = [reference, *targets]
    signature = (tuple((f.file_id, f.name) for f in files), repr(options))
    if st.session_state.get(_DONE) == signature:
        return False
    edited = _edited(reference, options)
    # What was loaded before must not look as if it came from these files when one of them is bad.
    state.unload()
    st.session_state.pop(_DONE, None)
    limit = st.get_option("server.maxUploadSize") * 2**20
    tables: list[ReadTable] = []
    problems: list[FairAuditError] = []
    for file in files:
        try:
            tables.append(read_table(file.getvalue(), name=table_name(file.name), options=options, max_bytes=limit))
        except FairAuditError as error:
            problems.append(error)
    if problems:
        raise problems[0] if len(problems) == 1 else ValidationError(problems)
    names = _unique([t.name for t in tables[1:]], taken=tables[0].name)
    opened = state.opened_settings()
    schema, repairs = edited or ((None, ()) if opened is None else (opened.schema, opened.repairs))
    found = check_and_repair(tables[0], dict(zip(names, tables[1:], strict=True)), schema, repairs)
    frames = found.frames
    reading = tuple(f"{t.name}: {t.decision.sentence}" for t in tables)
    named = tuple(zip((frames.reference.name, *names), (f.name for f in files), strict=True))
    taken = state.Loaded(frames, "Your files", reading=reading, files=named, options=options)
    state.load(state.repaired(taken, found, repairs, schema))
    st.session_state[_DONE] = signature
    st.session_state[_PROPOSED] = frames.schema
    del tables
    give_back()
    return True


def _edited(reference: Any, options: ReadOptions) -> tuple[Schema, tuple[Remedy, ...]] | None:
    """Roles, types and remedies that were chosen for this very reference before targets were added; None where nothing was."""
    tables, done = state.loaded(), st.session_state.get(_DONE)
    if tables is None or done is None or done[0][0] != (reference.file_id, reference.name) or done[1] != repr(options):
        return None
    now, proposed = tables.frames.schema, st.session_state[_PROPOSED]
    if now == proposed and not tables.remedies:
        return None
    # Types that nobody changed are inferred again, from all tables together, and so is an outcome that nobody chose.
    types = {c: t for c, t in now.types if proposed.type_of(c) != t}
    pos_label = now.pos_label if now.pos_label != proposed.pos_label else None
    return now.with_(types=types, pos_label=pos_label), tables.remedies


def counted(frames: Frames) -> str:
    """How many tables there are, with the verb that follows."""
    n = len(frames.targets)
    return f"{n} target table{'s' if n > 1 else ''} and a reference are" if n else "a reference table is"


def what_is_loaded(tables: state.Loaded | None, *, shown: bool) -> None:
    """Name the files of the session where the upload controls do not: they are empty after a visit to another page.

    Parameters
    ----------
    tables : Loaded or None
    shown : bool
        Whether the controls show the files themselves.
    """
    if tables is None or shown:
        return
    files = dict(tables.files)
    reference, *targets = (plain(files.get(t.name, t.name)) for t in tables.frames.tables)
    more = f" and {len(targets) - 8} more" if len(targets) > 8 else ""
    st.info(
        f"**Loaded:** {reference} (reference)" + "".join(f", {t}" for t in targets[:8]) + more + ". They stay until you upload a "
        "reference table, which replaces all of them and the roles that were chosen; give its targets with it.",
        icon=":material/inventory_2:",
    )


def what_is_lacking(tables: state.Loaded | None, reference: Any, targets: Sequence[Any]) -> None:
    """Say which upload comes next."""
    if reference is None and targets:
        st.warning(
            "Add a reference table: the targets are compared with it, and nothing of them is read before. If there is one table only, upload "
            "it as the reference: groups inside it can be compared.",
            icon=":material/arrow_back:",
        )
    elif tables is not None and not tables.frames.targets:
        st.info(
            "Add one or more target tables to compare tables. Without one, groups inside the reference can be compared.",
            icon=":material/arrow_forward:",
        )


def _unique(names: list[str], taken: str) -> list[str]:
    """The same names, numbered where they repeat or equal ``taken``."""
    seen, result = {taken}, []
    for name in names:
        new, number = name, 2
        while new in seen:
            new, number = f"{name} ({number})", number + 1
        seen.add(new)
        result.append(new)
    return result
