"""The reproduction page: the answer in a sentence, the picture, the cells, and a run of one's own."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from fairaudit.charts import published_vs_recomputed
from fairaudit.reproduction import (
    METRIC_LABELS,
    P_VALUES,
    RESAMPLES,
    RULE,
    SEEDS,
    TABLES,
    ReproductionResult,
    TableSpec,
    default_run,
    reproduce,
)
from fairaudit.ui import jobs
from fairaudit.ui.components import chart_theme, download_table, plain, plotly

NAME = "reproduction"
MOST_SEEDS, FEW_SEEDS = 100, 10
SMALLEST = 1e-5
"""Smaller p-values are drawn at the left edge of the picture: the paper prints four or five decimals."""
_STATUS = {
    "inside": "● inside the range",
    "near": "◐ near the range",
    "outside": "✖ differs",
    "cannot": "– cannot agree",
    "not published": "○ ours, not published",
}
_DATA = {"hiring": "synthetic hiring data", "adult": "Adult"}


def choose_table() -> TableSpec:
    """Which table of which paper."""
    name = st.selectbox(
        "Table",
        list(TABLES),
        format_func=lambda n: f"{TABLES[n].paper} · Table {n} · {TABLES[n].title}",
        key="reproduction",
        bind="query-params",
    )
    return TABLES[name]


def choose_result(spec: TableSpec) -> ReproductionResult:
    """The shipped run, or the visitor's own when there is one for the table."""
    job = jobs.find(NAME)
    if job is None or job.running or job.result is None or spec.name not in job.result.tables:
        return default_run()
    own = job.result
    which = st.segmented_control(
        "Run",
        ("own", "shipped"),
        default="own",
        required=True,
        format_func={
            "own": f"Your run ({own.settings['seeds']} seeds)",
            "shipped": f"Shipped run ({default_run().settings['seeds']} seeds)",
        }.__getitem__,
        key="reproduction.run",
    )
    return own if which == "own" else default_run()


def answer(spec: TableSpec, result: ReproductionResult) -> pd.DataFrame:
    """How many cells agree, in words; returns the cells."""
    found = result.agreement(spec.name)
    colour, icon = ("orange", ":material/change_history:") if found.outside else ("green", ":material/check_circle:")
    st.markdown(f":{colour}-background[{icon} **Table {spec.name}**] {plain(found.sentence())}")
    verdicts = _verdicts(spec, result)
    if len(verdicts):
        same = int(verdicts["agrees"].sum())
        st.markdown(
            f":gray-background[:material/flag: **Flags**] In {same} of {len(verdicts)} cells most seeds say the same as the paper"
            + (f"; each of the other {len(verdicts) - same} is explained below." if same < len(verdicts) else ".")
        )
    if result.settings["seeds"] < FEW_SEEDS:
        st.caption(
            f"{result.settings['seeds']} seeds show less than the full range: more published values lie outside it than with {SEEDS}."
        )
    return result.to_frame(spec.name)


