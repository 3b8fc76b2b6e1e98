"""The report: one HTML file without scripts that opens anywhere, prints well, and asks no other host for anything."""

from fairaudit.reporting.page.build import MAX_BYTES, html_report
from fairaudit.reporting.page.extras import LabSection

__all__ = ["MAX_BYTES", "LabSection", "html_report"]
