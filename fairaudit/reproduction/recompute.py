"""All cells of one seed, through the same audit and the same metrics that the dashboard uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from fairaudit.attributes import pair_values
from fairaudit.baselines import consistency, disparate_impact, empirical_difference_fairness, outcome_counts
from fairaudit.baselines import statistical_parity_difference as parity_difference
from fairaudit.datasets import ADULT_DAYS_SCHEMA, HIRING_SCHEMA, adult_days, hiring_days, hiring_predict, hiring_reference
from fairaudit.qmad import QmadSettings, audit_frames
from fairaudit.qmad.scoring import cut
from fairaudit.reproduction.flags import CALIBRATED_RULE, counted_name
from fairaudit.reproduction.tables import AD, AGGREGATE, CONSISTENCY, DI, EDF, KS, ROM, SPD, rows
from fairaudit.schema import Frames
from fairaudit.validation import check_frames

PAIRS = {ROM: ("rom", "arithmetic"), KS: ("ks", "harmonic"), AD: ("ad", "harmonic")}
SELECTED = 0.19
"""Share of the reference whose salary counts as favourable in Table 8; the paper's values imply 0.17 to 0.20."""

HIRING_FEATURES = {
    "Relevant Exp.": "relevant_experience",
    "Job Location": "job_location",
    "Education": "education",
    "Engg. Type": "engineer_type",
    "Experience": "experience",
}
HIRING_MODELS = {"Lin. Reg.": "predicted_salary", "DT Regressor": "predicted_salary_tree"}
ADULT_COLUMNS = {
    "Income": "predicted_probability",
    "Age": "age",
    "Workclass": "private",
    "Fnlwgt": "fnlwgt",
    "Education": "attended_college",
    "Education Num": "education_num",
    "Marital Status": "married",
    "Race": "white",
    "Sex": "sex",
    "Hours/Week": "hours_per_week",
}
TABLE_10 = {
    "Linear Regression Salary": "predicted_salary",
    "Relevant_Exp": "relevant_experience",
    "Job_Location": "job_location",
    "Education": "education",
    "Engg_Type": "engineer_type",
    "Experience": "experience",
}

Cell = tuple[str, str, int, str]
Cells = Iterator[tuple[Cell, float]]


def hiring_frames(seed: int) -> Frames:
    """Reference and three days of the hiring data, with the salaries of both models."""
    reference = hiring_reference(seed)
    tables = {"reference": reference, **hiring_days(reference, seed)}
    tables = {name: t.assign(predicted_salary_tree=hiring_predict(t, "tree", reference)) for name, t in tables.items()}
    schema = HIRING_SCHEMA.with_(types=(*HIRING_SCHEMA.types, ("predicted_salary_tree", "numeric")))
    return check_frames(tables.pop("reference"), tables, schema)


def adult_frames(seed: int) -> Frames:
    """Reference and four days of Adult, in the coding that the published values point to.

    The scores of the published column Income are those of a continuous attribute, the probability of the tree, and those of Workclass
    and Race fit two values (private or not, white or not).
    """
    reference, days = adult_days(seed, probability=True)
    tables = {name: _two_values(t) for name, t in {"reference": reference, **days}.items()}
    dropped, added = {"workclass", "race"}, {"private": "binary", "white": "binary", "predicted_probability": "numeric"}
    types = tuple((c, t) for c, t in ADULT_DAYS_SCHEMA.types if c not in dropped)
    schema = ADULT_DAYS_SCHEMA.with_(
        types=(*types, *added.items()), sensitive_features=("sex",), reference_groups=(("sex", "Male"),)
    )
    return check_frames(tables.pop("reference"), tables, schema)


def _two_values(table: pd.DataFrame) -> pd.DataFrame:
    private, white = table["workclass"] == "Private", table["race"] == "White"
    return table.drop(columns=["workclass", "race"]).assign(private=private.astype(int), white=white.astype(int))


