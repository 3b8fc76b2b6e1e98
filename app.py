"""fairaudit: the router and the frame around every page."""

import streamlit as st

from fairaudit.ui import frame

st.set_page_config(page_title="fairaudit", page_icon=":material/balance:", layout="wide")

page = st.navigation(
    {
        "": [
            st.Page("pages/start.py", title="Start", icon=":material/home:", default=True),
            st.Page("pages/data.py", title="Data", icon=":material/table_chart:"),
        ],
        "Assess": [
            st.Page("pages/audit.py", title="Audit", icon=":material/grid_on:"),
        ],
    }
)
frame.sidebar()
page.run()
