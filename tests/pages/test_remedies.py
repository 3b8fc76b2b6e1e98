"""Remedies on the Data page: one click, a sentence, and back."""

from __future__ import annotations

from tests.bad_inputs.cases import ROWS, changed, columns, csv, cycle
from tests.pages.conftest import check, texts
from tests.pages.test_bad_inputs import put


def button(app, label):
    return next(b for b in app.button if b.label.replace("\\", "") == label)


def types(app):
    """Type and role of each column, from the editable table."""
    return next(d.value for d in app.dataframe if "role" in d.value.columns).set_index("column")


def opened(app, **new):
    app.switch_page("pages/data.py").run()
    put(app, csv(changed(0, **new)), csv(changed(1, **new)))
    return app


def test_a_constant_is_ignored_and_comes_back(app):
    opened(app, site=["A"] * ROWS)
    button(app, "Ignore site").click().run()
    check(app)
    assert types(app).loc["site", "role"] == "ignored"
    assert "takes no part any more" in " ".join(s.value for s in app.success)
    app.switch_page("pages/audit.py").run()
    check(app)
    assert "site" not in set(app.dataframe[0].value["attribute"])
    app.switch_page("pages/data.py").run()
    button(app, "Undo the remedies and the edits since").click().run()
    check(app)
    assert types(app).loc["site", "role"] == "feature"
    assert "takes no part" not in " ".join(s.value for s in app.success)


def test_a_code_is_read_as_missing(app):
    ages = [v if i % 10 else 999 for i, v in enumerate(columns(0)["age"])]
    opened(app, age=ages)
    button(app, "Read the codes of age as missing").click().run()
    check(app)
    assert "is read as missing (reference: 12, target: 12)" in texts(app).replace("\\", "")
    assert types(app).loc["age", "missing"] == 0.1


def test_text_among_numbers(app):
    opened(app, age=[v if i % 9 else "about forty" for i, v in enumerate(columns(0)["age"])])
    button(app, "Read age as numbers").click().run()
    check(app)
    assert types(app).loc["age", "type"] == "numeric"


def test_markers_are_kept_as_text(app):
    opened(app, town=cycle("NA", "Ulm", "None"))
    assert types(app).loc["town", "missing"] > 0.6
    button(app, "Keep the markers of all columns as text").click().run()
    check(app)
    assert types(app).loc["town", "missing"] == 0
    assert app.toggle(key="read.keep").value


def test_an_informative_order_is_shuffled_by_the_audit(app):
    opened(app, age=[20.5 + i / 4 for i in range(ROWS)])
    assert "order of the rows carries information" in texts(app)
    button(app, "Shuffle the rows in the audit").click().run()
    check(app)
    assert "shuffles the rows" in texts(app)
    app.switch_page("pages/audit.py").run()
    check(app)
    assert app.toggle(key="shuffle").value


def test_a_remedy_that_cannot_be_applied_is_a_sentence(app):
    opened(app, hired=["yes"] * ROWS)
    types_before = types(app)
    button(app, "Ignore hired").click().run()
    check(app)
    assert "is the label" in app.error[0].value.replace("\\", "")
    assert types(app).equals(types_before)
    app.run()
    assert not app.error


def test_new_files_start_without_remedies(app):
    opened(app, site=["A"] * ROWS)
    button(app, "Ignore site").click().run()
    put(app, csv(changed(3, site=["A"] * ROWS)), csv(changed(4, site=["A"] * ROWS)))
    assert types(app).loc["site", "role"] == "feature"