def _scores(
    frames: Frames, pair: str, columns: dict[str, str], over: tuple[str, ...], bins: int
) -> tuple[dict[tuple[int, str], float], dict[int, float]]:
    """Attribute scores by day and published name, and overall scores by day."""
    comparison, aggregation = PAIRS[pair]
    settings = QmadSettings(
        attributes=tuple(columns.values()),
        comparison=comparison,
        aggregation=aggregation,
        bins=bins,
        aggregate_over=over,
        nominal_as_codes=True,
        resamples=0,
    )
    result = audit_frames(frames, settings)
    names = {column: name for name, column in columns.items()}
    attributes = {(_day(r.frame), names[r.attribute]): float(r.score) for r in rows(result.attribute_scores)}
    return attributes, {_day(r.frame): float(r.score) for r in rows(result.overall_scores)}


def _day(frame: str) -> int:
    return int(frame.removeprefix("day"))


def table_5(frames: Frames, bins: int) -> Cells:
    """Three pairs for both salary models; ratios of means are aggregated over all columns, p-values over the prediction."""
    for pair in PAIRS:
        for model, column in HIRING_MODELS.items():
            columns = {f"{model} Prediction": column, **HIRING_FEATURES}
            over = tuple(columns.values()) if pair == ROM else (column,)
            attributes, overall = _scores(frames, pair, columns, over, bins)
            yield from ((("5", pair, day, name), score) for (day, name), score in attributes.items())
            yield from ((("5", pair, day, f"{model} Agg. Score"), score) for day, score in overall.items())


def table_6(frames: Frames, bins: int) -> Cells:
    """Three pairs on Adult."""
    for pair in PAIRS:
        over = tuple(ADULT_COLUMNS.values()) if pair == ROM else (ADULT_COLUMNS["Income"],)
        attributes, overall = _scores(frames, pair, ADULT_COLUMNS, over, bins)
        yield from ((("6", pair, day, name), score) for (day, name), score in attributes.items())
        yield from ((("6", pair, day, AGGREGATE), score) for day, score in overall.items())


def table_8(frames: Frames, bins: int) -> Cells:
    """Classical metrics on salaries above a line, and the three aggregates."""
    reference = frames.reference.data["predicted_salary"].to_numpy(float)
    line = np.quantile(reference, 1 - SELECTED)
    columns = {"Lin. Reg. Prediction": HIRING_MODELS["Lin. Reg."], **HIRING_FEATURES}
    features = [*HIRING_FEATURES.values(), "gender"]
    for table in frames.targets:
        decision = table.data["predicted_salary"].to_numpy(float) >= line
        yield from _group_metrics("8", _day(table.name), reference >= line, decision)
        yield (("8", CONSISTENCY, _day(table.name), "All rows"), _consistency(frames, table.name, features, decision))
    for pair in PAIRS:
        over = tuple(columns.values()) if pair == ROM else (columns["Lin. Reg. Prediction"],)
        overall = _scores(frames, pair, columns, over, bins)[1]
        yield from ((("8", pair, day, AGGREGATE), score) for day, score in overall.items())


def table_9(frames: Frames, bins: int) -> Cells:
    """Classical metrics on the predicted income, and the three aggregates."""
    selected = {t.name: (t.data["predicted_income"].astype(str) == ">50K").to_numpy() for t in frames.tables}
    features = [c for c in ADULT_COLUMNS.values() if c != "predicted_probability"]
    for table in frames.targets:
        yield from _group_metrics("9", _day(table.name), selected[frames.reference.name], selected[table.name])
        income = (table.data["income"].astype(str) == ">50K").to_numpy()
        yield (("9", CONSISTENCY, _day(table.name), "All rows"), _consistency(frames, table.name, features, income))
    for (_, pair, day, column), score in table_6(frames, bins):
        if column == AGGREGATE:
            yield (("9", pair, day, column), score)


