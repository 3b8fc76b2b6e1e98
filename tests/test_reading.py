"""Reading: every kind of file gives its table or a sentence with a remedy, never anything else."""

from __future__ import annotations

import csv
import io
import math
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairaudit.errors import FairAuditError, ReadingError, SettingsError, UnknownNameError
from fairaudit.reading import DEFAULT_MISSING_MARKERS, ReadOptions, read_table


def codes(table):
    return [f.code for f in table.findings]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_common_delimiters_and_line_ends(delimiter, end):
    text = end.join(delimiter.join(row) for row in (["a", "b", "c"], ["1", "x", "2.5"], ["2", "y", "3.5"])) + end
    table = read_table(text.encode())
    assert table.decision.delimiter == delimiter
    assert table.data.to_dict("list") == {"a": [1, 2], "b": ["x", "y"], "c": [2.5, 3.5]}


def test_semicolons_with_decimal_commas():
    table = read_table(b"a;b\n1,5;x\n-0,25;y\n")
    assert table.data["a"].tolist() == [1.5, -0.25]
    assert (table.decision.delimiter, table.decision.decimal) == (";", ",")
    assert "decimal mark a comma" in table.decision.sentence


def test_an_override_changes_the_decision():
    content = b'a;b\n"1,234";x\n"2,345";y\n'
    assert read_table(content).data["a"].tolist() == [1.234, 2.345]
    assert "ambiguous_numbers" in codes(read_table(content))
    assert read_table(content, options=ReadOptions(decimal=".")).data["a"].tolist() == [1234, 2345]


def test_thousands_marks_of_both_traditions():
    assert read_table(b'a,b\n"1,234.5",1\n"12.0",2\n').data["a"].tolist() == [1234.5, 12.0]
    european = read_table(b"a;b\n1.234,5;1.234\n12,0;5.678\n")
    assert european.data.to_dict("list") == {"a": [1234.5, 12.0], "b": [1234, 5678]}
    assert (european.decision.decimal, european.decision.thousands) == (",", ".")
    french = read_table("a;b\n1\u202f234,5;x\n12,0;y\n".encode())
    assert french.data["a"].tolist() == [1234.5, 12.0]


def test_one_column_of_decimal_commas_and_one_of_sentences():
    assert read_table(b"x\n1,5\n2,5\n").data["x"].tolist() == [1.5, 2.5]
    assert read_table(b"x\nHello, world\nno comma\n").data["x"].tolist() == ["Hello, world", "no comma"]


@pytest.mark.parametrize(
    ("codec", "mark", "decided"),
    [
        ("utf-8", b"", "utf-8"),
        ("utf-8", b"\xef\xbb\xbf", "utf-8-sig"),
        ("utf-16-le", b"\xff\xfe", "utf-16"),
        ("utf-16-be", b"\xfe\xff", "utf-16"),
        ("utf-16-le", b"", "utf-16-le"),
        ("utf-16-be", b"", "utf-16-be"),
        ("latin-1", b"", "cp1252"),
        ("cp1252", b"", "cp1252"),
    ],
)
def test_encodings(codec, mark, decided):
    table = read_table(mark + "größe\tname\n1\tRené\n2\tZoë\n".encode(codec))
    assert table.decision.encoding == decided
    assert list(table.data.columns) == ["größe", "name"]
    assert table.data["name"].tolist() == ["René", "Zoë"]
    assert ("encoding_guessed" in codes(table)) == (decided == "cp1252")


def test_another_script_is_recognised_when_there_is_enough_of_it():
    text = "город;доход\n" + "".join(f"Москва и Новосибирск;{i}\n" for i in range(30))
    assert read_table(text.encode("cp1251")).data["город"][0] == "Москва и Новосибирск"


def test_a_named_encoding_is_used_and_a_wrong_one_refused():
    content = "a,b\né,1\n".encode("latin-1")
    assert read_table(content, options=ReadOptions(encoding="cp437")).data["a"][0] == "Θ"
    with pytest.raises(ReadingError, match="not written in the encoding 'utf-8'"):
        read_table(content, options=ReadOptions(encoding="utf-8"))


