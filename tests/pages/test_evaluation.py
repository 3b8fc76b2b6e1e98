"""Fair vs biased: the demo at once, results in the stated order, cancel and continue, and choices that cannot work."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit as st

from fairaudit.datasets import course_grades_dataset
from fairaudit.evaluation import EvaluationResult, evaluate
from fairaudit.schema import Finding
from fairaudit.ui import jobs
from tests.pages.conftest import check, figures, texts

KEPT = "fairaudit.evaluation.results"


@pytest.fixture(autouse=True)
def own_jobs() -> Iterator[None]:
    """No jobs of other tests: the harness gives every dashboard the same session."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Work that goes on after two units until it is cancelled or this event is set, however fast the machine is."""
    go_on, report, held_up = threading.Event(), jobs.Job._report, set()

    def slow(job: jobs.Job, done: int, total: int) -> None:
        held_up.add(job)
        report(job, done, total)
        while done >= 2 and not job.cancelled() and not go_on.wait(0.02):
            pass

    monkeypatch.setattr(jobs.Job, "_report", slow)
    yield go_on
    go_on.set()
    for job in held_up:
        job._thread.join(60)  # a thread that still computes when the process ends can abort it


@pytest.fixture
def page(app: Any) -> Any:
    """The page with nothing loaded."""
    app.switch_page("pages/evaluation.py").run()
    check(app)
    return app


def words(app: Any) -> str:
    return texts(app).replace("\\", "")


def control(app: Any, start: str) -> Any:
    """The control whose key starts like this; keys of controls that depend on the table end in its hash."""
    kinds = ("selectbox", "multiselect", "number_input", "toggle", "text_input", "button_group")
    return next(w for kind in kinds for w in app.get(kind) if w.key and w.key.startswith(start))


def tiny(app: Any, levels: tuple[float, ...] = (0.0, 0.6), methods: tuple[str, ...] = ("none", "reweighing")) -> Any:
    """A grid that takes a second."""
    control(app, "evaluation_grid").set_value("own").run()
    control(app, "evaluation.levels").set_value(list(levels))
    control(app, "evaluation.models").set_value(["decision_tree"])
    control(app, "evaluation.methods").set_value(list(methods))
    app.run()
    check(app)
    return app


def tiny_expected() -> EvaluationResult:
    """The same grid on the demo through the package."""
    data = course_grades_dataset()
    return evaluate(
        data.data,
        data.schema,
        {"kind": "label", "noise": 0.1},
        levels=(0, 0.6),
        models="decision_tree",
        mitigations=("none", "reweighing"),
        folds=3,
    )


def wait(app: Any, seconds: float = 120) -> Any:
    """Until the run has ended."""
    deadline = time.monotonic() + seconds
    while app.button(key="evaluation.run").disabled and "Computed in" not in words(app):
        assert time.monotonic() < deadline, words(app)
        time.sleep(0.3)
        app.run()
        check(app)
    return app


def run(app: Any) -> Any:
    app.button(key="evaluation.run").click().run()
    check(app)
    return wait(app)


def kept(app: Any) -> list[EvaluationResult]:
    return list(app.session_state[KEPT].values())


def test_the_demo_works_at_once_and_says_how_long_it_takes(page: Any) -> None:
    shown = words(page)
    assert "2,000 rows" in shown
    assert "50.0% of the rows are unprivileged" in shown
    assert "80.0% of the rows reach it" in shown
    assert "4 levels × 3 folds × 1 models = 12 units" in shown
    assert not figures(page)
    deadline = time.monotonic() + 60
    while not re.search(r"12 units, about \d+ (s|min) in all", words(page)):
        assert time.monotonic() < deadline
        time.sleep(0.3)
        page.run()
        check(page)


def test_numbers_are_those_of_the_package_and_every_section_draws(page: Any) -> None:
    app = run(tiny(page))
    expected = tiny_expected()
    (result,) = kept(app)
    pd.testing.assert_frame_equal(result.to_frame(), expected.to_frame())
    shown = words(app)
    for sentence in expected.interpretation()[:2]:
        assert sentence in shown
    assert "Computed in" in shown
    assert app.button(key="evaluation.run").disabled

    pairs = expected.fair_against_biased()
    row = pairs[(pairs["metric"] == "accuracy") & (pairs["mitigation"] == "none") & (pairs["level"] == 0.6)].iloc[0]
    (scatter,) = figures(app)
    drawn = [t for t in scatter["data"] if t["name"] == "No mitigation" and t.get("xaxis") == "x"]
    assert len(drawn) == 1
    assert "diagonal" in [t["name"] for t in scatter["data"]]
    assert "Accuracy" in json.dumps(scatter)
    assert row["fair"] == pytest.approx(_last(drawn[0]["x"]))
    assert row["biased"] == pytest.approx(_last(drawn[0]["y"]))

    for section, found in (
        ("levels", "fair test set"),
        ("impact", "what it does to models without mitigation"),
        ("methods", "against the fair baseline"),
        ("summary", "Which method helps against which bias"),
    ):
        control(app, "evaluation_section").set_value(section).run()
        check(app)
        assert found in json.dumps(figures(app), ensure_ascii=False)
        assert len(figures(app)) == 1
    control(app, "evaluation_section").set_value("table").run()
    check(app)
    table = app.dataframe[-1].value
    assert len(table) == len(expected.summary())
    assert set(table["mitigation"]) == {"No mitigation", "Reweighing"}


