"""What visitors do: leave and come back, come in pairs, bring a file that is too large."""

from __future__ import annotations

import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.bad_inputs.cases import DAY, REF, changed, csv
from tests.pages.conftest import APP, check, texts
from tests.pages.test_bad_inputs import put


def test_data_settings_and_results_are_there_after_other_pages(app):
    app.switch_page("pages/data.py").run()
    put(app, REF, DAY)
    app.switch_page("pages/audit.py").run()
    app.selectbox(key="pair").set_value("rom-arithmetic").run()
    scores = app.dataframe[0].value["score"].tolist()
    for page in ("data", "baselines", "method", "audit"):
        app.switch_page(f"pages/{page}.py").run()
        check(app)
    assert app.selectbox(key="pair").value == "rom-arithmetic"
    assert app.dataframe[0].value["score"].tolist() == scores


def test_two_visitors_see_their_own_tables_only():
    first, second = (AppTest.from_file(APP, default_timeout=60).run() for _ in range(2))
    first.switch_page("pages/data.py").run()
    put(first, REF, DAY)
    second.switch_page("pages/audit.py").run()
    assert "No tables are loaded yet" in texts(second)
    second.switch_page("pages/data.py").run()
    put(second, csv(changed(3, drop=("town",))), csv(changed(4, drop=("town",))))
    for visitor, attributes in ((first, {"age", "sex", "town", "hired"}), (second, {"age", "sex", "hired"})):
        visitor.switch_page("pages/audit.py").run()
        check(visitor)
        assert set(visitor.dataframe[0].value["attribute"]) == attributes


def test_a_file_over_the_limit_is_refused_with_the_way_out(app, monkeypatch):
    get_option = st.get_option
    monkeypatch.setattr(st, "get_option", lambda key: 0.001 if key == "server.maxUploadSize" else get_option(key))
    app.switch_page("pages/data.py").run()
    put(app, REF, DAY)
    assert not app.success
    words = texts(app).replace("\\", "")
    assert "larger than the limit" in words and "command line" in words and "Parquet" in words
