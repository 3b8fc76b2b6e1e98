"""fairaudit: an audit of data and decisions for differences between groups of people."""

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS
from fairaudit.contrast import Contrast
from fairaudit.errors import FairAuditError, NotMeasurableError
from fairaudit.qmad import PAIRS, audit
from fairaudit.reading import read_table
from fairaudit.results import AuditResult
from fairaudit.schema import AuditTable, Frames, Schema

__all__ = [
    "AGGREGATIONS",
    "BINNINGS",
    "COMPARISONS",
    "PAIRS",
    "AuditResult",
    "AuditTable",
    "Contrast",
    "FairAuditError",
    "Frames",
    "NotMeasurableError",
    "Schema",
    "audit",
    "read_table",
]
