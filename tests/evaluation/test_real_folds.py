"""Post-processing equals aif360 on validation folds of Student Performance under label bias."""

from __future__ import annotations

import numpy as np
import pytest

from fairaudit import aif360_bridge
from fairaudit.errors import NotMeasurableError
from fairaudit.evaluation import biased_version, fair_world, make_folds
from fairaudit.mitigation import MITIGATIONS, Scored
from fairaudit.models import fit_classifier
from fairaudit.validation import check_table
from tests.evaluation.conftest import LABEL_BIAS, World
from tests.evaluation.test_folds_and_data import settings

REJECT_OPTIONS = ("roc_spd", "roc_eqop", "roc_avod")


@pytest.fixture(scope="module")
def validation_folds(student: World) -> dict[tuple[float, int], Scored]:
    """Validation rows with the scores of a random forest, by level and fold."""
    chosen = settings(LABEL_BIAS, folds=10, seed=5)
    fair = fair_world(check_table(student.data, student.schema), chosen)
    folds = make_folds(fair, chosen)
    result = {}
    for level in (0.0, 0.3, 0.6):
        biased = biased_version(fair, chosen, level)
        for fold in folds[:3]:
            model = fit_classifier("random_forest", biased.features[fold.train], biased.y_true[fold.train])
            rows = fold.validation
            score = model.score(biased.features[rows])
            result[level, fold.number] = Scored(
                score, (score > 0.5).astype(np.int64), biased.unprivileged[rows], biased.y_true[rows]
            )
    return result


def assert_same_reject_option(rows: Scored, method: str) -> None:
    """Identical threshold and margin."""
    ours, theirs = MITIGATIONS[method].function(rows), aif360_bridge.METHODS[method](rows).fitted
    assert (ours.threshold, ours.margin) == (theirs.classification_threshold, theirs.ROC_margin)


def test_reject_option_on_a_real_fold(validation_folds: dict[tuple[float, int], Scored]) -> None:
    assert_same_reject_option(validation_folds[0.3, 0], "roc_eqop")


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("method", REJECT_OPTIONS)
def test_reject_option_on_real_folds(validation_folds: dict[tuple[float, int], Scored], method: str) -> None:
    compared = 0
    for rows in validation_folds.values():
        try:
            MITIGATIONS[method].function(rows)
        except NotMeasurableError:
            continue
        assert_same_reject_option(rows, method)
        compared += 1
    assert compared >= 6


@pytest.mark.parametrize("method", ["eop", "ceo"])
def test_equalized_odds_on_real_folds(validation_folds: dict[tuple[float, int], Scored], method: str) -> None:
    compared = 0
    for seed, rows in enumerate(validation_folds.values()):
        try:
            ours = MITIGATIONS[method].function(rows)
        except NotMeasurableError:
            continue
        theirs = aif360_bridge.METHODS[method](rows)
        a, b = ours.apply(rows, np.random.RandomState(seed)), theirs.apply_seeded(rows, seed)
        np.testing.assert_array_equal(a.y_pred, b.y_pred)
        np.testing.assert_allclose(a.y_score, b.y_score, rtol=1e-12)
        compared += 1
    assert compared >= 6