def picture(spec: TableSpec, result: ReproductionResult, cells: pd.DataFrame) -> None:
    """Published values over the recomputed ranges, one metric at a time."""
    metrics = list(cells["metric"].unique())
    shown, metric = cells, ""
    if spec.name != "7":
        metric = st.segmented_control(
            "Metric",
            metrics,
            default=metrics[0],
            required=True,
            format_func=lambda m: METRIC_LABELS.get(m, m),
            key=f"reproduction.metric.{spec.name}",
            label_visibility="collapsed",
        )
        shown = cells.loc[cells["metric"] == metric]
    p_value, ratio = (
        metric in P_VALUES,
        spec.name != "7" and shown["median"].min() > 0 and shown["median"].max() > 10 * shown["median"].min(),
    )
    rows = shown.assign(
        cell=shown["column"],
        section=shown["metric"] if spec.name == "7" else "Day " + shown["day"].astype(str),
        note=shown["explanation"],
    )
    if shown["column"].nunique() == 1:
        rows = rows.assign(cell=rows["section"], section="")
    else:
        marked = rows["column"].where(~rows["planted"], rows["column"] + " ◆")
        rows = rows.assign(cell=marked)
    rows = rows.assign(status=rows["status"].replace("not published", "cannot"))
    if p_value:
        for column in ("median", "low", "high"):
            rows[column] = rows[column].clip(lower=SMALLEST)
        rows["published"] = rows["published"].clip(lower=SMALLEST)
    figure = published_vs_recomputed(
        rows,
        chart_theme(),
        value_label=_value_label(spec, metric),
        title=f"Table {spec.name}: {METRIC_LABELS.get(metric, metric) or spec.title}",
        subtitle=f"{result.settings['seeds']} seeds, {_bins(spec, result)}."
        + (" ◆ planted bias." if shown["planted"].any() else ""),
        log=p_value or bool(ratio),
    )
    drawn = rows[["published", "low", "high"]]
    smallest, largest = drawn.min().min(), drawn.max().max()
    if smallest > largest / 2:
        # Values far from 0 and close together, such as consistency: an axis from 0 would hide their differences.
        room = (largest - smallest) * 0.1 or 0.01
        figure.update_xaxes(range=[smallest - room, largest + room])
    plotly(figure, key=f"reproduction.{spec.name}.{metric}")
    note = f" p-values below {SMALLEST:.5f} are drawn at the left edge." if p_value else ""
    st.caption(plain(f"{spec.compared}{note} {spec.bins_reason}"))


def _value_label(spec: TableSpec, metric: str) -> str:
    if spec.name == "7":
        return "number of cells"
    return "harmonic mean of the p-values" if metric in P_VALUES else METRIC_LABELS.get(metric, metric)


def _bins(spec: TableSpec, result: ReproductionResult) -> str:
    used = result.settings["bins"]
    wanted = [data for data, _ in spec.bins]
    if len(wanted) == 1:
        return f"{used[wanted[0]]} bins"
    return ", ".join(f"{used[data]} bins ({_DATA[data]})" for data in wanted)


def _verdicts(spec: TableSpec, result: ReproductionResult) -> pd.DataFrame:
    return result.verdicts(spec.name)


def evidence(spec: TableSpec, result: ReproductionResult, cells: pd.DataFrame) -> None:
    """The cells, the flags that differ, and the downloads."""
    differing = cells.loc[cells["status"].isin(["outside", "cannot"])]
    if len(differing):
        st.subheader("What differs or cannot agree, and why", divider="gray")
        for why, group in differing.groupby("explanation", sort=False):
            st.markdown(f"**{plain(_named(group))}** — {plain(why)}")
    st.subheader("Cell by cell", divider="gray")
    st.dataframe(
        _for_people(cells).assign(status=cells["status"].map(_STATUS))[
            ["metric", "day", "column", "status", "published", "median", "low", "high", "explanation"]
        ],
        hide_index=True,
        column_config={
            "low": st.column_config.NumberColumn("5 %", format="%.4g"),
            "median": st.column_config.NumberColumn("median", format="%.4g"),
            "high": st.column_config.NumberColumn("95 %", format="%.4g"),
            "published": st.column_config.NumberColumn("published", format="%.5g"),
            "explanation": st.column_config.TextColumn("why", width="large"),
        },
    )
    st.caption(plain(RULE))
    download_table(cells, f"reproduction_table_{spec.name}.csv")
    verdicts = _verdicts(spec, result)
    if len(verdicts):
        _flags(spec, verdicts)
    if spec.name == "7":
        _ticks(result)


def _named(cells: pd.DataFrame) -> str:
    """The cells of a reason in words, one metric after the other."""
    parts = []
    for metric, group in cells.groupby("metric", sort=False):
        names = ", ".join(f"{column} (day {day})" for column, day in zip(group["column"], group["day"], strict=True))
        parts.append(f"{METRIC_LABELS.get(str(metric), str(metric))}: {names}")
    return "; ".join(parts)


