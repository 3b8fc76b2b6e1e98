"""The Bias lab: a stack of biases, what it changes, who sees it, and what can be kept of it."""

import json
import time

import numpy as np
import pandas as pd
import pytest

from fairaudit.baselines import BASELINES
from fairaudit.datasets import demo
from fairaudit.detectability import DETECTORS
from fairaudit.injection import INJECTIONS
from fairaudit.planting import plant, predictor_named, replant
from fairaudit.qmad import QmadSettings, audit_frames
from fairaudit.ui.lab.curve import _sentence
from fairaudit.ui.state import Loaded
from fairaudit.validation import check_frames
from tests.pages.conftest import check, figures, texts

HIRING = check_frames(*demo("hiring").load())


@pytest.fixture
def lab(demo_app):
    """Factory: the lab with a demo, by the paper's rule, which needs no waiting."""

    def open_lab(name: str = "hiring", plant_first: bool = True):
        app = demo_app("lab", name)
        app.select_slider(key="resamples").set_value(0)
        if plant_first:
            app.button(key="lab.first").click()
        app.run()
        check(app)
        return app

    return open_lab


def credit_frames():
    """Own data with a label, a prediction and a score, from which nobody has said a score is favourable."""

    def table(seed: int, n: int = 400) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        score = rng.normal(500, 60, n).round(1)
        yes_no = [np.where(score + rng.normal(0, spread, n) > 470, "ja", "nein") for spread in (40, 20)]
        columns = {"Geschlecht": rng.choice(["female", "male"], n), "Alter": rng.integers(20, 70, n), "Score": score}
        return pd.DataFrame(columns | {"bewilligt": yes_no[0], "Prognose": yes_no[1]})

    roles = {"label": "bewilligt", "pos_label": "ja", "prediction": "Prognose", "score": "Score"}
    return check_frames(table(1), {"Februar": table(2)}, roles | {"sensitive_features": ("Geschlecht",)})


@pytest.fixture
def credit(app):
    """The lab with own data, nothing planted, by the paper's rule."""
    app.session_state["fairaudit.loaded"] = Loaded(credit_frames(), "own files")
    app.switch_page("pages/lab.py").run()
    app.select_slider(key="resamples").set_value(0).run()
    check(app)
    return app


def strengths(app) -> list:
    return [s for s in app.slider if s.key.endswith(".strength")]


def words(app) -> str:
    return texts(app).replace("\\", "")


def wait_for_curve(app, seconds: float = 120):
    deadline = time.monotonic() + seconds
    while not [f for f in figures(app) if "raises a flag" in json.dumps(f)]:
        assert time.monotonic() < deadline, words(app)
        time.sleep(0.5)
        app.run()
        check(app)
    return app


def test_without_data_one_button_fills_the_page(app):
    app.switch_page("pages/lab.py").run()
    check(app)
    assert "No tables are loaded yet" in texts(app)
    next(b for b in app.button if "hiring" in b.label).click().run()
    check(app)
    assert "Nothing is planted yet" in texts(app)
    assert not figures(app)


def test_one_button_plants_the_preset_and_the_numbers_are_those_of_the_package(lab):
    app = lab()
    preset = app.session_state["fairaudit.lab.stack"]
    steps = [entry["now"] for entry in preset]
    expected = plant(HIRING, "day1", steps, predictor=predictor_named(HIRING.reference, "hiring_rule"))
    shown = words(app)
    assert f"{int(expected.injected.changed.sum()):,} of 20,000 rows changed" in shown
    assert f"{expected.n_predictions_changed:,} predictions differ" in shown
    for step in expected.injected.steps:
        assert step.summary() in shown
    scores = audit_frames(expected.after, QmadSettings(resamples=0)).attributes()
    flagged = scores.loc[scores["verdict"] == "disparity", "attribute"].tolist()
    assert f"newly flags {len(flagged)} of 7 attributes: **{', '.join(flagged)}**" in shown
    assert "Verdicts before and after" in json.dumps(figures(app)[0])


def test_strength_0_changes_nothing(lab):
    app = lab()
    for slider in strengths(app):
        slider.set_value(0.0)
    app.run()
    check(app)
    assert "0 of 20,000 rows changed" in words(app)
    assert "raises no new flag" in words(app)


