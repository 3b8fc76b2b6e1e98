"""The registered classical metrics, one entry each; see ``spec.BaselineSpec`` for what the facts mean."""

from __future__ import annotations

import math
from typing import Any

from fairaudit.baselines import continuous, estimates, individual, rates
from fairaudit.baselines.spec import BASELINES, Sampling, Side

_BOTH = ("y_true", "y_pred")
_TENTH = "a convention (AI Fairness 360 calls -0.1 to 0.1 fair): a line, not a truth"
_OURS = "a convention of this product; no publication sets a line"
_FOUR_FIFTHS = "four-fifths rule (US Uniform Guidelines on Employee Selection Procedures, 1978): a line, not a truth"
_LESS_OFTEN = "Negative: the target side is selected less often than the reference side."
_LEVEL = "The level of the target side; the verdict is that of its difference to the reference side."

BASELINES.register(
    name="statistical_parity_difference",
    label="Statistical parity difference",
    summary="How much more often the target side gets the favourable decision than the reference side.",
    pitfall="Says nothing about whether the decisions are right; equal rates can be unfair and unequal ones explained by qualification.",
    reference="Calders, Verwer (2010); aif360 statistical_parity_difference",
    formula=r"P(\hat Y = 1 \mid a) - P(\hat Y = 1 \mid b)",
    estimate=estimates.difference_of_rates(((1.0, "selection_rate"),)),
    kind="difference",
    needs=("y_pred",),
    range=(-1.0, 1.0),
    no_difference=0.0,
    signed=True,
    direction=_LESS_OFTEN,
    threshold=0.1,
    threshold_source=_TENTH,
)(rates.statistical_parity_difference)

BASELINES.register(
    name="disparate_impact",
    label="Disparate impact ratio",
    summary="Selection rate of the target side as a multiple of that of the reference side.",
    pitfall="Unstable where few people are selected, and the ratio of the rejection rates tells another story.",
    reference="Feldman et al. (2015), KDD; aif360 disparate_impact",
    formula=r"\frac{P(\hat Y = 1 \mid a)}{P(\hat Y = 1 \mid b)}",
    estimate=estimates.ratio_of_selection,
    kind="ratio",
    needs=("y_pred",),
    range=(0.0, math.inf),
    no_difference=1.0,
    direction="Below 1: the target side is selected less often than the reference side.",
    threshold=0.8,
    threshold_source=_FOUR_FIFTHS,
)(rates.disparate_impact)

BASELINES.register(
    name="empirical_difference_fairness",
    label="Empirical differential fairness (smoothed)",
    summary="Largest log ratio between the sides, of selection or of rejection rates, smoothed by one imagined row.",
    pitfall="Has no sign; smoothing hides differences in very small groups.",
    reference="Foulds et al. (2020), ICDE; aif360 smoothed_empirical_differential_fairness",
    formula=r"\max_{y \in \{0, 1\}} \left| \ln \frac{(n_{a,y} + c/2) / (n_a + c)}{(n_{b,y} + c/2) / (n_b + c)} \right|",
    estimate=estimates.log_ratio_of_selection,
    kind="difference",
    needs=("y_pred",),
    range=(0.0, math.inf),
    no_difference=0.0,
    symmetric=True,
    direction="No sign: larger means further apart.",
    threshold=-math.log(0.8),
    threshold_source="-ln 0.8, the four-fifths rule on the log scale (Foulds et al. 2020): a line, not a truth",
)(rates.empirical_difference_fairness)


def _register_level(level: estimates.LevelOf, *, function: Any, name: str, label: str, threshold: float, **facts: Any) -> None:
    """A level under its name, and its difference between the sides under ``<name>_difference``."""
    shared = facts | {"threshold": threshold, "threshold_source": f"{_OURS} (line of the difference)"}
    lowest, highest = facts["range"]
    BASELINES.register(
        name=name,
        label=label,
        estimate=estimates.of_level(level),
        kind="level",
        no_difference=None,
        direction=_LEVEL,
        **shared,
    )(function)
    difference = estimates.difference_of_levels(level)

    def level_difference(a: Side, b: Side) -> float:
        return difference(a, b, Sampling(resamples=0, neighbour_rows=None)).value

    level_difference.__doc__ = f"{label} of side a minus that of side b; 0 means equal."
    BASELINES.register(
        name=f"{name}_difference",
        label=f"{label}: difference",
        estimate=difference,
        kind="difference",
        no_difference=0.0,
        signed=True,
        direction=f"Negative: the {label.lower()} is lower on the target side than on the reference side.",
        **shared
        | {
            "range": (lowest - highest, highest - lowest),
            "summary": f"{label} of the target side minus that of the reference side.",
            "formula": f"m(a) - m(b), \\quad m = {facts['formula']}",
            "best": None,
            "default": False,
        },
    )(level_difference)


