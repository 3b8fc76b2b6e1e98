"""fairaudit: an audit of data and decisions for differences between groups of people."""

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.baselines import BASELINES, BaselineResult, baselines
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS
from fairaudit.contrast import Contrast
from fairaudit.detectability import DetectabilityResult, detectability
from fairaudit.errors import FairAuditError, NotMeasurableError
from fairaudit.injection import INJECTIONS, Injected, Injection, inject, replay
from fairaudit.qmad import PAIRS, audit
from fairaudit.reading import ReadOptions, read_table
from fairaudit.results import AuditResult
from fairaudit.schema import AuditTable, Frames, Schema
from fairaudit.validation import check_frames, check_table, propose_schema

__all__ = [
    "AGGREGATIONS",
    "BASELINES",
    "BINNINGS",
    "COMPARISONS",
    "INJECTIONS",
    "PAIRS",
    "AuditResult",
    "AuditTable",
    "BaselineResult",
    "Contrast",
    "DetectabilityResult",
    "FairAuditError",
    "Frames",
    "Injected",
    "Injection",
    "NotMeasurableError",
    "ReadOptions",
    "Schema",
    "audit",
    "baselines",
    "check_frames",
    "check_table",
    "detectability",
    "inject",
    "propose_schema",
    "read_table",
    "replay",
]