def test_a_stack_is_built_changed_reordered_and_emptied(lab):
    app = lab(plant_first=False)
    app.selectbox(key="lab.kind").set_value("set_value").run()
    app.button(key="lab.add").click().run()
    app.selectbox(key="lab.kind").set_value("random_selection").run()
    app.button(key="lab.add").click().run()
    check(app)
    stack = app.session_state["fairaudit.lab.stack"]
    assert [e["now"]["kind"] for e in stack] == ["set_value", "random_selection"]
    first, second = (e["id"] for e in stack)
    app.slider(key=f"lab.{first}.strength").set_value(0.25).run()
    app.button(key=f"lab.{first}.down").click().run()
    app.button(key=f"lab.{first}.copy").click().run()
    check(app)
    stack = app.session_state["fairaudit.lab.stack"]
    assert [e["now"]["kind"] for e in stack] == ["random_selection", "set_value", "set_value"]
    assert [e["now"]["strength"] for e in stack] == [0.5, 0.25, 0.25]
    app.button(key=f"lab.{second}.remove").click().run()
    check(app)
    assert "rows taken out" not in words(app)
    app.button(key="lab.clear").click().run()
    check(app)
    assert "Nothing is planted yet" in texts(app)


def test_the_group_can_be_an_intersection_with_a_range(lab):
    app = lab(plant_first=False)
    app.selectbox(key="lab.kind").set_value("set_value").run()
    app.button(key="lab.add").click().run()
    number = app.session_state["fairaudit.lab.stack"][0]["id"]
    app.selectbox(key=f"lab.{number}.column").set_value("education").run()
    app.multiselect(key=f"lab.{number}.group").set_value(["gender", "experience"]).run()
    app.number_input(key=f"lab.{number}.group.experience.min").set_value(10.0).run()
    app.slider(key=f"lab.{number}.strength").set_value(1.0).run()
    check(app)
    data = HIRING.targets[0].data
    group = (data["gender"] == "WOMAN") & (data["experience"] >= 10)
    assert f"Group of {int(group.sum()):,}" in words(app)


def test_impossible_requests_are_sentences_and_the_controls_stay(lab):
    app = lab(plant_first=False)
    app.selectbox(key="lab.kind").set_value("label").run()
    app.button(key="lab.add").click().run()
    check(app)
    assert "cannot be planted" in words(app)
    assert app.error
    assert app.info
    assert strengths(app)
    number = app.session_state["fairaudit.lab.stack"][0]["id"]
    app.selectbox(key=f"lab.{number}.score").set_value("predicted_salary").run()
    check(app)
    assert not app.error, app.error[0].value
    assert "rows changed" in words(app)


def test_the_example_on_own_data_with_a_score_is_planted_at_the_median(credit):
    app = credit
    assert "label bias" in app.button(key="lab.first").label
    app.button(key="lab.first").click().run()
    check(app)
    assert not app.error, app.error[0].value
    number = app.session_state["fairaudit.lab.stack"][0]["id"]
    median = float(credit_frames().targets[0].data["Score"].median())
    assert app.number_input(key=f"lab.{number}.threshold").value == median
    assert f"{median:g} is the median, for want of a real one." in words(app)
    planted = plant(credit_frames(), "Februar", [app.session_state["fairaudit.lab.stack"][0]["now"]]).injected
    assert planted.changed_cells["bewilligt"] > 0
    assert planted.summaries()[0] in words(app)
    app.number_input(key=f"lab.{number}.threshold").set_value(480.0).run()
    check(app)
    assert "for want of a real one" not in words(app)


@pytest.mark.parametrize("kind", ["label", "self_selection", "malicious_selection"])
def test_every_kind_by_outcome_can_be_added_to_own_data(credit, kind):
    app = credit
    app.selectbox(key="lab.kind").set_value(kind).run()
    app.button(key="lab.add").click().run()
    check(app)
    assert not app.error, app.error[0].value


@pytest.mark.parametrize("kind", INJECTIONS.names())
def test_every_kind_can_be_added_and_planted(lab, kind):
    app = lab("students", plant_first=False)
    app.selectbox(key="lab.kind").set_value(kind).run()
    app.button(key="lab.add").click().run()
    check(app)
    assert not app.error, app.error[0].value
    assert "rows changed" in words(app)


