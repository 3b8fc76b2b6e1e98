"""The papers' tables recomputed, published beside recomputed value, cell by cell.

``reproduce`` recomputes; ``default_run`` is the run that ships with the package and is made by ``python -m fairaudit.reproduction``.
"""

from fairaudit.reproduction.agreement import RULE
from fairaudit.reproduction.result import Agreement, ReproductionResult, default_run
from fairaudit.reproduction.run import MAX_SEEDS, RESAMPLES, SEEDS, reproduce
from fairaudit.reproduction.tables import METRIC_LABELS, P_VALUES, TABLES, TableSpec, published, table_spec

__all__ = [
    "MAX_SEEDS",
    "METRIC_LABELS",
    "P_VALUES",
    "RESAMPLES",
    "RULE",
    "SEEDS",
    "TABLES",
    "Agreement",
    "ReproductionResult",
    "TableSpec",
    "default_run",
    "published",
    "reproduce",
    "table_spec",
]
