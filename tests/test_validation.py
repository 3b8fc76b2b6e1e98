"""The border: types, roles, matching of tables, findings."""

from __future__ import annotations

import decimal
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairaudit
from fairaudit.errors import FairAuditError, SettingsError, ValidationError
from fairaudit.reading import ReadOptions, read_table
from fairaudit.schema import CATEGORICAL_TYPES, Schema
from fairaudit.validation import check_frames, check_table, infer_type, propose_schema, with_schema
from fairaudit.validation.findings import suspicious_codes
from fairaudit.validation.roles import open_roles


def kind(values, name="x", **options):
    return infer_type(pd.Series(values, name=name, **options))[0]


def codes(findings, column=None):
    return {f.code for f in findings if column is None or f.column == column}


def finding(findings, code):
    return next(f for f in findings if f.code == code)


WORDS = ["alpha", "beta", "gamma", "delta", "omega"]


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        ([0.5, 1.5, 2.25, np.nan], "x", "numeric"),
        ([0, 1, 1, 0], "x", "binary"),
        ([0.25, 0.75, 0.25], "x", "binary"),
        (["GRAD", "POST-GRAD", None], "x", "binary"),
        ([True, False, True], "x", "binary"),
        ([5, 5, 5], "x", "numeric"),
        (["same", "same"], "x", "nominal"),
        ([1, 2, 3, 2], "x", "ordinal"),
        ([1.0, 2.0, 3.0, np.nan], "x", "ordinal"),
        ([1.5, 2.0, 3.0], "x", "numeric"),
        (list(range(10)), "x", "ordinal"),
        (list(range(11)), "x", "numeric"),
        (["a", "b", "c", "a"], "x", "nominal"),
        ([None, None], "x", "numeric"),
        ([], "x", "numeric"),
        (list(range(1000, 1100)), "x", "identifier"),
        (list(np.cumsum(np.arange(1, 60))), "x", "identifier"),
        ([7, 3, 11, 5], "person_id", "identifier"),
        ([7, 3, 11, 5], "personId", "identifier"),
        ([7, 3, 11, 5], "paid", "ordinal"),
        (list(np.random.default_rng(0).permutation(np.arange(0, 5000, 7))), "x", "numeric"),
        (list(np.random.default_rng(0).normal(size=50)), "x", "numeric"),
        ([f"A-{i}" for i in range(40)], "x", "identifier"),
        ([f"user{i}@mail" for i in range(40)], "x", "identifier"),
        ([f"{WORDS[i % 5]} went to {WORDS[i % 3]} on day {i}" for i in range(100)], "x", "text"),
        (["2024-01-31", "2024-02-01", None], "x", "date"),
        (["31.01.2024", "01.02.2024", "05.06.2024"], "x", "date"),
        (["01/31/2024", "02/01/2024", "03/03/2024"], "x", "date"),
        (["31/01/2024", "02/01/2024", "03/03/2024"], "x", "date"),
        (["2024-01-31", "soon", "2024-02-02"], "x", "nominal"),
        (["1", "2", "30", "4.5"], "x", "numeric"),
        (["001", "002", "010"], "x", "nominal"),
    ],
)
def test_types_follow_from_all_values(values, name, expected):
    found, reason = infer_type(pd.Series(values, name=name, dtype=object if not values else None))
    assert found == expected
    assert reason


def test_the_whole_column_counts_not_its_head():
    assert kind([0, 1] * 50_000 + [2]) == "ordinal"
    assert kind(["1"] * 100_000 + ["x"]) == "binary"
    assert kind(["2024-01-01"] * 1000 + ["2024-01-02", "never"]) == "nominal"