def test_every_view_can_be_opened(lab):
    app = lab("adult_days")
    for view, sign in {"Scores": "Change of", "Metrics": "Classical metrics before and after"}.items():
        app.segmented_control(key="lab.view").set_value(view).run()
        check(app)
        assert sign in json.dumps(figures(app), ensure_ascii=False)
    app.segmented_control(key="lab.view").set_value("Rows").run()
    check(app)
    assert "sex=Female" in app.dataframe[0].value["group"].tolist()


def test_predictions_can_stay_or_come_from_a_model_trained_here(lab):
    app = lab()
    chooser = next(s for s in app.selectbox if s.key.startswith("lab.predictor"))
    chooser.set_value("").run()
    check(app)
    assert "is kept as it was recorded" in words(app)
    assert "predictions differ" not in words(app)
    next(s for s in app.selectbox if s.key.startswith("lab.predictor")).set_value("linear_regression").run()
    check(app)
    assert "trained on 10,000 rows of reference" in words(app)
    assert "predictions differ" in words(app)
    assert "are left out of the saved table" in words(app)


def test_rates_of_a_number_say_which_threshold_they_use(lab):
    app = lab()
    median = float(HIRING.reference.data["predicted_salary"].median())
    assert f"predicted_salary of {median:,.6g} or more as favourable (the median of the reference" in words(app)
    next(n for n in app.number_input if n.key.startswith("lab.threshold")).set_value(120_000.0).run()
    check(app)
    assert "120,000 or more as favourable (as chosen)" in words(app)


def test_the_curve_shows_both_numbers_beside_each_rule(lab):
    app = lab()
    app.multiselect(key="lab.detectors").set_value(["ks-harmonic", "statistical_parity_difference"])
    app.number_input(key="lab_repeats").set_value(3)
    app.select_slider(key="lab_levels").set_value(3)
    app.run()
    app.button(key="lab.run").click().run()
    wait_for_curve(app)
    table = next(d.value for d in app.dataframe if "false_alarm_rate" in d.value)
    assert table["label"].tolist() == ["Kolmogorov–Smirnov + harmonic mean", "Statistical parity difference"]
    assert table["strength"].tolist()[1] == "never"
    assert table["false_alarm_rate"].between(0, 1).all()
    assert table["rule"].str.len().min() > 10
    assert "belong to other choices" not in words(app)
    app.number_input(key="lab_repeats").set_value(4).run()
    check(app)
    assert "belong to other choices" in words(app)
    app.switch_page("pages/data.py").run()
    app.switch_page("pages/lab.py").run()
    check(app)
    assert "raises a flag" in json.dumps(figures(app))


def test_metrics_that_the_bias_moves_are_the_detectors_until_others_are_chosen(credit):
    app = credit
    app.button(key="lab.first").click().run()
    check(app)
    proposed = app.multiselect(key="lab.detectors").value
    assert proposed[:3] == ["ks-harmonic", "rom-arithmetic", "ad-harmonic"]
    assert "statistical_parity_difference" not in proposed
    assert "accuracy" in proposed
    # The line above says which metrics newly flag; their curves are offered.
    line = next(m.value for m in app.markdown if "newly flag a disparity" in m.value)
    flagged = [spec.name for spec in BASELINES if f"{spec.label}," in line or f"{spec.label}**" in line]
    assert flagged
    assert set(flagged) <= set(proposed)
    strengths(app)[0].set_value(0.0).run()
    check(app)
    assert app.multiselect(key="lab.detectors").value == list(DETECTORS)
    app.multiselect(key="lab.detectors").set_value(["ks-harmonic", "accuracy", "statistical_parity_difference"]).run()
    strengths(app)[0].set_value(0.3).run()
    check(app)
    assert app.multiselect(key="lab.detectors").value == ["ks-harmonic", "accuracy", "statistical_parity_difference"]
    app.switch_page("pages/audit.py").run()
    app.switch_page("pages/lab.py").run()
    check(app)
    assert app.multiselect(key="lab.detectors").value == ["ks-harmonic", "accuracy", "statistical_parity_difference"]
    app.number_input(key="lab_repeats").set_value(2)
    app.select_slider(key="lab_levels").set_value(3)
    app.run()
    app.button(key="lab.run").click().run()
    wait_for_curve(app)
    assert "Cannot react, because Prognose is kept as it was: Statistical parity difference." in words(app)
    table = next(d.value for d in app.dataframe if "false_alarm_rate" in d.value).set_index("label")
    assert table.loc["Statistical parity difference", "strength"] == "cannot react"
    assert table.loc["Accuracy", "strength"] != "cannot react"


