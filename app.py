"""fairaudit: the router and the frame around every page."""

import streamlit as st

from fairaudit.ui import frame, uploads

uploads.keep_in_memory()
st.set_page_config(page_title="fairaudit", page_icon=frame.ICON, layout="wide")

page = st.navigation(
    {
        "": [
            st.Page("pages/start.py", title="Start", icon=":material/home:", default=True),
            st.Page("pages/data.py", title="Data", icon=":material/table_chart:"),
        ],
        "Assess": [
            st.Page("pages/audit.py", title="Audit", icon=":material/grid_on:"),
            st.Page("pages/baselines.py", title="Baselines", icon=":material/balance:"),
        ],
        "What if": [
            st.Page("pages/lab.py", title="Bias lab", icon=":material/science:"),
            st.Page("pages/evaluation.py", title="Fair vs biased", icon=":material/compare:"),
        ],
        "Take away": [
            st.Page("pages/report.py", title="Report", icon=":material/description:"),
        ],
        "Understand": [
            st.Page("pages/reproduction.py", title="Reproduction", icon=":material/replay:"),
            st.Page("pages/method.py", title="Method", icon=":material/menu_book:"),
        ],
    }
)
frame.sidebar()
with frame.work_in_progress():
    page.run()