SMALL = [3, 1, 2, 3, None, 1]
DTYPES = {
    "float": pd.Series(SMALL, dtype="float64"),
    "float32": pd.Series(SMALL, dtype="float32"),
    "Int64": pd.Series(SMALL, dtype="Int64"),
    "Float64": pd.Series(SMALL, dtype="Float64"),
    "object": pd.Series(SMALL, dtype=object),
    "category": pd.Series(pd.Categorical(SMALL)),
    "text category": pd.Series(pd.Categorical([None if v is None else str(v) for v in SMALL])),
    "decimal": pd.Series([None if v is None else decimal.Decimal(v) for v in SMALL], dtype=object),
    "arrow int": pd.Series(SMALL, dtype=pd.ArrowDtype(pa.int64())),
    "arrow decimal": pd.Series(
        [None if v is None else decimal.Decimal(v) for v in SMALL], dtype=pd.ArrowDtype(pa.decimal128(5, 2))
    ),
    "str": pd.Series([None if v is None else str(v) for v in SMALL], dtype="str"),
    "arrow str": pd.Series([None if v is None else str(v) for v in SMALL], dtype=pd.ArrowDtype(pa.string())),
    "string": pd.Series([None if v is None else str(v) for v in SMALL], dtype="string"),
    "object str": pd.Series([None if v is None else str(v) for v in SMALL], dtype=object),
    "sparse": pd.Series(pd.arrays.SparseArray([3.0, 1.0, 2.0, 3.0, np.nan, 1.0])),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_numeric_dtype_works_like_its_plain_form(dtype):
    table = check_table(pd.DataFrame({"x": DTYPES[dtype], "n": range(6)}))
    assert table.type_of("x") == "ordinal"
    column = table.data["x"]
    assert list(column.cat.categories) == ["1", "2", "3"] and column.cat.ordered
    assert column.cat.codes.tolist() == [2, 0, 1, 2, -1, 0]
    plain = check_table(pd.DataFrame({"x": DTYPES["float"], "n": range(6)}))
    assert table.fingerprint == plain.fingerprint
    as_number = check_table(pd.DataFrame({"x": DTYPES[dtype]}), {"types": {"x": "numeric"}}).data["x"]
    assert as_number.dtype == np.float64
    np.testing.assert_array_equal(as_number, [3, 1, 2, 3, np.nan, 1])


TRUTH = [True, False, None, True]
TRUTHS = {
    "object": pd.Series(TRUTH, dtype=object),
    "boolean": pd.Series(TRUTH, dtype="boolean"),
    "arrow": pd.Series(TRUTH, dtype=pd.ArrowDtype(pa.bool_())),
    "category": pd.Series(pd.Categorical(TRUTH)),
    "text": pd.Series(["True", "False", None, "True"]),
}


@pytest.mark.parametrize("dtype", TRUTHS)
def test_every_form_of_true_and_false_is_the_same(dtype):
    column = check_table(pd.DataFrame({"x": TRUTHS[dtype]})).data["x"]
    assert list(column.cat.categories) == ["False", "True"]
    assert column.cat.codes.tolist() == [1, 0, -1, 1]
    numbers = check_table(pd.DataFrame({"x": TRUTHS[dtype]}), {"types": {"x": "nominal"}}).data["x"]
    assert list(numbers.cat.categories) == ["False", "True"]


def test_plain_bool_and_its_number_form():
    frame = pd.DataFrame({"x": [True, False, True]})
    assert check_table(frame).data["x"].cat.codes.tolist() == [1, 0, 1]
    assert check_table(frame, {"types": {"x": "numeric"}}).data["x"].tolist() == [1.0, 0.0, 1.0]
    assert check_table(pd.DataFrame({"x": [True, True]})).data["x"].tolist() == ["True", "True"]


def test_intervals_and_ordered_categories_keep_their_order():
    cut = pd.cut(pd.Series([5, 15, 25, 100]), [0, 10, 20, 30, 200])
    for series in (cut, pd.Series(pd.array(cut.tolist())), pd.Series(cut.tolist(), dtype=object)):
        table = check_table(pd.DataFrame({"x": series}))
        assert table.type_of("x") == "ordinal"
        assert list(table.data["x"].cat.categories) == ["(0, 10]", "(10, 20]", "(20, 30]", "(30, 200]"]
    grades = pd.Series(pd.Categorical(["low", "high", "mid"], categories=["low", "mid", "high", "top"], ordered=True))
    table = check_table(pd.DataFrame({"x": grades}))
    assert list(table.data["x"].cat.categories) == ["low", "mid", "high"]


def test_dates_of_every_kind():
    stamps = pd.to_datetime(["2024-01-31 12:00", None, "2024-03-01 12:00"])
    forms = {
        "naive": pd.Series(stamps),
        "zone": pd.Series(stamps).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        "arrow": pd.Series(stamps.to_pydatetime().tolist(), dtype=pd.ArrowDtype(pa.timestamp("us"))),
        "object": pd.Series([None if pd.isna(s) else s.to_pydatetime() for s in stamps], dtype=object),
    }
    for series in forms.values():
        table = check_table(pd.DataFrame({"x": series, "y": [1, 2, 3]}))
        assert table.type_of("x") == "date"
        assert table.data["x"].dtype.kind == "M" and table.data["x"].dt.tz is None
        assert table.data["x"].isna().tolist() == [False, True, False]
        assert table.data["x"][2] == pd.Timestamp("2024-03-01 12:00")
    days = pd.Series([stamps[0].date(), None, stamps[2].date()], dtype=object)
    assert check_table(pd.DataFrame({"x": days})).data["x"][0] == pd.Timestamp("2024-01-31")
    periods = pd.Series(pd.period_range("2024-01", periods=3, freq="M"))
    assert check_table(pd.DataFrame({"x": periods})).data["x"][1] == pd.Timestamp("2024-02-01")
    spans = pd.Series(pd.to_timedelta([1.5, 2.5, 90], unit="s"))
    assert check_table(pd.DataFrame({"x": spans})).data["x"].tolist() == [1.5, 2.5, 90.0]


def test_mixed_and_odd_objects_are_text_with_a_finding():
    table = check_table(pd.DataFrame({"m": [1, "a", 1.0, "1", None], "l": [[1], [2], [1], None, [3]], "c": [1j, 2j, 1j, 0, 3j]}))
    assert list(table.data["m"].cat.categories) == ["1", "a"]
    assert table.data["m"].cat.codes.tolist() == [0, 1, 0, 0, -1]
    assert "mixed_types" in codes(table.findings, "m")
    assert table.type_of("l") == "nominal" and table.type_of("c") == "nominal"


def test_canonical_form_and_immutability():
    frame = pd.DataFrame(
        {
            "age": [30, 41, 29, 33, 57, 62, 18, 23, 45, 39, 51, 36],
            "sex": list("FMFMFMFMFMFM"),
            "key": [f"k{i}" for i in range(12)],
            "note": ["a long text " * 6 + str(i) for i in range(12)],
            "inf": [np.inf, 1.5, -np.inf] * 4,
        },
        index=range(100, 112),
    )
    before = frame.copy(deep=True)
    table = check_table(frame, {"types": {"key": "identifier"}}, name="people")
    pd.testing.assert_frame_equal(frame, before)
    assert table.data.index.tolist() == list(range(12)) and table.columns == tuple(frame.columns)
    assert table.data["age"].dtype == np.float64
    assert table.type_of("note") == "text" and table.data["note"].dtype == object and table.data["key"].dtype == object
    assert np.isinf(table.data["inf"]).sum() == 8 and "infinite_values" in codes(table.findings, "inf")
    assert set(dict(table.schema.types)) == set(table.columns)
    assert pickle.loads(pickle.dumps(table)).fingerprint == table.fingerprint


def test_integer_identifiers_keep_their_digits():
    table = check_table(pd.DataFrame({"id": [2**60 + i for i in range(30)]}))
    assert table.data["id"].tolist()[:2] == [str(2**60), str(2**60 + 1)]
    assert table.type_of("id") == "identifier"
    again = with_schema(table, table.schema)
    assert again.fingerprint == table.fingerprint and again.data["id"].tolist() == table.data["id"].tolist()
    written = check_table(read_table("\n".join(["id", *(str(10**25 + i) for i in range(30))]).encode()))
    assert written.data["id"].nunique() == 30
    nullable = pd.Series([2**60, None, 2**60 + 3, 2**60 + 1], dtype="Int64")
    assert check_table(pd.DataFrame({"id": nullable}), {"types": {"id": "identifier"}}).data["id"].tolist()[2] == str(2**60 + 3)


def test_the_fingerprint_changes_with_every_cell_name_and_setting():
    frame = pd.DataFrame({"a": np.arange(60_001) % 50, "b": np.tile(["x", "y", "z"], 20_001)[:60_001]})
    first = check_table(frame).fingerprint
    assert check_table(frame.copy()).fingerprint == first
    changed = frame.copy()
    changed.loc[31_234, "a"] = 7 if changed.loc[31_234, "a"] != 7 else 8
    assert check_table(changed).fingerprint != first
    assert check_table(frame.rename(columns={"a": "c"})).fingerprint != first
    assert check_table(frame, {"min_group_size": 11}).fingerprint != first
    assert check_table(frame, name="other").fingerprint == first
    assert (
        check_table(pd.DataFrame({"a": [0.0, 1.5, 2.5]})).fingerprint
        == check_table(pd.DataFrame({"a": [-0.0, 1.5, 2.5]})).fingerprint
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["Yes", "No"], "Yes"),
        ([True, False], "True"),
        ([0, 1], "1"),
        ([1, 2], "1"),
        ([">50K", "<=50K"], ">50K"),
        ([">50K.", "<=50K."], ">50K."),
        (["pass", "fail"], "pass"),
        (["Good", "Bad"], "Good"),
        (["hired", "rejected"], "hired"),
        (["P", "Q"], "Q"),
        ([0, 5], "5"),
        (["ja", "nein"], "ja"),
        (["Oui", "Non"], "Oui"),
        (["sí", "no"], "sí"),
        (["sim", "não"], "sim"),
        (["tak", "nie"], "tak"),
        (["bewilligt", "abgelehnt"], "bewilligt"),
        (["accordé", "refusé"], "accordé"),
        (["Nein", "Zusage später"], "Zusage später"),
        (["hired", "not hired"], "hired"),
        (["nicht vergeben", "vergeben"], "vergeben"),
        (["aucun", "un prêt"], "un prêt"),
        (["a", "b", "c"], None),
        (["one"], None),
    ],
)
def test_the_favourable_outcome_is_proposed(values, expected):
    assert propose_schema(pd.DataFrame({"label": values * 6})).pos_label == expected


