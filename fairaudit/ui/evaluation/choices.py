"""Controls of the experiment: who is unprivileged, what is favourable, which bias, and the grid of runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import streamlit as st

from fairaudit.errors import SettingsError
from fairaudit.evaluation import EvaluationSettings, checked_settings
from fairaudit.injection import INJECTIONS
from fairaudit.mitigation import MITIGATIONS
from fairaudit.models import MODELS
from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, Schema, category_name
from fairaudit.ui.components import plain
from fairaudit.validation import with_schema

BIASES = ("label", "malicious_selection", "self_selection", "random_selection", "uniform_undersampling")
LEVELS = tuple(k / 10 for k in range(11))
MOST_CATEGORIES = 50
"""Columns with more categories are not offered as groups or outcomes."""
QUICK: dict[str, Any] = {
    "levels": (0.0, 0.3, 0.6, 0.9),
    "models": ("random_forest",),
    "mitigations": ("none", "reweighing", "roc_spd"),
    "folds": 3,
}
PAPER: dict[str, Any] = {
    "levels": LEVELS[:10],
    "models": ("random_forest",),
    "mitigations": MITIGATIONS.names(),
    "folds": None,
}
_GRIDS = {"quick": "Quick look", "paper": "As in the paper", "own": "My own"}


@dataclass(frozen=True, eq=False)
class Experiment:
    """What is to be run.

    Attributes
    ----------
    table : AuditTable
        With the outcome as chosen.
    arguments : dict
        For ``evaluate``, besides the table and where it runs.
    settings : EvaluationSettings
        The same, checked.
    n_jobs : int
    scheduler : str or None
    """

    table: AuditTable
    arguments: dict[str, Any]
    settings: EvaluationSettings
    n_jobs: int
    scheduler: str | None

    @property
    def units(self) -> str:
        """Changes with the table and everything that makes finished units unusable."""
        return units_key(self.table.fingerprint, self.settings)

    @property
    def key(self) -> str:
        """Changes with the table and every choice, but not with where it runs."""
        return _hash(self.table.fingerprint, self.settings.to_dict())


def units_key(fingerprint: str, settings: EvaluationSettings) -> str:
    """Two runs with the same key can share finished units."""
    kept = {k: v for k, v in settings.to_dict().items() if k not in ("levels", "models", "mitigations")}
    return _hash(fingerprint, kept)


def _hash(fingerprint: str, settings: dict[str, Any]) -> str:
    return hashlib.sha256(f"{fingerprint} {json.dumps(settings, sort_keys=True, default=str)}".encode()).hexdigest()


def choose_experiment(table: AuditTable) -> Experiment:
    """All controls between the data and the start button."""
    first, second, third = st.columns(3, gap="medium")
    with first, st.container(border=True, height="stretch"):
        st.markdown("**Outcome**")
        table = _outcome(table)
    with second, st.container(border=True, height="stretch"):
        st.markdown("**Groups**")
        group = _group(table)
    with third, st.container(border=True, height="stretch"):
        st.markdown("**Bias**")
        injection, train_on = _bias(table, group)
    grid, n_jobs, scheduler = _grid(injection)
    arguments = {"injection": injection, "group": group, "train_on": train_on, **grid}
    settings = checked_settings(engine="numpy", **arguments)
    return Experiment(table, arguments, settings, n_jobs, scheduler)


def _key(table: AuditTable, name: str) -> str:
    """Widgets whose options come from a table start anew with another one."""
    return f"evaluation.{name}.{hashlib.sha256(repr((table.name, table.columns)).encode()).hexdigest()[:10]}"


def _categories(table: AuditTable, column: str) -> list[str]:
    return [str(c) for c in table.data[column].cat.categories]


def _offered(table: AuditTable) -> list[str]:
    """Columns that can say who is who or what came out."""
    return [
        c
        for c in table.columns
        if table.type_of(c) == "numeric"
        or (table.type_of(c) in CATEGORICAL_TYPES and 2 <= len(_categories(table, c)) <= MOST_CATEGORIES)
    ]


def _outcome(table: AuditTable) -> AuditTable:
    """The same table with the outcome that a model is to learn."""
    schema, columns = table.schema, _offered(table)
    proposed = next((c for c in (schema.label, schema.score, schema.prediction) if c in columns), None)
    column = st.selectbox(
        "What is learned",
        columns,
        index=None if proposed is None else columns.index(proposed),
        key=_key(table, "label"),
        persist_state="session",
        placeholder="Choose the column with the outcome",
    )
    if column is None:
        st.info("Choose the column with the outcome: a decision, a grade, a score.", icon=":material/arrow_upward:")
        st.stop()
    if table.type_of(column) == "numeric":
        threshold = _threshold(table, column, schema.decision_threshold if column in (schema.score, schema.prediction) else None)
        return with_outcome(table, None, None, column, threshold)
    values = _categories(table, column)
    names = [category_name(v) for v in schema.pos_labels] if column in (schema.label, schema.prediction) else []
    favourable = st.multiselect(
        "Favourable outcome",
        values,
        default=[n for n in names if n in values] or ([values[-1]] if len(values) == 2 else []),
        key=_key(table, f"pos.{column}"),
        persist_state="session",
        placeholder="Choose one or more values",
    )
    if not 0 < len(favourable) < len(values):
        raise SettingsError(
            f"Which values of {column!r} are favourable is not clear.", "Choose at least one, and leave at least one out."
        )
    scores = [c for c in columns if table.type_of(c) == "numeric" and c != column]
    score = st.selectbox(
        "Score behind it",
        scores,
        index=scores.index(schema.score) if schema.score in scores and column == schema.label else None,
        key=_key(table, f"score.{column}"),
        persist_state="session",
        placeholder="None: label bias turns labels at random",
        help="A grade or a risk score from which the outcome was made. Label bias lowers it, self-selection goes by it.",
    )
    cut = None if score is None else _threshold(table, score, schema.decision_threshold if score == schema.score else None)
    return with_outcome(table, column, tuple(favourable), score, cut)


def _threshold(table: AuditTable, column: str, known: float | None) -> float:
    values = table.data[column]
    found = st.number_input(
        f"Favourable from this {plain(column)} on",
        value=float(values.median()) if known is None else float(known),
        key=_key(table, f"threshold.{column}"),
        persist_state="session",
        format="%g",
    )
    st.caption(f"{(values >= found).mean():.1%} of the rows reach it.")
    return float(found)


# Equal values may have another history: sample and repairs go into the result.
@st.cache_data(
    max_entries=4,
    hash_funcs={AuditTable: lambda t: f"{t.fingerprint} {t.sample!r} {t.findings!r}"},
    scope="session",
    show_spinner=False,
)
def with_outcome(
    table: AuditTable, label: str | None, pos_label: tuple[str, ...] | None, score: str | None, threshold: float | None
) -> AuditTable:
    """The table under a schema with this outcome; former outcome columns are left out of the features, because they give it away."""
    before: Schema = table.schema
    former = {before.label, before.score} - {label, score, None}
    kept = [c for c in before.ignored if c not in (label, score)]
    same_value = pos_label is not None and pos_label == before.pos_labels and label == before.label
    schema = before.with_(
        label=label,
        # The schema's own value where it means the same, so that the table keeps its fingerprint.
        pos_label=before.pos_label if same_value else pos_label,
        score=score,
        prediction=None if before.prediction in (label, score) else before.prediction,
        decision_threshold=threshold,
        ignored=tuple(dict.fromkeys((*kept, *sorted(map(str, former))))),
    )
    return table if schema == before else with_schema(table, schema)


def _group(table: AuditTable) -> dict[str, Any]:
    """Who is unprivileged."""
    schema = table.schema
    columns = [c for c in _offered(table) if c not in (schema.label, schema.score, *schema.ignored)]
    proposed = next((c for c in schema.sensitive_features if c in columns), None)
    column = st.selectbox(
        "Sensitive attribute",
        columns,
        index=None if proposed is None else columns.index(proposed),
        key=_key(table, "sensitive"),
        persist_state="session",
        placeholder="Choose the column with the groups",
    )
    if column is None:
        st.info("Choose the attribute by which people may be treated differently.", icon=":material/arrow_upward:")
        st.stop()
    if table.type_of(column) == "numeric":
        return {column: _range(table, column)}
    values = _categories(table, column)
    reference = schema.reference_group_of(column)
    default = [v for v in values if v != reference] if reference in values else _first_of_size(table, column, values)
    chosen = st.multiselect(
        "Unprivileged: works against",
        values,
        default=default,
        key=_key(table, f"group.{column}"),
        persist_state="session",
        placeholder="Choose one or more values",
        help="Everyone else is privileged. Differences are unprivileged minus privileged.",
    )
    if not 0 < len(chosen) < len(values):
        raise SettingsError(
            f"Which values of {column!r} are unprivileged is not clear.", "Choose at least one, and leave at least one out."
        )
    share = float(table.data[column].isin(chosen).sum()) / max(1, int(table.data[column].notna().sum()))
    st.caption(f"{share:.1%} of the rows are unprivileged.")
    return {column: chosen[0] if len(chosen) == 1 else list(chosen)}


def _first_of_size(table: AuditTable, column: str, values: list[str]) -> list[str]:
    """The first category with a twentieth of the rows: about a handful of people no experiment can say anything."""
    shares = table.data[column].value_counts(normalize=True)
    return next(([v] for v in values if shares.get(v, 0) >= 0.05), values[:1])


def _range(table: AuditTable, column: str) -> dict[str, float]:
    values = table.data[column]
    left, right = st.columns(2)
    found = {
        name: box.number_input(
            f"{words} (unprivileged)",
            value=start,
            key=_key(table, f"{name}.{column}"),
            persist_state="session",
            placeholder="no limit",
            format="%g",
        )
        for box, name, words, start in ((left, "min", "From", None), (right, "max", "To", float(values.median())))
    }
    bounds = {name: float(v) for name, v in found.items() if v is not None}
    if not bounds:
        raise SettingsError(f"Which range of {column!r} is unprivileged is not known.", "Give a lower or an upper limit.")
    inside = values.between(bounds.get("min", float("-inf")), bounds.get("max", float("inf")))
    st.caption(f"{inside.mean():.1%} of the rows are unprivileged.")
    return bounds


def _bias(table: AuditTable, group: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The planted bias and who is trained on."""
    kind = st.selectbox(
        "Planted bias",
        BIASES,
        format_func=lambda n: INJECTIONS[n].label,
        key="evaluation_bias",
        bind="query-params",
    )
    spec = INJECTIONS[kind]
    st.caption(f"{plain(spec.summary)}", help=f"{spec.pitfall} {spec.reference}")
    injection: dict[str, Any] = {"kind": kind, "group": group}
    train_on = "all"
    if kind == "label":
        injection["noise"] = st.number_input(
            "Noise",
            0.0,
            None if table.schema.score is not None else 1.0,
            0.1,
            0.05,
            key="evaluation_noise",
            bind="query-params",
            help=next(p.help for p in spec.parameters if p.name == "noise"),
        )
    elif st.toggle(
        "Leave the unprivileged group out of training",
        key="evaluation_privileged",
        bind="query-params",
        help="As in the paper's Figure 11: the model then learns from the privileged group alone.",
    ):
        train_on = "privileged"
    return injection, train_on


