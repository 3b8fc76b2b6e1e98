"""Results as JSON: the same text for the same audit, apart from the date, in a form that a shipped JSON Schema describes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fairaudit.baselines import METRIC_COLUMNS, BaselineResult, ImpactRatios
from fairaudit.inference import row_order_findings
from fairaudit.results import ATTRIBUTE_COLUMNS, BIN_COLUMNS, OVERALL_COLUMNS, VERDICT_LABELS, AuditResult
from fairaudit.schema import Finding, Frames
from fairaudit.settings import AuditSettings
from fairaudit.settings.text import plain_value

if TYPE_CHECKING:
    from fairaudit.detectability import DetectabilityResult
    from fairaudit.evaluation import EvaluationResult
    from fairaudit.injection import Injected


def audit_document(
    result: AuditResult,
    *,
    settings: AuditSettings | None = None,
    frames: Frames | None = None,
    baselines: BaselineResult | None = None,
    impact: Mapping[str, ImpactRatios] | None = None,
    injected: Injected | None = None,
    detectability: DetectabilityResult | None = None,
    evaluation: EvaluationResult | None = None,
) -> dict[str, Any]:
    """Everything that was found, as plain values.

    Parameters
    ----------
    result : AuditResult
    settings : AuditSettings, optional
        Put into ``provenance`` as ``audit_settings``; a settings file can be made of it.
    frames : Frames, optional
        For the findings about the data.
    baselines : BaselineResult, optional
    impact : mapping of str to ImpactRatios, optional
        Impact ratios by table.
    injected : Injected, optional
    detectability : DetectabilityResult, optional
    evaluation : EvaluationResult, optional

    Returns
    -------
    dict
        ``bins``, ``attributes``, ``overall`` (lists of records), ``findings``, ``provenance``, and an entry for each part that is given.
        Undefined numbers are None, infinite ones the texts "Infinity" and "-Infinity".
    """
    document = result.to_dict()
    provenance = dict(document.pop("provenance"))
    if settings is not None:
        provenance["audit_settings"] = settings.to_dict()
    document["findings"] = [asdict(f) for f in (data_findings(frames) if frames is not None else result.findings)]
    if baselines is not None:
        parts = baselines.to_dict()
        provenance["baselines"] = {k: v for k, v in parts.pop("provenance").items() if k in ("settings", "rule", "outcome")}
        document |= parts
    if impact is not None:
        document["impact_ratios"] = {name: ratios.to_dict() for name, ratios in impact.items()}
    if injected is not None:
        document["injected"] = injected.to_dict()
    if detectability is not None:
        document["detectability"] = detectability.to_dict()
    if evaluation is not None:
        document["evaluation"] = evaluation.to_dict()
    document["provenance"] = provenance
    plain: dict[str, Any] = finite(plain_value(document))
    return plain


def to_json(document: Mapping[str, Any]) -> str:
    """Plain values as JSON text: one line a record, numbers with all digits, no NaN."""
    parts = []
    for key, value in document.items():
        if isinstance(value, list):
            rows = ",\n".join("  " + _line(row) for row in value)
            text = f"[\n{rows}\n ]" if rows else "[]"
        else:
            text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).replace("\n", "\n ")
        parts.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def data_findings(frames: Frames) -> tuple[Finding, ...]:
    """Everything that reading and checking the tables showed, with what the order of their rows says."""
    found: list[Finding] = [f for table in frames.tables for f in table.findings]
    found += frames.findings
    for table in frames.tables:
        found += row_order_findings(table)
    ranks = ("error", "warning", "info")
    return tuple(sorted(dict.fromkeys(found), key=lambda f: ranks.index(f.severity)))


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def finite(value: Any) -> Any:
    """Plain values in which NaN is None, and infinity the text "Infinity" or "-Infinity": JSON knows neither."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [finite(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


_NUMBER: dict[str, Any] = {"anyOf": [{"type": ["number", "null"]}, {"enum": ["Infinity", "-Infinity"]}]}
_TEXT = {"type": "string"}
_COUNT = {"type": ["integer", "null"], "minimum": 0}
_VERDICT = {"enum": [*VERDICT_LABELS]}
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("frame", "group", "attribute", "comparison", "metric", "direction", "note", "rule"), _TEXT),
    **dict.fromkeys(("n_target", "n_reference", "bins_used", "bins_defined"), _COUNT),
    "bin": {"type": "integer", "minimum": 1},
    "paper_flag": {"type": ["boolean", "null"]},
    "verdict": _VERDICT,
    "p_value": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
    "p_adjusted": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
}


def _rows(columns: Iterable[str], meaning: str) -> dict[str, Any]:
    properties = {c: _KINDS.get(c, _NUMBER) for c in columns}
    return {
        "description": meaning,
        "type": "array",
        "items": {"type": "object", "required": [*properties], "properties": properties},
    }


def result_form() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of ``audit_document``. Rows may hold more columns than it names."""
    finding = dict.fromkeys(Finding.__dataclass_fields__, _TEXT) | {"severity": {"enum": ["error", "warning", "info"]}}
    texts = {"type": "object", "additionalProperties": _TEXT}
    provenance = {
        "settings": {"type": "object", "description": "Choices of the audit."},
        "schema": {"type": "object", "description": "Roles and types of the columns."},
        "fingerprints": texts | {"description": "SHA-256 of each table and the schema."},
        "rows": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
        "samples": {
            "type": "object",
            "description": "Tables that are a seeded random sample: rows drawn, of how many, and how many were not sampled.",
            "additionalProperties": {
                "type": "object",
                "required": ["rows", "of", "seed", "not_sampled"],
                "additionalProperties": {"type": "integer", "minimum": 0},
            },
        },
        "reference": _TEXT,
        "versions": texts,
        "created": {"type": "string", "description": "The time in UTC; the only entry that differs between two equal audits."},
        "audit_settings": {"type": "object", "description": "As in settings.schema.json."},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fairaudit result",
        "description": "What an audit found. Undefined numbers are null and have a reason in note.",
        "type": "object",
        "required": ["bins", "attributes", "overall", "findings", "provenance"],
        "properties": {
            "bins": _rows(BIN_COLUMNS, "Score, sizes and means of each bin."),
            "attributes": _rows(ATTRIBUTE_COLUMNS, "Score, effect and verdict of each attribute."),
            "overall": _rows(OVERALL_COLUMNS, "Overall score and verdict of each frame and group."),
            "findings": {
                "description": "What reading and checking the tables showed.",
                "type": "array",
                "items": {"type": "object", "required": [*finding], "properties": finding},
            },
            "provenance": {
                "description": "Where the numbers come from.",
                "type": "object",
                "required": [key for key in provenance if key not in ("samples", "audit_settings")],
                "properties": provenance,
            },
            "baselines": _rows(METRIC_COLUMNS, "Classical metrics."),
            "groups": _rows(("frame", "group", "n", "note"), "Sizes and rates of groups."),
            "quantile_bins": _rows(("frame", "group", "bin", "score"), "Quantile demographic disparity."),
            "impact_ratios": {"description": "Impact ratios of each table.", "type": "object"},
            "injected": {"description": "Planted biases and what they changed.", "type": "object"},
            "detectability": {"description": "How often each metric raises a flag, by strength.", "type": "object"},
            "evaluation": {"description": "Fair against biased evaluation.", "type": "object"},
        },
    }