def test_label_and_prediction_with_words_of_their_own_have_a_favourable_value_each():
    frame = pd.DataFrame({"label": ["good", "bad"] * 20, "prediction": ["approved", "rejected"] * 20})
    assert check_table(frame).schema.pos_labels == ("good", "approved")
    assert check_table(frame.assign(prediction=["bad", "good"] * 20)).schema.pos_labels == ("good",)
    other = frame.assign(label=np.linspace(0, 1, 40) ** 2)
    assert check_frames(frame, other).schema.pos_labels == ("approved",), "the label of the other table is no category"


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("label", ["P", "Q"], "could not be told from the words: 'Q' was taken"),
        ("label", ["good", "hired"], "could not be told from the words: 'hired' was taken"),
        ("default", ["no", "yes"], "do not want: 'yes' was taken"),
        ("label", ["a", "b", "c"], "the last one, 'c', counts"),
        ("label", ["no", "yes"], None),
        ("default", ["bad", "good"], None),
    ],
)
def test_a_guessed_favourable_outcome_is_said_until_somebody_chooses(column, values, said):
    frame = pd.DataFrame({column: np.resize(values, 60), "x": np.arange(60) * 1.5})
    for checked in (check_table(frame), check_frames(frame, frame[::2])):
        found = [f for f in checked.findings if f.code == "favourable_guessed"]
        assert [f.column for f in found] == ([] if said is None else [column])
        if said is None:
            continue
        assert said in found[0].problem and found[0].severity == "warning" and "pos_label" in found[0].remedy
        edited = with_schema(checked, checked.schema.with_(ignored=("x",)))
        assert [f for f in edited.findings if f.code == "favourable_guessed"] == found
        chosen = with_schema(edited, edited.schema.with_(pos_label=values[0]))
        assert "favourable_guessed" not in codes(chosen.findings)
    assert "favourable_guessed" not in codes(check_table(frame, {"label": column, "pos_label": values[-1]}).findings)


