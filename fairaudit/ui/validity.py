"""Whether verdicts keep their promise, and what they find: the measured rates that ship with the package."""

from __future__ import annotations

import streamlit as st

from fairaudit.charts import false_alarm_chart, power_chart
from fairaudit.inference import false_alarms, power_of_verdicts
from fairaudit.reporting.validity import WORLD_LABELS, false_alarm_sentence, false_alarm_table, power_sentence, power_table
from fairaudit.ui.components import chart_theme, download_table, plotly


def show_false_alarms() -> None:
    """The finding, the picture, and every number of it."""
    table = false_alarms()
    st.subheader("Do verdicts keep their promise?")
    st.markdown(false_alarm_sentence(table))
    plotly(false_alarm_chart(table, chart_theme()), key="validity.picture")
    st.caption(
        "Both sides of each data set are drawn from one distribution, so every flag is a false alarm. The calibrated verdict lets rows change sides at "
        "random, which is exact for any comparison and binning; with discrete attributes it can stay below what it promises. Sizes, seeds and audits of "
        "many attributes are in docs/validity.md. For each audit of your own the table of attributes says how often the paper's rule would "
        "raise a false alarm on your data (false_alarm_rate)."
    )
    shown = false_alarm_table(table)
    rate = st.column_config.NumberColumn(format="percent")
    st.dataframe(shown, hide_index=True, column_config={"Paper's rule": rate, "Calibrated verdict": rate})
    download_table(table, "false_alarms.csv")


def show_power() -> None:
    """What choices of comparison, aggregation and bins find, and what they miss."""
    table = power_of_verdicts()
    st.subheader("What would be found?")
    st.markdown(power_sentence(table))
    plotly(power_chart(table, chart_theme()), key="power.picture")
    st.caption(
        "800 target and 400 reference rows, one attribute by itself, verdict at 5 %. In all rows: a difference of 0.2 standard deviations. In a stretch: one of "
        "1 standard deviation in a tenth of the target's rows. Each share is the average over kinds of attributes; docs/power.md says how it was measured. How "
        "small a difference your own audit would have found is on the Audit page."
    )
    rate = st.column_config.NumberColumn(format="percent")
    st.dataframe(power_table(table), hide_index=True, column_config=dict.fromkeys(WORLD_LABELS.values(), rate))
    download_table(table, "power.csv")


CHAPTERS = {"False alarms": show_false_alarms, "Power": show_power}
"""Chapters of the Method page that rest on measured rates."""
