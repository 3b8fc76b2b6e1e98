"""A dashboard without a browser: pages run through app.py by Streamlit's own test harness."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from fairaudit.ui import certainty, state

SESSION_KEYS = [
    v for k, v in vars(state).items() if k.startswith("_") and isinstance(v, str) and v.startswith("fairaudit.") and k.isupper()
]
APP = str(Path(__file__).resolve().parents[2] / "app.py")


@pytest.fixture(autouse=True)
def started_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run pages inside app.py as a server does once st.navigation was called; the harness forgets that before every run."""
    build = PagesManager.__init__

    def built(self: PagesManager, *args: Any, **kwargs: Any) -> None:
        build(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", built)


@pytest.fixture(autouse=True)
def work_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """How firm verdicts are is computed for the tests that are about it only: elsewhere it would take the time of others."""
    monkeypatch.setattr(certainty, "AT_ONCE", -1.0)


@pytest.fixture
def app() -> AppTest:
    """The dashboard at its start page, nothing loaded."""
    return AppTest.from_file(APP, default_timeout=60).run()


@pytest.fixture
def demo_app(app: AppTest) -> Callable[[str], AppTest]:
    """Factory: the dashboard with a demo loaded, on the given page."""

    def open_page(page: str = "audit", demo: str = "hiring") -> AppTest:
        app.button(key=f"demo.{demo}").click().run()
        check(app)
        if page != "audit":
            app.switch_page(f"pages/{page}.py").run()
            check(app)
        return app

    return open_page


def check(app: AppTest) -> None:
    """No traceback on the page, and only values that can be copied in the session."""
    assert not app.exception, [e.message for e in app.exception]
    for key in SESSION_KEYS:
        if key in app.session_state:
            pickle.dumps(app.session_state[key])


def figures(app: AppTest) -> list[dict[str, Any]]:
    """Every plotly figure of the page, in order."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def texts(app: AppTest) -> str:
    """All Markdown and captions of the page, one after the other."""
    return "\n".join(
        element.value for element in (*app.title, *app.markdown, *app.caption, *app.info, *app.error, *app.success, *app.warning)
    )


def wait_while(app: AppTest, text: str, seconds: float = 120) -> AppTest:
    """Run the page until it no longer shows a text."""
    deadline = time.monotonic() + seconds
    while text in texts(app):
        assert time.monotonic() < deadline
        time.sleep(0.5)
        app.run()
        check(app)
    return app