_register_level(
    estimates.consistency_level,
    function=individual.consistency,
    name="consistency",
    label="Consistency",
    summary="How much each row's decision agrees with those of its five nearest rows on the same side.",
    pitfall="Features with large numbers rule the distance, and the row itself counts as its own neighbour. More rows or repeated rows "
    "raise the value by themselves. A decision rule that is unfair and smooth is perfectly consistent.",
    reference="Zemel et al. (2013), ICML; aif360 consistency",
    formula=r"1 - \frac{1}{n} \sum_i \left| \hat y_i - \frac{1}{5} \sum_{j \in kNN(x_i)} \hat y_j \right|",
    needs=("y_pred", "features"),
    range=(0.0, 1.0),
    best=1.0,
    threshold=0.1,
)

BASELINES.register(
    name="qdd",
    label="Quantile demographic disparity",
    summary="Mean difference of the predictions in equal parts of the sorted values, averaged over the parts.",
    pitfall="The average over equal bins is nearly the difference of the means; look at the bins. In the unit of the prediction.",
    reference="Ghosh et al. (2022), FairCanary, AIES; QMAD, Equations 4 and 5",
    formula=r"\frac{1}{B} \sum_b \left( E[p_{a,b}] - E[p_{b,b}] \right)",
    estimate=estimates.quantile_difference,
    kind="difference",
    needs=("y_score",),
    range=(-math.inf, math.inf),
    no_difference=0.0,
    signed=True,
    direction="Negative: the predictions of the target side are lower than those of the reference side.",
    threshold=0.0,
    threshold_source="none is published: the interval alone decides",
)(continuous.qdd)

BASELINES.register(
    name="equal_opportunity_difference",
    label="Equal opportunity difference",
    summary="How much more often deserving rows (favourable label) are selected on the target side than on the reference side.",
    pitfall="Trusts the labels: biased labels make biased decisions look right.",
    reference="Hardt et al. (2016), NeurIPS; aif360 equal_opportunity_difference",
    formula=r"TPR_a - TPR_b",
    estimate=estimates.difference_of_rates(((1.0, "true_positive_rate"),)),
    kind="difference",
    needs=_BOTH,
    range=(-1.0, 1.0),
    no_difference=0.0,
    signed=True,
    direction="Negative: deserving rows of the target side are selected less often.",
    threshold=0.1,
    threshold_source=_TENTH,
)(rates.equal_opportunity_difference)

BASELINES.register(
    name="average_odds_difference",
    label="Average odds difference",
    summary="Mean of the gaps in true and in false positive rate.",
    pitfall="Gaps of opposite sign cancel; trusts the labels.",
    reference="Bellamy et al. (2019), AI Fairness 360; aif360 average_odds_difference",
    formula=r"\tfrac{1}{2} \left[ (TPR_a - TPR_b) + (FPR_a - FPR_b) \right]",
    estimate=estimates.difference_of_rates(((0.5, "true_positive_rate"), (0.5, "false_positive_rate"))),
    kind="difference",
    needs=_BOTH,
    range=(-1.0, 1.0),
    no_difference=0.0,
    signed=True,
    direction=_LESS_OFTEN,
    threshold=0.1,
    threshold_source=_TENTH,
)(rates.average_odds_difference)

BASELINES.register(
    name="equalized_odds_difference",
    label="Equalized odds difference",
    summary="The larger of the absolute gaps in true and in false positive rate.",
    pitfall="Has no sign; trusts the labels; the smaller of two classes makes it noisy.",
    reference="Hardt et al. (2016), NeurIPS; aif360 and fairlearn equalized_odds_difference",
    formula=r"\max \left( |TPR_a - TPR_b|, |FPR_a - FPR_b| \right)",
    estimate=estimates.largest_odds_gap,
    kind="difference",
    needs=_BOTH,
    range=(0.0, 1.0),
    no_difference=0.0,
    symmetric=True,
    direction="No sign: larger means further apart; the note says which rate.",
    threshold=0.1,
    threshold_source="a convention carried over from the average odds difference: a line, not a truth",
)(rates.equalized_odds_difference)

_register_level(
    estimates.rate_level(((1.0, "accuracy"),)),
    function=rates.accuracy,
    name="accuracy",
    label="Accuracy",
    summary="Share of decisions that equal the label.",
    pitfall="High for a rule that always says the commoner outcome; trusts the labels.",
    reference="scikit-learn accuracy_score",
    formula=r"P(\hat Y = Y)",
    needs=_BOTH,
    range=(0.0, 1.0),
    best=1.0,
    threshold=0.05,
)

_register_level(
    estimates.rate_level(((0.5, "true_positive_rate"), (0.5, "true_negative_rate"))),
    function=rates.balanced_accuracy,
    name="balanced_accuracy",
    label="Balanced accuracy",
    summary="Mean of the shares of favourable and of unfavourable labels that are decided rightly.",
    pitfall="Noisy where one kind of label is rare; trusts the labels.",
    reference="scikit-learn balanced_accuracy_score",
    formula=r"\tfrac{1}{2} (TPR + TNR)",
    needs=_BOTH,
    range=(0.0, 1.0),
    best=1.0,
    threshold=0.05,
)

