"""Upload, see how the files were read, say what the columns are, look before measuring."""

import streamlit as st

from fairaudit.ui import distributions, remedies, roles, state, uploads
from fairaudit.ui.components import findings_table, friendly_errors, page_head, plain, sample_note
from fairaudit.ui.reading_choices import reading_choices
from fairaudit.validation.remedies import all_findings

page_head("Data", "Are the tables read as they were meant, and is every column what it seems to be?")

above = st.container()
left, right = st.columns(2)
reference = left.file_uploader(
    "Reference table",
    uploads.FILE_TYPES,
    key=f"upload.reference.{state.generation()}",
    help="What the targets are compared with.",
)
targets = right.file_uploader(
    "Target tables",
    uploads.FILE_TYPES,
    accept_multiple_files=True,
    key=f"upload.targets.{state.generation()}",
    help="One or more, in the order of time. None are needed to compare groups inside the reference.",
)
st.caption(
    f"Up to {st.get_option('server.maxUploadSize')} MB a file; **a file in red is larger and was not read.** Save it as Parquet, which is several "
    "times smaller, or audit it from the command line, which has no limit: all of it, or a random sample of its rows that every result states "
    "(`fairaudit audit --sample 100000`)."
)
options = reading_choices()
if reference is not None:
    with friendly_errors(), st.spinner("Reading and checking …"):
        new = uploads.take(reference, targets, options)
    if new:
        st.rerun()  # so that the sidebar, which is drawn before the page, names them
tables = state.loaded()
with above:
    uploads.what_is_loaded(tables, shown=reference is not None)
uploads.what_is_lacking(tables, reference, targets)
if tables is None:
    st.stop()

frames = tables.frames
st.success(
    f"{plain(tables.origin)}: {uploads.counted(frames)} ready.",
    icon=":material/check_circle:",
)
roles.open_roles_note(frames)
st.page_link("pages/audit.py", label="Go to the audit", icon=":material/grid_on:")
sample_note(frames)
remedies.offer_sample(tables)

if tables.reading:
    st.subheader("How the files were read", divider="gray")
    for sentence in tables.reading:
        st.markdown(f"- {plain(sentence)}")
st.subheader("Preview", divider="gray")
shown = st.segmented_control(
    "Table",
    [t.name for t in frames.tables],
    default=frames.reference.name,
    required=True,
    key="preview",
    label_visibility="collapsed",
)
preview = next(t for t in frames.tables if t.name == shown)
st.dataframe(preview.data.head(200), height=250)
st.caption(f"The first {min(200, len(preview)):,} of {len(preview):,} rows.")

st.subheader("Columns", divider="gray")
roles.editor(frames)

order = tuple(f for t in frames.tables for f in remedies.order_findings(t))
found = all_findings(frames) + order
st.subheader(f"What was noticed ({len(found)})", divider="gray")
if found:
    findings_table(found)
else:
    st.caption("Nothing unusual.")
remedies.show(tables, informative_order=bool(order))

st.subheader("Distributions", divider="gray")
distributions.show(frames)