def _for_people(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(metric=frame["metric"].replace(METRIC_LABELS), day=frame["day"].astype(str).replace("0", "all"))


def _flags(spec: TableSpec, verdicts: pd.DataFrame) -> None:
    st.subheader("Which attributes on which day", divider="gray")
    differing = verdicts.loc[~verdicts["agrees"]]
    by_metric = verdicts.groupby("metric", sort=False)["agrees"]
    counts = "; ".join(f"{METRIC_LABELS.get(str(m), str(m))}: {int(a.sum())} of {len(a)}" for m, a in by_metric)
    st.markdown(f"Cells in which at least half of the seeds raise a flag exactly where the paper does — {plain(counts)}.")
    if len(differing):
        st.dataframe(
            _for_people(differing)[["metric", "day", "column", "planted", "published_flag", "share", "explanation"]],
            hide_index=True,
            column_config={
                "planted": st.column_config.CheckboxColumn("planted"),
                "published_flag": st.column_config.CheckboxColumn("flag in the paper"),
                "share": st.column_config.NumberColumn("seeds with a flag", format="percent"),
                "explanation": st.column_config.TextColumn("why", width="large"),
            },
        )
    st.caption(plain(f"A flag: {TABLES['7'].compared.split('A flag is ')[1]}"))
    download_table(verdicts, f"reproduction_flags_{spec.name}.csv", "Download all flags as CSV")


def _ticks(result: ReproductionResult) -> None:
    st.subheader("The rows that the paper prints", divider="gray")
    st.markdown(
        "The paper looks at three flags, two of them false alarms, and takes those for early warnings. The flags are those of Anderson–Darling; over "
        "many seeds they come and go, as chance does, while the planted one is always there."
    )
    st.dataframe(
        result.ticks(),
        hide_index=True,
        column_config={
            "column": "attribute",
            "planted": st.column_config.CheckboxColumn("planted"),
            "published_flag": st.column_config.CheckboxColumn("flag in the paper"),
            "share": st.column_config.NumberColumn("seeds with a flag", format="percent"),
        },
    )


def recompute(spec: TableSpec) -> None:
    """A run with the visitor's own number of seeds and bins."""
    st.subheader("Recompute it yourself", divider="gray")
    job = jobs.find(NAME)
    running = job is not None and job.running
    with st.form("reproduction.form", border=False):
        left, middle, right = st.columns([1, 1, 2], vertical_alignment="bottom")
        seeds = int(
            left.number_input(
                "Seeds", 2, MOST_SEEDS, SEEDS, help="Every seed draws the data, the days and the training rows anew."
            )
        )
        bins = middle.number_input(
            "Bins", 1, 100, None, placeholder="as above", help="Empty: the number that fits the paper's values."
        )
        calibrated = spec.name == "7" and right.toggle("With calibrated verdicts (takes three times as long)")
        pressed = st.form_submit_button("Recompute", type="primary", icon=":material/replay:", disabled=running)
    if pressed:
        jobs.forget(NAME)
        count, resamples = (None if bins is None else int(bins)), (RESAMPLES if calibrated else 0)
        jobs.start(
            NAME,
            f"{spec.name} {seeds} {bins} {calibrated}",
            f"Table {spec.name}, {seeds} seeds",
            lambda progress, cancel: reproduce(spec.name, seeds, count, resamples=resamples, progress=progress, cancel=cancel),
        )
        st.rerun()
    if running:
        st.caption("Running: progress and a button to cancel are in the sidebar. The shipped run is shown meanwhile.")
    elif job is not None:
        jobs.raise_error(job)
        if job.result is None:
            st.info("The run was cancelled; the shipped run is shown.", icon=":material/info:")
    settings = default_run().settings
    st.caption(
        plain(f"The shipped run has {settings['seeds']} seeds. The same in a shell: ")
        + f"`python -m fairaudit.reproduction --table {spec.name} --seeds {SEEDS} --out FOLDER`"
    )
