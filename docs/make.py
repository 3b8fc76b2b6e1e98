"""Write what is made from the code: ``python docs/make.py`` makes docs/api.md, docs/method.md and the JSON Schemas of the package."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import fairaudit
from fairaudit.registry import Registry
from fairaudit.reporting.chapters import chapters
from fairaudit.reporting.documents import result_form
from fairaudit.settings import settings_form

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "fairaudit" / "data" / "schemas"


def made() -> dict[Path, str]:
    """Every made file with its text."""

    def form(values: object) -> str:
        return json.dumps(values, indent=1, ensure_ascii=False) + "\n"

    return {
        ROOT / "docs" / "api.md": api(),
        ROOT / "docs" / "method.md": method(),
        SCHEMAS / "settings.schema.json": form(settings_form()),
        SCHEMAS / "result.schema.json": form(result_form()),
    }


def api() -> str:
    """The Python reference: every public name of the package with its signature and docstring."""
    head = "# Python reference\n\nMade from the docstrings by `python docs/make.py`; do not edit. Names are those of `import fairaudit`.\n"
    return "\n".join([head, *(_entry(name, getattr(fairaudit, name)) for name in sorted(fairaudit.__all__))])


def method() -> str:
    """What every number means, when not to trust it, and where it comes from: the registries as a text."""
    head = "# Method\n\nMade from the registries by `python docs/make.py`; do not edit. The Method page of the dashboard shows the same.\n"
    parts = [head]
    for title, chapter in chapters().items():
        parts.append(f"## {title}\n\n{chapter.introduction}\n")
        for spec in chapter.specs:
            formula = f"$$ {spec.formula} $$\n\n" if spec.formula else ""
            pitfall = f"Pitfall: {spec.pitfall}\n\n" if spec.pitfall else ""
            source = f"Source: {spec.reference}\n" if spec.reference else ""
            parts.append(f"### {spec.label} (`{spec.name}`)\n\n{spec.summary}\n\n{formula}{pitfall}{source}")
    return "\n".join(parts)


def _entry(name: str, thing: Any) -> str:
    if isinstance(thing, Registry):
        rows = "".join(f"| `{s.name}` | {s.label} | {_cell(s.summary)} |\n" for s in thing)
        return f"## {name}\n\nRegister of every {thing.kind}.\n\n| name | label | answers |\n|---|---|---|\n{rows}"
    if isinstance(thing, dict):
        rows = "".join(f"| `{key}` | {_cell(getattr(value, 'summary', ''))} |\n" for key, value in thing.items())
        return f"## {name}\n\n| name | about |\n|---|---|\n{rows}"
    text = f"## {name}\n\n```python\n{_signature(name, thing)}\n```\n\n```text\n{inspect.getdoc(thing) or ''}\n```\n"
    if inspect.isclass(thing):
        own = [(n, m) for n, m in vars(thing).items() if not n.startswith("_") and inspect.isfunction(m)]
        text += "".join(
            f"\n- `{_signature(n, m)}` {(inspect.getdoc(m) or '').splitlines()[0]}" for n, m in own if inspect.getdoc(m)
        )
        text += "\n" if own else ""
    return text


def _signature(name: str, thing: Any) -> str:
    """Name and parameters without defaults that differ from run to run."""
    shown = []
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.name != "self":
            plain = isinstance(parameter.default, (str, int, float, bool, tuple, type(None)))
            default = "" if parameter.default is parameter.empty else f"={parameter.default!r}" if plain else "=…"
            star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
            shown.append(f"{star}{parameter.name}{default}")
    return f"{name}({', '.join(shown)})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
