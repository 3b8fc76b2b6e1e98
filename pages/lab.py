"""Plant a known bias in one's own data, and see what it changes and which metric would have caught it."""

import streamlit as st

from fairaudit.ui.components import friendly_errors, need_tables, page_head
from fairaudit.ui.lab.answer import answer, evidence
from fairaudit.ui.lab.curve import curve
from fairaudit.ui.lab.keep import keep
from fairaudit.ui.lab.measures import measures
from fairaudit.ui.lab.stack import editor, first_step
from fairaudit.ui.lab.where import where

page_head(
    "Bias lab",
    "What if the data were biased like this: what would change, and which metric would catch it, from which strength on?",
)
frames = need_tables().frames
with friendly_errors():
    place = where(frames)
    how = measures(frames)
left, right = st.columns([2, 3], gap="medium")
with left:
    stack = editor(place.table)
with right, friendly_errors():
    if not stack.steps:
        first_step(place.table)
    planted = answer(frames, place, stack, how)
    evidence(planted, how)
with friendly_errors():
    curve(place, stack, how, planted)
with friendly_errors():
    keep(frames, planted)
