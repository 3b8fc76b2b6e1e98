"""Results as plotly figures. Nothing is estimated here."""

from fairaudit.charts.baselines import interval_chart, metric_matrix
from fairaudit.charts.bins import bin_chart, bin_heatmap
from fairaudit.charts.certainty import detectable_chart
from fairaudit.charts.distributions import category_chart, ecdf_chart, histogram_chart
from fairaudit.charts.evaluation import fair_vs_biased_scatter, level_curves, method_heatmap
from fairaudit.charts.false_alarms import false_alarm_chart
from fairaudit.charts.groups import group_rates_chart, impact_ratio_chart
from fairaudit.charts.heatmaps import verdict_heatmap
from fairaudit.charts.impact import impact_curves, method_levels
from fairaudit.charts.lab import before_after_distributions, detectability_chart, difference_heatmap
from fairaudit.charts.power import power_chart
from fairaudit.charts.reproduction import published_vs_recomputed
from fairaudit.charts.sides import pair_text, sides_text
from fairaudit.charts.theme import DARK, LIGHT, THEMES, Theme

__all__ = [
    "DARK",
    "LIGHT",
    "THEMES",
    "Theme",
    "before_after_distributions",
    "bin_chart",
    "bin_heatmap",
    "category_chart",
    "detectability_chart",
    "detectable_chart",
    "difference_heatmap",
    "ecdf_chart",
    "fair_vs_biased_scatter",
    "false_alarm_chart",
    "group_rates_chart",
    "histogram_chart",
    "impact_curves",
    "impact_ratio_chart",
    "interval_chart",
    "level_curves",
    "method_heatmap",
    "method_levels",
    "metric_matrix",
    "pair_text",
    "power_chart",
    "published_vs_recomputed",
    "sides_text",
    "verdict_heatmap",
]