def test_favourable_values_that_leave_no_other_one_are_refused():
    frame = pd.DataFrame({"label": ["yes", "no", "no"] * 20, "prediction": ["yes", "yes", "no"] * 20, "other": [1, 0, 0] * 20})
    schema = {"label": "label", "prediction": "prediction", "pos_label": ("yes", "no")}
    for columns in (schema, {k: v for k, v in schema.items() if k != "label"}, schema | {"prediction": "other"}):
        with pytest.raises(ValidationError, match=r"Every value of .* is chosen as favourable") as caught:
            check_frames(frame, frame[::2], columns)
        assert "Leave at least one value out" in caught.value.remedy
    lenient = frame.assign(label=np.resize(["A", "B", "C"], 60), prediction=np.resize(["A", "B"], 60))
    assert check_table(lenient, schema | {"pos_label": ("A", "B")}).schema.pos_labels == ("A", "B"), (
        "a model may say A and B only"
    )
    assert check_table(frame.assign(label="yes", prediction="yes"), schema | {"pos_label": "yes"})


def test_labels_that_only_the_selected_have_are_noticed():
    rng = np.random.default_rng(0)
    decision = np.where(rng.random(400) < 0.4, "advance", "reject")
    label = np.where(decision == "reject", None, np.where(rng.random(400) < 0.5, "yes", "no"))
    schema = {"label": "label", "prediction": "decision", "pos_label": ("yes", "advance")}
    frame = pd.DataFrame({"decision": decision, "label": label})
    found = finding(check_table(frame, schema).findings, "selective_labels")
    assert found.severity == "warning" and found.column == "label" and "not error rates" in found.remedy
    assert "100% of the rows that 'decision' selects and for 0% of the others" in found.problem
    by_chance = frame.assign(label=np.where(rng.random(400) < 0.6, None, "yes"))
    by_chance.loc[::7, "label"] = "no"
    assert "selective_labels" not in codes(check_table(by_chance, schema).findings)
    assert "selective_labels" not in codes(
        check_table(frame[frame["decision"] == "advance"], schema | {"pos_label": "yes"}).findings
    )


def test_a_score_against_its_label_is_noticed():
    rng = np.random.default_rng(0)
    label = np.where(rng.random(400) < 0.5, "yes", "no")
    score = (label == "yes") + rng.normal(size=400)
    score[::50] = np.nan
    schema = {"label": "label", "score": "score", "pos_label": "no"}
    frame = pd.DataFrame({"label": label, "score": score})
    found = finding(check_table(frame, schema).findings, "score_turned")
    assert found.severity == "warning" and found.column == "score" and "ROC AUC is 0.2" in found.problem and found.remedy
    fine = check_table(frame, {**schema, "pos_label": "yes"})
    assert "score_turned" not in codes(fine.findings)
    grades = frame.assign(score=pd.cut(frame["score"], [-9, 0, 1, 9], labels=[1, 2, 3]).astype(float))
    assert "score_turned" in codes(check_table(grades, schema).findings), "levels have an order, too"
    few = pd.DataFrame({"label": ["yes", "yes", "no", "no"] * 2, "score": [0.1, 0.2, 0.3, 0.25] * 2})
    assert "score_turned" not in codes(check_table(few, {**schema, "pos_label": "yes"}).findings), "chance"
    assert "score_turned" not in codes(check_table(frame.assign(label="yes"), schema | {"pos_label": "yes"}).findings)
    assert "score_turned" not in codes(check_table(frame.assign(score=np.nan), schema).findings)


def test_roles_are_proposed_by_name_and_content():
    n = 12
    frame = pd.DataFrame(
        {
            "Gender": list("FM") * 6,
            "age": np.linspace(20, 70, n),
            "ageGroup": ["young", "old", "middle"] * 4,
            "marital-status": ["single", "married", "other"] * 4,
            "predicted_salary": np.linspace(1, 2, n) ** 2,
            "riskScore": np.linspace(0, 1, n),
            "y_true": [0, 1] * 6,
            "income": np.linspace(1e4, 1e5, n),
            "salary": np.linspace(1e4, 1e5, n),
            "average": [1, 2, 3] * 4,
        }
    )
    schema = propose_schema(frame)
    assert (schema.label, schema.prediction, schema.score) == ("y_true", "predicted_salary", "riskScore")
    assert schema.sensitive_features == ("Gender", "ageGroup", "marital-status")
    assert schema.pos_label == "1"
    assert set(dict(schema.types)) == set(frame.columns)
    given = propose_schema(frame, {"label": "income", "ignored": ["Gender"], "types": {"average": "numeric"}})
    assert given.label == "income" and given.type_of("average") == "numeric"
    assert given.sensitive_features == ("ageGroup", "marital-status")
    assert propose_schema(frame.drop(columns="y_true")).label is None
    assert propose_schema(pd.DataFrame({"income": ["<=50K", ">50K"] * 3})).label == "income"


@pytest.mark.parametrize(
    ("name", "sensitive"),
    [
        ("Geschlecht", True),
        ("GeschlechtCode", True),
        ("Âge", True),
        ("Altersgruppe", True),
        ("edad", True),
        ("género", True),
        ("Staatsangehörigkeit", True),
        ("état civil", True),
        ("Familienstand", True),
        ("country of origin", True),
        ("gendr", True),
        ("etnicity", True),
        ("religon", True),
        ("Region", False),
        ("regional", False),
        ("lender", False),
        ("stage", False),
        ("material", False),
        ("original", False),
        ("racetrack", False),
    ],
)
def test_a_sensitive_feature_is_proposed_by_its_name_and_no_other_word_is(name, sensitive):
    table = pd.DataFrame({name: ["a", "b", "c"] * 4, "y_true": [0, 1] * 6})
    assert propose_schema(table).sensitive_features == ((name,) if sensitive else ())