_register_level(
    estimates.auc_level,
    function=continuous.roc_auc,
    name="roc_auc",
    label="ROC AUC",
    summary="How often a row with a favourable label scores above one with an unfavourable label.",
    pitfall="Judges the order inside a side, not the level of the scores: equal areas can hide a shift of the whole side.",
    reference="scikit-learn roc_auc_score; DeLong et al. (1988) for the interval",
    formula=r"P(s_+ > s_-) + \tfrac{1}{2} P(s_+ = s_-)",
    needs=("y_true", "y_score"),
    range=(0.0, 1.0),
    best=1.0,
    threshold=0.05,
)

_register_level(
    estimates.conditioned_level,
    function=individual.balanced_conditioned_consistency,
    name="balanced_conditioned_consistency",
    label="Balanced conditioned consistency",
    summary="Consistency with the row itself and the sensitive attribute left out, features scaled, and scores below 0.8 counted as 0.",
    pitfall="More rows or repeated rows raise the value by themselves (by 0.04 on Adult when rows are drawn with replacement), more "
    "features lower it. A decision rule that is unfair and smooth scores high.",
    reference="Waller et al. (2025), FAccT; fair evaluation, section 3.3.4 (k = 5, delta = 0.8)",
    formula=r"\frac{1}{n} \sum_i c_i [c_i \geq 0.8], \quad c_i = 1 - \left| \hat y_i - \frac{1}{5} \sum_{j \in kNN(x_i)} \hat y_j \right|",
    needs=("y_pred", "features"),
    range=(0.0, 1.0),
    best=1.0,
    threshold=0.1,
)

_register_level(
    estimates.entropy_level(2.0),
    function=rates.generalized_entropy_index,
    name="generalized_entropy_index",
    label="Generalized entropy index",
    summary="How unequally benefits (decision minus label plus one) are spread over the rows of a side.",
    pitfall="Closely tied to the error rate; wrong rejections weigh more than wrong selections; trusts the labels.",
    reference="Speicher et al. (2018), KDD; aif360 generalized_entropy_index (alpha = 2)",
    formula=r"\frac{1}{2 n} \sum_i \left[ \left( \frac{b_i}{\mu} \right)^2 - 1 \right], \quad b_i = \hat y_i - y_i + 1",
    needs=_BOTH,
    range=(0.0, math.inf),
    best=0.0,
    threshold=0.05,
)

BASELINES.register(
    name="false_positive_rate_difference",
    label="False positive rate difference",
    summary="How much more often rows with an unfavourable label are selected on the target side than on the reference side.",
    pitfall="Trusts the labels.",
    reference="aif360 false_positive_rate_difference",
    formula=r"FPR_a - FPR_b",
    estimate=estimates.difference_of_rates(((1.0, "false_positive_rate"),)),
    kind="difference",
    needs=_BOTH,
    range=(-1.0, 1.0),
    no_difference=0.0,
    signed=True,
    direction="Negative: the target side gets fewer undeserved favourable decisions.",
    threshold=0.1,
    threshold_source=_TENTH,
    default=False,
)(rates.false_positive_rate_difference)

BASELINES.register(
    name="false_negative_rate_difference",
    label="False negative rate difference",
    summary="How much more often rows with a favourable label are rejected on the target side than on the reference side.",
    pitfall="Trusts the labels.",
    reference="aif360 false_negative_rate_difference",
    formula=r"FNR_a - FNR_b",
    estimate=estimates.difference_of_rates(((1.0, "false_negative_rate"),)),
    kind="difference",
    needs=_BOTH,
    range=(-1.0, 1.0),
    no_difference=0.0,
    signed=True,
    direction="Positive: deserving rows of the target side are rejected more often.",
    threshold=0.1,
    threshold_source=_TENTH,
    default=False,
)(rates.false_negative_rate_difference)


def theil_index(counts: Any) -> Any:
    """Generalized entropy index with alpha = 1."""
    return rates.generalized_entropy_index(counts, 1.0)


_register_level(
    estimates.entropy_level(1.0),
    function=theil_index,
    name="theil_index",
    label="Theil index",
    summary="How unequally benefits are spread over the rows of a side, with less weight on the extremes.",
    pitfall="Closely tied to the error rate; trusts the labels.",
    reference="Speicher et al. (2018), KDD; aif360 theil_index",
    formula=r"\frac{1}{n} \sum_i \frac{b_i}{\mu} \ln \frac{b_i}{\mu}, \quad b_i = \hat y_i - y_i + 1",
    needs=_BOTH,
    range=(0.0, math.inf),
    best=0.0,
    threshold=0.05,
    default=False,
)