def test_names_are_stripped_and_duplicates_kept_visibly():
    table = read_table(b"a, a ,a,b\n1,2,3,4\n")
    assert list(table.data.columns) == ["a", "a (2)", "a (3)", "b"]
    assert table.decision.renamed == ((" a ", "a (2)"), ("a", "a (3)"))
    assert "'a' → 'a (3)'" in next(f for f in table.findings if f.code == "renamed_columns").problem
    assert list(read_table(b"a,a (2),a\n1,2,3\n").data.columns) == ["a", "a (2)", "a (3)"]


@pytest.mark.parametrize("content", [b"a,b,\n1,2,\n3,4,\n", b"a,b\n1,2,\n3,4,\n"])
def test_a_trailing_delimiter_makes_no_column(content):
    table = read_table(content)
    assert table.data.to_dict("list") == {"a": [1, 3], "b": [2, 4]}
    assert table.decision.dropped == ("column 3",)


def test_a_nameless_column_with_content_is_kept():
    table = read_table(b",b\n1,2\n3,4\n")
    assert list(table.data.columns) == ["column_1", "b"]


def test_quoted_line_breaks_delimiters_and_quotes():
    table = read_table(b'a,b\n"x\ny",1\n"p,q",2\n"say ""hi""",3\n5" pipe,4\n')
    assert table.data["a"].tolist() == ["x\ny", "p,q", 'say "hi"', '5" pipe']


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b\n1,2\n3,4,5\n6,7\n", "Line 3 has 3 values where the names have 2"),
        (b'a,b\n"x\ny",2\n3\n4,5\n', "Line 4 has 1 value where the names have 2"),
        (b"a,b\n1,2\n\n3,4,5\n6,7\n", "Line 4 has 3 values"),
        (b"a,b\n1,2,\n3,4\n", "Line 2 ends with a delimiter, which other lines do not"),
    ],
)
def test_ragged_rows_are_refused_with_the_line(content, line):
    with pytest.raises(ReadingError, match=line) as caught:
        read_table(content)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"a,b\n", "no rows of data"),
        (b"a,b", "no rows of data"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", r"a picture \(PNG\)"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "JPEG"),
        (b"%PDF-1.7", "PDF"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"a,b\n1,2\n3", "cut off"),
        (b'a,b\n1,"x\n2,y\n', "line 2 is never closed"),
        (b'a,b\n1,"x', "line 2 is never closed"),
        (b'a,b\n5",1\n6,"x\n7,8\n', "line 3 is never closed"),
        ("a,b\né,ü\né".encode()[:-1], "middle of a character"),
        ("a,b\n1,2\n".encode("utf-16")[:-1], "middle of a character"),
        (b"a,b\n\x00\x01\x02,\x03\n", "characters that no text has"),
        (b"Report 2024\n\na;b\n1;2\n3;4\n", "does not hold the names"),
        (b"PAR1garbage", "Parquet file cannot be read"),
        (b"PK\x03\x04xl/garbage", "Excel file cannot be read"),
        (b"PK\x03\x04garbage", "ZIP archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old or an encrypted Office file"),
        (pickle.dumps(pd.DataFrame({"a": [1]})), "pickle"),
    ],
)
def test_bad_files_get_a_sentence_and_a_remedy(content, problem):
    with pytest.raises(ReadingError, match=problem) as caught:
        read_table(content)
    assert caught.value.remedy


def test_one_and_two_rows_can_be_read():
    assert read_table(b"a,b\n1,x").decision.rows == 1
    assert read_table(b"a,b\n1,x\n2,y").decision.rows == 2


def test_too_large_is_refused_before_parsing(tmp_path):
    content = b"a,b\n" + b'1,"never closed\n' * 1000
    path = tmp_path / "big.csv"
    path.write_bytes(content)
    for source in (content, path, io.BytesIO(content)):
        with pytest.raises(ReadingError, match="larger than the limit") as caught:
            read_table(source, max_bytes=1000)
        assert "Parquet" in caught.value.remedy
    assert read_table(b"a,b\n1,2\n", max_bytes=8).decision.rows == 1