def _last(values: Any) -> float:
    """The last number of a trace, which may be packed."""
    if isinstance(values, dict):
        import base64

        import numpy as np

        return float(np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])[-1])
    return float(values[-1])


def test_finished_units_are_used_again_and_other_choices_are_said(page: Any) -> None:
    app = run(tiny(page, levels=(0.0, 0.6)))
    first = kept(app)[0].to_frame()
    control(app, "evaluation.levels").set_value([0.0, 0.3, 0.6]).run()
    check(app)
    assert "other levels, models or methods than chosen above" in words(app)
    run(app)
    second = kept(app)[0].to_frame()
    assert set(second["level"]) == {0.0, 0.3, 0.6}
    again = second[second["level"].isin([0.0, 0.6])].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, first)

    control(app, "evaluation_bias").set_value("random_selection").run()
    check(app)
    assert "results of other choices" in words(app)
    run(app)
    assert len(kept(app)) == 2
    control(app, "evaluation_section").set_value("summary").run()
    check(app)
    drawn = json.dumps(figures(app))
    assert "Label bias" in drawn
    assert "Random selection" in drawn


def test_a_stopped_run_is_shown_and_continued(page: Any, held: threading.Event) -> None:
    app = tiny(page, levels=tuple(k / 10 for k in range(11)), methods=("none", "reweighing", "roc_spd"))
    app.button(key="evaluation.run").click().run()
    check(app)
    job = _job("evaluation")
    deadline = time.monotonic() + 120
    while job.done < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    job.cancel()
    while job.running:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    app.run()
    check(app)
    (partial,) = kept(app)
    assert 2 <= partial.units_done < partial.units_total == 33
    shown = words(app)
    assert f"{partial.units_done} of 33 units are finished" in shown
    assert "The run was stopped before its end" in shown
    assert app.button(key="evaluation.run").label == "Continue"
    held.set()
    # A smaller grid out of what is finished: nothing of it is computed again, and its numbers stay.
    control(app, "evaluation.levels").set_value([0.0, 0.1]).run()
    run(app)
    (whole,) = kept(app)
    assert whole.complete
    same = whole.to_frame().merge(partial.to_frame(), on=["level", "fold", "model", "mitigation", "test_set", "metric"])
    assert len(same)
    assert same["value_x"].equals(same["value_y"])


def _job(name: str) -> jobs.Job:
    """The newest running job of a name, found by its thread."""
    import gc

    found = [j for j in gc.get_objects() if isinstance(j, jobs.Job) and j.name == name and j.running]
    assert len(found) == 1
    return found[0]


def test_choices_that_cannot_work_get_a_sentence(page: Any) -> None:
    control(page, "evaluation.pos.passed").set_value([]).run()
    check(page)
    assert "Which values of 'passed' are favourable is not clear" in words(page)
    control(page, "evaluation.pos.passed").set_value(["yes"]).run()
    control(page, "evaluation.group.sex").set_value(["F", "M"]).run()
    check(page)
    assert "Which values of 'sex' are unprivileged is not clear" in words(page)
    control(page, "evaluation.group.sex").set_value(["M"]).run()
    control(page, "evaluation_grid").set_value("own").run()
    control(page, "evaluation.levels").set_value([]).run()
    check(page)
    assert "No level is given" in words(page)
    control(page, "evaluation.levels").set_value([0.0, 0.5]).run()
    control(page, "evaluation.methods").set_value([]).run()
    check(page)
    assert "No mitigation method is chosen" in words(page)
    assert not figures(page)


def test_a_dask_cluster_gives_the_same_numbers(page: Any, dask_cluster: Any) -> None:
    """The address on the page is used: the cluster does the work, and nothing else differs."""
    control(page, "evaluation.scheduler").set_value(dask_cluster.scheduler_address).run()
    check(page)
    app = run(tiny(page))
    (result,) = kept(app)
    pd.testing.assert_frame_equal(result.to_frame(), tiny_expected().to_frame())
    assert dask_cluster.scheduler.transition_counter > 0


def test_an_address_without_a_scheduler_gets_a_sentence(page: Any) -> None:
    pytest.importorskip("distributed")
    control(page, "evaluation.scheduler").set_value("tcp://127.0.0.1:9").run()
    deadline = time.monotonic() + 60
    while "There is no Dask scheduler at" not in words(page):
        assert time.monotonic() < deadline, words(page)
        time.sleep(0.5)
        page.run()
        check(page)


