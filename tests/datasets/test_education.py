"""Student Performance and OULAD: Table 2 of the fair-evaluation paper, and what happens when the file is not there or not the right one."""

from __future__ import annotations

import dataclasses
import gzip
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from fairaudit.datasets import Dataset, load_oulad, load_student, load_student_balanced
from fairaudit.datasets import education as module
from fairaudit.datasets.download import PublishedFile, checksum, data_folder, find
from fairaudit.errors import FairAuditError, ReadingError, UnknownNameError


def table_2(dataset: Dataset, sensitive: str) -> tuple[int, float, float, float]:
    """Rows, share of the unprivileged group, SPD of the labels (unprivileged minus privileged), base rate."""
    passed = dataset.data[dataset.schema.label] == dataset.schema.pos_label
    boys = dataset.data[sensitive] == "M"
    return len(dataset.data), boys.mean(), passed[boys].mean() - passed[~boys].mean(), passed.mean()


def test_student(real_data: Path) -> None:
    dataset = load_student(real_data)
    rows, share, spd, base = table_2(dataset, "sex")
    assert rows == 649
    assert (share, spd, base) == pytest.approx((0.4099, -0.0574, 0.8459), abs=5e-5)
    assert "checksum" in dataset.notes
    features = [c for c in dataset.data if dataset.schema.role_of(c) in {"feature", "sensitive"}]
    nominal = [c for c in features if dataset.schema.type_of(c) == "nominal"]
    encoded = pd.get_dummies(dataset.data[features], columns=nominal)
    assert encoded.shape[1] == 57


def test_student_balanced(real_data: Path) -> None:
    dataset = load_student_balanced(real_data)
    assert table_2(dataset, "sex") == pytest.approx((532, 0.5, 0.0, 0.8120), abs=5e-5)
    assert table_2(load_student_balanced(real_data, seed=1), "sex") == pytest.approx((532, 0.5, 0.0, 0.8120), abs=5e-5)
    assert not load_student_balanced(real_data, seed=1).data.equals(dataset.data)
    pd.testing.assert_frame_equal(load_student_balanced(real_data).data, dataset.data)
    assert "117" in dataset.notes


@pytest.mark.parametrize(
    ("code", "expected"), [("FFF", (7040, 0.8170, -0.0254, 0.4824)), ("BBB", (7632, 0.1162, -0.0262, 0.4865))]
)
def test_oulad(real_data: Path, code: str, expected: tuple[float, ...]) -> None:
    dataset = load_oulad(code, real_data / "oulad")  # type: ignore[arg-type]
    assert table_2(dataset, "gender") == pytest.approx(expected, abs=5e-5)
    features = [c for c in dataset.data if dataset.schema.role_of(c) in {"feature", "sensitive"}]
    assert len(features) == 9
    assert set(dataset.data["result_score"]) == {1, 3, 4}
    assert not dataset.data.isin(["?"]).any(axis=None)
    assert "checksum" in dataset.notes


def test_oulad_from_a_spreadsheet_is_refused(real_data: Path, tmp_path: Path) -> None:
    text = gzip.decompress((real_data / "oulad" / "studentInfo.csv.gz").read_bytes()).decode().replace(",10-20,", ",20-Oct,")
    (tmp_path / "studentInfo.csv").write_text(text)
    with pytest.raises(ReadingError, match="spreadsheet"):
        load_oulad("FFF", tmp_path)


def test_oulad_unknown_module() -> None:
    with pytest.raises(UnknownNameError, match="CCC"):
        load_oulad("CCC")  # type: ignore[arg-type]


# The rest needs no real data.

COLUMNS = module.STUDENT_FILE.columns


def made_up(n_girls: int = 130, n_boys: int = 30) -> pd.DataFrame:
    n = n_girls + n_boys
    table = pd.DataFrame({c: ["1"] * n for c in COLUMNS})
    return table.assign(sex=["F"] * n_girls + ["M"] * n_boys, G3=["12"] * (n - 10) + ["8"] * 10)


def as_published(table: pd.DataFrame, archive: Path) -> PublishedFile:
    """A published file whose archive lies on this machine, one archive inside the other as at UCI."""
    inner = archive.with_name("inner.zip")
    with zipfile.ZipFile(inner, "w") as opened:
        opened.writestr("student/student-por.csv", table.to_csv(index=False, sep=";", quoting=1))
    with zipfile.ZipFile(archive, "w") as opened:
        opened.write(inner, "student.zip")
    return dataclasses.replace(module.STUDENT_FILE, url=archive.as_uri(), sha256=checksum(table))


def test_neither_there_nor_allowed_to_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRAUDIT_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    with pytest.raises(FairAuditError, match=r"student-por\.csv is not in") as caught:
        load_student()
    assert "student+performance.zip" in caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_download_is_checked_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = made_up()
    monkeypatch.setattr(module, "STUDENT_FILE", as_published(table, tmp_path / "archive.zip"))
    folder = tmp_path / "kept"
    first = load_student(folder, download=True)
    assert len(first.data) == len(table)
    assert (folder / "student-por.csv").is_file()
    (tmp_path / "archive.zip").unlink()
    again = load_student(folder, download=True)
    pd.testing.assert_frame_equal(again.data, first.data)
    assert "checksum" in again.notes
    assert len(load_student_balanced(folder).data) == len(table) - 117


def test_download_of_something_else_is_refused(tmp_path: Path) -> None:
    file = as_published(made_up(), tmp_path / "archive.zip")
    with pytest.raises(FairAuditError, match="checksum"):
        find(dataclasses.replace(file, sha256="0" * 64), tmp_path / "kept", download=True)
    with pytest.raises(FairAuditError, match=r"holds no other\.csv"):
        find(dataclasses.replace(file, name="other.csv"), tmp_path / "kept", download=True)
    (tmp_path / "archive.zip").write_bytes(b"not a zip")
    with pytest.raises(FairAuditError, match="could not be downloaded"):
        find(file, tmp_path / "kept", download=True)
    (tmp_path / "archive.zip").unlink()
    with pytest.raises(FairAuditError, match="could not be downloaded"):
        find(file, tmp_path / "kept", download=True)
    assert not (tmp_path / "kept").exists()


def test_copies_with_other_quotes_are_the_same_and_other_values_are_said(tmp_path: Path) -> None:
    table = made_up()
    file = as_published(table, tmp_path / "archive.zip")
    path = tmp_path / "student-por.csv"
    table.to_csv(path, index=False)
    assert find(file, path).as_published
    table.assign(G3="11").to_csv(path, index=False)
    found = find(file, tmp_path)
    assert not found.as_published
    assert "differ" in found.note()


def test_wrong_files_get_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "student-por.csv"
    made_up().drop(columns="G3").to_csv(path, index=False)
    with pytest.raises(ReadingError, match="lacks G3"):
        load_student(path)
    made_up().assign(age="young").to_csv(path, index=False)
    with pytest.raises(ReadingError, match="text where a number belongs"):
        load_student(path)
    path.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    with pytest.raises(ReadingError, match="cannot be read"):
        load_student(path)
    made_up(n_girls=50).to_csv(path, index=False)
    with pytest.raises(ReadingError, match="passing girls"):
        load_student_balanced(path)
    broken = tmp_path / "student-por.csv.gz"
    broken.write_bytes(b"not gzip")
    with pytest.raises(ReadingError, match="cannot be read"):
        load_student(broken)