def curves(**rows: tuple[float, float]) -> pd.DataFrame:
    """First strength that reaches 80 %, and false alarms, by detector."""
    found = [(name, name.upper(), strength, 0.9, alarms, "") for name, (strength, alarms) in rows.items()]
    return pd.DataFrame(found, columns=["detector", "label", "strength", "flag_rate", "false_alarm_rate", "note"])


@pytest.mark.parametrize(
    ("first", "cannot", "said"),
    [
        (
            curves(ks=(0.5, 0.05), ad=(0.3, 0.3), rom=(np.nan, 0.0), late=(0.9, 0.4), spd=(np.nan, 0.0), di=(0.1, 0.5)),
            {"spd": "hired is kept as it was", "di": "hired is kept as it was"},
            "Seen first, from **strength 0.5** on, by **KS**. AD reaches it at 0.3, but flags 30% without the bias. "
            "Never reaches 80 %: ROM. Cries wolf without any bias: LATE (40%). "
            "Cannot react, because hired is kept as it was: SPD, DI.",
        ),
        (
            curves(ad=(0.3, 0.3), rom=(np.nan, 0.0)),
            {},
            "**No detector reaches 80 %** at any strength tried without false alarms. "
            "AD reaches it at 0.3, but flags 30% without the bias.",
        ),
        (
            curves(ks=(0.2, 0.0), a=(np.nan, 0.0), b=(np.nan, 0.0)),
            {},
            "Seen first, from **strength 0.2** on, by **KS**. Never reach 80 %: A, B.",
        ),
        (curves(ks=(np.nan, 0.0)), {}, "**No detector reaches 80 %** at any strength tried."),
    ],
)
def test_the_sentence_about_the_curves(first, cannot, said):
    assert _sentence(first, cannot) == said


def test_calibrated_curves_stand_beside_the_paper_s(lab):
    app = lab()
    app.multiselect(key="lab.detectors").set_value(["ks-harmonic"])
    app.number_input(key="lab_repeats").set_value(2)
    app.select_slider(key="lab_levels").set_value(3)
    app.toggle(key="lab_calibrated").set_value(True)
    app.run()
    app.button(key="lab.run").click().run()
    wait_for_curve(app)
    table = next(d.value for d in app.dataframe if "false_alarm_rate" in d.value)
    assert table["label"].tolist()[1].endswith("calibrated")
    assert "Permutation" in table["rule"].tolist()[1]


def test_a_stopped_run_shows_what_is_finished_and_says_so(lab):
    app = lab("students")
    app.number_input(key="lab_repeats").set_value(500).run()
    app.button(key="lab.run").click().run()
    check(app)
    deadline = time.monotonic() + 60
    stopped = False
    while not stopped and time.monotonic() < deadline:
        time.sleep(1)
        app.run()
        shares = [p for p in app.get("progress") if "of 5,500 plantings" in p.proto.text]
        done = int(shares[0].proto.text.split(" of ")[0].replace(",", "")) if shares else 0
        if done > 11:
            app.button(key="stop.lab.curve").click().run()
            stopped = True
    assert stopped
    wait_for_curve(app)
    assert "Partial result. Stopped after" in words(app)


def test_choices_survive_a_change_of_page(lab):
    app = lab()
    strengths(app)[1].set_value(0.35)
    app.selectbox(key="lab.table").set_value("day3")
    app.number_input(key="lab_seed").set_value(11)
    app.run()
    check(app)
    app.switch_page("pages/audit.py").run()
    app.switch_page("pages/lab.py").run()
    check(app)
    assert strengths(app)[1].value == 0.35
    assert app.selectbox(key="lab.table").value == "day3"
    assert app.number_input(key="lab_seed").value == 11
    assert len(app.session_state["fairaudit.lab.stack"]) == 3


