"""Who trains, validates and tests; what a model sees; what the bias did."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairaudit.errors import SettingsError
from fairaudit.evaluation import EvaluationSettings, FairWorld, biased_version, checked_settings, fair_world, make_folds
from fairaudit.evaluation.data import level_facts, unprivileged_group
from fairaudit.evaluation.units import Unit, training_rows
from fairaudit.injection import inject
from fairaudit.schema import AuditTable, Schema
from fairaudit.validation import check_table
from tests.evaluation.conftest import LABEL_BIAS, World


def settings(injection: dict[str, object] | None = None, **changes: object) -> EvaluationSettings:
    """Checked settings with quick defaults."""
    bias = injection or LABEL_BIAS
    choices: dict[str, object] = {
        "levels": (0, 0.5),
        "models": "decision_tree",
        "mitigations": "none",
        "folds": 5,
        "seed": 0,
        "stratified": False,
        "train_on": "all",
        "engine": "numpy",
        "group": {"sex": "M"},
    }
    return checked_settings(bias, **{**choices, **changes})  # type: ignore[arg-type]


def prepared(world: World, chosen: EvaluationSettings) -> FairWorld:
    """The encoded fair table."""
    return fair_world(check_table(world.data, world.schema), chosen)


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("n_folds", [3, 10])
def test_folds_cut_the_rows_in_three(world: World, n_folds: int, stratified: bool) -> None:
    chosen = settings(folds=n_folds, stratified=stratified)
    fair = prepared(world, chosen)
    folds = make_folds(fair, chosen)
    everyone = np.arange(len(world.data))
    for i, fold in enumerate(folds):
        parts = np.concatenate([fold.train, fold.validation, fold.test])
        np.testing.assert_array_equal(np.sort(parts), everyone)
        np.testing.assert_array_equal(fold.validation, folds[(i + 1) % n_folds].test)
        assert fold.number == i
    np.testing.assert_array_equal(np.sort(np.concatenate([f.test for f in folds])), everyone)
    sizes = [len(f.test) for f in folds]
    assert max(sizes) - min(sizes) <= (4 if stratified else 1)


def test_stratified_folds_have_equal_shares(world: World) -> None:
    chosen = settings(stratified=True, folds=4)
    fair = prepared(world, chosen)
    cell = 2 * fair.fair.unprivileged + fair.fair.y_true
    counts = np.array([np.bincount(cell[f.test], minlength=4) for f in make_folds(fair, chosen)])
    assert (counts.max(axis=0) - counts.min(axis=0) <= 1).all()


def test_training_rows_are_the_fold_without_what_the_bias_removed(world: World) -> None:
    bias = {"kind": "random_selection", "group": {"sex": "M"}}
    for train_on in ("all", "privileged"):
        chosen = settings(bias, train_on=train_on)
        fair = prepared(world, chosen)
        version = biased_version(fair, chosen, 0.5)
        fold = make_folds(fair, chosen)[2]
        rows = training_rows(version, fold, chosen)
        expected = [i for i in fold.train if version.kept[i] and (train_on == "all" or world.data["sex"][i] == "F")]
        assert rows.tolist() == expected


def test_biased_version_is_what_inject_gives(world: World) -> None:
    for bias in (LABEL_BIAS, {"kind": "malicious_selection", "group": {"sex": "M"}}):
        chosen = settings(bias, seed=11)
        table = check_table(world.data, world.schema)
        version = biased_version(fair_world(table, chosen), chosen, 0.5)
        injected = inject(table, {**bias, "strength": 0.5}, seed=11)
        assert np.flatnonzero(version.kept).tolist() == injected.kept.tolist()
        passed = (injected.table.data["passed"] == "yes").to_numpy()
        np.testing.assert_array_equal(version.y_true[version.kept], passed)


def test_selection_never_brings_a_row_back(world: World) -> None:
    chosen = settings({"kind": "self_selection", "group": {"sex": "M"}})
    fair = prepared(world, chosen)
    kept = [biased_version(fair, chosen, level).kept for level in (0, 0.2, 0.5, 0.9)]
    for smaller, larger in zip(kept[1:], kept[:-1], strict=True):
        assert not (smaller & ~larger).any()


def test_features_are_the_same_columns_at_every_level(world: World) -> None:
    chosen = settings({"kind": "set_value", "group": {"sex": "M"}, "column": "tutoring", "value": "no"})
    fair = prepared(world, chosen)
    version = biased_version(fair, chosen, 1.0)
    assert version.features.shape == fair.fair.features.shape
    moved = [n for n, a, b in zip(fair.feature_names, version.features.T, fair.fair.features.T, strict=True) if (a != b).any()]
    assert moved == ["tutoring_no", "tutoring_yes"]
    assert (version.codes != fair.fair.codes).any(axis=0).sum() == 1


def test_level_facts(world: World) -> None:
    chosen = settings()
    fair = prepared(world, chosen)
    nothing, much = (level_facts(fair, biased_version(fair, chosen, level), level) for level in (0, 0.5))
    assert (nothing["rows_removed"], nothing["labels_to_unfavourable"], nothing["labels_to_favourable"]) == (0, 0, 0)
    men = world.data["sex"] == "M"
    rate = (world.data["passed"] == "yes").groupby(men).mean()
    assert nothing["label_parity_difference"] == pytest.approx(rate[True] - rate[False])
    assert much["label_parity_difference"] < -0.3


def table_with(columns: dict[str, list[object]], **schema: object) -> tuple[AuditTable, EvaluationSettings]:
    """A checked table of 12 people."""
    base = {"sex": ["F", "M"] * 6, "hired": ["yes", "no", "no", "yes"] * 3}
    roles = {"label": "hired", "pos_label": "yes", "sensitive_features": ("sex",), "reference_groups": {"sex": "F"}}
    data = pd.DataFrame({**base, **columns})
    return check_table(data, {**roles, **schema}), settings({"kind": "label", "group": {"sex": "M"}}, folds=3)


def test_encoding_by_hand() -> None:
    nan = float("nan")
    table, chosen = table_with(
        {
            "age": [20.0, 30.0, nan] * 4,
            "town": ["A", "B", None, "C"] * 3,
            "code": [0, 1, 1] * 4,
            "name": [f"p{i}" for i in range(12)],
        },
        types={"age": "numeric", "town": "nominal", "code": "binary", "name": "identifier"},
    )
    fair = fair_world(table, chosen)
    assert fair.feature_names == (
        "age",
        "code",
        "missingindicator_age",
        "town_A",
        "town_B",
        "town_C",
        "town_None",
        "unprivileged",
    )
    assert fair.fair.features[:3].tolist() == [[20, 0, 0, 1, 0, 0, 0, 0], [30, 1, 0, 0, 1, 0, 0, 1], [25, 1, 1, 0, 0, 0, 1, 0]]
    assert fair.fair.codes.shape == (12, 3)
    assert fair.fair.codes.min() >= 0


def test_many_valued_numbers_are_ranked_by_deciles() -> None:
    table, chosen = table_with({"pay": list(range(12))}, types={"pay": "numeric"})
    assert len(np.unique(fair_world(table, chosen).fair.codes[:, 0])) == 12
    data = pd.DataFrame(
        {"sex": ["F", "M"] * 100, "hired": (["yes"] * 3 + ["no"]) * 50, "pay": np.random.default_rng(0).normal(size=200)}
    )
    wide = check_table(data, {**table.schema.to_dict(), "types": {"pay": "numeric"}})
    codes = fair_world(wide, chosen).fair.codes[:, 0]
    assert np.bincount(codes).tolist() == [20] * 10


def test_the_answer_is_never_a_feature() -> None:
    table, chosen = table_with({"grade": list(range(12)), "pay": [1.0, 2.0] * 6}, types={"grade": "numeric", "pay": "numeric"})
    named = settings({"kind": "label", "group": {"sex": "M"}, "score": "grade", "threshold": 6}, folds=3)
    assert fair_world(table, named).feature_names == ("pay", "unprivileged")
    assert fair_world(table, chosen).feature_names == ("grade", "pay", "unprivileged")
    np.testing.assert_array_equal(fair_world(table, named).fair.y_true, np.arange(12) >= 6)


def test_rows_without_label_or_group_are_left_out_and_counted() -> None:
    table, chosen = table_with(
        {"pay": [1.0, 2.0] * 6, "hired": [None, "yes", "no", "yes"] * 3, "sex": ["F", "M"] * 5 + ["F", None]},
        types={"pay": "numeric", "sex": "binary", "hired": "binary"},
    )
    fair = fair_world(table, chosen)
    assert (len(fair.table), fair.n_left_out) == (8, 4)


def test_who_is_unprivileged(world: World) -> None:
    table = check_table(world.data, world.schema)
    assert unprivileged_group(table, {"kind": "label", "group": {"sex": "F"}}, {"tutoring": "no"}) == {"tutoring": "no"}
    assert unprivileged_group(table, {"kind": "label", "group": {"sex": "F"}}, None) == {"sex": "F"}
    assert unprivileged_group(table, {"kind": "label"}, None) == {"sex": "M"}
    with pytest.raises(SettingsError, match="Whose disadvantage is planted is not known"):
        unprivileged_group(check_table(world.data, Schema(label="passed", pos_label="yes")), {"kind": "label"}, None)


def test_no_feature_left() -> None:
    table, chosen = table_with({})
    with pytest.raises(SettingsError, match="No column is left for a model to learn from"):
        fair_world(table, chosen)


def test_units_can_be_told_apart() -> None:
    assert Unit(0, 0.1, "mlp", ("none",)) < Unit(1, 0.0, "mlp", ("none",))


def test_student_has_57_features_and_the_papers_label_bias(student: World) -> None:
    chosen = settings({**LABEL_BIAS, "score": "G3", "threshold": 10}, seed=4224)
    fair = prepared(student, chosen)
    assert len(fair.feature_names) == 57
    assert {"G1", "G2"} <= set(fair.feature_names)
    assert "G3" not in fair.feature_names
    anchors = {0.1: (-0.2220, 102, 4), 0.5: (-0.6393, 211, 2), 0.9: (-0.7746, 247, 2)}
    for level, (parity, down, up) in anchors.items():
        facts = level_facts(fair, biased_version(fair, chosen, level), level)
        assert facts["label_parity_difference"] == pytest.approx(parity, abs=5e-5)
        assert (facts["labels_to_unfavourable"], facts["labels_to_favourable"]) == (down, up)


def test_student_malicious_selection(student: World) -> None:
    chosen = settings({"kind": "malicious_selection", "group": {"sex": "M"}})
    fair = prepared(student, chosen)
    for level, rows, parity in ((0.1, 624, -0.083), (0.5, 524, -0.230), (0.9, 424, -0.579)):
        facts = level_facts(fair, biased_version(fair, chosen, level), level)
        assert facts["rows"] == pytest.approx(rows, abs=4)
        assert facts["label_parity_difference"] == pytest.approx(parity, abs=0.02)
