"""How far an audit can be trusted: calibrated verdicts, stability, detectable differences, and the order of the rows."""

from fairaudit.inference.calibration import calibrate
from fairaudit.inference.row_order import row_order, row_order_findings

__all__ = ["calibrate", "row_order", "row_order_findings"]
