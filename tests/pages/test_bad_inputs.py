"""Every kind of trouble on the page: never a traceback, a sentence where there is a problem, and the next good file works again."""

from __future__ import annotations

import pytest

from tests.bad_inputs.cases import CASES, DAY, REF
from tests.pages.conftest import check, texts


def put(app, reference: bytes, target: bytes) -> None:
    """Choose two files on the Data page."""
    app.file_uploader(key="upload.reference.0").upload("reference.csv", reference)
    app.file_uploader(key="upload.targets.0").upload("target.csv", target)
    app.run()
    check(app)


def seen(app) -> str:
    """All words of the page, tables included."""
    cells = [str(value) for table in app.dataframe for value in table.value.to_numpy().ravel()]
    names = [str(name) for table in app.dataframe for name in table.value.columns]
    return "\n".join([texts(app).replace("\\", ""), *cells, *names])


@pytest.mark.parametrize("name", CASES)
def test_the_page_says_it(app, name):
    case = CASES[name]
    app.switch_page("pages/data.py").run()
    for key, value in case.reading.items():
        if key == "delimiter":
            app.selectbox(key="read.delimiter").set_value({";": "semicolon", "|": "pipe |"}[value])
        elif key == "keep_markers_as_text":
            app.toggle(key="read.keep").set_value(True)
    put(app, case.reference, case.target)
    words = seen(app)
    for expected in case.on_page:
        assert expected in words, words[:3000]
    if case.code == 2 and case.shown is None:
        assert app.error and not app.success
        app.switch_page("pages/audit.py").run()
        check(app)
        assert "No tables are loaded yet" in texts(app)
    else:
        assert app.success and not app.error
    if not case.reading:
        app.switch_page("pages/data.py").run()
        put(app, REF, DAY)
        assert app.success and not app.error
