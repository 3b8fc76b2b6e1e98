"""fairaudit: an audit of data and decisions for differences between groups of people."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
from fairaudit.settings import AuditSettings, ReportOptions, load_frames
from fairaudit.validation import Remedy, check_frames, check_table, propose_schema, sample_rows

_LAZY = {
    "EvaluationResult": "fairaudit.evaluation",
    "MITIGATIONS": "fairaudit.mitigation",
    "MODELS": "fairaudit.models",
    "estimate_seconds": "fairaudit.evaluation",
    "evaluate": "fairaudit.evaluation",
    "ReproductionResult": "fairaudit.reproduction",
    "reproduce": "fairaudit.reproduction",
}
"""Names whose modules import scikit-learn, which takes a second; they are loaded when they are asked for."""

if TYPE_CHECKING:
    from fairaudit.evaluation import EvaluationResult, estimate_seconds, evaluate
    from fairaudit.mitigation import MITIGATIONS
    from fairaudit.models import MODELS
    from fairaudit.reproduction import ReproductionResult, reproduce


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'fairaudit' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


__all__ = [
    "AGGREGATIONS",
    "BASELINES",
    "BINNINGS",
    "COMPARISONS",
    "INJECTIONS",
    "MITIGATIONS",
    "MODELS",
    "PAIRS",
    "AuditResult",
    "AuditSettings",
    "AuditTable",
    "BaselineResult",
    "Contrast",
    "DetectabilityResult",
    "EvaluationResult",
    "FairAuditError",
    "Frames",
    "Injected",
    "Injection",
    "NotMeasurableError",
    "ReadOptions",
    "Remedy",
    "ReportOptions",
    "ReproductionResult",
    "Schema",
    "audit",
    "baselines",
    "check_frames",
    "check_table",
    "detectability",
    "estimate_seconds",
    "evaluate",
    "inject",
    "load_frames",
    "propose_schema",
    "read_table",
    "replay",
    "reproduce",
    "sample_rows",
]