def _grid(injection: dict[str, Any]) -> tuple[dict[str, Any], int, str | None]:
    """Levels, models, methods, folds, and where the experiment runs."""
    left, right = st.columns([2, 3], vertical_alignment="center")
    which = left.segmented_control(
        "Size",
        list(_GRIDS),
        default="quick",
        required=True,
        format_func=_GRIDS.__getitem__,
        key="evaluation_grid",
        bind="query-params",
    )
    start = PAPER if which == "paper" else QUICK
    place = right.empty()
    grid = _own_grid(injection) if which == "own" else dict(start)
    with st.expander("Seed, folds of equal shares, processes, cluster", icon=":material/tune:"):
        first, second, third, fourth = st.columns(4, vertical_alignment="bottom")
        seed = first.number_input("Seed", 0, 2**31 - 1, 0, key="evaluation_seed", bind="query-params")
        stratified = second.toggle(
            "Stratified folds",
            key="evaluation_stratified",
            bind="query-params",
            help="Every fold gets the same share of each group and label.",
        )
        n_jobs = third.number_input(
            "Processes", 1, 256, 1, key="evaluation_jobs", bind="query-params", help="The numbers do not depend on it."
        )
        scheduler = fourth.text_input(
            "Dask scheduler",
            key="evaluation.scheduler",
            persist_state="session",
            placeholder="tcp://127.0.0.1:8786",
            help="Address of a cluster that takes over; empty: this machine. fairaudit must be installed there.",
        )
    grid |= {"seed": int(seed), "stratified": bool(stratified)}
    place.caption(_in_words(grid, injection))
    return grid, int(n_jobs), (scheduler or "").strip() or None


