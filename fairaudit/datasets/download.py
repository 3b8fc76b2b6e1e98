"""Published files that do not ship here: found in a folder, or downloaded when asked to, and checked by their values."""

from __future__ import annotations

import hashlib
import io
import os
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from fairaudit.errors import FairAuditError, ReadingError
from fairaudit.files import not_written, write_whole

FOLDER_VARIABLE = "FAIRAUDIT_DATA"
TIMEOUT = 60.0


@dataclass(frozen=True)
class PublishedFile:
    """One table of a published archive.

    Attributes
    ----------
    name : str
        File name in the archive, such as ``student-por.csv``.
    title : str
        Name for people.
    url : str
        Address of the zip archive.
    sha256 : str
        Checksum over the values, see ``checksum``: quotes, delimiter and line ends of a copy do not matter, a changed cell does.
    n_rows : int
    columns : tuple of str
    """

    name: str
    title: str
    url: str
    sha256: str
    n_rows: int
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class FoundFile:
    """A table of text values, where it was found and whether it is the published one."""

    data: pd.DataFrame
    place: str
    as_published: bool

    def note(self) -> str:
        """A sentence on the copy that was read."""
        if self.as_published:
            return f"Read from {self.place}; the values are those of the published file (checksum)."
        return f"Read from {self.place}; its values differ from the published file, so published numbers need not come out."


def data_folder() -> Path:
    """Where loaders look when no place is named: the variable ``FAIRAUDIT_DATA``, or ``.fairaudit/data`` in the home folder."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else Path.home() / ".fairaudit" / "data"


def checksum(table: pd.DataFrame) -> str:
    """SHA-256 over column names and values of a table of text, a missing value as ``?``, rows in their order."""
    lines = [",".join(map(str, table.columns)), *(",".join(row) for row in table.itertuples(index=False, name=None))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def find(file: PublishedFile, source: str | Path | bytes | None = None, *, download: bool = False) -> FoundFile:
    """Read a published file.

    Parameters
    ----------
    file : PublishedFile
    source : path or bytes, optional
        The file, or a folder with it (plain or ``.gz``, also in a folder ``oulad`` or ``student``); by default ``data_folder()``. Bytes are
        the content of the file itself.
    download : bool
        Whether to fetch the archive where the file is not there. The table is then kept in the folder.

    Raises
    ------
    FairAuditError
        If the file is neither there nor to be downloaded, or the download failed or brought something else.
    ReadingError
        If it is not the table that its name says.
    """
    if isinstance(source, bytes):
        table = _read(source, file, f"the {file.name} that was given", compressed=source[:2] == b"\x1f\x8b")
        return FoundFile(table, f"the {file.name} that was given", checksum(table) == file.sha256)
    place = Path(source) if source is not None else data_folder()
    path = _locate(file, place)
    if path is not None:
        table = _read(path.read_bytes(), file, str(path), compressed=path.suffix == ".gz")
        return FoundFile(table, str(path), checksum(table) == file.sha256)
    if not download:
        raise FairAuditError(
            f"{file.title} does not ship with fairaudit, and {file.name} is not in {place}.",
            f"Download {file.url}, put {file.name} into that folder (or name another one by {FOLDER_VARIABLE}), or allow the download.",
        )
    content = _fetch(file)
    table = _read(content, file, file.url)
    if checksum(table) != file.sha256:
        raise FairAuditError(
            f"The file {file.name} downloaded from {file.url} is not the one that was published (its checksum differs).",
            "Nothing was kept. Get the file by hand and look at it before you use it.",
        )
    target = place if place.suffix == ".csv" else place / file.name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(target, error) from None
    write_whole(target, content)
    return FoundFile(table, str(target), True)


def _locate(file: PublishedFile, place: Path) -> Path | None:
    """The file at a place, None where it is not there."""
    if place.is_file():
        return place
    names = (file.name, f"{file.name}.gz")
    candidates = [folder / name for folder in (place, place / "oulad", place / "student") for name in names]
    return next((path for path in candidates if path.is_file()), None)


def _fetch(file: PublishedFile) -> bytes:
    """The table's bytes out of the published archive."""
    try:
        with urllib.request.urlopen(file.url, timeout=TIMEOUT) as answer:
            archive = answer.read()
        content = _member(archive, file.name)
    except (OSError, zipfile.BadZipFile) as error:
        raise FairAuditError(
            f"{file.title} could not be downloaded from {file.url} ({error}).",
            f"Check the network, or get the archive another way and put {file.name} into {data_folder()}.",
        ) from error
    if content is None:
        raise FairAuditError(f"The archive {file.url} holds no {file.name}.", "Get the file by hand from the publisher's page.")
    return content


def _member(archive: bytes, name: str) -> bytes | None:
    """A file of a zip archive, or of an archive within it."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for member in opened.namelist():
            if member.rsplit("/", 1)[-1] == name:
                return opened.read(member)
        for member in opened.namelist():
            if member.endswith(".zip") and (found := _member(opened.read(member), name)) is not None:
                return found
    return None


def _read(content: bytes, file: PublishedFile, place: str, compressed: bool = False) -> pd.DataFrame:
    """The columns of a published file as text, a missing value as ``?``; delimiter ``,`` or ``;``."""
    try:
        text = pd.read_csv(
            io.BytesIO(content),
            sep=None,
            engine="python",
            dtype=str,
            keep_default_na=False,
            encoding="utf-8-sig",
            compression="gzip" if compressed else None,
        )
    except (ValueError, OSError, EOFError) as error:
        raise ReadingError(f"{place} cannot be read as {file.name} ({error}).", f"Get the file again from {file.url}.") from error
    missing = [c for c in file.columns if c not in text.columns]
    if missing:
        raise ReadingError(
            f"{place} is not the table {file.name} of {file.title}: it lacks {', '.join(missing[:5])}.",
            f"Get the file from {file.url}.",
        )
    return text[list(file.columns)].replace("", "?")
