"""Result files: whole or not at all, and a sentence that says why not."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from fairaudit.cli import main
from fairaudit.errors import FairAuditError
from fairaudit.files import write_whole

ROOT = Path(__file__).resolve().parent.parent
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full on this system")


def left(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()}


def test_a_file_is_written_and_replaced_with_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_whole(path, b"one")
    path.chmod(0o640)
    write_whole(path, b"two")
    assert path.read_bytes() == b"two" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert left(tmp_path) == {"a.json"}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "there")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "there").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["no/folder.txt", ".", "nul\0byte", "x" * 300])
def test_what_cannot_be_written_is_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(FairAuditError, match="cannot be written"):
        write_whole(tmp_path / name, b"x")
    assert left(tmp_path) == set()


def test_a_loop_of_links_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(FairAuditError, match=r"cannot be written: Too many levels of symbolic links\."):
        write_whole(tmp_path / "a", b"x")
    assert left(tmp_path) == {"a", "b"}


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_nothing_is_left_behind_when_there_is_no_room(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The room ends after the content was handed over, as on a network disk."""
    path = tmp_path / "a.json"
    path.write_bytes(b"before")

    def no_room(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(FairAuditError, match="the disk is full") as caught:
        write_whole(path, b"after")
    assert "Free some room" in caught.value.remedy
    assert path.read_bytes() == b"before" and left(tmp_path) == {"a.json"}


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, shift in (("ref", 0), ("day", 3)):
        pd.DataFrame({"pay": [i % 17 + shift for i in range(200)], "sex": list("FMMF") * 50}).to_csv(f"{name}.csv", index=False)
    return tmp_path


AUDIT = ("audit", "--reference", "ref.csv", "--target", "day.csv", "--resamples", "0", "--bins", "4")


@needs_full
@pytest.mark.parametrize("option", ["--json", "--html", "--csv", "--save-settings"])
def test_a_full_disk_is_told_as_such(option: str, tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*AUDIT, option, str(FULL)]) == 2
    err = capsys.readouterr().err
    assert "the disk is full (No space left on device)" in err and "Free some room" in err and "exists" not in err
    assert len(err.strip().splitlines()) == 1 and left(tables) == {"ref.csv", "day.csv"}


@needs_full
@pytest.mark.parametrize(
    "words",
    [
        (
            "inject",
            "ref.csv",
            "--injection",
            "{kind: scale, group: {sex: F}, column: pay, factor: 2}",
            "--out",
            "b.csv",
            "--changed",
            str(FULL),
        ),
        ("schema", "ref.csv", "--out", str(FULL)),
        ("reproduce", "--table", "5", "--seeds", "1", "--quiet", "--csv", str(FULL)),
    ],
    ids=lambda words: words[0],
)
def test_the_other_commands_on_a_full_disk(words: tuple[str, ...], tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words]) == 2
    assert "the disk is full" in capsys.readouterr().err


def small_files() -> None:
    """In the child: no file may grow beyond 512 bytes, as on a disk with that much room."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))


def test_a_disk_that_fills_up_half_way_leaves_the_former_results(tables: Path) -> None:
    before = {"r.html": b"old report", "r.json": b"old numbers"}
    for name, content in before.items():
        Path(name).write_bytes(content)
    for option, name in (("--html", "r.html"), ("--json", "r.json"), ("--csv", "tables")):
        done = subprocess.run(
            [sys.executable, "-m", "fairaudit", *AUDIT, option, name],
            capture_output=True,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=small_files,
            timeout=120,
            check=False,
        )
        assert done.returncode == 2, done.stderr
        assert b"the disk is full (File too large)" in done.stderr and b"Traceback" not in done.stderr
    assert {name: Path(name).read_bytes() for name in before} == before
    assert left(tables) == {"ref.csv", "day.csv", *before, "tables"}
    for path in Path("tables").iterdir():
        assert not path.name.endswith(".part") and len(pd.read_csv(path)), "what is there is whole"


def test_wrong_outputs_are_told_before_the_work(
    tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("folder").mkdir()
    Path("notes.txt").write_text("mine")
    monkeypatch.setattr("fairaudit.cli.audit.read_tables", lambda *_: pytest.fail("the work began"))
    for option, name, words in (
        ("--json", "folder", "it is a folder"),
        ("--csv", "notes.txt", "does not end in .csv"),
        ("--csv", "no/tables", "no folder"),
        ("--csv", "no/table.csv", "no folder"),
    ):
        assert main([*AUDIT, option, name]) == 2, name
        assert words in capsys.readouterr().err
    assert Path("notes.txt").read_text() == "mine"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_without_rights_is_told_before_the_work(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("shut").mkdir(mode=0o500)
    assert main([*AUDIT, "--json", "shut/a.json"]) == 2
    assert "Permission denied" in capsys.readouterr().err


def test_a_pipe_takes_one_table(tables: Path) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main([*AUDIT, "--quiet", "--csv", "pipe"]) == 0
        assert b"attribute" in os.read(reader, 65_536)
    finally:
        os.close(reader)