def test_a_number_may_be_the_outcome_or_the_group(page: Any) -> None:
    control(page, "evaluation.label").set_value("quiz_average").run()
    check(page)
    control(page, "evaluation.threshold.quiz_average").set_value(55.0).run()
    control(page, "evaluation.sensitive").set_value("commute_minutes").run()
    check(page)
    control(page, "evaluation.max.commute_minutes").set_value(20.0).run()
    app = run(tiny(page))
    (result,) = kept(app)
    features = result.provenance["features"]
    # The old outcome would give the new one away in other tables; the group is one 0/1 column.
    assert not [f for f in features if f.startswith(("passed", "final_score", "quiz_average", "commute_minutes"))]
    table = course_grades_dataset().data
    unprivileged = table["commute_minutes"] <= 20
    rates = (table["quiz_average"] >= 55).groupby(unprivileged).mean()
    fair = result.levels.set_index("level").loc[0.0]
    assert fair["base_rate_unprivileged"] == pytest.approx(rates[True])
    assert fair["base_rate_privileged"] == pytest.approx(rates[False])


@pytest.mark.parametrize("demo", ["adult", "hiring", "students"])
def test_the_loaded_reference_can_be_used(demo_app: Any, demo: str) -> None:
    app = demo_app("evaluation", demo)
    control(app, "evaluation.data").set_value("loaded").run()
    check(app)
    assert "takes them as true" in words(app)
    assert "unprivileged" in words(app)
    assert not app.error


def test_an_own_table_with_an_outcome_comes_first_and_works_against_no_handful_of_people(app: Any) -> None:
    rows = ["sex,merit,approved"] + [
        f"{s},{i % 17},{'yes' if i % 3 else 'no'}" for i, s in enumerate((["diverse"] * 4 + ["f"] * 90 + ["m"] * 110) * 2)
    ]
    data = "\n".join(rows).encode()
    app.switch_page("pages/data.py").run()
    app.file_uploader(key="upload.reference.0").upload("credit.csv", data)
    app.file_uploader(key="upload.targets.0").upload("later.csv", data)
    app.run()
    check(app)
    loaded = app.session_state["fairaudit.loaded"]
    assert loaded.frames.schema.label == "approved"
    app.switch_page("pages/evaluation.py").run()
    check(app)
    assert control(app, "evaluation.data").value == "loaded"
    control(app, "evaluation.sensitive").set_value("sex").run()
    check(app)
    assert control(app, "evaluation.group.sex").value == ["f"]


def test_repairs_of_the_loaded_table_are_told_with_the_result(demo_app: Any) -> None:
    app = demo_app("evaluation", "students")
    loaded = app.session_state["fairaudit.loaded"]
    told = Finding("repaired", "info", loaded.frames.reference.name, "", "7 repeated rows were removed.", "")
    reference = replace(loaded.frames.reference, findings=(told, *loaded.frames.reference.findings))
    app.session_state["fairaudit.loaded"] = replace(loaded, frames=replace(loaded.frames, reference=reference))
    control(app, "evaluation.data").set_value("loaded").run()
    run(tiny(app))
    assert "Done to the table before: 7 repeated rows were removed." in words(app)


def test_data_that_do_not_ship_are_asked_for(page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRAUDIT_DATA", str(tmp_path))
    control(page, "evaluation.data").set_value("student").run()
    check(page)
    assert "student-por.csv does not ship with fairaudit" in words(page)
    assert [b.label for b in page.button if "Download" in b.label] == ["Download from UCI"]
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "student-por.csv").write_text("a,b\n1,2\n")
    control(page, "evaluation.place").set_value(str(tmp_path / "wrong")).run()
    check(page)
    assert "is not the table student-por.csv" in words(page)
    assert not [b for b in page.button if b.key == "evaluation.run"]


def test_a_page_that_stops_early_still_shows_what_runs(
    page: Any, held: threading.Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRAUDIT_DATA", str(tmp_path))
    app = tiny(page)
    app.button(key="evaluation.run").click().run()
    control(app, "evaluation.data").set_value("student").run()
    check(app)
    assert "does not ship with fairaudit" in words(app)
    assert _job("evaluation").running
    app.button(key="cancel.evaluation").click().run()
    check(app)


def test_student_from_an_uploaded_file(page: Any, real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRAUDIT_DATA", str(tmp_path))
    control(page, "evaluation.data").set_value("student").run()
    page.file_uploader[0].upload("student-por.csv", (real_data / "student-por.csv").read_bytes()).run()
    check(page)
    assert "649 rows" in words(page)
    assert "41.0% of the rows are unprivileged" in words(page)
    control(page, "evaluation.data").set_value("student_balanced").run()
    check(page)
    assert "532 rows" in words(page)


def test_going_away_and_coming_back_keeps_the_result(page: Any) -> None:
    app = run(tiny(page))
    app.switch_page("pages/method.py").run()
    app.switch_page("pages/evaluation.py").run()
    check(app)
    assert "What it means" in [s.value for s in app.subheader]
    assert len(figures(app)) == 1
