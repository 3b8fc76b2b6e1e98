"""Samples and repairs on the pages: one click, stated on every page, kept in the settings file, replayed, undone."""

from __future__ import annotations

import pytest

import fairaudit
from fairaudit.datasets import demo
from fairaudit.qmad import QmadSettings
from fairaudit.settings import AuditSettings, ReportOptions, load_frames
from fairaudit.ui import remedies, roles
from fairaudit.ui.report import report_settings
from fairaudit.validation import Remedy
from fairaudit.validation.repairs import check_and_repair
from tests.bad_inputs.cases import ROWS, changed, columns, csv
from tests.pages.conftest import check, texts
from tests.pages.test_bad_inputs import put
from tests.pages.test_remedies import button, opened, types

AGES = [v if i % 10 else 999 for i, v in enumerate(columns(0)["age"])]
SAMPLED = "a random sample of 60 of 120 rows (seed 4)"


def files() -> tuple[bytes, bytes]:
    """A reference and a target with a code, a constant and a repeated row."""
    tables = [csv(changed(seed, age=AGES, site=["A"] * ROWS)) for seed in (0, 1)]
    return tables[0], tables[1]


def saved(app) -> AuditSettings:
    """The settings file of the Report page."""
    tables = app.session_state["fairaudit.loaded"]
    text = report_settings(tables, QmadSettings(resamples=0), None, ReportOptions()).to_yaml()
    return AuditSettings.from_file(text.encode())


def words(app) -> str:
    return texts(app).replace("\\", "")


@pytest.fixture
def small_limit(monkeypatch):
    """Tables of the tests count as large ones."""
    monkeypatch.setattr(remedies, "LARGE_ROWS", 100)
    monkeypatch.setattr(remedies, "SAMPLE_ROWS", 60)


def sampled_app(app):
    app.switch_page("pages/data.py").run()
    put(app, *files())
    app.number_input(key="sample.seed").set_value(4)
    app.button(key="sample.apply").click().run()
    check(app)
    return app


def test_small_tables_are_offered_no_sample(app):
    app.switch_page("pages/data.py").run()
    put(app, *files())
    assert not [b for b in app.button if b.key == "sample.apply"]


def test_a_sample_by_one_click_is_stated_on_every_page_and_undone(app, small_limit, monkeypatch):
    monkeypatch.setattr("fairaudit.ui.remedies.LEAST_ROWS", 10)
    sampled_app(app)
    assert f"All that is shown rests on a sample: reference is {SAMPLED}; target is {SAMPLED}" in words(app)
    assert "sample of 60 of 120 rows (seed 4) · reference" in "\n".join(c.value.replace("\\", "") for c in app.sidebar.caption)
    assert not [b for b in app.button if b.key == "sample.apply"]
    for page in ("audit", "baselines", "report", "lab"):
        app.switch_page(f"pages/{page}.py").run()
        check(app)
        assert SAMPLED in words(app), page
    app.switch_page("pages/data.py").run()
    button(app, "Undo the remedies and the edits since").click().run()
    check(app)
    assert SAMPLED not in words(app)
    assert len(app.session_state["fairaudit.loaded"].frames.reference) == 120


def test_a_table_with_a_size_of_its_own_stays_whole_on_the_page_too(app, small_limit, monkeypatch):
    monkeypatch.setattr("fairaudit.ui.remedies.LEAST_ROWS", 10)
    text = b"version: 2\nrepairs: [{action: sample, table: target, rows: 500}]\n"
    app.file_uploader(key="settings.file.0").upload("saved.yaml", text)
    app.run()
    sampled_app(app)
    frames = app.session_state["fairaudit.loaded"].frames
    assert [len(t) for t in frames.tables] == [60, 120] and not app.warning[1:], "one warning: that all rests on a sample"
    assert "target keeps its 120 rows." in words(app) and not [b for b in app.button if b.key == "sample.apply"]
    read = [fairaudit.read_table(content, name=name) for content, name in zip(files(), ("reference", "target"), strict=True)]
    again = check_and_repair(read[0], {"target": read[1]}, None, saved(app).repairs).frames
    assert again.fingerprint == frames.fingerprint


def test_the_sample_of_the_page_is_that_of_python(app, small_limit, monkeypatch):
    monkeypatch.setattr("fairaudit.ui.remedies.LEAST_ROWS", 10)
    sampled_app(app)
    read = [fairaudit.read_table(content, name=name) for content, name in zip(files(), ("reference", "target"), strict=True)]
    expected = fairaudit.sample_rows(fairaudit.check_frames(read[0], {"target": read[1]}), 60, seed=4)
    assert app.session_state["fairaudit.loaded"].frames.fingerprint == expected.fingerprint
    assert saved(app).repairs == (Remedy("sample", rows=60, seed=4),)


