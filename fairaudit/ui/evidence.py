"""The evidence behind an answer: attributes x bins, one attribute bin by bin, the two distributions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.charts import bin_chart, bin_heatmap, ecdf_chart, sides_text
from fairaudit.charts.text import percent
from fairaudit.comparison import COMPARISONS
from fairaudit.qmad import QmadSettings, cell_bins
from fairaudit.reporting.words import certainty_of, subject
from fairaudit.results import VERDICT_LABELS, VERDICT_SYMBOLS, AuditResult
from fairaudit.schema import Frames
from fairaudit.ui import distributions, state
from fairaudit.ui.components import chart_theme, plain, plotly


def show(frames: Frames, result: AuditResult, settings: QmadSettings) -> None:
    """Everything behind the verdicts of one frame, and of one attribute in it."""
    st.subheader("Evidence", divider="gray")
    rows = result.attribute_scores
    key = _frame_choice(rows)
    here = rows[(rows["frame"] == key[0]) & (rows["group"] == key[1])]
    bins = result.bin_scores[(result.bin_scores["frame"] == key[0]) & (result.bin_scores["group"] == key[1])]
    if bins.empty:
        st.info(plain(here["note"].iloc[0]), icon=":material/info:")
        return
    attribute = _attribute_choice(here, key)
    number = _bin_choice(bins[bins["attribute"] == attribute])
    picked = plotly(
        bin_heatmap(
            bins,
            settings.spec,
            chart_theme(),
            comparisons=dict(zip(here["attribute"], here["comparison"], strict=True)),
            alpha=settings.alpha,
            threshold=settings.threshold,
            sides=sides_text(here),
            title=f"{subject(*key)}, bin by bin",
            selected=(attribute, number) if number else None,
        ),
        key="bins.all",
        clickable=True,
    )
    if picked is not None and (str(picked[0]), int(str(picked[1]))) != (attribute, number):
        state.choose_cell(*key, str(picked[0]), int(str(picked[1])))
        st.rerun()
    _one_attribute(
        frames, settings, key, here[here["attribute"] == attribute].iloc[0], bins[bins["attribute"] == attribute], number
    )


def _one_attribute(
    frames: Frames, settings: QmadSettings, key: tuple[str, str], row: pd.Series, bins: pd.DataFrame, number: int | None
) -> None:
    """One attribute: the verdict in words, the scores bin by bin, the two distributions."""
    attribute = str(row["attribute"])
    sides: distributions.Sides = {"target": str(row["target_side"]), "reference": str(row["reference_side"])}
    st.markdown(f"#### {plain(attribute)}")
    st.markdown(f"{VERDICT_SYMBOLS[row['verdict']]} **{VERDICT_LABELS[row['verdict']]}** · {plain(_sentence(row))}")
    if firm := certainty_of(row.to_dict()):
        st.markdown(plain(" ".join(firm)))
    if how := _certainty(row, settings):
        st.caption(plain(how))
    if row["note"]:
        st.caption(plain(row["note"]))
    if bins.empty:
        return
    plotly(
        bin_chart(
            bins,
            COMPARISONS[str(row["comparison"])],
            chart_theme(),
            alpha=settings.alpha,
            threshold=settings.threshold,
            aggregate=float(row["score"]),
            aggregation=AGGREGATIONS[settings.aggregation].label,
            mean_label=_mean_label(frames, attribute),
            **sides,
        ),
        key="bins.one",
    )
    values, target, reference = cell_bins(frames, settings, *key, attribute, number)
    where = "" if number is None else f"bin {number}"
    if number is not None and st.button("Show all bins together", icon=":material/select_all:", key="evidence.all"):
        state.choose_cell(*key, attribute)
        st.rerun()
    if values.levels:
        distributions.categories(values, target, reference, sides, where)
        return
    left, right = st.columns(2)
    with left:
        plotly(ecdf_chart(target, reference, chart_theme(), attribute=attribute, bin_note=where, **sides), key="evidence.ecdf")
    with right:
        distributions.histogram(attribute, target, reference, sides, where)


_RANK = {"disparity": 0, "no_evidence": 1, "not_measurable": 2}
_BY_HAND = "evidence.frame.by_hand"
"""Frame and group that the visitor chose; without one the page follows the verdicts."""


def _frame_choice(rows: pd.DataFrame) -> tuple[str, str]:
    """The frame and group whose evidence is shown: of the clicked cell, as chosen, or the one with most disparities."""
    keys = [(str(f), str(g)) for f, g in rows[["frame", "group"]].drop_duplicates().itertuples(index=False)]
    cell = state.chosen_cell()
    if cell is not None and cell[:2] in keys:
        st.session_state["evidence.frame"] = st.session_state[_BY_HAND] = cell[:2]
    elif st.session_state.get("evidence.frame") not in keys or st.session_state.get(_BY_HAND) not in keys:
        # Again in every run: calibrated verdicts may name another frame than the provisional ones did.
        flagged = rows["verdict"].eq("disparity").groupby([rows["frame"], rows["group"]], sort=False).sum()
        st.session_state["evidence.frame"] = keys[int(flagged.to_numpy().argmax())]
    return st.selectbox(
        "Frame",
        keys,
        format_func=lambda k: subject(*k),
        key="evidence.frame",
        on_change=_choose_frame,
        persist_state="session",
    )


def _choose_frame() -> None:
    state.forget_cell()
    st.session_state[_BY_HAND] = st.session_state["evidence.frame"]


def _attribute_choice(here: pd.DataFrame, key: tuple[str, str]) -> str:
    """The attribute whose evidence is shown: the clicked one, or the one that differs most surely, and of those most."""
    cell = state.chosen_cell()
    if cell is not None and cell[:2] == key and cell[2] in set(here["attribute"]):
        return cell[2]
    ranked = here.assign(rank=here["verdict"].map(_RANK), size=-here["effect"].abs().fillna(np.inf))
    order = ["rank", "p_adjusted", "p_value", "size"]
    return str(ranked.sort_values(order, kind="stable")["attribute"].iloc[0])


def _bin_choice(bins: pd.DataFrame) -> int | None:
    """The bin that was clicked, None for all bins together."""
    number = state.chosen_bin()
    return number if number in set(bins["bin"]) else None


def _sentence(row: pd.Series) -> str:
    """Score, direction and size of one attribute in words."""
    spec = COMPARISONS[str(row["comparison"])]
    score = (
        "not defined"
        if np.isnan(row["score"])
        else "< 1e-300"
        if spec.is_p_value and row["score"] == 0
        else f"{row['score']:.3g}"
    )
    parts = [f"{'aggregated p' if spec.is_p_value else 'score'} {score} ({spec.label})"]
    if row["direction"]:
        parts.append(f"target {row['direction']}")
    if not np.isnan(row["mean_target"]):
        parts.append(
            f"{percent(row['mean_target'], 1)} against {percent(row['mean_reference'], 1)}"
            if row["effect_kind"] == "h"
            else f"{row['mean_target']:.4g} against {row['mean_reference']:.4g}"
        )
    if not np.isnan(row["effect"]):
        parts.append(
            f"effect {row['effect_kind']} = {row['effect']:+z.3f}"
            if row["effect_kind"] != "V"
            else f"effect V = {row['effect']:.3f}"
        )
    return ", ".join(parts)


def _certainty(row: pd.Series, settings: QmadSettings) -> str:
    """How sure the verdict is, and what the paper's rule says."""
    if np.isnan(row["p_adjusted"]):
        return ""
    text = f"Calibrated p = {row['p_value']:.3g}, corrected {row['p_adjusted']:.3g}, from {row['n_resamples']} permutations."
    border, spec = row["critical_score"], COMPARISONS[row["comparison"]]
    if spec.floor is not None and spec.ceiling is not None:
        text += (
            f" Resamples are compared by p-values that go on beyond {spec.floor:g} and {spec.ceiling:g}, so that no score shown here marks the border of the "
            "verdict."
        )
    elif not np.isnan(border):
        text += f" The verdict would change at a score of {border:.3g}."
    flag = "flags it" if row["paper_flag"] else "does not flag it"
    return f"{text} The paper's rule ({row['paper_rule']}) {flag}; without any difference it would flag this attribute in {row['false_alarm_rate']:.1%} of cases."


def _mean_label(frames: Frames, attribute: str) -> str:
    column = frames.reference.data[attribute]
    if frames.reference.type_of(attribute) == "binary":
        return f"Share of {column.cat.categories[-1]}"
    return "Mean label code" if frames.reference.type_of(attribute) == "nominal" else f"Mean {attribute}"
