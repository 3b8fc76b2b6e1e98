"""The command line: ``fairaudit audit | inject | evaluate | reproduce | app | schema``.

Exit codes: 0 no disparity found (or done), 1 disparity found and ``--fail-on-disparity`` given, 2 bad input or settings, 3 nothing could be
measured. Libraries are imported when a command runs, so that ``--help`` is quick.
"""

from fairaudit.cli.entry import main

__all__ = ["main"]
