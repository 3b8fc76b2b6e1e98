"""Results as files that other people and programs read."""

from fairaudit.reporting.tables import safe_csv

__all__ = ["safe_csv"]