def test_sources(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(b"a,b\n1,2\n")
    with path.open("rb") as file:
        from_file = read_table(file)
    for table in (read_table(path), read_table(str(path)), from_file):
        assert table.name == "people.csv"
        assert table.data.to_dict("list") == {"a": [1], "b": [2]}
    with pytest.raises(ReadingError, match="there is no such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(ReadingError, match="opened as text"):
        read_table(io.StringIO("a,b\n1,2\n"))
    with pytest.raises(ReadingError, match="cannot be read from int"):
        read_table(7)


def test_missing_markers_are_counted_and_can_be_kept():
    content = b"n,devices,note\n1,None,NA\n2,one,NA\n?,None,\nNaN,unknown,x\n"
    table = read_table(content)
    assert table.data["n"].isna().tolist() == [False, False, True, True]
    assert dict(table.decision.missing_markers)["devices"] == (("None", 2),)
    assert dict(dict(table.decision.missing_markers)["note"]) == {"NA": 2, "": 1}
    assert table.data["devices"].dropna().tolist() == ["one", "unknown"]
    kept = read_table(content, options=ReadOptions(keep_markers_as_text=("devices",)))
    assert kept.data["devices"].tolist() == ["None", "one", "None", "unknown"]
    assert kept.decision.kept_markers == (("devices", (("None", 2),)),)
    assert kept.data["n"].isna().sum() == 2
    everything = read_table(content, options=ReadOptions(keep_markers_as_text=True))
    assert everything.data["note"].isna().tolist() == [False, False, True, False]
    own = read_table(b"a,b\n-999,x\n5,y\n", options=ReadOptions(missing_markers=("-999",)))
    assert own.data["a"].isna().tolist() == [True, False]
    assert "unknown" not in DEFAULT_MISSING_MARKERS


def test_spaces_at_the_ends_of_cells_are_removed_visibly():
    table = read_table(b"age,sex\n39, Male\n50,Male\n 28,Female \n?, ?\n")
    assert table.data["sex"].dropna().tolist() == ["Male", "Male", "Female"]
    assert table.data["age"].tolist()[:3] == [39, 50, 28]
    assert dict(table.decision.stripped)["sex"] == 3
    assert "stripped_values" in codes(table)


def test_codes_keep_their_zeros_and_large_integers_their_digits():
    table = read_table(b"zip,id,half\n00123,9007199254740993,1\n10115,9007199254740995,\n")
    assert table.data["zip"].tolist() == ["00123", "10115"]
    assert table.data["id"].tolist() == [9007199254740993, 9007199254740995]
    gap = read_table(b"id,a\n9007199254740993,1\n,2\n")
    assert gap.data["id"][0] == 9007199254740993 and pd.isna(gap.data["id"][1])


def test_numbers_are_read_as_numbers():
    table = read_table(b"a,b,c\n1e3,+5,inf\n-.5,-6,-inf\n0x10,7,1\n")
    assert table.data["a"].tolist() == ["1e3", "-.5", "0x10"]
    assert table.data["b"].tolist() == [5, -6, 7]
    assert table.data["c"].tolist() == [math.inf, -math.inf, 1.0]


def test_nothing_is_evaluated():
    cells = ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "__import__('os')", "<img src=x onerror=alert(1)>"]
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["=HYPERLINK(1)", "b"], *([c, "1"] for c in cells)])
    table = read_table(buffer.getvalue().encode())
    assert table.data["=HYPERLINK(1)"].tolist() == cells


def test_a_file_without_names():
    assert "header_is_data" in codes(read_table(b"39,Male\n50,Female\n28,Male\n"))
    table = read_table(b"39,Male\n50,Female\n", options=ReadOptions(header=False))
    assert table.data.to_dict("list") == {"column_1": [39, 50], "column_2": ["Male", "Female"]}


def test_the_delimiter_line_of_spreadsheets():
    table = read_table(b"sep=;\r\na;b\r\n1;2\r\n")
    assert table.data.to_dict("list") == {"a": [1], "b": [2]}