def test_ages_in_years_are_proposed_in_no_language():
    frame = pd.DataFrame({n: np.arange(30) % 9 + 30 for n in ("age", "Alter", "edad", "birth_year", "Altersgruppe")})
    assert propose_schema(frame).sensitive_features == ()


@pytest.mark.parametrize(
    ("label", "prediction", "score"),
    [("bewilligt", "Prognose", "Bewertung"), ("accordé", "prédiction", "probabilité"), ("resultado", "decisión", "puntuación")],
)
def test_outcomes_are_proposed_in_other_languages(label, prediction, score):
    frame = pd.DataFrame({label: ["a", "b"] * 6, prediction: ["a", "b"] * 6, score: np.linspace(0, 1, 12) ** 2})
    schema = propose_schema(frame)
    assert (schema.label, schema.prediction, schema.score) == (label, prediction, score)


def test_open_roles_say_what_they_cost():
    full = Schema(label="y", prediction="p", sensitive_features=("sex",), types={"y": "binary", "p": "binary", "s": "numeric"})
    assert open_roles(full) == ()
    for changes, said in (
        ({"label": None, "prediction": None}, "without a decision the classical metrics cannot be computed"),
        ({"prediction": None}, "No prediction: 'y' itself is assessed"),
        ({"prediction": None, "score": "s"}, "No decision: 's' is a number"),
        ({"label": None}, "No label"),
        ({"sensitive_features": ()}, "No sensitive attribute"),
    ):
        (sentence,) = open_roles(full.with_(**changes))
        assert said in sentence
    assert open_roles(full.with_(prediction=None, score="s", decision_threshold=0.5)) == ()
    assert len(open_roles(Schema())) == 2


def test_a_given_schema_gets_types_but_no_roles():
    frame = pd.DataFrame({"sex": list("FM") * 3, "hired": [0, 1, 1] * 2})
    assert check_table(frame).schema.sensitive_features == ("sex",)
    assert check_table(frame, Schema()).schema.sensitive_features == ()
    table = check_table(frame, {"label": "hired"})
    assert table.schema.pos_labels == ("1",) and table.schema.sensitive_features == ()


def test_all_problems_are_reported_together():
    frame = pd.DataFrame({"gender": list("FMF"), "hired": ["no", "yes", "no"], "word": ["a", "b", "c"]})
    schema = {
        "sensitive_features": ["gendr"],
        "label": "hired",
        "pos_label": "yess",
        "types": {"word": "numeric", "nothing": "nominal"},
        "reference_groups": {"gender": "X"},
        "levels": {"word": ["a", "b"]},
        "edges": {"gender": [1.0]},
    }
    with pytest.raises(ValidationError) as caught:
        check_table(frame, schema)
    problems = [p.problem for p in caught.value.problems]
    assert len(problems) == 7
    assert problems[0] == "The sensitive feature 'gendr' is not a column of table."
    assert "Did you mean 'gender'?" in caught.value.problems[0].remedy
    text = " ".join(problems)
    for part in (
        "'yess'",
        "The type of 'word' is numeric, but it holds text",
        "'nothing'",
        "group of 'gender' named 'X'",
        "named 'c'",
        "Cut points",
    ):
        assert part in text
    assert all(p.remedy for p in caught.value.problems)


def test_levels_give_the_order():
    frame = pd.DataFrame({"size": ["small", "large", "medium"]})
    table = check_table(frame, {"levels": {"size": ["small", "medium", "large"]}})
    assert table.type_of("size") == "ordinal"
    assert table.data["size"].cat.codes.tolist() == [0, 2, 1]


def test_values_that_a_given_type_cannot_hold_are_missing_and_counted():
    table = check_table(pd.DataFrame({"x": ["1.5", "two", "3"]}), {"types": {"x": "numeric"}})
    np.testing.assert_array_equal(table.data["x"], [1.5, np.nan, 3])
    assert "1 values are no numbers" in finding(table.findings, "not_a_number").problem


def test_findings_of_one_table():
    n = 200
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "constant": 1.5,
            "gaps": np.where(np.arange(n) < 60, np.nan, rng.normal(size=n)),
            "empty": np.nan,
            "coded": np.where(np.arange(n) % 40 == 0, 999, rng.integers(18, 65, n)),
            "negative": np.where(np.arange(n) % 50 == 0, -1.0, rng.integers(0, 40, n)),
            "top": rng.integers(80, 100, n),
            "answer": np.where(np.arange(n) < 5, "Unknown", np.where(np.arange(n) % 2 == 0, "a", "b")),
            "almost": np.where(np.arange(n) == 3, "ten", rng.integers(0, 30, n).astype(str)),
            "key": [f"P{i}" for i in range(n)],
            "day": pd.date_range("2024-01-01", periods=n),
        }
    )
    found = check_table(frame).findings
    assert "constant_column" in codes(found, "constant")
    gaps = next(f for f in found if f.code == "missing_share" and f.column == "gaps")
    assert "60 of 200 values (30.0%)" in gaps.problem and gaps.severity == "warning"
    assert codes(found, "empty") == {"no_values"}
    assert "'999' (5 rows)" in next(f for f in found if f.column == "coded").problem
    assert "'-1' (4 rows)" in next(f for f in found if f.column == "negative").problem
    assert codes(found, "top") == set()
    assert codes(found, "answer") == {"suspicious_code", "tiny_categories"}
    assert "99.5% of the values are numbers; others are text, such as 'ten'" in finding(found, "mostly_numbers").problem
    assert codes(found, "key") == {"identifier"} and codes(found, "day") == {"date"}
    assert all(f.problem and f.remedy and f.table == "table" for f in found)
    doubled = check_table(pd.concat([frame[["top", "coded"]]] * 2))
    assert "of 400 rows repeat" in finding(doubled.findings, "duplicate_rows").problem
    assert codes(check_table(pd.DataFrame({"a": [1.5]})).findings) == {"few_rows", "constant_column"}


