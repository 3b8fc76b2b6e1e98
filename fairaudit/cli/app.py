"""``fairaudit app``."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairaudit.errors import FairAuditError


def run(options: argparse.Namespace) -> int:
    """Start the dashboard and wait for it."""
    script = app_file()
    command = [sys.executable, "-m", "streamlit", "run", str(script), *(f"--{k}={v}" for k, v in own_options(script).items())]
    if options.port is not None:
        command.append(f"--server.port={options.port}")
    if options.no_browser:
        command.append("--server.headless=true")
    command += [o for o in options.streamlit if o != "--"]
    # The dashboard imports the package from beside it, wherever the command was given.
    path = os.pathsep.join(filter(None, [str(script.parent), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path}
    if os.name == "posix":
        # The server takes the place of this process, so that whoever stops this process stops the server.
        sys.stdout.flush()
        os.execve(sys.executable, command, environment)
    return subprocess.call(command, env=environment)


def app_file() -> Path:
    """The dashboard's file, beside the package.

    Raises
    ------
    FairAuditError
        If the package was installed without it.
    """
    script = Path(__file__).resolve().parents[2] / "app.py"
    if not script.is_file():
        raise FairAuditError(
            f"The dashboard is not beside the package (looked for {script}).", "Start it from a copy of the project: make app"
        )
    return script


def own_options(script: Path) -> dict[str, str]:
    """Options of the dashboard's own config.toml; Streamlit itself may look for it only where the command is given.

    Lists cannot be given on a command line; they are colours and sizes, without which the dashboard works.
    """
    path = script.parent / ".streamlit" / "config.toml"
    if not path.is_file():
        return {}
    return dict(_flat(tomllib.loads(path.read_text(encoding="utf-8")), ""))


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, bool):
            yield f"{prefix}{key}", str(value).lower()
        elif not isinstance(value, list):
            yield f"{prefix}{key}", str(value)
