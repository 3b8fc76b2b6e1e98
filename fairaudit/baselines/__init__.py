"""Classical fairness metrics on any two sides of a contrast, with intervals, lines and reasons.

``baselines`` works on tables; ``measure`` on two ``Side`` objects made of arrays; the plain formulas on ``count_table`` counts.
Side a is the monitored one (target table, or the group), side b the one it is compared with. Differences are a minus b, ratios a
over b.
"""

from fairaudit.baselines.api import (
    EXTRA_METRIC_COLUMNS,
    METRIC_COLUMNS,
    BaselineResult,
    BaselineSettings,
    baselines,
    baselines_of_frames,
)
from fairaudit.baselines.continuous import QuantileDisparity, qdd, quantile_disparity, roc_auc
from fairaudit.baselines.counts import CountTable, count_table, outcome_codes, outcome_counts
from fairaudit.baselines.groups import ALL_ROWS, GROUP_RATES, group_rates, impact_ratio_table
from fairaudit.baselines.impact import ImpactRatios, above_median, impact_ratios
from fairaudit.baselines.individual import balanced_conditioned_consistency, consistency
from fairaudit.baselines.intervals import LEVEL, RESAMPLES, wilson
from fairaudit.baselines.measure import RULE, Judgement, judge, measure
from fairaudit.baselines.metrics import BASELINES, theil_index
from fairaudit.baselines.rates import (
    RATES,
    accuracy,
    average_odds_difference,
    balanced_accuracy,
    base_rate,
    disparate_impact,
    empirical_difference_fairness,
    equal_opportunity_difference,
    equalized_odds_difference,
    false_negative_rate,
    false_negative_rate_difference,
    false_positive_rate,
    false_positive_rate_difference,
    generalized_entropy_index,
    rate,
    selection_rate,
    statistical_parity_difference,
    true_positive_rate,
)
from fairaudit.baselines.sides import columns_read, feature_columns
from fairaudit.baselines.spec import BaselineSpec, Measurement, Sampling, Side

__all__ = [
    "ALL_ROWS",
    "BASELINES",
    "EXTRA_METRIC_COLUMNS",
    "GROUP_RATES",
    "LEVEL",
    "METRIC_COLUMNS",
    "RATES",
    "RESAMPLES",
    "RULE",
    "BaselineResult",
    "BaselineSettings",
    "BaselineSpec",
    "CountTable",
    "ImpactRatios",
    "Judgement",
    "Measurement",
    "QuantileDisparity",
    "Sampling",
    "Side",
    "above_median",
    "accuracy",
    "average_odds_difference",
    "balanced_accuracy",
    "balanced_conditioned_consistency",
    "base_rate",
    "baselines",
    "baselines_of_frames",
    "columns_read",
    "consistency",
    "count_table",
    "disparate_impact",
    "empirical_difference_fairness",
    "equal_opportunity_difference",
    "equalized_odds_difference",
    "false_negative_rate",
    "false_negative_rate_difference",
    "false_positive_rate",
    "false_positive_rate_difference",
    "feature_columns",
    "generalized_entropy_index",
    "group_rates",
    "impact_ratio_table",
    "impact_ratios",
    "judge",
    "measure",
    "outcome_codes",
    "outcome_counts",
    "qdd",
    "quantile_disparity",
    "rate",
    "roc_auc",
    "selection_rate",
    "statistical_parity_difference",
    "theil_index",
    "true_positive_rate",
    "wilson",
]