def _group_metrics(table: str, day: int, reference: np.ndarray, target: np.ndarray) -> Cells:
    """The paper's orientation: reference minus target, reference over target."""
    a, b = (outcome_counts(y_pred=rows.astype(int)) for rows in (reference, target))
    metrics = {SPD: parity_difference, DI: disparate_impact, EDF: empirical_difference_fairness}
    yield from (((table, name, day, "Prediction"), float(metric(a, b))) for name, metric in metrics.items())


def _consistency(frames: Frames, name: str, features: list[str], outcome: np.ndarray) -> float:
    pair = next(p for p in QmadSettings().contrast.pairs(frames) if p.frame == name)
    return consistency(np.column_stack([pair_values(pair, c).target for c in features]), outcome.astype(float))


def _student_t(target: np.ndarray, reference: np.ndarray) -> float:
    return float(stats.ttest_ind(target, reference).pvalue)


def table_10(frames: Frames, bins: int) -> Cells:
    """Three other tests; the t-test is Student's, whose p-values on two values equal the Mann-Whitney test's as in the paper."""
    for name, comparison in (("t-test", None), ("Mann-Whitney U", "mann_whitney"), ("Brunner-Munzel", "brunner_munzel")):
        settings = QmadSettings(
            attributes=tuple(TABLE_10.values()),
            comparison=comparison or "welch_t",
            bins=bins,
            aggregate_over="all",
            resamples=0,
        )
        if comparison is None:
            scores = _by_student_t(frames, settings)
        else:
            result = audit_frames(frames, settings).attribute_scores
            scores = {(_day(r.frame), r.attribute): float(r.score) for r in rows(result)}
        for day in sorted({d for d, _ in scores}):
            row = {column: scores[day, attribute] for column, attribute in TABLE_10.items()}
            yield from ((("10", name, day, column), score) for column, score in row.items())
            yield (("10", name, day, "Linear Regression Aggregate Score"), float(stats.hmean([*row.values()])))


def _by_student_t(frames: Frames, settings: QmadSettings) -> dict[tuple[int, str], float]:
    scores = {}
    for pair in settings.contrast.pairs(frames):
        for attribute in settings.attributes or ():
            target, reference = cut(pair_values(pair, attribute), settings)
            p = [_student_t(a, b) for a, b in zip(target, reference, strict=True)]
            scores[_day(pair.frame), attribute] = float(stats.hmean(p))
    return scores


def calibrated_cells(
    table: str, frames: Frames, bins: int, resamples: int, seed: int, cancel: Callable[[], bool] | None = None
) -> dict[Cell, float]:
    """Adjusted p-values of the calibrated verdicts behind Table 7, for the features of Table 5 or 6."""
    columns = HIRING_FEATURES if table == "5" else {name: c for name, c in ADULT_COLUMNS.items() if name != "Income"}
    names = {column: name for name, column in columns.items()}
    found: dict[Cell, float] = {}
    for pair, (comparison, aggregation) in PAIRS.items():
        settings = QmadSettings(
            attributes=tuple(columns.values()),
            comparison=comparison,
            aggregation=aggregation,
            bins=bins,
            aggregate_over="all",
            nominal_as_codes=True,
            resamples=resamples,
            seed=seed,
        )
        for r in rows(audit_frames(frames, settings, cancel=cancel).attribute_scores):
            found["7", counted_name(table, pair, CALIBRATED_RULE), _day(r.frame), names[r.attribute]] = float(r.p_adjusted)
    return found


MAKERS: dict[str, Callable[[int], Frames]] = {"hiring": hiring_frames, "adult": adult_frames}
RECOMPUTE: dict[str, tuple[str, Callable[[Frames, int], Cells]]] = {
    "5": ("hiring", table_5),
    "6": ("adult", table_6),
    "8": ("hiring", table_8),
    "9": ("adult", table_9),
    "10": ("hiring", table_10),
}
"""By table: the data and the function. Table 7 is counted from Tables 5 and 6."""


def cells(table: str, frames: Frames, bins: int) -> dict[Cell, float]:
    """All cells of a table."""
    function: Any = RECOMPUTE[table][1]
    return dict(function(frames, bins))
