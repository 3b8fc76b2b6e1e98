"""Three doors into the dashboard: a demo, your own files, a settings file."""

import streamlit as st

from fairaudit.datasets import demos
from fairaudit.ui import settings_door
from fairaudit.ui.cache import load_demo
from fairaudit.ui.components import friendly_errors, inside_frame

inside_frame()
st.title("Does this model treat groups of people differently?")
st.markdown(
    "Load a **reference** table and one or more **target** tables. fairaudit shows which attributes differ, in which bins, by how much, in "
    "which direction, and how far to trust that."
)

st.subheader("Try a demo", divider="gray")
columns = st.columns(4)
for column, found in zip(columns, demos(), strict=True):
    with column.container(border=True, height="stretch"):
        st.markdown(f"**{found.title}**")
        st.caption(found.story)
        if st.button(
            "Open",
            key=f"demo.{found.name}",
            icon=":material/play_arrow:",
            type="primary" if found.name == "hiring" else "secondary",
        ):
            with friendly_errors():
                load_demo(found.name)
            st.switch_page("pages/audit.py")

left, middle, right = st.columns(3)
with left.container(border=True, height="stretch"):
    st.markdown("**Upload your own tables**")
    st.caption(
        "CSV with any common delimiter, encoding and decimal mark, Parquet, or Excel. You see how each file was read and can change it."
    )
    st.page_link("pages/data.py", label="Upload", icon=":material/upload_file:")
with middle.container(border=True, height="stretch"):
    st.markdown("**Open a settings file**")
    st.caption("Start where a former audit ended: the choices come from the file, the tables from you.")
    settings_door.show()
with right.container(border=True, height="stretch"):
    st.markdown("**What happens to your data**")
    st.caption(
        "It stays in the memory of this computer for as long as this session lasts. Nothing is written to disk, no other host is contacted, "
        "and other visitors never see it."
    )
