"""Whether verdicts keep their promise: the false-alarm rates that ship with the package."""

from __future__ import annotations

import streamlit as st

from fairaudit.charts import false_alarm_chart
from fairaudit.inference import false_alarms
from fairaudit.reporting.validity import false_alarm_sentence, false_alarm_table
from fairaudit.ui.components import chart_theme, download_table, plotly

CHAPTER = "False alarms"


def show() -> None:
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
