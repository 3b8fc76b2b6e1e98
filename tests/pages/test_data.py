"""The data page: uploads of good and bad files, roles and types, findings."""

import pytest

from fairaudit.ui import roles
from tests.pages.conftest import check, texts

GOOD = b"age;sex;hired\n" + b"".join(
    b"%d,5;%s;%s\n" % (20 + i % 40, (b"F", b"M")[i % 2], (b"yes", b"no")[i % 3 == 0]) for i in range(120)
)


def upload(app, reference=("ref.csv", GOOD), targets=(("day1.csv", GOOD),)):
    app.switch_page("pages/data.py").run()
    if reference is not None:
        app.file_uploader(key="upload.reference.0").upload(*reference)
    for target in targets:
        app.file_uploader(key="upload.targets.0").upload(*target)
    app.run()
    check(app)
    return app


def test_without_data_it_asks_for_files(app):
    app.switch_page("pages/data.py").run()
    check(app)
    assert not app.success
    assert not app.dataframe


def test_semicolons_and_decimal_commas_are_read_and_said(app):
    upload(app)
    words = texts(app).replace("\\", "")
    assert "semicolon" in words and "decimal mark a comma" in words
    assert app.dataframe[0].value["age"].tolist()[:2] == [20.5, 21.5]
    assert "ready" in app.success[0].value
    assert "ref · 120 rows · reference" in app.sidebar.caption[0].value, "the sidebar names them at once"


def test_uploaded_tables_reach_the_audit(app):
    upload(app)
    app.switch_page("pages/audit.py").run()
    check(app)
    assert set(app.dataframe[0].value["attribute"]) == {"age", "sex", "hired"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20),
        ("header.csv", b"a,b,c\n"),
        ("cut.csv", b'a,b\n1,2\n3,"4\n'),
    ],
)
def test_a_bad_file_is_a_sentence_and_what_was_loaded_before_is_gone(app, name, content):
    upload(app)
    app.file_uploader(key="upload.targets.0").upload(name, content)
    app.run()
    check(app)
    assert app.error, name
    assert not app.success
    app.switch_page("pages/audit.py").run()
    check(app)
    assert "No tables are loaded yet" in texts(app)


def test_a_renamed_column_names_the_nearest_match(app):
    upload(app, targets=(("day1.csv", GOOD.replace(b"sex", b"sexe", 1)),))
    words = texts(app).replace("\\", "")
    assert "sexe" in words and "sex" in words


def test_the_demo_shows_columns_findings_and_distributions(demo_app):
    app = demo_app("data")
    assert "Hiring" in app.success[0].value
    assert len(app.get("plotly_chart")) == 2


def favourable(app):
    return next(m for m in app.multiselect if m.key.startswith("favourable."))


def schema(app):
    return app.session_state["fairaudit.loaded"].frames.schema


def test_all_values_or_none_as_favourable_are_refused_under_the_control(app):
    upload(app)
    assert schema(app).pos_label == "yes"
    for chosen, said in (
        (["no", "yes"], "Every value of 'hired' is chosen as favourable"),
        ([], "No value is chosen as favourable"),
    ):
        favourable(app).set_value(chosen).run()
        check(app)
        assert said in app.error[0].value.replace("\\", "")
        assert "Until then 'yes' counts" in texts(app).replace("\\", "")
        assert schema(app).pos_label == "yes"
    favourable(app).set_value(["no"]).run()
    check(app)
    assert not app.error and schema(app).pos_label == "no"


def test_another_outcome_column_has_a_favourable_value_of_its_own(app, monkeypatch):
    rows = [b"%d;%s;%s" % (i % 40, (b"yes", b"no")[i % 3 == 0], (b"bewilligt", b"abgelehnt")[i % 2]) for i in range(120)]
    content = b"age;hired;other\n" + b"\n".join(rows)
    upload(app, ("ref.csv", content), [("day1.csv", content)])
    shown = roles.st.data_editor

    def edit(overview, **options):
        shown(overview, **options)
        return overview.assign(role=["feature", "feature", "label"])

    monkeypatch.setattr(roles.st, "data_editor", edit)
    app.run()
    check(app)
    assert not app.error
    assert (schema(app).label, schema(app).pos_label) == ("other", "bewilligt")


def test_roles_that_are_open_are_said_next_to_what_is_ready(app):
    upload(app)
    assert "No prediction" in texts(app) and "No label" not in texts(app) and "No sensitive" not in texts(app)
    plain = GOOD.replace(b"sex", b"site").replace(b"hired", b"shift")
    upload(app, ("ref.csv", plain), [("day1.csv", plain)])
    assert "without a decision the classical metrics cannot be computed" in texts(app) and "No sensitive" in texts(app)


def test_one_table_is_enough_for_the_groups_inside_it(app):
    upload(app, targets=())
    assert "a reference table is ready" in app.success[0].value and "Add one or more target tables" in texts(app)
    for page in ("audit", "baselines", "report", "lab", "evaluation"):
        app.switch_page(f"pages/{page}.py").run()
        check(app)
        assert not app.error, page
        if page == "audit":
            assert app.selectbox(key="contrast").value == "group_vs_reference_group"
            assert set(app.dataframe[0].value["frame"]) == {"ref"}
        if page == "report":
            assert "Audit of **ref**, as chosen on the Audit page: groups inside each table" in texts(app)
    app.switch_page("pages/audit.py").run()
    app.selectbox(key="contrast").select("frame_vs_reference").run()
    check(app)
    assert "There is no target table to compare with ref" in texts(app).replace("\\", "")
    app.switch_page("pages/data.py").run()
    check(app)
    assert "a reference table is ready" in app.success[0].value


def test_a_target_alone_asks_for_the_reference(app):
    upload(app, reference=None)
    assert "Add a reference table" in app.warning[0].value and not app.success


def test_loaded_files_are_named_when_the_controls_are_empty_again(app):
    upload(app)
    assert "Loaded:" not in texts(app), "the controls show them"
    app.switch_page("pages/audit.py").run()
    app.switch_page("pages/data.py").run()
    check(app)
    said = next(i.value for i in app.info if "Loaded:" in i.value).replace("\\", "")
    assert "ref.csv (reference), day1.csv" in said and "replaces all of them" in said


def test_choices_for_a_reference_stay_when_its_targets_are_added(app):
    upload(app, targets=())
    favourable(app).set_value(["no"]).run()
    check(app)
    assert schema(app).pos_label == "no"
    app.file_uploader(key="upload.targets.0").upload("day1.csv", GOOD)
    app.run()
    check(app)
    assert [t.name for t in app.session_state["fairaudit.loaded"].frames.tables] == ["ref", "day1"]
    assert (schema(app).label, schema(app).pos_label) == ("hired", "no")
    app.file_uploader(key="upload.reference.0").upload("other.csv", GOOD)
    app.run()
    check(app)
    assert schema(app).pos_label == "yes", "another reference starts anew"


def test_the_contrast_opens_where_it_can_be_answered(app):
    upload(app)
    app.switch_page("pages/audit.py").run()
    assert app.selectbox(key="contrast").value == "frame_vs_reference"
    upload(app, targets=())
    app.switch_page("pages/audit.py").run()
    check(app)
    assert not app.error and app.selectbox(key="contrast").value == "group_vs_reference_group"
    app.switch_page("pages/report.py").run()
    check(app)
    assert not app.error
    upload(app)
    app.switch_page("pages/audit.py").run()
    assert app.selectbox(key="contrast").value == "frame_vs_reference"