@pytest.mark.parametrize(
    ("others", "given", "expected"),
    [
        (range(6), [99], {"99"}),
        (range(6), [98, 99], {"98", "99"}),
        (range(1, 6), [999], {"999"}),
        (range(1, 6), [-1], {"-1"}),
        (range(1, 6), [-9, -8, 99], {"-9", "-8", "99"}),
        ([1, 2, 3], [-9], {"-9"}),
        ([0, 1], [-1], set()),
        ([-2, 0, 1, 2], [-1], set()),
        ([95, 96, 97, 98], [99], set()),
        ([80, 85, 90], [99], set()),
        ([991, 993, 995], [999], set()),
        (range(1, 6), [9], set()),
        (range(18, 90), [998, 999], {"998", "999"}),
        (range(100), [999], {"999"}),
        (range(40), [-1, -2], {"-1", "-2"}),
    ],
)
def test_codes_far_from_all_other_whole_numbers_are_noticed(others, given, expected):
    values = [*(list(others) * 8), *(given * 3)]
    table = check_table(pd.DataFrame({"x": values, "y": np.arange(len(values)) % 2}), {"types": {"x": "ordinal"}})
    for checked in (table, with_schema(table, {"types": {"x": "numeric"}})):
        if len(expected) == 0 and checked.type_of("x") == "numeric":
            continue  # numbers have their own rules for 9 and -1
        assert set(suspicious_codes(checked, "x")) == expected
    found = [f for f in table.findings if f.code == "suspicious_code"]
    assert len(found) == len(expected) and all("read it as missing" in f.remedy and "(3 rows)" in f.problem for f in found)


def test_findings_of_reading_stay_with_the_table():
    read = read_table(b"a,a,b\nNA,1,x\n2.5,2,y\n", name="file.csv")
    table = check_table(read, name="day 1")
    kept = finding(table.findings, "missing_markers")
    assert kept.table == "day 1" and "renamed_columns" in codes(table.findings)
    assert "missing_markers" in codes(with_schema(table, table.schema.with_(types={"b": "nominal"})).findings)
    assert "missing_markers" in codes(check_frames(table, read).targets[0].findings)


def test_columns_match_by_name_whatever_their_order():
    a = pd.DataFrame({"sex": list("FM") * 20, "pay": np.arange(40) * 1.5, "extra": 1})
    b = pd.DataFrame({"more": 2, "pay": np.arange(40) * 2.5, "sex": list("MF") * 20, "extra": 1})
    frames = check_frames(a, {"day 1": b})
    assert frames.targets[0].columns == frames.reference.columns == ("sex", "pay", "extra")
    assert frames.mismatched == ()
    assert "'more'" in finding(frames.findings, "extra_columns").problem


def test_the_same_table_on_both_sides_is_noticed():
    a = pd.DataFrame({"sex": list("FM") * 20, "pay": np.arange(40) * 1.5})
    frames = check_frames(a, {"day 1": a.assign(more=1)[["more", "pay", "sex"]], "day 2": a.assign(pay=a["pay"] + 1)})
    found = [f for f in frames.findings if f.code == "same_rows"]
    assert [(f.table, f.severity) for f in found] == [("day 1", "warning")]
    assert "same rows as reference, so nothing can differ" in found[0].problem and "Groups inside" in found[0].remedy
    assert "same_rows" in codes(with_schema(frames, frames.schema.with_(ignored=("pay",))).findings)
    assert "same_rows" not in codes(check_frames(a, a.iloc[::-1]).findings)


def test_a_misspelt_column_with_a_role_is_an_error_with_the_nearest_match():
    a = pd.DataFrame({"gendr": list("FM") * 20, "pay": np.arange(40) * 1.5})
    b = a.rename(columns={"gendr": "gender"})
    for schema in (None, {"sensitive_features": "gendr"}):
        with pytest.raises(ValidationError, match="'gendr' of reference is not a column of target, which has 'gender'") as caught:
            check_frames(a, b, schema)
        assert "Did you mean 'gender'?" in caught.value.remedy
    frames = check_frames(a, b, {"ignored": ["gendr"]})
    assert frames.mismatched == ()
    capitals = a.rename(columns={"gendr": "SEX"})
    with pytest.raises(ValidationError, match="which has 'sex'"):
        check_frames(capitals, a.rename(columns={"gendr": "sex"}))


def test_a_missing_feature_or_an_absent_label_leaves_the_rest():
    a = pd.DataFrame({"height": np.arange(40) * 1.5, "hired": [0, 1] * 20, "pay": np.arange(40) * 2.5})
    b = a.drop(columns=["height", "hired"])
    frames = check_frames(a, [a, b])
    assert dict(frames.mismatched) == {"height": "not a column of target 2", "hired": "not a column of target 2"}
    assert frames.schema.label is None and frames.schema.pos_label is None
    assert {f.column for f in frames.findings if f.code == "missing_column"} == {"height", "hired"}
    assert frames.targets[1].columns == ("pay",)
    with pytest.raises(ValidationError, match="label column 'hired' of reference is not a column of target 2"):
        check_frames(a, [a, b], {"label": "hired"})


