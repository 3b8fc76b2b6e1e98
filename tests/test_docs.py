"""What the documentation says is in step with the code, and its example runs."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import fairaudit
from fairaudit.cli.parser import make_parser
from fairaudit.settings import AuditSettings, settings_form

DOCS = Path(__file__).resolve().parent.parent / "docs"


def script(name: str) -> ModuleType:
    """A script of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_made_files_are_up_to_date() -> None:
    stale = [str(path) for path, text in script("make").made().items() if path.read_text(encoding="utf-8") != text]
    assert not stale, f"write them again: python docs/make.py ({', '.join(stale)})"


def test_every_public_name_has_a_docstring_and_an_entry() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for name in fairaudit.__all__:
        assert f"\n## {name}\n" in text
        assert getattr(fairaudit, name).__doc__


def test_the_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script("example").main(str(tmp_path))
    out = capsys.readouterr().out
    assert "education" in out and "rows changed" in out
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["attributes"]
    assert AuditSettings.from_file(tmp_path / "settings.yaml").report.auditor == "Ann Example"


def test_the_settings_on_the_page_are_valid_and_every_section_is_explained() -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    example = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert example is not None
    assert AuditSettings.from_file(example[1].encode()).qmad.resamples == 999
    properties = settings_form()["properties"]
    for section in properties:
        assert f"`{section}`" in text, section
    for section in ("qmad", "baselines", "contrast", "report"):
        for entry in properties[section]["properties"]:
            assert f"`{entry}`" in text, f"{section}.{entry}"


def test_every_command_is_on_the_page() -> None:
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    choices = make_parser()._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    assert choices is not None
    for command in choices:
        assert f"`fairaudit {command}" in text
    for option in set(re.findall(r"`(--[a-z-]+)", text)):
        known = {o for parser in choices.values() for a in parser._actions for o in a.option_strings}  # type: ignore[union-attr]
        assert option in known, option


def test_results_show_in_notebooks_without_running_anything() -> None:
    import pandas as pd

    evil = "<img src=x onerror=alert(1)>"
    table = pd.DataFrame({evil: [1.0, 2.0] * 20, "sex": ["F", evil] * 20, "hired": ["no", "yes", "yes", "no"] * 10})
    schema = {"sensitive_features": ("sex",), "prediction": "hired"}
    shown = [
        fairaudit.audit(table, table, resamples=0, bins=2, schema=schema),
        fairaudit.baselines(table, table, schema=schema, resamples=10),
        fairaudit.inject(table, {"kind": "scale", "column": evil, "factor": 2.0, "group": {"sex": evil}}),
    ]
    for result in shown:
        page = result._repr_html_()
        assert page.startswith("<table") and "<img" not in page
    assert "&lt;img" in shown[0]._repr_html_()
    assert sys.getsizeof(shown[0]._repr_html_()) < 50_000
