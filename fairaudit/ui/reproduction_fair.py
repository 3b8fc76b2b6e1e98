"""The fair-evaluation paper's part of the reproduction page: Tables 2 and 3, and the values of the figures."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from fairaudit.charts import method_heatmap, published_vs_recomputed
from fairaudit.evaluation import RATINGS, RULE, TEST_METRICS, EvaluationResult
from fairaudit.mitigation import MITIGATIONS
from fairaudit.reproduction import fair_evaluation as paper
from fairaudit.ui import jobs
from fairaudit.ui.components import chart_theme, download_table, plain, plotly
from fairaudit.ui.evaluation.tables import PUBLISHED, dataset_at_hand, need_dataset, offer_dataset

NAME = "reproduction.fair"
_RUNS = "fairaudit.reproduction.fair.runs"
_VIEWS = {
    "2": "Table 2 · The data sets",
    "3": "Table 3 · Which method helps against which bias",
    **paper.SECTIONS,
}
_STATUS = {
    "same": "● the printed digits",
    "near": "◐ near",
    "differs": "✖ differs",
    "inside": "● within sampling error",
    "outside": "✖ differs",
    "cannot": "– cannot agree",
    "no data": "○ the file is not here",
}
_LABELS = {spec.name: spec.label for spec in (*TEST_METRICS, *MITIGATIONS)}


def chosen() -> bool:
    """Which paper; True for this one."""
    return (
        st.segmented_control(
            "Paper",
            ("qmad", "fair"),
            default="qmad",
            required=True,
            format_func={"qmad": "QMAD", "fair": "Fair evaluation"}.__getitem__,
            key="paper",
            bind="query-params",
            label_visibility="collapsed",
        )
        == "fair"
    )


def show() -> None:
    """Everything below the choice of the paper."""
    view = st.selectbox("Table or figures", list(_VIEWS), format_func=_VIEWS.__getitem__, key="paper_view", bind="query-params")
    if view == "2":
        _characteristics()
    elif view == "3":
        _symbols()
    else:
        _figures(view)


# ---- Table 2 ------------------------------------------------------------------------------------------------------------------------


def _characteristics() -> None:
    at_hand = {name: found for name in paper.DATASETS if (found := dataset_at_hand(name)) is not None}
    cells = paper.compare_characteristics(at_hand)
    counts = cells["status"].value_counts()
    agree, compared = int(counts.get("same", 0) + counts.get("near", 0)), int((cells["status"] != "no data").sum())
    if compared:
        cannot = int(counts.get("cannot", 0))
        st.markdown(
            f":green-background[:material/check_circle: **Table 2**] {agree} of {compared} published values agree"
            + (f"; {cannot} cannot, for a known reason." if cannot else ".")
        )
    missing = [name for name in paper.DATASETS if name not in at_hand]
    if missing:
        files = sorted({PUBLISHED[name].file for name in missing})
        names = ", ".join(paper.DATASETS[name] for name in missing)
        st.info(
            plain(f"{names}: the data do not ship with fairaudit. Below are three ways to {' and '.join(files)}."),
            icon=":material/folder_open:",
        )
    st.dataframe(
        cells.assign(
            dataset=cells["dataset"].map(paper.DATASETS),
            quantity=cells["quantity"].map(paper.QUANTITIES),
            status=cells["status"].map(_STATUS),
        ),
        hide_index=True,
        height="content",
        column_config={
            "dataset": "data set",
            "published": st.column_config.NumberColumn("published", format="%.4g"),
            "recomputed": st.column_config.NumberColumn("recomputed", format="%.4g"),
            "difference": st.column_config.NumberColumn("difference", format="%.4f"),
            "note": st.column_config.TextColumn("why", width="large"),
        },
    )
    download_table(cells, "reproduction_fair_table_2.csv")
    by_file = {PUBLISHED[name].file: name for name in reversed(missing)}
    for name in reversed(by_file.values()):
        if offer_dataset(name) is not None:
            st.rerun()


# ---- Table 3 ------------------------------------------------------------------------------------------------------------------------


def _symbols() -> None:
    runs = {bias: run for (dataset, bias), run in _runs().items() if dataset == "student_balanced"}
    cells = paper.compare_symbols(runs)
    same = int(cells["same"].sum())
    st.markdown(
        f":orange-background[:material/change_history: **Table 3**] The paper's symbols are a judgement; our stated rule, applied to the paper's own published values, "
        f"gives {same} of the {len(cells)} symbols."
    )
    with st.expander("The rule", icon=":material/rule:"):
        st.markdown(plain(RULE))
    meanings = {symbol: (rating, meaning) for rating, (symbol, meaning) in RATINGS.items()}
    drawn = []
    columns = (("published", "printed"), ("on_published", "our rule"), ("recomputed", "own run"))
    for bias in dict.fromkeys(cells["bias"]):
        part = cells[cells["bias"] == bias]
        for column, words in columns:
            if (part[column] == "").all():
                continue
            known = part if column == "on_published" else part[["bias", "mitigation", column]]
            drawn.append(
                known.assign(
                    column=f"{paper.BIASES[bias][0]}: {words}",
                    symbol=part[column],
                    rating=part[column].map(lambda s: meanings[s][0]),
                    meaning=part[column].map(lambda s: meanings[s][1]),
                )
            )
    ratings = pd.concat(drawn, ignore_index=True)
    ratings["note"] = ratings["note"].fillna("")
    plotly(
        method_heatmap(
            ratings,
            chart_theme(),
            labels=_LABELS,
            rule="The numbers behind our rule are on hover.",
            title="Table 3: printed and by our rule",
        ),
        key="reproduction.fair.3",
    )
    differing = cells[~cells["same"]]
    st.markdown(
        "Different: "
        + "; ".join(
            plain(f"{_LABELS[m].lower()} under {paper.BIASES[b][0].lower()} (printed {p}, rule {r})")
            for b, m, p, r in differing[["bias", "mitigation", "published", "on_published"]].itertuples(index=False, name=None)
        )
        + "."
    )
    st.caption(
        "The double cross of massaging under self-selection rests on a slice with a negative count in the authors' code, which relabels almost whole cells; see "
        "docs/decisions/020. The rule on an own run looks at one data set, StudentBalanced, where the paper looks at three: run the biases under section 6.3 to fill it."
    )
    download_table(cells, "reproduction_fair_table_3.csv")


# ---- Figures ------------------------------------------------------------------------------------------------------------------------


def _runs() -> dict[tuple[str, str], EvaluationResult]:
    """Own runs of this session by data set and bias; takes in what a job has left."""
    held: dict[tuple[str, str], EvaluationResult] = st.session_state.setdefault(_RUNS, {})
    job = jobs.find(NAME)
    if job is not None and not job.running and job.result is not None and job.result.units_done:
        dataset, bias = job.key.split()[:2]
        held[dataset, bias] = job.result
    return held


def _figures(section: str) -> None:
    left, right = st.columns(2)
    datasets = [name for name in paper.FIGURE_DATASETS if len(paper.published_figures(section, name))]
    dataset = left.selectbox(
        "Data set",
        datasets,
        format_func=paper.FIGURE_DATASETS.__getitem__,
        key=f"reproduction.fair.data.{section}",
        persist_state="session",
    )
    biases = [b for b in paper.biases_of(dataset) if len(paper.published_figures(section, dataset, b))]
    bias = right.selectbox(
        "Bias",
        biases,
        format_func=lambda b: paper.BIASES[b][0],
        key=f"reproduction.fair.bias.{section}.{dataset}",
        persist_state="session",
    )
    run = _runs().get((dataset, bias))
    published = paper.published_figures(section, dataset, bias)
    if run is None:
        st.info(f"{len(published):,} published values. Recompute them below to see them beside ours.", icon=":material/info:")
        st.dataframe(_named(published.drop(columns=["section", "dataset", "bias"])), hide_index=True)
        download_table(published, f"published_{section}_{dataset}_{bias}.csv", "Download the published values as CSV")
    else:
        _beside(run, section, dataset, bias)
    _recompute(section, dataset, bias, run)


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(mitigation=frame["mitigation"].map(_LABELS), metric=frame["metric"].map(_LABELS))


def _beside(run: EvaluationResult, section: str, dataset: str, bias: str) -> None:
    cells = paper.compare_figures(run, section, dataset, bias)
    if cells.empty:
        st.info("The own run has none of the methods and levels of this figure yet.", icon=":material/info:")
        return
    found = paper.agreement(cells)
    colour, icon = ("orange", ":material/change_history:") if found.outside else ("green", ":material/check_circle:")
    st.markdown(
        f":{colour}-background[{icon} **{paper.FIGURE_DATASETS[dataset]}, {paper.BIASES[bias][0].lower()}**] {plain(found.sentence())}"
    )
    if not run.complete:
        st.warning(f"Partial run: {run.units_done:,} of {run.units_total:,} units.", icon=":material/hourglass_bottom:")
    left, right = st.columns([3, 1])
    metrics = [m for m in TEST_METRICS.names() if m in set(cells["metric"])]
    metric = left.selectbox(
        "Metric", metrics, format_func=_LABELS.__getitem__, key=f"reproduction.fair.metric.{section}", persist_state="session"
    )
    test_sets = list(dict.fromkeys(cells["test_set"]))
    test_set = (
        test_sets[0]
        if len(test_sets) == 1
        else right.segmented_control(
            "Test set",
            sorted(test_sets, reverse=True),
            default="fair",
            required=True,
            key="reproduction.fair.test_set",
            persist_state="session",
        )
    )
    shown = cells[(cells["metric"] == metric) & (cells["test_set"] == test_set)]
    methods = [m for m in MITIGATIONS.names() if m in set(shown["mitigation"])]
    single = len(methods) == 1
    if not single:
        chosen_methods = st.multiselect(
            "Methods",
            methods,
            default=methods[:4],
            format_func=_LABELS.__getitem__,
            key=f"reproduction.fair.methods.{section}.{len(methods)}",
            persist_state="session",
            label_visibility="collapsed",
            placeholder="Choose methods",
            wrap=True,
        )
        shown = shown[shown["mitigation"].isin(chosen_methods)]
    rows = shown.assign(
        cell=shown["level"].map(lambda v: f"level {v:g}"), section="" if single else shown["mitigation"].map(_LABELS)
    )
    figure = published_vs_recomputed(
        rows,
        chart_theme(),
        value_label=f"{_LABELS[metric]}, {test_set} test set, mean over folds",
        title=f"{paper.FIGURE_DATASETS[dataset]}, {paper.BIASES[bias][0].lower()}: {_LABELS[metric]}",
        subtitle="Bar: two standard errors of a difference of two means around the recomputed mean (tick).",
        names=("two standard errors", "recomputed mean"),
    )
    plotly(figure, key=f"reproduction.fair.{section}.{dataset}.{bias}.{metric}.{test_set}")
    with st.expander("Cell by cell", icon=":material/table_rows:"):
        st.dataframe(
            _named(cells).assign(status=cells["status"].map(_STATUS)).drop(columns=["low", "high", "published_std"]),
            hide_index=True,
            column_config={
                "median": st.column_config.NumberColumn("recomputed", format="%.4f"),
                "std": st.column_config.NumberColumn("std over folds", format="%.4f"),
                "published": st.column_config.NumberColumn("published", format="%.4f"),
                "difference": st.column_config.NumberColumn("difference", format="%.4f"),
                "note": st.column_config.TextColumn("why", width="large"),
            },
        )
    st.caption(plain(paper.FIGURE_RULE))
    download_table(cells, f"reproduction_{section}_{dataset}_{bias}.csv")


def _recompute(section: str, dataset: str, bias: str, run: EvaluationResult | None) -> None:
    """A run on the data set; what is finished is used again."""
    st.subheader("Recompute it yourself", divider="gray")
    source = dataset.removesuffix("_complex")
    data = need_dataset(source)
    st.caption(plain(data.notes))
    there = set(paper.published_figures(section, dataset, bias)["mitigation"])
    offered = [m for m in MITIGATIONS.names() if m in there]
    levels = sorted(paper.published_figures(section, dataset, bias)["level"].unique())
    left, right = st.columns([1, 1], vertical_alignment="bottom")
    size = left.segmented_control(
        "Size",
        ("quick", "all"),
        default="quick",
        required=True,
        format_func={"quick": "Four levels", "all": f"All {len(levels)} levels"}.__getitem__,
        key="reproduction.fair.size",
        persist_state="session",
        help="Random forests, the paper's folds: 10 for label bias, 5 for the others.",
    )
    wanted = tuple(levels if size == "all" else (v for v in levels if v in (0.0, 0.3, 0.6, 0.9)))
    job = jobs.find(NAME)
    running = job is not None and job.running
    if right.button(
        "Recompute" if run is None or run.complete else "Continue",
        key="reproduction.fair.run",
        type="primary",
        icon=":material/replay:",
        disabled=running,
    ):
        jobs.forget(NAME)
        jobs.start(
            NAME,
            f"{dataset} {bias} {section} {size}",
            f"{paper.FIGURE_DATASETS[dataset]}, {paper.BIASES[bias][0].lower()}",
            lambda progress, cancel: paper.recompute_figures(
                data, bias, levels=wanted, mitigations=tuple(offered), progress=progress, cancel=cancel, resume=run
            ),
        )
        st.rerun()
    if running:
        st.caption("Running: progress and a button to cancel are in the sidebar. What is finished by then is kept.")
    elif job is not None:
        jobs.raise_error(job)