def test_a_column_of_another_kind_is_named_and_the_rest_works():
    a = pd.DataFrame({"age": np.arange(20, 60), "pay": np.arange(40) * 2.5})
    dates = a.assign(age=pd.date_range("1980-01-01", periods=40).astype(str))
    texts = a.assign(age=[f"about {i}" for i in range(40)])
    frames = check_frames(a, {"ok": a, "dates": dates, "texts": texts}, Schema())
    assert list(dict(frames.mismatched)) == ["age"]
    reason = dict(frames.mismatched)["age"]
    assert "numbers in reference, dates in dates" in reason and "text such as 'about 0' in texts" in reason
    assert codes(frames.findings, "age") == {"type_mismatch"}
    assert frames.targets[1].type_of("age") == "date"
    assert frames.targets[0].data["pay"].tolist() == a["pay"].tolist()
    with pytest.raises(ValidationError, match="sensitive feature 'age' holds numbers in reference, dates in dates"):
        check_frames(a, {"dates": dates}, {"sensitive_features": "age", "edges": {"age": [30]}})


def test_codes_with_one_word_among_them_are_categories_in_all_tables():
    a = pd.DataFrame({"grade": [1, 2, 3, 2] * 10})
    b = pd.DataFrame({"grade": ["1", "2", "unknown", "3"] * 10})
    frames = check_frames(a, b)
    assert frames.mismatched == ()
    assert list(frames.reference.data["grade"].cat.categories) == ["1", "2", "3", "unknown"]
    assert "'unknown' (10 rows)" in finding(frames.findings, "new_categories").problem


def test_new_and_vanished_categories_are_named_with_counts():
    a = pd.DataFrame({"city": ["Rome", "Oslo", "Bonn"] * 10})
    b = pd.DataFrame({"city": ["Rome", "Oslo", "Lima"] * 10})
    frames = check_frames(a, b)
    assert list(frames.reference.data["city"].cat.categories) == ["Bonn", "Lima", "Oslo", "Rome"]
    assert frames.reference.data["city"].dtype == frames.targets[0].data["city"].dtype
    assert (
        "Categories of target that reference does not have: 'Lima' (10 rows)"
        in finding(frames.findings, "new_categories").problem
    )
    assert (
        "Categories of reference that target does not have: 'Bonn' (10 rows)"
        in finding(frames.findings, "vanished_categories").problem
    )


def test_types_are_judged_over_all_tables():
    a = pd.DataFrame({"x": [0, 1] * 20, "y": [1, 2, 3, 4] * 10, "z": ["p", "q"] * 20, "w": [None] * 40})
    b = pd.DataFrame({"x": [0, 2] * 20, "y": list(range(40)), "z": ["p", "r"] * 20, "w": [0.5, 1.5] * 20})
    frames = check_frames(a, b)
    types = dict(frames.schema.types)
    assert (types["x"], types["z"], types["w"]) == ("ordinal", "nominal", "binary")
    assert types["y"] == "identifier" or types["y"] == "numeric"
    for table in frames.tables:
        assert dict(table.schema.types) == types
    known = check_table(a)
    assert known.type_of("x") == "binary"
    promoted = check_frames(known, b)
    assert promoted.schema.type_of("x") == "ordinal" and "type_changed" in codes(promoted.findings, "x")


def test_identifiers_stay_identifiers_when_days_repeat_rows():
    a = pd.DataFrame({"n": np.arange(100), "v": np.arange(100) * 1.5})
    b = a.sample(200, replace=True, random_state=1)
    assert check_frames(a, b).schema.type_of("n") == "identifier"


def test_a_change_of_the_missing_share_is_a_finding():
    values = np.arange(100) * 1.5
    a, b = (
        pd.DataFrame({"x": values, "y": values}),
        pd.DataFrame({"x": np.where(np.arange(100) < 95, np.nan, values), "y": values}),
    )
    found = finding(check_frames(a, b).findings, "missing_share_changed")
    assert found.column == "x" and "95.0%; in reference it is 0.0%" in found.problem
    empty = check_frames(a, a.assign(x=None))
    assert empty.mismatched == () and "missing_share_changed" in codes(empty.findings, "x")
    assert empty.targets[0].data["x"].isna().all()


def test_names_of_tables_are_unique_and_kept():
    a = pd.DataFrame({"x": np.arange(40) * 1.5})
    assert [t.name for t in check_frames(a, [a, a]).targets] == ["target 1", "target 2"]
    assert [t.name for t in check_frames(a, {"mon": a, "tue": a}).tables] == ["reference", "mon", "tue"]
    assert [t.name for t in check_frames(a, [a, a], names=["d", "d"]).targets] == ["d", "d (2)"]
    named = check_table(a, name="january")
    assert [t.name for t in check_frames(named, [named, read_table(b"x\n1.5\n2.5\n", name="feb")]).tables] == [
        "january",
        "january (2)",
        "feb",
    ]
    with pytest.raises(SettingsError, match="1 names for 2"):
        check_frames(a, [a, a], names=["one"])
    assert [t.name for t in check_frames(a, []).tables] == [t.name for t in check_frames(a).tables] == ["reference"]
    with pytest.raises(SettingsError, match="is a int, not a table"):
        check_frames(a, [5])


def test_checking_twice_changes_nothing():
    frame = pd.DataFrame(
        {"sex": list("FM") * 20, "pay": np.arange(40) * 1.5, "n": [1, 2, 3, 4] * 10, "id": np.arange(40), "b": [True, False] * 20}
    )
    once = check_frames(frame, {"day": frame})
    twice = check_frames(once.reference, list(once.targets))
    assert once.fingerprint == twice.fingerprint
    for a, b in zip(once.tables, twice.tables, strict=True):
        pd.testing.assert_frame_equal(a.data, b.data)
    assert check_table(once.reference, name="reference").fingerprint == once.reference.fingerprint


