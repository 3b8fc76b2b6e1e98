"""One object for everything that can be chosen; the dashboard, the command line and notebooks start from it."""

from __future__ import annotations

from fairaudit.settings.form import settings_form
from fairaudit.settings.model import (
    VERSION,
    AuditSettings,
    Comment,
    EvaluationChoices,
    ReportOptions,
    TableSettings,
)
from fairaudit.settings.tables import load_frames, read_tables, repaired_frames
from fairaudit.settings.text import parse_settings_text, to_yaml_text

__all__ = [
    "VERSION",
    "AuditSettings",
    "Comment",
    "EvaluationChoices",
    "ReportOptions",
    "TableSettings",
    "load_frames",
    "parse_settings_text",
    "read_tables",
    "repaired_frames",
    "settings_form",
    "to_yaml_text",
]
