"""The start page: demos, a way to upload, what happens to the data."""

import pytest

from fairaudit.datasets import demos
from tests.pages.conftest import check, texts


def test_says_what_it_is_for_and_what_happens_to_data(app):
    check(app)
    assert "differently" in app.title[0].value
    assert "Nothing is written to disk" in texts(app)


@pytest.mark.parametrize("name", [d.name for d in demos()])
def test_one_button_opens_a_demo_in_the_audit(app, name):
    app.button(key=f"demo.{name}").click().run()
    check(app)
    assert app.title[0].value == "Audit"
    assert len(app.get("plotly_chart")) >= 3


def test_forgetting_everything_empties_the_session(demo_app):
    app = demo_app("start")
    app.button(key="reset").click().run()
    check(app)
    assert "No tables are loaded" in texts(app)
    app.switch_page("pages/audit.py").run()
    check(app)
    assert "No tables are loaded yet" in texts(app)
