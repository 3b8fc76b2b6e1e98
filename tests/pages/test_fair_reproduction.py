"""The fair-evaluation paper's part of the reproduction page: without data, with data, and with a run of one's own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from fairaudit.datasets import load_student
from fairaudit.reproduction import fair_evaluation as paper
from tests.pages.conftest import check, figures, texts


@pytest.fixture
def page(app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The fair-evaluation paper, no file in the usual folder."""
    monkeypatch.setenv("FAIRAUDIT_DATA", str(tmp_path))
    st.cache_resource.clear()
    app.switch_page("pages/reproduction.py").run()
    button = next(w for w in app.get("button_group") if w.key == "paper")
    button.set_value("fair").run()
    check(app)
    yield app
    st.cache_resource.clear()


def words(app: Any) -> str:
    return texts(app).replace("\\", "")


def show(app: Any, view: str) -> Any:
    app.selectbox(key="paper_view").set_value(view).run()
    check(app)
    return app


def test_without_data_the_published_values_are_there_and_the_ways_to_the_files(page: Any) -> None:
    assert "the data do not ship with fairaudit" in words(page)
    table = page.dataframe[0].value
    assert len(table) == 20
    assert set(table["status"]) == {"○ the file is not here"}
    assert [w.key for w in page.text_input] == ["evaluation.place.student-por.csv", "evaluation.place.studentInfo.csv"]
    show(page, "3")
    assert "gives 20 of the 24 symbols" in words(page)
    assert len(figures(page)) == 1
    for section in paper.SECTIONS:
        show(page, section)
        assert "published values" in words(page)
        assert "does not ship with fairaudit" in words(page)


def test_the_file_fills_table_2(page: Any, real_data: Path) -> None:
    page.text_input(key="evaluation.place.student-por.csv").set_value(str(real_data)).run()
    check(page)
    assert "10 of 10 published values agree" in words(page)
    page.text_input(key="evaluation.place.studentInfo.csv").set_value(str(real_data)).run()
    check(page)
    assert "18 of 20 published values agree; 2 cannot, for a known reason" in words(page)
    assert "ship with fairaudit" not in words(page)


def test_a_wrong_file_gets_a_sentence(page: Any, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    page.text_input(key="evaluation.place.student-por.csv").set_value(str(tmp_path / "other.csv")).run()
    check(page)
    assert "is not the table student-por.csv" in words(page)


def test_an_own_run_stands_beside_the_published_values(page: Any, real_data: Path) -> None:
    show(page, "6.2")
    page.text_input(key="evaluation.place.student-por.csv").set_value(str(real_data)).run()
    page.selectbox(key="reproduction.fair.data.6.2").set_value("student").run()
    page.selectbox(key="reproduction.fair.bias.6.2.student").set_value("random").run()
    check(page)
    page.button(key="reproduction.fair.run").click().run()
    deadline = time.monotonic() + 240
    while "published values agree" not in words(page):
        assert time.monotonic() < deadline, words(page)
        time.sleep(0.5)
        page.run()
        check(page)
    run = paper.recompute_figures(load_student(real_data), "random", levels=(0.0, 0.3, 0.6, 0.9), mitigations=("none",))
    expected = paper.agreement(paper.compare_figures(run, "6.2", "student", "random")).sentence()
    assert expected in words(page)
    (figure,) = figures(page)
    assert "recomputed mean" in [t["name"] for t in figure["data"]]
