"""The page shows the digits of the Python call for the same settings; tests/reporting holds Python, shell and report equal."""

import pandas as pd
import pytest

import fairaudit
from fairaudit.contrast import Contrast
from fairaudit.datasets import demo
from fairaudit.qmad import QmadSettings
from fairaudit.settings import AuditSettings
from tests.pages.conftest import check
from tests.pages.test_calibration import wait_for_verdicts

ROM = {"comparison": "rom", "aggregation": "arithmetic", "resamples": 99}
WITHIN_SEX = {"contrast": Contrast("within_group", features=("sex",)), "resamples": 99, "bins": 5}


def same(shown, expected):
    """Every digit of every number, and the words beside them."""
    labels = {"disparity": "Disparity", "no_evidence": "No evidence of disparity", "not_measurable": "Not measurable"}
    expected = expected.assign(verdict=expected["verdict"].map(labels))
    pd.testing.assert_frame_equal(
        pd.DataFrame(shown).reset_index(drop=True), expected.reset_index(drop=True), check_exact=True, check_dtype=False
    )


@pytest.mark.parametrize(("name", "choices"), [("hiring", ROM), ("adult_days", WITHIN_SEX)])
def test_demo_by_settings_file(app, name, choices):
    reference, targets, schema = demo(name).load()
    frames = fairaudit.check_frames(reference, targets, schema)
    saved = AuditSettings(qmad=QmadSettings(**choices)).with_frames(frames)
    app.file_uploader(key="settings.file.0").upload("saved.yaml", saved.to_yaml().encode())
    app.run()
    app.switch_page("pages/audit.py").run()
    wait_for_verdicts(app)
    expected = fairaudit.audit(reference, targets, schema=schema, **choices)
    same(app.dataframe[0].value, expected.attributes())
    app.segmented_control(key="audit.table").set_value("Overall").run()
    check(app)
    same(app.dataframe[0].value, expected.overall())


def test_uploaded_files_with_decimal_commas(app):
    rows = [f"{20 + i % 40},{i % 9};{'FM'[i % 2]};{('ja', 'nein')[i % 3 == 0]}" for i in range(400)]
    reference = "Größe;Geschlecht;Zusage\n" + "\n".join(rows) + "\n"
    target = "Größe;Geschlecht;Zusage\n" + "\n".join(rows[::-1][:300]) + "\n"
    app.switch_page("pages/data.py").run()
    app.file_uploader(key="upload.reference.0").upload("ref.csv", reference.encode("cp1252"))
    app.file_uploader(key="upload.targets.0").upload("tag1.csv", target.encode("cp1252"))
    app.run()
    check(app)
    app.switch_page("pages/audit.py").run()
    app.select_slider(key="resamples").set_value(99).run()
    wait_for_verdicts(app)
    tables = [fairaudit.read_table(t.encode("cp1252"), name=n) for t, n in ((reference, "ref"), (target, "tag1"))]
    expected = fairaudit.audit(tables[0], {"tag1": tables[1]}, resamples=99)
    assert expected.attributes()["attribute"].tolist() == ["Größe", "Geschlecht", "Zusage"]
    same(app.dataframe[0].value, expected.attributes())
