"""How far an audit can be trusted: calibrated verdicts, stability, detectable differences, and the order of the rows."""

from fairaudit.inference.calibration import calibrate
from fairaudit.inference.certainty import certainty, certainty_seconds
from fairaudit.inference.detectable import detectable
from fairaudit.inference.row_order import row_order, row_order_findings
from fairaudit.inference.stability import stability
from fairaudit.inference.validity import false_alarms, power_of_verdicts

__all__ = [
    "calibrate",
    "certainty",
    "certainty_seconds",
    "detectable",
    "false_alarms",
    "power_of_verdicts",
    "row_order",
    "row_order_findings",
    "stability",
]
