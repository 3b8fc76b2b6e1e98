"""``fairaudit schema``."""

from __future__ import annotations

import argparse

from fairaudit.cli.choices import checked_schema, read_one
from fairaudit.cli.terminal import STDIO, check_outputs, say, write
from fairaudit.settings import to_yaml_text
from fairaudit.validation import propose_schema


def run(options: argparse.Namespace) -> int:
    """Propose a schema and write it."""
    check_outputs(options.out)
    table = read_one(options)
    text = to_yaml_text(propose_schema(table, checked_schema(options)).to_dict())
    head = "# Roles and types of columns, proposed from names and content: check and edit. Use: fairaudit audit --schema FILE\n"
    write(options.out, head + text)
    if options.out != STDIO:
        say(f"{table.name}: {table.decision.sentence}")
    return 0
