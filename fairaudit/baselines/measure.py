"""One entry point on arrays: measure a registered metric on two sides, and judge it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fairaudit.baselines.metrics import BASELINES
from fairaudit.baselines.spec import BaselineSpec, Measurement, Sampling, Side
from fairaudit.results import Verdict

RULE = (
    "A disparity is a value beyond its line whose 95 % interval also excludes 'no difference'. A value without an interval, or with an "
    "interval that includes 'no difference', is no evidence. Intervals are not corrected for the number of metrics."
)
"""The rule of ``judge`` in words."""

_MAY_BE_CHANCE = "Beyond its line, but its interval includes no difference: at these sizes chance alone can do this."
_WITHOUT_INTERVAL = "Beyond its line, but without an interval that could exclude chance."
_WITHIN_LINE = "Clear, but small: the interval excludes no difference, and the difference is within the line."


def measure(metric: str, a: Side, b: Side, how: Sampling | None = None) -> Measurement:
    """A metric on two sides.

    Parameters
    ----------
    metric : str
        Name in ``BASELINES``.
    a, b : Side
        The monitored side, and the one it is compared with.
    how : Sampling, optional

    Returns
    -------
    Measurement
        Value NaN with the reason in ``note`` where the metric is not defined.

    Examples
    --------
    >>> a, b = Side.of("women", y_pred=[1, 0, 0, 0]), Side.of("men", y_pred=[1, 1, 0, 0])
    >>> measure("disparate_impact", a, b).value
    0.5
    >>> measure("disparate_impact", a, Side.of("men", y_pred=[0, 0])).note
    'No row of men is selected, so a ratio to it is not defined.'
    """
    return BASELINES[metric].estimate(a, b, how or Sampling())


@dataclass(frozen=True)
class Judgement:
    """Verdict, and why there is no evidence of a difference that the value or its interval shows.

    Attributes
    ----------
    verdict : {"disparity", "no_evidence", "not_measurable"}
    why : str
        Empty where value and interval say the same.
    """

    verdict: Verdict
    why: str = ""


def judge(spec: BaselineSpec, measured: Measurement, threshold: float | None = None) -> Judgement:
    """Verdict on a measurement; see ``RULE``.

    Parameters
    ----------
    spec : BaselineSpec
    measured : Measurement
    threshold : float, optional
        Another line than the registered one.
    """
    line = spec.threshold if threshold is None else threshold
    value, low, high = measured.judged or (measured.value, measured.low, measured.high)
    if math.isnan(measured.value) or math.isnan(value):
        return Judgement("not_measurable")
    if spec.kind == "ratio":
        beyond = value < min(line, 1 / line) or value > max(line, 1 / line)
        excludes = low > 1 or high < 1
    else:
        beyond = abs(value) > line
        excludes = low > 0 or high < 0
    if beyond and excludes:
        return Judgement("disparity")
    if beyond:
        open_ended = math.isnan(low) and math.isnan(high)
        return Judgement("no_evidence", _WITHOUT_INTERVAL if open_ended else _MAY_BE_CHANCE)
    return Judgement("no_evidence", _WITHIN_LINE if excludes else "")
