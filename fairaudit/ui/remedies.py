"""One click from a finding to its remedy, what was done, and the way back."""

from __future__ import annotations

import streamlit as st

from fairaudit.errors import FairAuditError
from fairaudit.inference import row_order_findings
from fairaudit.schema import AuditTable, Finding
from fairaudit.ui import state
from fairaudit.ui.components import plain, show_error
from fairaudit.validation.remedies import LARGE_ROWS, SAMPLE_ROWS, Remedy, apply_remedy, proposed_remedies
from fairaudit.validation.sampling import has_own_size

LEAST_ROWS = 1_000
"""Smallest sample that is offered."""
MOST = 12
"""Remedies that are offered at once; the next ones follow when some are done."""


@st.cache_data(
    max_entries=30,
    hash_funcs={AuditTable: lambda t: f"{t.name} {t.fingerprint}"},
    scope="session",
    show_spinner="Checking the order of the rows …",
)
def order_findings(table: AuditTable) -> tuple[Finding, ...]:
    """Whether the order of the rows carries information."""
    return row_order_findings(table)


def _apply(remedy: Remedy) -> None:
    """Put the remedied tables into the session, or keep the reason why that cannot be."""
    tables = state.loaded()
    assert tables is not None, "remedies are offered for loaded tables only"
    try:
        state.remedy_frames(*apply_remedy(tables.frames, remedy), remedy)
    except FairAuditError as error:
        state.refuse_remedy(error)


def _undo() -> None:
    try:
        state.undo_remedies()
    except FairAuditError as error:
        state.refuse_remedy(error)


def _sample() -> None:
    _apply(Remedy("sample", rows=int(st.session_state["sample.rows"]), seed=int(st.session_state["sample.seed"])))


def _shuffle() -> None:
    st.session_state["shuffle"] = True
    state.note_remedy("The audit shuffles the rows first (a setting of the Audit page).")


def _keep_markers() -> None:
    st.session_state["read.keep"] = True


def offer_sample(tables: state.Loaded) -> None:
    """For large tables: work with a seeded sample of their rows, by one click."""
    if tables.frames.samples and tables.original is not None:
        st.button("Undo the remedies and the edits since", icon=":material/undo:", key="sample.undo", on_click=_undo)
    large = [t for t in tables.frames.tables if len(t) > LARGE_ROWS and t.sample is None and not has_own_size(t)]
    if not large:
        return
    names = ", ".join(f"{plain(t.name)} {len(t):,}" for t in large[:5]) + (" …" if len(large) > 5 else "")
    with st.container(border=True):
        st.markdown(
            f"**Large tables** ({names} rows): calibrated verdicts take long here, and much memory. A random sample answers sooner; every result says that it "
            "rests on one, and small differences and small groups are harder to see in it."
        )
        rows, seed, button = st.columns([1, 1, 2], vertical_alignment="bottom")
        rows.number_input("Rows of each table", LEAST_ROWS, max(len(t) for t in large) - 1, SAMPLE_ROWS, key="sample.rows")
        seed.number_input("Seed", 0, 2**31 - 1, 0, key="sample.seed", help="The same seed and size give the same rows again.")
        button.button("Work with a sample", icon=":material/filter_alt:", key="sample.apply", on_click=_sample, width="stretch")
        st.caption("Tables that are not larger stay whole. The rows keep their order. It can be undone.")


def show(tables: state.Loaded, informative_order: bool) -> None:
    """Buttons for the findings that have a remedy, and what was done so far."""
    for told in tables.remedied:
        if told.done:
            st.success(plain(told.sentence), icon=":material/healing:")
        else:
            st.warning(plain(told.sentence), icon=":material/warning:")
    if tables.remedied and tables.original is not None:
        st.button("Undo the remedies and the edits since", icon=":material/undo:", key="remedy.undo", on_click=_undo)
    if (refused := state.refused_remedy()) is not None:
        show_error(refused)
    # A sample has controls of its own, where the tables are named.
    offers = [(f, r) for f, r in proposed_remedies(tables.frames) if r.action != "sample"]
    markers = sorted({f.column for t in tables.frames.tables for f in t.findings if f.code == "missing_markers"})
    keep = bool(tables.files and markers and not tables.options.keep_markers_as_text)
    order = informative_order and not st.session_state.get("shuffle", False)
    if not (offers or keep or order):
        return
    with st.expander("Remedies at one click", icon=":material/healing:", expanded=len(offers) <= MOST):
        st.caption("Each changes what is loaded here, never a file, and says what it did.")
        if order:
            _row("The order of the rows carries information.", "Shuffle the rows in the audit", "remedy.shuffle", _shuffle)
        if keep:
            _row(
                f"Cells of {', '.join(markers[:5])}{', …' if len(markers) > 5 else ''} were read as missing.",
                "Keep the markers of all columns as text",
                "remedy.keep",
                _keep_markers,
            )
        for number, (finding, remedy) in enumerate(offers[:MOST]):
            where = " · ".join(filter(None, (finding.table, finding.column)))
            _row(
                f"{where}: {finding.problem}",
                remedy.label,
                f"remedy.{number}.{tables.frames.reference.fingerprint[:12]}",
                _apply,
                remedy,
            )
        if len(offers) > MOST:
            st.caption(f"{len(offers) - MOST} more follow when some of these are done.")


def _row(problem: str, label: str, key: str, act: object, *arguments: object) -> None:
    """A finding and the button of its remedy."""
    text, button = st.columns([3, 2], vertical_alignment="center")
    text.markdown(plain(problem))
    button.button(plain(label), key=key, on_click=act, args=arguments, width="stretch")  # type: ignore[arg-type]
