"""Write what is made from the code: ``python docs/make.py`` makes docs/api.md and the JSON Schemas that ship with the package."""

from __future__ import annotations

import json
from pathlib import Path

from fairaudit.reporting.documents import result_form
from fairaudit.settings import settings_form

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "fairaudit" / "data" / "schemas"


def made() -> dict[Path, str]:
    """Every made file with its text."""

    def form(values: object) -> str:
        return json.dumps(values, indent=1, ensure_ascii=False) + "\n"

    return {SCHEMAS / "settings.schema.json": form(settings_form()), SCHEMAS / "result.schema.json": form(result_form())}


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
