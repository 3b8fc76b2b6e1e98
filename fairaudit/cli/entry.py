"""Entry point: whatever happens, an exit code and at most a sentence or two on stderr."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from fairaudit.cli.parser import make_parser
from fairaudit.cli.terminal import STDIO, drop_output, one_line
from fairaudit.errors import CancelledError, FairAuditError, NotMeasurableError
from fairaudit.files import FULL, not_written

DONE, DISPARITY, BAD_INPUT, NOT_MEASURABLE, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words of the command line; those of the process by default.

    Returns
    -------
    int
        Exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter shows a question mark instead of ending the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        options = make_parser().parse_args(arguments)
        run: Callable[..., int] = import_module(f"fairaudit.cli.{options.module}").run
        code = run(options)
        sys.stdout.flush()
        return code
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else BAD_INPUT
    except NotMeasurableError as error:
        return _complain(error, NOT_MEASURABLE)
    except CancelledError as error:
        return _complain(error, INTERRUPTED)
    except FairAuditError as error:
        return _complain(error, BAD_INPUT)
    except KeyboardInterrupt:
        return _complain("Stopped.", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has seen enough; the interpreter must not try to write the rest when it ends.
        drop_output()
        return DONE
    except MemoryError:
        return _complain(
            "There is not enough memory for these tables. Draw a sample of the rows, or use fewer columns.", BAD_INPUT
        )
    except OSError as error:
        drop_output()
        if error.errno in FULL:
            return _complain(not_written(error.filename or STDIO, error), BAD_INPUT)
        where = f"{error.filename!r}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}. Check the path and the rights.", BAD_INPUT)


def _complain(problem: object, code: int) -> int:
    with contextlib.suppress(OSError):
        print(f"fairaudit: {one_line(problem)}", file=sys.stderr, flush=True)
    return code