def _own_grid(injection: dict[str, Any]) -> dict[str, Any]:
    left, right = st.columns([3, 2], gap="medium")
    levels = left.pills(
        "Levels of bias",
        LEVELS,
        selection_mode="multi",
        default=QUICK["levels"],
        format_func=lambda v: f"{v:g}",
        key="evaluation.levels",
        persist_state="session",
        help="0 is the fair table; it gives the fair baseline.",
    )
    models = right.pills(
        "Models",
        MODELS.names(),
        selection_mode="multi",
        default=QUICK["models"],
        format_func=lambda n: MODELS[n].label,
        key="evaluation.models",
        persist_state="session",
        help="  \n".join(f"**{m.label}**: {m.summary} {m.settings}." for m in MODELS),
    )
    methods = left.pills(
        "Mitigation",
        MITIGATIONS.names(),
        selection_mode="multi",
        default=QUICK["mitigations"],
        format_func=lambda n: MITIGATIONS[n].label,
        key="evaluation.methods",
        persist_state="session",
        help="  \n".join(f"**{m.label}**: {m.summary}" for m in MITIGATIONS),
    )
    usual = 10 if injection["kind"] == "label" else 5
    folds = right.number_input(
        "Folds",
        3,
        50,
        3,
        key="evaluation_folds",
        bind="query-params",
        help=f"One to test on, the next for post-processing, the others to train on. The paper: {usual} for this bias.",
    )
    return {
        "levels": tuple(levels or ()),
        "models": tuple(models or ()),
        "mitigations": tuple(methods or ()),
        "folds": int(folds),
    }


def _in_words(grid: dict[str, Any], injection: dict[str, Any]) -> str:
    folds = grid["folds"] or (10 if injection["kind"] == "label" else 5)
    levels = ", ".join(f"{v:g}" for v in sorted(grid["levels"]))
    models = ", ".join(MODELS[m].label.lower() for m in grid["models"])
    methods = ", ".join(MITIGATIONS[m].label.lower() for m in grid["mitigations"])
    return f"Levels {levels} · {folds} folds · {models} · {methods}"
