"""Controls for the choices of an audit. Choices that hold no data live in the URL and survive a change of page."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS
from fairaudit.contrast import CONTRAST_KINDS, CONTRAST_LABELS, Contrast
from fairaudit.qmad import PAIRS, QmadSettings, recommend_pair
from fairaudit.qmad.settings import MAX_BINS
from fairaudit.schema import COMPARED_TYPES, Frames
from fairaudit.ui import state
from fairaudit.ui.components import plain

CUSTOM = "custom"
_PAIR_NAMES = (*PAIRS, CUSTOM)
_SHORT_CONTRASTS = {
    "frame_vs_reference": "Target tables against the reference",
    "group_vs_reference_group": "Groups inside each table",
    "within_group": "The same group, target against reference",
}

_FROM_FILE = ("threshold", "weights", "correction", "aggregate_over", "stability", "detectable")
"""Entries of a settings file for which the page has no control; they stay in force and are shown."""


def _with_current(key: str, options: tuple[float, ...]) -> tuple[float, ...]:
    """The options of a control, and the value that a settings file or a link gave it."""
    current = st.session_state.get(key)
    return tuple(sorted({*options, current})) if isinstance(current, (int, float)) else options


def _pair_label(name: str) -> str:
    return PAIRS[name].label if name in PAIRS else "My own pair …"


def contrast_choice(frames: Frames) -> Contrast:
    """Who is compared with whom."""
    kind = st.selectbox(
        "Who is compared",
        CONTRAST_KINDS,
        format_func=_SHORT_CONTRASTS.__getitem__,
        key=state.CONTRAST,
        bind="query-params",
        help="  \n".join(f"**{_SHORT_CONTRASTS[k]}**: {CONTRAST_LABELS[k]}." for k in CONTRAST_KINDS),
    )
    if kind == "frame_vs_reference":
        return Contrast()
    columns = [c for c in frames.reference.columns if frames.reference.type_of(c) in COMPARED_TYPES]
    default = [c for c in frames.schema.sensitive_features if c in columns]
    features = st.multiselect(
        "Sensitive attributes",
        columns,
        default=default,
        key="contrast.features",
        persist_state="session",
        placeholder="Choose the columns that define groups",
    )
    # One below the other: side by side their words are cut off in the narrow column.
    intersections = len(features) > 1 and st.toggle(
        "Intersections",
        key="contrast.intersections",
        bind="query-params",
        help="Groups are combinations of values, such as women over 50.",
    )
    rule = "largest"
    if kind == "group_vs_reference_group":
        rule = st.segmented_control(
            "Reference group",
            ("largest", "best_off"),
            default="largest",
            required=True,
            format_func={"largest": "Largest", "best_off": "Best-off"}.__getitem__,
            key="contrast.rule",
            persist_state="session",
            help="Used where the Data page names no reference group.",
        )
    return Contrast(kind=kind, features=tuple(features), intersections=bool(intersections), reference_rule=rule)  # type: ignore[arg-type]


def pair_choice(frames: Frames) -> tuple[str, str, str | None]:
    """Comparison, aggregation, and the attributes of the overall score when the pair fixes them."""
    recommended = recommend_pair(frames.reference)
    name = st.selectbox(
        "Pair of comparison and aggregation",
        _PAIR_NAMES,
        index=_PAIR_NAMES.index("ks-harmonic"),
        format_func=_pair_label,
        key="pair",
        bind="query-params",
        help=f"Recommended for this data ({recommended.task}): **{_pair_label(recommended.pair)}**. {recommended.reason}",
    )
    if name != CUSTOM:
        pair = PAIRS[name]
        st.caption(
            plain(pair.summary) + ("" if name == recommended.pair else f" *Recommended here: {_pair_label(recommended.pair)}.*")
        )
        return pair.comparison, pair.aggregation, pair.aggregate_over
    comparison = st.selectbox(
        "Comparison function",
        COMPARISONS.names(),
        format_func=lambda n: COMPARISONS[n].label,
        index=COMPARISONS.names().index("ks"),
        key="comparison",
        bind="query-params",
    )
    spec = COMPARISONS[comparison]
    fitting = [
        a.name for a in AGGREGATIONS if (spec.is_p_value or not a.p_values_only) and not (spec.signed and a.name == "harmonic")
    ]
    aggregation = st.selectbox(
        "Aggregation function",
        fitting,
        format_func=lambda n: AGGREGATIONS[n].label,
        index=fitting.index("harmonic") if spec.is_p_value else 0,
        key="aggregation",
        persist_state="session",
    )
    st.caption(f"{plain(spec.summary)} {plain(spec.pitfall)}")
    return comparison, aggregation, None


def audit_choices(frames: Frames) -> QmadSettings:
    """All controls of the Audit page."""
    first, second, third = st.columns([1.2, 1.2, 1])
    with first:
        comparison, aggregation, over = pair_choice(frames)
    with second:
        contrast = contrast_choice(frames)
    with third:
        bins = st.slider(
            "Bins",
            1,
            50,
            10,
            key="bins",
            bind="query-params",
            help="More bins show where something differs; fewer find smaller differences that are the same in all rows (Method page: Power). "
            f"Up to {MAX_BINS} from Python and the command line.",
        )
        binning = st.segmented_control(
            "Bins are cut by",
            BINNINGS.names(),
            default="sequential",
            required=True,
            format_func={"sequential": "Row order", "quantile": "Value"}.__getitem__,
            key="binning",
            bind="query-params",
            help="  \n".join(f"**{b.label}**: {b.summary} {b.pitfall}" for b in BINNINGS),
        )
    with st.expander("More choices", icon=":material/tune:"):
        left, middle, right = st.columns(3)
        with left:
            offered = [c for c in frames.reference.columns if c not in frames.schema.ignored]
            attributes = st.multiselect(
                "Attributes",
                offered,
                key="attributes",
                persist_state="session",
                placeholder="All that can be compared",
                help="Empty: all columns except identifiers, dates and free text.",
            )
        with middle:
            alpha = st.select_slider(
                "Level alpha", _with_current("alpha", (0.001, 0.005, 0.01, 0.05, 0.1)), 0.05, key="alpha", bind="query-params"
            )
            over_choice = st.selectbox(
                "Overall score over",
                ("default", "all", "features", "prediction"),
                format_func={
                    "default": "The paper's choice",
                    "all": "All attributes",
                    "features": "Features only",
                    "prediction": "The prediction only",
                }.__getitem__,
                key="over",
                bind="query-params",
                help="The paper aggregates ratios over all attributes, and p-values over the prediction alone.",
            )
        with right:
            normalise = st.toggle("Normalise attribute scores to 0–1", key="normalise", bind="query-params")
            codes = st.toggle(
                "Label codes for nominal attributes, as in the paper",
                key="codes",
                bind="query-params",
                help="Off: they are compared by methods that are valid for categories.",
            )
            shuffle = st.toggle(
                "Shuffle the rows first",
                key="shuffle",
                bind="query-params",
                help="A seeded shuffle, for tables whose row order means something else than time.",
            )
            resamples = st.select_slider(
                "Permutations for calibrated verdicts",
                _with_current("resamples", (0, 99, 199, 499, 999, 1999, 4999)),
                999,
                key="resamples",
                bind="query-params",
                help="The largest number; fewer are drawn where the answer is clear. 0: the paper's uncalibrated rule.",
            )
            seed = st.number_input("Seed", 0, 2**31 - 1, 0, key="seed", bind="query-params")
    settings = QmadSettings(
        attributes=tuple(attributes) or None,
        comparison=comparison,
        aggregation=aggregation,
        binning=binning,
        bins=bins,
        contrast=contrast,
        aggregate_over=over if over_choice == "default" else over_choice,
        alpha=float(alpha),
        normalise=normalise,
        nominal_as_codes=codes,
        shuffle=shuffle,
        resamples=int(resamples),
        seed=int(seed),
    )
    return _from_opened_file(settings)


def _from_opened_file(settings: QmadSettings) -> QmadSettings:
    """Add what an opened settings file says and the page has no control for, as long as it fits the other choices."""
    opened = state.opened_settings()
    if opened is None:
        return settings
    kept = {}
    for name in _FROM_FILE:
        value = getattr(opened.qmad, name)
        if name in ("stability", "detectable") and not settings.resamples:
            continue  # without calibrated verdicts there is nothing to be more certain about
        if value != getattr(QmadSettings(), name) and not (name == "aggregate_over" and isinstance(value, str)):
            kept[name] = value
    if not kept:
        return settings
    st.caption(
        "From the settings file: " + plain(", ".join(f"{k} {dict(v) if k == 'weights' else v}" for k, v in kept.items())) + "."
    )
    return replace(settings, **kept)


def put_into_controls(settings: QmadSettings) -> None:
    """Set every control of the page to the entries of a settings file; called before the controls are drawn."""
    name = next(
        (p.name for p in PAIRS.values() if (p.comparison, p.aggregation) == (settings.comparison, settings.aggregation)), CUSTOM
    )
    over = settings.aggregate_over
    values = {
        "pair": name,
        "comparison": settings.comparison,
        "aggregation": settings.aggregation,
        "bins": settings.bins,
        "binning": settings.binning,
        state.CONTRAST: settings.contrast.kind,
        "contrast.intersections": settings.contrast.intersections,
        "contrast.rule": settings.contrast.reference_rule,
        "alpha": settings.alpha,
        "over": over if isinstance(over, str) else "default",
        "normalise": settings.normalise,
        "codes": settings.nominal_as_codes,
        "shuffle": settings.shuffle,
        "resamples": settings.resamples,
        "seed": settings.seed,
        "attributes": list(settings.attributes or ()),
    }
    if settings.contrast.features is not None:
        values["contrast.features"] = list(settings.contrast.features)
    for key, value in values.items():
        st.session_state[key] = value
