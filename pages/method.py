"""Formulas, meaning, pitfalls and references, made from the registries."""

import streamlit as st

from fairaudit.reporting.chapters import chapters
from fairaudit.ui import validity
from fairaudit.ui.components import page_head

page_head("Method", "What every number on the other pages means, when not to trust it, and where it comes from.")

found = chapters()
chapter = st.segmented_control(
    "Chapter",
    [*found, *validity.CHAPTERS],
    default=next(iter(found)),
    required=True,
    key="chapter",
    bind="query-params",
    label_visibility="collapsed",
)
if chapter in validity.CHAPTERS:
    validity.CHAPTERS[chapter]()
    st.stop()
st.markdown(found[chapter].introduction)
for spec in found[chapter].specs:
    with st.container(border=True):
        name, formula = st.columns([3, 2], vertical_alignment="center")
        with name:
            st.markdown(f"**{spec.label}**  `{spec.name}`" + ("  :orange-badge[experimental]" if spec.experimental else ""))
            st.markdown(spec.summary)
            if spec.pitfall:
                st.markdown(f":material/warning: {spec.pitfall}")
            if spec.reference:
                st.caption(spec.reference)
        if spec.formula:
            formula.latex(spec.formula)