def test_types_can_be_edited_and_edited_back():
    frame = pd.DataFrame(
        {"n": [3, 1, 2, None] * 10, "b": [0, 1] * 20, "f": np.arange(40) / 4, "id": np.arange(40), "t": ["a", "b", "c", "d"] * 10}
    )
    frames = check_frames(frame, {"day": frame.iloc[::-1]})
    edited = with_schema(
        frames,
        frames.schema.with_(types={**dict(frames.schema.types), "n": "numeric", "b": "nominal", "f": "nominal", "id": "numeric"}),
    )
    np.testing.assert_array_equal(edited.reference.data["n"][:4], [3, 1, 2, np.nan])
    assert list(edited.reference.data["b"].cat.categories) == ["0", "1"]
    assert list(edited.reference.data["f"].cat.categories)[:3] == ["0", "0.25", "0.5"]
    assert edited.reference.data["id"].tolist() == list(range(40))
    back = with_schema(edited, frames.schema)
    assert back.fingerprint == frames.fingerprint
    ordered = with_schema(frames, {**frames.schema.to_dict(), "levels": {"t": ["d", "c", "b", "a"]}, "types": {"t": "ordinal"}})
    assert ordered.reference.data["t"].cat.codes[0] == 3
    with pytest.raises(ValidationError, match="The type of 't' is numeric, but it holds text"):
        with_schema(frames, {"types": {"t": "numeric"}})


def test_markers_kept_as_text_are_categories():
    content = b"device,n\nNone,1.5\nphone,2.5\nNone,3.5\nnull,4.5\n"
    kept = check_table(read_table(content, options=ReadOptions(keep_markers_as_text=("device",))))
    assert list(kept.data["device"].cat.categories) == ["None", "null", "phone"]
    assert "suspicious_code" in codes(kept.findings, "device")
    assert check_table(read_table(content)).data["device"].isna().sum() == 3


def test_hostile_names_and_cells_are_text():
    frame = pd.DataFrame(
        {"<img src=x onerror=alert(1)>": ["=1+1", "+2", "@x", "-3"] * 10, "": [1.5, 2.5] * 20, "{x}%s": [1.5, 2.5] * 20}
    )
    frames = check_frames(frame, frame)
    assert frames.reference.columns == ("<img src=x onerror=alert(1)>", "column_2", "{x}%s")


CELLS = {
    "float": st.floats(allow_nan=True, allow_infinity=True),
    "int": st.integers(-(2**62), 2**62),
    "small": st.integers(0, 3),
    "bool": st.booleans(),
    "text": st.text(max_size=5),
    "none": st.none(),
    "date": st.datetimes(),
    "decimal": st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**6), max_value=10**6),
    "bytes": st.binary(max_size=3),
    "tuple": st.tuples(st.integers(0, 2)),
}


@st.composite
def odd_frames(draw):
    """Tables of any cells: one kind or several in a column."""
    n = draw(st.integers(1, 12))
    names = draw(st.lists(st.text(max_size=6), min_size=1, max_size=4))
    columns = []
    for _ in names:
        kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=2))
        columns.append(pd.Series(draw(st.lists(st.one_of([CELLS[k] for k in kinds]), min_size=n, max_size=n)), dtype=object))
    frame = pd.concat(columns, axis=1)
    frame.columns = names
    return frame.infer_objects() if draw(st.booleans()) else frame


@given(odd_frames(), odd_frames())
@settings(max_examples=200, deadline=None)
def test_any_table_is_checked_or_refused_with_a_sentence(a, b):
    try:
        frames = check_frames(a, b)
    except FairAuditError as error:
        assert error.problem and error.remedy
        return
    for table in frames.tables:
        for column in table.columns:
            series, column_type = table.data[column], table.type_of(column)
            assert isinstance(series.dtype, pd.CategoricalDtype) == (column_type in CATEGORICAL_TYPES)
            if column_type == "numeric":
                assert series.dtype == np.float64
            if column_type == "date":
                assert series.dtype.kind == "M"
    skip = dict(frames.mismatched)
    for column in frames.reference.columns:
        if column not in skip:
            assert frames.reference.data[column].dtype.kind == frames.targets[0].data[column].dtype.kind
            assert frames.reference.type_of(column) == frames.targets[0].type_of(column)


def test_the_favourable_value_of_a_binary_outcome_comes_last_whose_share_is_spoken_of():
    reference = pd.DataFrame({"approved": ["ja"] * 60 + ["nein"] * 40, "sex": ["f", "m"] * 50})
    target = pd.DataFrame({"approved": ["ja"] * 40 + ["nein"] * 60, "sex": ["f", "m"] * 50})
    for favourable, first, direction in (("ja", "nein", "fewer ja"), ("nein", "ja", "more nein")):
        schema = {"label": "approved", "pos_label": favourable}
        frames = check_frames(reference, target, schema)
        assert list(frames.reference.data["approved"].cat.categories) == [first, favourable]
        row = (
            fairaudit.audit(reference, target, schema=schema, bins=1, resamples=0)
            .attributes()
            .set_index("attribute")
            .loc["approved"]
        )
        assert row["direction"] == direction
        share = 0.6 if favourable == "ja" else 0.4
        assert row["mean_reference"] == pytest.approx(share) and row["mean_target"] == pytest.approx(1 - share)
    assert list(check_frames(reference, target, {"label": "approved"}).reference.data["sex"].cat.categories) == ["f", "m"]
