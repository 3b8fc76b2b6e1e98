"""The papers' tables, published value beside recomputed range, with what agrees, what cannot, and why."""

import streamlit as st

from fairaudit.ui import reproduction, reproduction_fair
from fairaudit.ui.components import friendly_errors, page_head

page_head("Reproduction", "Is this the method as published, and which of the published numbers can be had again?")
with friendly_errors():
    if reproduction_fair.chosen():
        reproduction_fair.show()
        st.stop()
    table = reproduction.choose_table()
    result = reproduction.choose_result(table)
    cells = reproduction.answer(table, result)
    reproduction.picture(table, result, cells)
    reproduction.evidence(table, result, cells)
    reproduction.recompute(table)
