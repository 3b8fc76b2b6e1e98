"""Plant a known bias in one's own data, and see what it changes and which metric would have caught it."""

import streamlit as st

from fairaudit.ui import lab
from fairaudit.ui.components import friendly_errors, need_tables, page_head

page_head(
    "Bias lab",
    "What if the data were biased like this: what would change, and which metric would catch it, from which strength on?",
)
frames = need_tables().frames
with friendly_errors():
    place = lab.where(frames)
    how = lab.measures(frames)
left, right = st.columns([2, 3], gap="medium")
with left:
    stack = lab.editor(place.table)
with right, friendly_errors():
    if not stack.steps:
        lab.first_step(place.table)
    planted = lab.answer(frames, place, stack, how)
    lab.evidence(planted, how)
with friendly_errors():
    lab.curve(place, stack, how)
with friendly_errors():
    lab.keep(frames, planted)
