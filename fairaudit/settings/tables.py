"""From the names in the settings to checked tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairaudit.errors import FairAuditError, SettingsError, ValidationError
from fairaudit.reading import ReadTable, read_table
from fairaudit.schema import Frames
from fairaudit.settings.model import AuditSettings, TableSettings
from fairaudit.validation.repairs import Repaired, check_and_repair


def read_tables(
    settings: AuditSettings, folder: str | os.PathLike[str] = ".", sources: Mapping[str, Any] | None = None
) -> tuple[ReadTable, dict[str, ReadTable]]:
    """The reference and the targets of the settings as they are read, before they are checked.

    Parameters
    ----------
    settings : AuditSettings
    folder : path
        What the file names are relative to.
    sources : mapping of str to source, optional
        Where tables come from instead of their files, by name; see ``read_table``.

    Raises
    ------
    FairAuditError
        With the problems of all files together.
    """
    if settings.reference is None:
        raise SettingsError("The settings name no reference table.", "Name its file under tables, or on the command line.")
    read: dict[str, ReadTable] = {}
    problems: list[FairAuditError] = []
    for table in (settings.reference, *settings.targets):
        try:
            read[table.name] = read_table(_source(table, folder, sources or {}), name=table.name, options=table.reading)
        except FairAuditError as error:
            problems.append(error)
    if problems:
        raise problems[0] if len(problems) == 1 else ValidationError(problems)
    reference = read.pop(settings.reference.name)
    return reference, read


def load_frames(
    settings: AuditSettings, folder: str | os.PathLike[str] = ".", sources: Mapping[str, Any] | None = None
) -> Frames:
    """The checked and repaired tables of the settings; parameters and errors as for ``read_tables``, and those of ``check_frames``.

    A repair that cannot be applied is a finding of the reference with the code ``repair_not_done``.
    """
    reference, targets = read_tables(settings, folder, sources)
    return repaired_frames(settings, reference, targets).frames


def repaired_frames(settings: AuditSettings, reference: ReadTable, targets: Mapping[str, ReadTable]) -> Repaired:
    """Tables as they were read, checked and repaired as the settings say, and what each repair did."""
    return check_and_repair(reference, targets, settings.schema, settings.repairs)


def _source(table: TableSettings, folder: str | os.PathLike[str], sources: Mapping[str, Any]) -> Any:
    if table.name in sources:
        return sources[table.name]
    if table.file is None:
        raise SettingsError(f"The settings do not say in which file {table.name} is.", "Name the file, or give the table itself.")
    return Path(folder) / table.file
