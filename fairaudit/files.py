"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from fairaudit.errors import FairAuditError

FULL = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})
"""What the system says when there is no room: on the disk, for one file, for this account."""


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file; if that fails, what was there before is still there, and nothing else.

    The content goes to a new file beside it first, which takes the place of the old one when it is complete. Devices, pipes and files in
    folders where no file may be made are written directly.

    Raises
    ------
    FairAuditError
        With the reason: no room, no right, no such folder.
    """
    try:
        target = Path(os.path.realpath(path))  # unlike resolve(), it leaves a loop of links to the system, which names it
        if _replaceable(target):
            _replace(target, content)
        else:
            with target.open("wb") as stream:
                stream.write(content)
    except (OSError, ValueError) as error:
        raise not_written(path, error) from None


def not_written(path: str | os.PathLike[str], error: OSError | ValueError) -> FairAuditError:
    """The sentence for a file, or the standard output, that could not be written."""
    name = f"{os.fspath(path)!r}" if path != "-" else "The standard output"
    if isinstance(error, OSError) and error.errno in FULL:
        return FairAuditError(
            f"{name} cannot be written: the disk is full ({error.strerror}).", "Free some room, or write to another disk."
        )
    reason = getattr(error, "strerror", None) or str(error)
    return FairAuditError(f"{name} cannot be written: {reason}.", "Check the path and the rights to write there.")


def _replaceable(target: Path) -> bool:
    """Whether the path is a plain file, or none yet, in a folder where files may be made."""
    try:
        plain = stat.S_ISREG(target.stat().st_mode)
    except FileNotFoundError:
        plain = True
    return plain and os.access(target.parent, os.W_OK)


def _replace(target: Path, content: bytes) -> None:
    # A name of its own, short enough for every file system, that a person who finds it after a power cut understands.
    part = target.with_name(f".fairaudit-{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())  # some systems tell only now that there is no room
        with contextlib.suppress(FileNotFoundError):
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
