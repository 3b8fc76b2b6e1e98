"""The one border: tables as they come -> checked tables in canonical form. Behind it nobody checks again."""

from __future__ import annotations

from fairaudit.validation.remedies import Remedy
from fairaudit.validation.roles import propose_schema
from fairaudit.validation.sampling import sample_rows
from fairaudit.validation.tables import check_frames, check_table, with_schema
from fairaudit.validation.types import infer_type
from fairaudit.validation.words import POSITIVE_WORDS, ROLE_WORDS, SENSITIVE_WORDS

__all__ = [
    "POSITIVE_WORDS",
    "ROLE_WORDS",
    "SENSITIVE_WORDS",
    "Remedy",
    "check_frames",
    "check_table",
    "infer_type",
    "propose_schema",
    "sample_rows",
    "with_schema",
]
