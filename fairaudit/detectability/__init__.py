"""From which strength on would a metric have caught a planted bias, and how often does it cry wolf?"""

from fairaudit.detectability.detectors import (
    BaselineDetector,
    Detector,
    Entry,
    FunctionDetector,
    QmadDetector,
    Reading,
    named_detectors,
)
from fairaudit.detectability.engine import STRENGTHS, deal, detectability, plant
from fairaudit.detectability.reach import DETECTORS, cannot_react, proposed_detectors
from fairaudit.detectability.result import CURVE_COLUMNS, READING_COLUMNS, DetectabilityResult

__all__ = [
    "CURVE_COLUMNS",
    "DETECTORS",
    "READING_COLUMNS",
    "STRENGTHS",
    "BaselineDetector",
    "DetectabilityResult",
    "Detector",
    "Entry",
    "FunctionDetector",
    "QmadDetector",
    "Reading",
    "cannot_react",
    "deal",
    "detectability",
    "named_detectors",
    "plant",
    "proposed_detectors",
]