def test_parquet():
    frame = pd.DataFrame(
        {"n": [1.5, None, 3.0], "c": pd.Categorical(["x", "y", "x"]), "t": ["NA", "b", " c "], "b": [True, False, None]},
        index=[5, 6, 7],
    )
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    table = read_table(buffer.getvalue())
    assert table.decision.format == "Parquet" and list(table.data.columns) == ["n", "c", "t", "b"]
    assert table.data["n"].isna().tolist() == [False, True, False]
    assert table.data["t"].isna().tolist() == [True, False, False] and table.data["t"][2] == "c"
    content = buffer.getvalue()
    with pytest.raises(ReadingError, match="Parquet"):
        read_table(content[: len(content) // 2])


def excel(sheets):
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as writer:
        for title, frame in sheets.items():
            frame.to_excel(writer, sheet_name=title, index=False)
    return buffer.getvalue()


def test_excel():
    frame = pd.DataFrame(
        {
            "n": [1, 2, 3],
            "t": ["x", "NA", "1,5"],
            "comma": ["1,5", "2,5", None],
            "when": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]),
            "mixed": [1, "unknown", 2],
        }
    )
    content = excel({"empty": pd.DataFrame(), "people": frame, "other": pd.DataFrame({"z": [1]})})
    table = read_table(content)
    assert (table.decision.format, table.decision.sheet) == ("Excel", "people")
    assert table.data["n"].tolist() == [1, 2, 3]
    assert table.data["comma"].tolist()[:2] == [1.5, 2.5]
    assert table.data["t"].isna().tolist() == [False, True, False]
    assert pd.api.types.is_datetime64_any_dtype(table.data["when"])
    assert table.data["mixed"].tolist() == [1, "unknown", 2]
    assert "other_sheets" in codes(table)
    assert read_table(content, options=ReadOptions(sheet="other")).data["z"].tolist() == [1]
    assert read_table(content, options=ReadOptions(sheet=2)).data["z"].tolist() == [1]
    with pytest.raises(ReadingError, match="no sheet 'peeple'") as caught:
        read_table(content, options=ReadOptions(sheet="peeple"))
    assert "Did you mean 'people'?" in caught.value.remedy
    with pytest.raises(ReadingError, match="'empty' is empty"):
        read_table(content, options=ReadOptions(sheet="empty"))
    with pytest.raises(ReadingError, match="no rows of data"):
        read_table(excel({"s": pd.DataFrame(columns=["a", "b"])}))


def test_a_zip_bomb_is_refused():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"0" * 10_000_000)
    with pytest.raises(ReadingError, match="unpacks to"):
        read_table(content.getvalue(), max_bytes=100_000)


def test_a_dataframe_keeps_its_values_and_is_not_changed():
    frame = pd.DataFrame([[1, "NA", 2.0], [2, "b", 3.0]], columns=[" a", "x", "x"], index=pd.Index([7, 8], name="key"))
    before = frame.copy()
    table = read_table(frame)
    assert list(table.data.columns) == ["a", "x", "x (2)"]
    assert table.data["x"].tolist() == ["NA", "b"]
    assert table.data.index.tolist() == [0, 1] and "index_left_out" in codes(table)
    marked = read_table(frame, options=ReadOptions(missing_markers=("NA",)))
    assert marked.data["x"].isna().tolist() == [True, False]
    pd.testing.assert_frame_equal(frame, before)
    with pytest.raises(ReadingError, match="no rows"):
        read_table(pd.DataFrame({"a": []}))
    assert list(read_table(pd.DataFrame({("a", "b"): [1], ("a", "c"): [2]})).data.columns) == ["a / b", "a / c"]


def test_options_are_checked_and_travel():
    for wrong in (
        {"delimiter": ";;"},
        {"delimiter": '"'},
        {"decimal": ";"},
        {"thousands": "x"},
        {"decimal": ",", "thousands": ","},
    ):
        with pytest.raises(SettingsError):
            ReadOptions(**wrong)
    for codec in ("utf-9", "base64", "hex"):
        with pytest.raises(UnknownNameError, match="no encoding"):
            ReadOptions(encoding=codec)
    with pytest.raises(UnknownNameError, match="Did you mean 'decimal'"):
        ReadOptions.from_any({"decimals": ","})
    options = ReadOptions(delimiter=";", decimal=",", missing_markers=("x",), keep_markers_as_text=("a",), sheet="s")
    assert ReadOptions.from_any(options.to_dict()) == options
    decision = read_table(b"a, b\nNA,1\nx,2\n").decision
    assert pickle.loads(pickle.dumps(decision)) == decision
    assert decision.to_dict()["missing_markers"] == {"a": {"NA": 1}}