def test_repairs_are_kept_replayed_and_undone(app, tmp_path):
    reference, target = files()
    app.switch_page("pages/data.py").run()
    put(app, reference, target)
    for label in ("Read the codes of age as missing", "Ignore site"):
        button(app, label).click().run()
        check(app)
    settings = saved(app)
    assert settings.repairs == (Remedy("read_as_missing", column="age", values=("999",)), Remedy("ignore", column="site"))
    before = app.session_state["fairaudit.loaded"].frames.fingerprint
    # in Python
    for name, content in (("reference.csv", reference), ("target.csv", target)):
        (tmp_path / name).write_bytes(content)
    assert load_frames(settings, tmp_path).fingerprint == before
    # on the page, in a session that starts from the file
    app.button(key="reset").click().run()
    app.switch_page("pages/start.py").run()
    app.file_uploader(key="settings.file.1").upload("saved.yaml", settings.to_yaml().encode())
    app.run()
    check(app)
    app.switch_page("pages/data.py").run()
    app.file_uploader(key="upload.reference.1").upload("reference.csv", reference)
    app.file_uploader(key="upload.targets.1").upload("target.csv", target)
    app.run()
    check(app)
    assert app.session_state["fairaudit.loaded"].frames.fingerprint == before
    assert "'999' is read as missing (reference: 12, target: 12)" in words(app)
    assert saved(app).repairs == settings.repairs and saved(app).changed_tables(load_frames(settings, tmp_path)) == ()
    app.switch_page("pages/start.py").run()
    check(app)
    assert "not the table that the settings were saved with" not in words(app)
    app.switch_page("pages/data.py").run()
    button(app, "Undo the remedies and the edits since").click().run()
    check(app)
    assert not app.session_state["fairaudit.loaded"].frames.reference.data["age"].isna().any()
    assert saved(app).repairs == () and types(app).loc["age", "missing"] == 0


def test_a_demo_with_repairs_opens_from_its_settings(app):
    reference, targets, schema = demo("hiring").load()
    done = (Remedy("sample", rows=2_000, seed=1),)
    frames = check_and_repair(reference, targets, schema, done).frames
    settings = AuditSettings(repairs=done, qmad=QmadSettings(resamples=0)).with_frames(frames)
    app.file_uploader(key="settings.file.0").upload("saved.yaml", settings.to_yaml().encode())
    app.run()
    check(app)
    assert app.session_state["fairaudit.loaded"].frames.fingerprint == frames.fingerprint
    app.switch_page("pages/audit.py").run()
    check(app)
    assert "a random sample of 2,000 of 10,000 rows (seed 1)" in words(app)


def test_a_repair_that_does_not_fit_the_files_is_told(app):
    text = b"version: 2\nrepairs: [{action: ignore, column: sight}]\n"
    app.file_uploader(key="settings.file.0").upload("saved.yaml", text)
    app.run()
    app.switch_page("pages/data.py").run()
    put(app, *files())
    assert "Not done: ignore sight" in "\n".join(w.value.replace("\\", "") for w in app.warning)


def test_a_remedy_after_an_upload_is_no_part_of_the_next_one(app):
    opened(app, site=["A"] * ROWS)
    button(app, "Ignore site").click().run()
    put(app, csv(changed(3)), csv(changed(4)))
    assert saved(app).repairs == ()


def test_a_type_edit_before_a_repair_is_replayed_in_its_place(app, tmp_path, monkeypatch):
    """Rows that differ in words only are repeated once their column is numeric."""
    few = [v % 5 for v in range(ROWS)]
    notes = [("a", "1", "b", "2")[i % 4] for i in range(ROWS)]
    contents = [csv({"age": few, "town": ["U", "H"] * (ROWS // 2), "note": notes}) for _ in range(2)]
    app.switch_page("pages/data.py").run()
    put(app, *contents)
    shown = roles.st.data_editor

    def edit(overview, **options):
        shown(overview, **options)
        is_note = (overview["column"] == "note") & (overview["type"] == "nominal")
        return overview.assign(type=overview["type"].mask(is_note, "numeric"))

    monkeypatch.setattr(roles.st, "data_editor", edit)
    app.run()
    check(app)
    monkeypatch.setattr(roles.st, "data_editor", shown)
    assert "note is read as numbers; cells that are none count as missing (reference: 60, target: 60)" in words(app)
    button(app, "Remove the repeated rows of reference").click().run()
    check(app)
    frames = app.session_state["fairaudit.loaded"].frames
    assert [len(t) for t in frames.tables] == [15, 120], "20 kinds of rows, of which 10 become 5"
    assert [r.action for r in saved(app).repairs] == ["read_as_numbers", "drop_repeated_rows"]
    for name, content in zip(("reference.csv", "target.csv"), contents, strict=True):
        (tmp_path / name).write_bytes(content)
    assert load_frames(saved(app), tmp_path).fingerprint == frames.fingerprint
    app.run()
    button(app, "Undo the remedies and the edits since").click().run()
    check(app)
    assert types(app).loc["note", "type"] == "nominal" and types(app).loc["note", "missing"] == 0


def test_an_edit_to_numbers_that_loses_nothing_is_no_repair():
    read = [fairaudit.read_table(content, name=name) for content, name in zip(files(), ("reference", "target"), strict=True)]
    frames = fairaudit.check_frames(read[0], {"target": read[1]}, {"types": {"age": "ordinal"}})
    after, done = roles._read_as_numbers(frames, frames.schema.with_(types={**dict(frames.schema.types), "age": "numeric"}))
    assert after is frames and done == []
