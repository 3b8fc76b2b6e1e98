"""The rule for methods, on made-up and on published numbers, and the sentences."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from fairaudit.evaluation import RATINGS, RULE, rate_methods
from fairaudit.evaluation.reading import RATED_METRICS, interpret
from tests.evaluation.conftest import World

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
LEVELS = (0.0, 0.3, 0.6)


def made_up(
    none: tuple[float, float], method: tuple[float, float, float], test_set: str = "fair", n_ok: int = 10
) -> pd.DataFrame:
    """A summary: accuracy of no mitigation at level 0 and above; accuracy, |SPD| and EqOd of reweighing above; GEI is 0.1 everywhere."""
    rows = []
    for level in LEVELS:
        accuracy = none[0] if level == 0 else none[1]
        spread = 0.02 if level == 0 else 0.3
        rows += _cell(level, "none", test_set, (accuracy, -spread, spread), 10)
        rows += _cell(level, "reweighing", test_set, method if level else (accuracy, -spread, spread), n_ok)
    return pd.DataFrame(rows, columns=["level", "model", "mitigation", "test_set", "metric", "mean", "n_ok", "n_folds"])


def _cell(level: float, name: str, test_set: str, means: tuple[float, float, float], n_ok: int) -> list[tuple[object, ...]]:
    values = dict(zip(RATED_METRICS, (*means, 0.1), strict=True))
    return [(level, "random_forest", name, test_set, metric, value, n_ok, 10) for metric, value in values.items()]


@pytest.mark.parametrize(
    ("method", "rating"),
    [
        ((0.90, -0.02, 0.03), "close_to_fair"),
        ((0.80, -0.10, 0.15), "better"),
        ((0.70, -0.30, 0.30), "not_better"),
        ((0.60, -0.25, 0.30), "mixed"),
        ((0.75, -0.30, 0.40), "harmful"),
        ((0.75, 0.40, 0.20), "harmful"),
        ((float("nan"), float("nan"), float("nan")), "not_measurable"),
    ],
)
def test_every_rating(method: tuple[float, float, float], rating: str) -> None:
    summary = made_up((0.9, 0.7), method)
    if rating == "not_measurable":
        summary.loc[(summary["mitigation"] == "reweighing") & (summary["level"] > 0), "mean"] = float("nan")
    rated = rate_methods(summary).iloc[0]
    assert (rated["rating"], rated["symbol"], rated["meaning"]) == (rating, *RATINGS[rating])


def test_numbers_behind_a_rating() -> None:
    rated = rate_methods(made_up((0.9, 0.7), (0.80, -0.10, 0.15))).iloc[0]
    assert rated["gain_accuracy"] == pytest.approx(0.1)
    assert rated["gain_statistical_parity_difference"] == pytest.approx(0.2)
    assert rated["gain_equalized_odds_difference"] == pytest.approx(0.15)
    assert rated["gain_generalized_entropy_index"] == pytest.approx(0)
    assert (rated["share_better"], rated["share_worse"], rated["n_cells"]) == (0.75, 0.0, 8)
    # Loss above the fair baseline: 0.1 (accuracy), 0.08, 0.13 and 0.
    assert rated["excess"] == pytest.approx((0.1 + 0.08 + 0.13 + 0) / 4)


def test_cells_that_failed_on_most_folds_do_not_count() -> None:
    rated = rate_methods(made_up((0.9, 0.7), (0.80, -0.10, 0.15), n_ok=4)).iloc[0]
    assert rated["rating"] == "not_measurable"
    part = made_up((0.9, 0.7), (0.80, -0.10, 0.15))
    part.loc[(part["mitigation"] == "reweighing") & (part["level"] == 0.6), "n_ok"] = 2
    rated = rate_methods(part).iloc[0]
    assert (rated["rating"], rated["n_cells"]) == ("better", 4)
    assert rated["note"] == "4 of 8 cells could not be measured on half of the folds"


def test_without_level_0_the_distance_from_the_baseline_is_unknown() -> None:
    summary = made_up((0.9, 0.7), (0.90, -0.02, 0.03))
    rated = rate_methods(summary[summary["level"] > 0]).iloc[0]
    assert rated["rating"] == "better"
    assert "level 0 was not run" in rated["note"]


def test_the_highest_levels_do_not_count() -> None:
    assert rate_methods(made_up((0.9, 0.7), (0.80, -0.10, 0.15)), max_level=0.5).iloc[0]["n_cells"] == 4


def test_without_no_mitigation_nothing_can_be_rated() -> None:
    summary = made_up((0.9, 0.7), (0.80, -0.10, 0.15))
    rated = rate_methods(summary[summary["mitigation"] != "none"]).iloc[0]
    assert rated["rating"] == "not_measurable"


TABLE_3 = {
    "label": {
        "reweighing": "✓",
        "massaging": "✓",
        "ftu": "✓",
        "eop": "✗",
        "ceo": "✗",
        "roc_spd": "✓✓",
        "roc_eqop": "✱",
        "roc_avod": "✱",
    },
    "malicious": {
        "reweighing": "✓✓",
        "massaging": "✗✗",
        "ftu": "✓✓",
        "eop": "✗",
        "ceo": "✗✗",
        "roc_spd": "✗✗",
        "roc_eqop": "✱",
        "roc_avod": "✱",
    },
    "self": {
        "reweighing": "✓✓",
        "massaging": "✗✗",
        "ftu": "✓✓",
        "eop": "✗",
        "ceo": "✗✗",
        "roc_spd": "✗✗",
        "roc_eqop": "✗✗",
        "roc_avod": "✗",
    },
}
"""The symbols that the paper prints."""


def test_the_rule_gives_20_of_the_papers_24_symbols_on_its_published_numbers() -> None:
    wide = pd.read_csv(GOLDEN / "evaluation_published.csv", comment="#")
    long = wide.melt(["bias", "dataset", "mitigation", "metric"], var_name="level", value_name="mean").astype({"level": float})
    long = long.assign(model="random_forest", test_set="fair", n_ok=long["mean"].notna().astype(int), n_folds=1)
    differ = {}
    for bias, printed in TABLE_3.items():
        rated = rate_methods(long[long["bias"] == bias]).set_index("mitigation")["symbol"]
        assert set(rated.index) == set(printed)
        differ.update({(bias, m): (rated[m], symbol) for m, symbol in printed.items() if rated[m] != symbol})
    assert differ == {
        ("label", "roc_eqop"): ("✓", "✱"),
        ("label", "roc_avod"): ("✓", "✱"),
        ("malicious", "massaging"): ("✗", "✗✗"),
        ("self", "roc_spd"): ("✗", "✗✗"),
    }
    assert "20 of the 24" in (Path(__file__).resolve().parents[2] / "fairaudit/evaluation/reading.py").read_text(encoding="utf-8")


def test_rule_in_words_names_its_numbers() -> None:
    for number in ("0.01", "20%", "0.05"):
        assert number in RULE


def test_sentences_say_where_the_biased_test_set_misleads() -> None:
    fair = made_up((0.9, 0.7), (0.80, -0.10, 0.15))
    biased = made_up((0.9, 0.95), (0.85, -0.10, 0.15), test_set="biased")
    none = pd.DataFrame(columns=["model", "mitigation", "level", "n_failed", "n_folds", "reason"])
    sentences = interpret(pd.concat([fair, biased]), none)
    assert sentences == (
        "Random forest without mitigation, level 0.3: accuracy is 0.70 on the fair test set and 0.95 on the biased one, so the biased test set "
        "makes the model look better by 0.25.",
        "Random forest: judged by accuracy on the biased test set, “reweighing” looks worse than doing nothing (by 0.10 on average over the levels); on "
        "the fair one it is better by 0.10.",
    )


def test_sentences_when_the_test_sets_agree() -> None:
    fair = made_up((0.9, 0.7), (0.80, -0.10, 0.15))
    none = pd.DataFrame(columns=["model", "mitigation", "level", "n_failed", "n_folds", "reason"])
    both = pd.concat([fair, fair.assign(test_set="biased")])
    first, second = interpret(both, none)
    assert "agree on accuracy to within 0.01" in first
    assert "no method changes sides" in second
    assert interpret(both[both["level"] == 0], none) == (
        "Only level 0 was run: the fair and the biased test set are the same there.",
    )


def test_summary_of_methods_of_a_run(world: World) -> None:
    table = world.run(levels=(0, 0.3, 0.6), mitigations=("none", "ftu", "ceo")).method_summary()
    assert table["mitigation"].tolist() == ["ftu", "ceo"]
    assert set(table["symbol"]) <= {s for s, _ in RATINGS.values()}