NAMES = st.lists(
    st.text("abcdefghijKLM äß", min_size=1, max_size=8).map(str.strip).filter(bool), min_size=2, max_size=5, unique=True
)
WORDS = (
    st.text(st.sampled_from('abcXYZ éü,;|\t"\n.'), min_size=1, max_size=10)
    .map(str.strip)
    .filter(lambda t: t and t not in DEFAULT_MISSING_MARKERS)
)


@st.composite
def files(draw):
    """A table, how it is written, and its bytes."""
    names = draw(NAMES)
    n = draw(st.integers(2, 6))
    columns = [[f"k{i}" for i in range(n)]]  # an anchor of plain text in the first column
    for _ in names[1:]:
        if draw(st.booleans()):
            columns.append(draw(st.lists(st.floats(-1e6, 1e6).map(lambda v: round(v, 2)), min_size=n, max_size=n)))
        else:
            columns.append(draw(st.lists(WORDS.map(lambda t: "w" + t), min_size=n, max_size=n)))
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    decimal = draw(st.sampled_from([".", ","])) if delimiter != "," else "."
    codec = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"]))
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=draw(st.sampled_from(["\n", "\r\n"])))
    shown = [[f"{v:.2f}".replace(".", decimal) if isinstance(v, float) else v for v in c] for c in columns]
    writer.writerows([names, *zip(*shown, strict=True)])
    return names, columns, ReadOptions(delimiter=delimiter, decimal=decimal), buffer.getvalue().encode(codec), codec


@given(files())
@settings(max_examples=150, deadline=None)
def test_written_tables_come_back(case):
    names, columns, options, content, codec = case
    table = read_table(content, options=ReadOptions(delimiter=options.delimiter, decimal=options.decimal, encoding=codec))
    assert list(table.data.columns) == [" ".join(n.split()) for n in names] or table.decision.renamed
    for i, values in enumerate(columns):
        got = table.data.iloc[:, i].tolist()
        if isinstance(values[0], float):
            np.testing.assert_allclose(got, values, atol=1e-9)
        else:
            assert got == [v.strip() for v in values]


@given(
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]),
    st.lists(st.tuples(st.text("abcé ü", min_size=1, max_size=6), st.floats(-1e5, 1e5)), min_size=2, max_size=20),
)
@settings(max_examples=100, deadline=None)
def test_delimiter_encoding_and_decimal_mark_are_found(delimiter, codec, rows):
    decimal = "." if delimiter == "," else ","
    lines = [delimiter.join(["größe", "né"]), *(delimiter.join([f"x{t}x", f"{v:.2f}".replace(".", decimal)]) for t, v in rows)]
    table = read_table("\n".join(lines).encode(codec))
    assert list(table.data.columns) == ["größe", "né"]
    assert table.decision.delimiter == delimiter and table.decision.decimal == decimal
    np.testing.assert_allclose(table.data["né"], [round(v, 2) for _, v in rows], atol=0.0051)
    assert table.data["größe"].tolist() == [f"x{t}x" for t, _ in rows]


SEEDS = (b"", b"a,b\n1,2\n", b'a;b\n"x', b"PAR1", b"PK\x03\x04 xl/", b"\xff\xfe", b"\xef\xbb\xbf", b"a\tb\n", b"sep=", b"\x89PNG")


@given(st.sampled_from(SEEDS), st.one_of(st.binary(max_size=120), st.text('ab1,;|\t"\n\r .é', max_size=80).map(str.encode)))
@settings(max_examples=600, deadline=None)
def test_any_bytes_give_a_table_or_a_sentence(start, rest):
    try:
        table = read_table(start + rest, max_bytes=10_000)
    except FairAuditError as error:
        assert error.problem and error.remedy
    else:
        assert table.data.shape == (table.decision.rows, table.decision.columns)
        assert table.data.columns.is_unique and table.decision.sentence


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_damaged_workbooks_and_parquet_files_give_a_sentence(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    for content in (excel({"s": frame}), buffer.getvalue()):
        damaged = bytearray(content)
        for position in rng.integers(0, len(damaged), rng.integers(1, 20)):
            damaged[position] = rng.integers(0, 256)
        cut = bytes(damaged[: rng.integers(1, len(damaged) + 1)])
        try:
            assert read_table(cut, max_bytes=1_000_000).decision.rows >= 1
        except FairAuditError as error:
            assert error.problem and error.remedy
