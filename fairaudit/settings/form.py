"""The form of a settings file: a JSON Schema made from the registries, and sentences for everything that does not fit it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.baselines import BASELINES
from fairaudit.baselines.features import ENCODINGS
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS
from fairaudit.contrast import CONTRAST_KINDS, ReferenceRule
from fairaudit.errors import FairAuditError, SettingsError, ValidationError, nearest
from fairaudit.injection import INJECTIONS
from fairaudit.qmad.pairs import PAIRS
from fairaudit.qmad.settings import CORRECTIONS, MAX_BINS
from fairaudit.schema import COLUMN_TYPES, MissingGroups
from fairaudit.settings.text import shown
from fairaudit.validation.remedies import ACTIONS

Form = dict[str, Any]

TYPE_WORDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a group of entries",
    "null": "nothing",
}


def _of(kind: str | Sequence[str], meaning: str, *, empty: bool = False, **rest: Any) -> Form:
    kinds = [kind] if isinstance(kind, str) else list(kind)
    if empty:
        kinds.append("null")
    return {"description": meaning, "type": kinds[0] if len(kinds) == 1 else kinds, **rest}


def _choice(names: Iterable[str], meaning: str, *, empty: bool = False) -> Form:
    known: list[str | None] = [*names]
    return {"description": meaning, "enum": [*known, None] if empty else known}


def _list(item: Form, meaning: str, *, empty: bool = False, **rest: Any) -> Form:
    return _of("array", meaning, empty=empty, items=item, **rest)


def _map(value: Form, meaning: str) -> Form:
    return _of("object", meaning, additionalProperties=value)


def _section(meaning: str, properties: dict[str, Form], *, empty: bool = False, required: Sequence[str] = ()) -> Form:
    section = _of("object", meaning, empty=empty, properties=properties, additionalProperties=False)
    return section | {"required": list(required)} if required else section


def text(meaning: str, *, empty: bool = False) -> Form:
    """Form of a text entry."""
    return _of("string", meaning, empty=empty)


SCALAR = ("string", "number", "boolean")
SEED: Form = _of("integer", "Seed of every random step.", minimum=0)


def _reading() -> Form:
    return _section(
        "How to read the file; what is left out is decided from its content.",
        {
            "delimiter": text("One character between the values.", empty=True),
            "encoding": text("Character encoding, such as utf-8.", empty=True),
            "decimal": _choice([".", ","], "Decimal mark.", empty=True),
            "thousands": text("Mark between groups of three digits.", empty=True),
            "header": _of("boolean", "Whether the first row holds the names.", empty=True),
            "missing_markers": _list(text("A cell that means missing."), "Cells that mean missing.", empty=True),
            "keep_markers_as_text": _of(("boolean", "array"), "Columns where markers are real answers, or true for all."),
            "sheet": _of(("string", "integer"), "Sheet of an Excel file: name, or position from 0.", empty=True),
        },
    )


def _table() -> Form:
    return _section(
        "A table: its name, and the file it came from. Never its data.",
        {
            "name": text("How the table is called in results."),
            "file": text("Name or path of the file, relative to the settings file.", empty=True),
            "fingerprint": text("Fingerprint of the table when the settings were saved.", empty=True),
            "reading": _reading(),
        },
        required=["name"],
    )


def _schema(empty: bool = True) -> Form:
    return _section(
        "Roles and types of the columns; nothing means that they are proposed from the data.",
        {
            "label": text("Column with the true outcome.", empty=True),
            "pos_label": _of((*SCALAR, "array"), "Favourable value, or a list of them.", empty=True),
            "score": text("Column with the number that decisions are made from.", empty=True),
            "prediction": text("Column with the model's output.", empty=True),
            "sensitive_features": _list(text("A column."), "Columns that define groups of people."),
            "reference_groups": _map(_of(SCALAR, "A value."), "Per sensitive column the group that others are compared with."),
            "types": _map(_choice(COLUMN_TYPES, "A type."), "Types of columns."),
            "levels": _map(_list(_of(SCALAR, "A level."), "Lowest first."), "Order of the levels of ordinal columns."),
            "edges": _map(_list(_of("number", "An edge."), "Inner edges."), "Edges by which numeric sensitive columns are cut."),
            "ignored": _list(text("A column."), "Columns that take no part."),
            "decision_threshold": _of("number", "Predictions or scores from here on are favourable.", empty=True),
            "missing_groups": _choice(get_args(MissingGroups), "What happens to rows without a sensitive value."),
            "min_group_size": _of("integer", "Smaller groups are not measured.", minimum=1),
        },
        empty=empty,
    )


def _repair() -> Form:
    return _section(
        "Something that is done to the tables after they were read.",
        {
            "action": _choice(ACTIONS, "What is done."),
            "table": text("Which table; nothing means all of them."),
            "column": text("Which column."),
            "values": _list(_of(SCALAR, "A value."), "Values that are read as missing."),
            "rows": _of("integer", "Rows of a sample; tables that are not larger stay whole.", minimum=1),
            "seed": _of("integer", "Seed of a sample.", minimum=0),
        },
        required=["action"],
    )


def _contrast() -> Form:
    return _section(
        "Who is compared with whom.",
        {
            "kind": _choice(CONTRAST_KINDS, "The sides of a comparison."),
            "features": _list(text("A column."), "Sensitive columns; nothing means those of the schema.", empty=True),
            "intersections": _of("boolean", "Whether groups are combinations of values of several columns."),
            "reference_rule": _choice(get_args(ReferenceRule), "How a reference group is found where none is named."),
        },
    )


def _qmad() -> Form:
    return _section(
        "The QMAD audit.",
        {
            "pair": _choice(PAIRS, "A named pair, instead of comparison, aggregation and aggregate_over.", empty=True),
            "attributes": _list(text("A column."), "Columns to compare; nothing means all that can be.", empty=True, minItems=1),
            "comparison": _choice(COMPARISONS.names(), "Comparison function."),
            "aggregation": _choice(AGGREGATIONS.names(), "Aggregation function."),
            "binning": _choice(BINNINGS.names(), "How bins are cut."),
            "bins": _of("integer", "Number of bins.", minimum=1, maximum=MAX_BINS),
            "aggregate_over": _of(
                ("string", "array"), "all, features, prediction, or a list of columns for the overall score.", empty=True
            ),
            "alpha": _of("number", "Level of the verdicts.", exclusiveMinimum=0, exclusiveMaximum=1),
            "threshold": _of("number", "Score from which the uncalibrated rule raises a flag.", empty=True, minimum=0),
            "weights": _map(_of("number", "A weight."), "Weights of attributes in the overall score."),
            "normalise": _of("boolean", "Bring attribute scores to 0 to 1 first."),
            "nominal_as_codes": _of("boolean", "Compare nominal columns by label codes, as the paper does."),
            "shuffle": _of("boolean", "Put the rows in a seeded random order first."),
            "resamples": _of("integer", "Largest number of permutations; 0 leaves the calibration out.", minimum=0),
            "stability": _of("integer", "Bootstrap resamples for how firm a verdict is; 0 leaves it out.", minimum=0),
            "detectable": _of(
                "integer", "Data sets for how small a difference would have been found; 0 leaves it out.", minimum=0
            ),
            "correction": _choice(CORRECTIONS, "How calibrated p-values are corrected for being many."),
            "seed": SEED,
        },
    )


def _baselines() -> Form:
    return _section(
        "Classical metrics; nothing means that they are left out.",
        {
            "metrics": _list(_choice(BASELINES.names(), "A metric."), "Metrics; nothing means the default ones.", empty=True),
            "threshold": _of("number", "Predictions or scores from here on are favourable.", empty=True),
            "thresholds": _map(_of("number", "A line.", minimum=0), "Other lines for the verdicts, by metric."),
            "encoding": _choice(ENCODINGS, "How categories become numbers for consistency."),
            "level": _of("number", "Level of the intervals.", exclusiveMinimum=0, exclusiveMaximum=1),
            "resamples": _of("integer", "Bootstrap repeats; 0 for closed forms only.", minimum=0),
            "seed": SEED,
            "neighbour_rows": _of("integer", "Rows scored by their neighbours; nothing means all.", empty=True, minimum=1),
            "concentration": _of("number", "Smoothing of the empirical differential fairness.", minimum=0),
            "bins": _of("integer", "Bins of the quantile demographic disparity.", minimum=1),
        },
        empty=True,
    )


def _injection() -> Form:
    return {
        "description": "A planted bias; other entries are parameters of its kind.",
        "type": "object",
        "required": ["kind"],
        "properties": {
            "kind": _choice(INJECTIONS.names(), "Kind of bias."),
            "strength": _of("number", "0 changes nothing, 1 is the full bias.", minimum=0, maximum=1),
            "group": _of("object", "Whose rows: column to value, list of values, or {min, max}."),
            "seed": _of("integer", "Seed of this step.", empty=True, minimum=0),
        },
    }


def _evaluation() -> Form:
    # The names of models and mitigation methods are checked by the evaluation itself: importing them here would cost every start a second.
    return _section(
        "Fair-versus-biased experiment; nothing means none.",
        {
            "injection": _injection(),
            "levels": _list(_of("number", "A strength.", minimum=0, maximum=1), "Strengths of the bias.", minItems=1),
            "models": _list(text("A model."), "Models.", minItems=1),
            "mitigations": _list(text("A method."), "Mitigation methods; nothing means all.", empty=True, minItems=1),
            "folds": _of("integer", "Folds; nothing means 5 for selection biases and 10 for others.", empty=True, minimum=3),
            "seed": SEED,
            "stratified": _of("boolean", "Whether each fold has the same shares of groups and labels."),
            "train_on": _choice(["all", "privileged"], "Which rows train the models."),
            "group": _of("object", "Who is unprivileged; nothing means as the bias or the schema say.", empty=True),
            "engine": _choice(["numpy", "aif360"], "Whose implementation of the methods runs."),
        },
        empty=True,
        required=["injection"],
    )


def _report() -> Form:
    comment = _section(
        "A remark of the auditor.",
        {
            "text": text("The remark."),
            "frame": text("Target table that it is about; empty for all."),
            "group": text("Group that it is about; empty for all."),
            "attribute": text("Attribute that it is about; empty for all."),
        },
        required=["text"],
    )
    return _section(
        "What the auditor adds to the report.",
        {
            "auditor": text("Who made the audit."),
            "purpose": text("What the audit is for."),
            "comments": _list(comment, "Remarks, in general or on a finding."),
        },
    )


def settings_form() -> Form:
    """JSON Schema (draft 2020-12) of a settings file, with the names that are registered now."""
    tables = _section(
        "Names, files and fingerprints of the tables.",
        {
            "reference": _table() | {"type": ["object", "null"]},
            "targets": _list(_table(), "Target tables in the order of time."),
        },
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fairaudit settings",
        **_section(
            "Everything that can be chosen for an audit with fairaudit; it holds no data.",
            {
                "version": {"description": "Version of this form; files of older versions are read as they are.", "enum": [1, 2]},
                "tables": tables,
                "schema": _schema(),
                "repairs": _list(_repair(), "Repairs of the tables, in order; the schema is the one after all of them."),
                "contrast": _contrast(),
                "qmad": _qmad(),
                "baselines": _baselines(),
                "injections": _list(_injection(), "Planted biases, in order."),
                "injection_seed": SEED,
                "evaluation": _evaluation(),
                "report": _report(),
            },
            required=["version"],
        ),
    }


def check_form(values: Mapping[str, Any], form: Form | None = None) -> None:
    """Hold plain values against the form.

    Raises
    ------
    SettingsError, ValidationError
        Every entry that does not fit, by its dotted path, with the choices.
    """
    from jsonschema import Draft202012Validator

    errors = sorted(
        Draft202012Validator(form or settings_form()).iter_errors(values), key=lambda e: [str(p) for p in e.absolute_path]
    )
    problems: list[FairAuditError] = [problem for error in errors for problem in _sentences(error)]
    if problems:
        raise problems[0] if len(problems) == 1 else ValidationError(problems)


def dotted(path: Iterable[Any]) -> str:
    """A path such as ``tables.targets[0].name``."""
    result = ""
    for part in path:
        result += f"[{part}]" if isinstance(part, int) else f".{part}" if result else str(part)
    return result


def _sentences(error: Any) -> list[FairAuditError]:
    path, value, rule = dotted(error.absolute_path), error.instance, error.validator_value
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        return [_unknown_entry(path, key, known) for key in value if key not in known]
    if error.validator == "required":
        # One error a missing name; which one is only in the message.
        missing = next(key for key in rule if key not in value and f"{key!r} is" in error.message)
        return [SettingsError(f"The entry {dotted([*error.absolute_path, missing])} is missing.", _required_help(missing))]
    if error.validator in ("enum", "const"):
        names = [str(n) for n in (rule if error.validator == "enum" else [rule]) if n is not None]
        guess = nearest(value, names) if isinstance(value, str) else None
        hint = f"Did you mean {guess!r}? " if guess else _boolean_hint(value)
        return [SettingsError(f"{path} cannot be {shown(value)}.", f"{hint}Choices: {', '.join(names)}.")]
    if error.validator == "type":
        kinds = [rule] if isinstance(rule, str) else rule
        words = " or ".join(TYPE_WORDS[k] for k in kinds if k != "null")
        return [SettingsError(f"{path or 'The file'} must be {words}. Got {shown(value)}.", _type_help(value, kinds))]
    limits = {
        "minimum": f"at least {rule}",
        "maximum": f"at most {rule}",
        "exclusiveMinimum": f"above {rule}",
        "exclusiveMaximum": f"below {rule}",
        "minItems": "a list with at least one item",
    }
    return [SettingsError(f"{path} must be {limits[error.validator]}. Got {shown(value)}.", error.schema.get("description", ""))]


def _unknown_entry(path: str, key: str, known: list[str]) -> FairAuditError:
    guess = nearest(key, known)
    prefix = f"{path}." if path else ""
    hint = f"Did you mean {prefix}{guess}? " if guess else ""
    place = f"Choices under {path}" if path else "Choices"
    return SettingsError(f"There is no entry {prefix}{key}.", f"{hint}{place}: {', '.join(known)}.")


def _required_help(key: str) -> str:
    return {
        "version": "Write version: 2 at the top.",
        "action": f"Choices: {', '.join(ACTIONS)}.",
        "kind": f"Choices: {', '.join(INJECTIONS.names())}.",
        "name": "Give the table a name.",
        "injection": "Name the bias whose strength the levels set.",
        "text": "Write the remark, or remove it.",
    }[key]


def _boolean_hint(value: Any) -> str:
    return (
        'YAML reads yes, no, on and off as true and false: put them in quotes, such as "no". ' if isinstance(value, bool) else ""
    )


def _type_help(value: Any, kinds: Sequence[str]) -> str:
    if isinstance(value, bool) and "string" in kinds:
        return _boolean_hint(value).strip()
    if isinstance(value, str) and {"number", "integer"} & set(kinds):
        try:
            number = float(value)
        except ValueError:
            return "Write it without quotes, as 10 or 0.05."
        return f"Write {number!r} without quotes; small numbers need a point, as 1.0e-3."
    if isinstance(value, (int, float)) and "string" in kinds:
        return f'Put it in quotes: "{value}".'
    if "array" in kinds:
        return "Write a list: [first, second]."
    return "Write one entry a line, as name: value." if "object" in kinds else "See docs/settings.md."
