"""Quantile Multi-Attribute Disparity (QMAD), Algorithm 1 of the paper."""

from fairaudit.qmad.api import audit, audit_frames, cell_bins, compared_attributes
from fairaudit.qmad.pairs import PAIRS, NamedPair, Recommendation, named_pair, recommend_pair
from fairaudit.qmad.settings import QmadSettings

__all__ = [
    "PAIRS",
    "NamedPair",
    "QmadSettings",
    "Recommendation",
    "audit",
    "audit_frames",
    "cell_bins",
    "compared_attributes",
    "named_pair",
    "recommend_pair",
]