def test_other_data_empty_the_stack(lab):
    app = lab()
    app.switch_page("pages/start.py").run()
    app.button(key="demo.students").click().run()
    app.switch_page("pages/lab.py").run()
    check(app)
    assert "Nothing is planted yet" in texts(app)


def test_the_biased_table_becomes_a_target_of_the_audit(lab):
    app = lab()
    name = next(t for t in app.text_input if t.key.startswith("lab.save.name"))
    assert name.value == "day1 biased"
    name.set_value("day1").run()
    app.button(key="lab.save").click().run()
    check(app)
    assert "There is a table named 'day1' already" in words(app)
    next(t for t in app.text_input if t.key.startswith("lab.save.name")).set_value("what if").run()
    app.button(key="lab.save").click().run()
    check(app)
    assert "what if is a target of the audit now" in words(app)
    loaded = app.session_state["fairaudit.loaded"]
    assert [t.name for t in loaded.frames.targets] == ["day1", "day2", "day3", "what if"]
    assert "what if" in loaded.planted
    app.switch_page("pages/audit.py").run()
    check(app)
    rows = app.dataframe[0].value
    assert rows.loc[(rows["frame"] == "what if") & (rows["attribute"] == "education"), "score"].item() < 0.001


def test_the_description_recreates_the_biased_table(lab):
    app = lab()
    app.button(key="lab.save").click().run()
    check(app)
    steps = [entry["now"] for entry in app.session_state["fairaudit.lab.stack"]]
    predictor = predictor_named(HIRING.reference, "hiring_rule")
    again = replant(HIRING, plant(HIRING, "day1", steps, predictor=predictor).to_json())
    saved = app.session_state["fairaudit.loaded"].frames.targets[-1]
    for column in saved.columns:
        np.testing.assert_array_equal(saved.data[column].astype(object), again.data[column].astype(object))


def test_a_saved_description_is_opened(lab):
    app = lab()
    step = {"kind": "shift", "strength": 0.4, "group": {"gender": "MAN"}, "column": "experience", "amount": 2.0, "unit": "value"}
    text = plant(HIRING, "day1", [step]).to_json()
    next(f for f in app.get("file_uploader")).upload("bias.json", text.encode(), "application/json").run()
    check(app)
    entries = app.session_state["fairaudit.lab.stack"]
    assert [e["now"] for e in entries] == [step]
    next(f for f in app.get("file_uploader")).upload("bad.json", b"{}", "application/json").run()
    check(app)
    assert "lacks one of the entries" in words(app)


def test_names_and_values_of_any_character_are_shown_as_text(app):
    rng = np.random.default_rng(0)
    sex = "<b>sex</b> $x_1$ *very* " + "long " * 20

    def table() -> bytes:
        return (
            pd.DataFrame(
                {
                    sex: rng.choice(["=F", "<script>alert(1)</script>", None], 300),
                    "a|b": rng.choice(list("xyz"), 300),
                    "pay[1]": rng.normal(size=300).round(2),
                    "hired": rng.choice(["yes", "no"], 300),
                }
            )
            .to_csv(index=False)
            .encode()
        )

    app.switch_page("pages/data.py").run()
    uploads = app.get("file_uploader")
    uploads[0].upload("reference.csv", table(), "text/csv")
    uploads[1].upload("now.csv", table(), "text/csv")
    app.run()
    check(app)
    app.switch_page("pages/lab.py").run()
    for kind in ("set_value", "resample_categories", "label", "missing", "shift"):
        app.selectbox(key="lab.kind").set_value(kind).run()
        app.button(key="lab.add").click().run()
        check(app)
        assert not app.error, app.error[0].value
    first = app.session_state["fairaudit.lab.stack"][0]["id"]
    column = app.session_state["fairaudit.loaded"].frames.reference.columns[0]
    app.multiselect(key=f"lab.{first}.group").set_value([column]).run()
    app.multiselect(key=f"lab.{first}.group.{column}").set_value(["(missing)"]).run()
    check(app)
    assert f"where {column} is missing" in words(app)
    assert "<b>" not in texts(app)
    app.button(key="lab.save").click().run()
    check(app)
    assert [t.name for t in app.session_state["fairaudit.loaded"].frames.targets] == ["now", "now biased"]
