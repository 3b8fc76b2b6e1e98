"""The report page and settings files: the same digits on the page, in the files, in Python and after opening the settings again."""

import fairaudit
from fairaudit.datasets import demo
from fairaudit.qmad import QmadSettings
from fairaudit.settings import AuditSettings
from tests.pages.conftest import check, texts
from tests.pages.test_calibration import wait_for_verdicts


def test_without_data_one_button_fills_the_page(app):
    app.switch_page("pages/report.py").run()
    check(app)
    assert "No tables are loaded yet" in texts(app)


def test_the_report_follows_the_choices_of_the_audit_page(demo_app):
    app = demo_app()
    app.selectbox(key="pair").set_value("rom-arithmetic").run()
    app.slider(key="bins").set_value(6).run()
    app.select_slider(key="resamples").set_value(99).run()
    wait_for_verdicts(app)
    app.switch_page("pages/report.py").run()
    check(app)
    assert "Ratio of means, 6 bins" in texts(app).replace("\\", "")
    assert "opens offline" in texts(app)


def settings_file(name="hiring", **choices):
    reference, targets, schema = demo(name).load()
    frames = fairaudit.check_frames(reference, targets, schema)
    return AuditSettings(qmad=QmadSettings(**choices)).with_frames(frames), frames


def test_a_settings_file_of_a_demo_brings_back_choices_and_numbers(app):
    choices = {"comparison": "mann_whitney", "aggregation": "median", "bins": 7, "resamples": 99, "seed": 5, "alpha": 0.02}
    settings, frames = settings_file(**choices)
    app.file_uploader(key="settings.file.0").upload("saved.yaml", settings.to_yaml().encode())
    app.run()
    check(app)
    assert "Its choices are in force" in texts(app)
    app.switch_page("pages/audit.py").run()
    check(app)
    assert app.selectbox(key="pair").value == "custom"
    assert app.slider(key="bins").value == 7
    wait_for_verdicts(app)
    expected = fairaudit.audit(frames.reference, list(frames.targets), schema=frames.schema, **choices).attributes()
    shown = app.dataframe[0].value
    assert shown["score"].tolist() == expected["score"].tolist()
    assert shown["p_adjusted"].tolist() == expected["p_adjusted"].tolist()


def test_entries_without_a_control_stay_in_force_and_are_shown(app):
    settings, frames = settings_file(
        comparison="rom", aggregation="arithmetic", weights={"education": 3.0}, threshold=0.3, resamples=0
    )
    app.file_uploader(key="settings.file.0").upload("saved.yaml", settings.to_yaml().encode())
    app.run()
    app.switch_page("pages/audit.py").run()
    check(app)
    assert "From the settings file" in texts(app)
    app.segmented_control(key="audit.table").set_value("Overall").run()
    expected = fairaudit.audit(
        frames.reference,
        list(frames.targets),
        schema=frames.schema,
        comparison="rom",
        aggregation="arithmetic",
        weights={"education": 3.0},
        threshold=0.3,
        resamples=0,
    ).overall()
    assert app.dataframe[0].value["score"].tolist() == expected["score"].tolist()


def test_a_broken_settings_file_is_a_sentence(app):
    app.file_uploader(key="settings.file.0").upload("saved.yaml", b"version: 1\nqmad: {bin: 5}\n")
    app.run()
    check(app)
    assert "qmad.bin" in app.error[0].value.replace("\\", "")


def test_settings_of_other_files_ask_for_them(app):
    text = b"version: 1\ntables: {reference: {name: ref, file: ref.csv}, targets: [{name: d1, file: d1.csv}]}\nqmad: {pair: rom-arithmetic, bins: 4}\n"
    app.file_uploader(key="settings.file.0").upload("saved.yaml", text)
    app.run()
    check(app)
    assert "upload ref.csv, d1.csv" in texts(app).replace("\\", "")


def test_what_the_bias_lab_shows_can_be_part_of_the_report(demo_app):
    app = demo_app()
    app.select_slider(key="resamples").set_value(0).run()
    app.switch_page("pages/lab.py").run()
    next(b for b in app.button if b.label.startswith("Plant the bias of")).click().run()
    check(app)
    app.switch_page("pages/report.py").run()
    check(app)
    wanted = app.toggle(key="report.lab")
    assert wanted.value
    size = next(c.value for c in app.caption if "opens offline" in c.value)
    assert "MB" in size
    assert "They do not hold the part of the bias lab" in size
    assert "experiment" not in size
    wanted.set_value(False).run()
    check(app)
    assert "do not hold" not in next(c.value for c in app.caption if "opens offline" in c.value)


def test_the_page_says_who_is_compared(demo_app):
    app = demo_app()
    app.select_slider(key="resamples").set_value(0).run()
    said = {
        "frame_vs_reference": "day1, day2, day3** against **reference**, as chosen on the Audit page: Kolmogorov",
        "group_vs_reference_group": "day3** and **reference**, as chosen on the Audit page: groups inside each table: gender, compared with "
        "gender=MAN; Kolmogorov",
        "within_group": "day3** against **reference**, as chosen on the Audit page: the same group in both: gender; Kolmogorov",
    }
    for kind, words in said.items():
        app.switch_page("pages/audit.py").run()
        app.selectbox(key="contrast").set_value(kind).run()
        check(app)
        app.switch_page("pages/report.py").run()
        check(app)
        assert words in texts(app).replace("\\", "")
