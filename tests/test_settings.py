"""Settings: both ways without loss, every wrong entry named, the shipped form in step."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.baselines import BASELINES, BaselineSettings, Sampling, baselines_of_frames
from fairaudit.comparison import COMPARISONS
from fairaudit.contrast import CONTRAST_KINDS, Contrast
from fairaudit.errors import FairAuditError, SettingsError, ValidationError
from fairaudit.injection import Injection
from fairaudit.qmad import QmadSettings, audit_frames
from fairaudit.qmad.settings import CORRECTIONS
from fairaudit.reading import ReadOptions
from fairaudit.schema import COLUMN_TYPES, Schema
from fairaudit.settings import (
    AuditSettings,
    Comment,
    EvaluationChoices,
    ReportOptions,
    TableSettings,
    load_frames,
    parse_settings_text,
    settings_form,
)
from fairaudit.validation import check_frames

SHIPPED = Path(__file__).resolve().parent.parent / "fairaudit" / "data" / "schemas" / "settings.schema.json"


def text_values() -> st.SearchStrategy[str]:
    return st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)


names = text_values()
numbers = st.floats(-1e6, 1e6, allow_nan=False)
scalars = st.one_of(names, st.booleans(), st.integers(-99, 99), numbers)
seeds = st.integers(0, 2**63)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    return Schema(
        label=draw(st.none() | names),
        pos_label=draw(st.none() | scalars | st.tuples(scalars, scalars)),
        score=draw(st.none() | names),
        sensitive_features=draw(st.lists(names, max_size=3)),
        reference_groups=draw(st.dictionaries(names, scalars, max_size=2)),
        types=draw(st.dictionaries(names, st.sampled_from(COLUMN_TYPES), max_size=3)),
        levels=draw(st.dictionaries(names, st.lists(scalars, max_size=3), max_size=2)),
        edges=draw(st.dictionaries(names, st.lists(numbers, max_size=3), max_size=2)),
        decision_threshold=draw(st.none() | numbers),
        missing_groups=draw(st.sampled_from(["own_group", "leave_out"])),
        min_group_size=draw(st.integers(1, 50)),
    )


@st.composite
def qmads(draw: st.DrawFn) -> QmadSettings:
    comparison = draw(st.sampled_from(COMPARISONS.names()))
    p_value, signed = COMPARISONS[comparison].is_p_value, COMPARISONS[comparison].signed
    fitting = [a.name for a in AGGREGATIONS if (p_value or not a.p_values_only) and not (signed and a.name == "harmonic")]
    aggregation = draw(st.sampled_from(fitting))
    weights = st.dictionaries(names, st.floats(0, 10), max_size=2) if AGGREGATIONS[aggregation].weighted else st.just({})
    return QmadSettings(
        attributes=draw(st.none() | st.lists(names, min_size=1, max_size=3).map(tuple)),
        comparison=comparison,
        aggregation=aggregation,
        binning=draw(st.sampled_from(["sequential", "quantile"])),
        bins=draw(st.integers(1, 1000)),
        contrast=Contrast(
            draw(st.sampled_from(CONTRAST_KINDS)), draw(st.none() | st.lists(names, max_size=2).map(tuple)), draw(st.booleans())
        ),
        aggregate_over=draw(
            st.none() | st.sampled_from(["all", "features"]) | st.lists(names, min_size=1, max_size=2).map(tuple)
        ),
        alpha=draw(st.floats(1e-9, 0.999)),
        threshold=draw(st.none() | st.floats(0, 10)),
        weights=draw(weights),
        nominal_as_codes=draw(st.booleans()),
        resamples=draw(st.integers(0, 10_000)),
        correction=draw(st.sampled_from([*CORRECTIONS])),
        seed=draw(seeds),
    )


@st.composite
def all_settings(draw: st.DrawFn) -> AuditSettings:
    tables = draw(st.lists(names, unique=True, max_size=4))
    described = [
        TableSettings(
            name,
            draw(st.none() | names),
            draw(st.none() | names),
            ReadOptions(
                delimiter=draw(st.none() | st.sampled_from([";", "\t", "|"])),
                decimal=draw(st.none() | st.sampled_from([".", ","])),
                keep_markers_as_text=draw(st.booleans() | st.lists(names, max_size=2).map(tuple)),
                sheet=draw(st.none() | names | st.integers(0, 9)),
            ),
        )
        for name in tables
    ]
    comment = st.builds(Comment, names, frame=st.just("") | names, attribute=st.just("") | names)
    scale = Injection(
        "scale", draw(st.floats(0, 1)), {draw(names): draw(names)}, None, (("column", draw(names)), ("factor", 1.3))
    )
    baselines = BaselineSettings(
        metrics=draw(st.none() | st.lists(st.sampled_from(BASELINES.names()), min_size=1, unique=True).map(tuple)),
        sampling=Sampling(seed=draw(seeds), resamples=draw(st.integers(0, 99))),
        thresholds=(("disparate_impact", draw(st.floats(0.1, 1))),),
    )
    return AuditSettings(
        reference=described[0] if described else None,
        targets=tuple(described[1:]),
        schema=draw(st.none() | schemas()),
        qmad=draw(qmads()),
        baselines=draw(st.none() | st.just(baselines)),
        injections=draw(st.sampled_from([(), (scale,)])),
        injection_seed=draw(seeds),
        report=ReportOptions(draw(names), draw(names), tuple(draw(st.lists(comment, max_size=2)))),
    )


@examples(max_examples=40)
@given(all_settings())
def test_nothing_is_lost_on_the_way_to_yaml_and_json(settings: AuditSettings) -> None:
    assert AuditSettings.from_file(settings.to_yaml().encode()) == settings
    assert AuditSettings.from_file(settings.to_json().encode()) == settings
    assert AuditSettings.from_dict(settings.to_dict()) == settings
    jsonschema.validate(settings.to_dict(), json.loads(SHIPPED.read_text(encoding="utf-8")))


def test_an_experiment_survives_too() -> None:
    choices = EvaluationChoices(
        {"kind": "label", "group": {"sex": "M"}, "score": "G3", "threshold": 10},
        levels=(0, 0.5),
        mitigations=("none", "ftu"),
        folds=3,
    )
    settings = AuditSettings(evaluation=choices)
    assert AuditSettings.from_file(settings.to_yaml().encode()) == settings
    assert settings.evaluation is not None and settings.evaluation.arguments()["levels"] == (0, 0.5)


def test_the_shipped_form_is_the_one_of_the_code() -> None:
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    assert shipped == json.loads(json.dumps(settings_form())), "write it again: python docs/make.py"
    jsonschema.Draft202012Validator.check_schema(shipped)


def test_every_entry_of_the_object_is_in_the_form_and_nothing_else() -> None:
    """Each field of each part is an entry of the form, so that the two cannot drift apart."""
    evaluation = EvaluationChoices({"kind": "label", "group": {"sex": "M"}, "score": "G3", "threshold": 10})
    whole = AuditSettings(
        TableSettings("r"),
        (TableSettings("t"),),
        Schema(),
        baselines=BaselineSettings(),
        evaluation=evaluation,
        report=ReportOptions(comments=(Comment("x"),)),
    ).to_dict()
    properties = settings_form()["properties"]
    assert set(whole) == set(properties)
    for section in ("schema", "contrast", "baselines", "evaluation", "report"):
        assert set(whole[section]) == set(properties[section]["properties"]), section
    assert set(whole["qmad"]) | {"pair"} == set(properties["qmad"]["properties"])
    assert set(whole["tables"]["reference"]) == set(properties["tables"]["properties"]["reference"]["properties"])
    reading = properties["tables"]["properties"]["reference"]["properties"]["reading"]["properties"]
    assert set(ReadOptions().to_dict()) == set(reading)
    assert set(whole["report"]["comments"][0]) == set(properties["report"]["properties"]["comments"]["items"]["properties"])


WRONG: dict[str, tuple[str, tuple[str, ...]]] = {
    "unknown section": ("version: 1\nqmd: {}", ("qmd", "Did you mean qmad?")),
    "unknown entry": ("version: 1\nqmad: {bin: 5}", ("qmad.bin", "Did you mean qmad.bins?")),
    "unknown choice": ("version: 1\nqmad: {comparison: kss}", ("qmad.comparison", "Did you mean 'ks'?", "brunner_munzel")),
    "unknown pair": ("version: 1\nqmad: {pair: ks}", ("qmad.pair", "ks-harmonic")),
    "pair and comparison": ("version: 1\nqmad: {pair: ks-harmonic, comparison: ad}", ("qmad", "ks-harmonic", "Leave one")),
    "wrong type": ("version: 1\nqmad: {bins: ten}", ("qmad.bins", "whole number", '"ten"')),
    "number in quotes": ("version: 1\nqmad: {alpha: '0.05'}", ("qmad.alpha", "0.05 without quotes")),
    "exponent without a point": ("version: 1\nqmad: {alpha: 1e-3}", ("qmad.alpha", "1.0e-3")),
    "too small": ("version: 1\nqmad: {bins: 0}", ("qmad.bins", "at least 1")),
    "not a number": ("version: 1\nqmad: {alpha: .nan}", ("qmad.alpha", "finite")),
    "alpha": ("version: 1\nqmad: {alpha: 2}", ("qmad.alpha", "below 1")),
    "yes": ("version: 1\nschema: {label: no}", ("schema.label", "quotes")),
    "yes as a name": ("version: 1\nschema: {types: {no: numeric}}", ("schema.types", "quotes")),
    "nested list": ("version: 1\ntables: {targets: [{name: a, fil: b}]}", ("tables.targets[0].fil", "tables.targets[0].file")),
    "table without a name": ("version: 1\ntables: {targets: [{file: b}]}", ("tables.targets[0].name is missing",)),
    "two tables of one name": ("version: 1\ntables: {targets: [{name: a}, {name: a}]}", ("two tables are named 'a'",)),
    "reading": (
        "version: 1\ntables: {reference: {name: a, reading: {delimiter: ab}}}",
        ("tables.reference.reading", "delimiter"),
    ),
    "column type": ("version: 1\nschema: {types: {age: number}}", ("schema.types.age", "numeric")),
    "injection": ("version: 1\ninjections: [{kind: labels}]", ("injections[0].kind", "'label'")),
    "injection parameter": (
        "version: 1\ninjections: [{kind: label, group: {sex: M}, scor: G3}]",
        ("injections[0]", "'scor'", "'score'"),
    ),
    "metric": ("version: 1\nbaselines: {metrics: [disparate_impct]}", ("baselines.metrics[0]", "disparate_impact")),
    "model": (
        "version: 1\nevaluation: {injection: {kind: label, group: {a: b}, score: s, threshold: 1}, models: [forest]}",
        ("evaluation", "'forest'", "random_forest"),
    ),
    "contrast": ("version: 1\ncontrast: {kind: within}", ("contrast.kind", "within_group")),
    "aggregation that does not fit": (
        "version: 1\nqmad: {comparison: rom, aggregation: fisher}",
        ("qmad", "p-values"),
    ),
    "no version": ("qmad: {bins: 5}", ("version is missing", "version: 2")),
    "other version": ("version: 3", ("version cannot be 3", "1, 2")),
    "repair": ("version: 2\nrepairs: [{action: drop}]", ("repairs[0].action", "drop_repeated_rows")),
    "repair without an action": ("version: 2\nrepairs: [{column: age}]", ("repairs[0].action is missing", "sample")),
    "repair without a column": ("version: 2\nrepairs: [{action: ignore}]", ("repairs[0]", "names no column")),
    "sample without a size": ("version: 2\nrepairs: [{action: sample, seed: 1}]", ("repairs[0]", "rows of a sample")),
    "no mapping": ("[1, 2]", ("must hold entries",)),
    "empty": ("", ("empty",)),
    "no yaml": ("version: [1", ("neither YAML nor JSON", "line")),
    "twice": ("version: 1\nqmad: {bins: 5, bins: 6}", ("'bins' twice", "line 2")),
    "alias": ("version: &a 1\ninjection_seed: *a", ("refers to another part",)),
    "code": ("version: !!python/object/apply:os.getcwd []", ("YAML",)),
    "impossible date": ("version: 1\nreport: {auditor: 2020-99-99}", ("date",)),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_entry_is_named_with_what_would_be_right(case: str) -> None:
    content, expected = WRONG[case]
    with pytest.raises(FairAuditError) as caught:
        AuditSettings.from_file(content.encode())
    message = str(caught.value)
    for part in expected:
        assert part in message, message
    assert caught.value.remedy


def test_all_wrong_entries_are_reported_together() -> None:
    with pytest.raises(ValidationError) as caught:
        AuditSettings.from_file(b"version: 1\nqmad: {bins: 0, alpha: x, sed: 1}")
    assert len(caught.value.problems) == 3


@given(st.binary(max_size=60) | text_values().map(str.encode))
def test_any_bytes_are_settings_or_a_sentence(content: bytes) -> None:
    try:
        AuditSettings.from_file(content)
    except FairAuditError as error:
        assert error.problem.endswith(".") and error.remedy


@pytest.mark.parametrize("content", ["[" * 20_000, "a: " * 200, "{" * 3000 + "}" * 3000, "[" + "[1],\n" * 30_000 + "]"])
def test_deep_and_long_text_is_refused(content: str) -> None:
    with pytest.raises(SettingsError):
        parse_settings_text(content)


def test_a_short_text_cannot_grow() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    with pytest.raises(SettingsError, match="refers to another part"):
        parse_settings_text("\n".join(lines))


def test_utf16_and_a_byte_order_mark_are_read() -> None:
    text = "version: 1\nreport: {auditor: Żaneta}"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert AuditSettings.from_file(text.encode(encoding)).report.auditor == "Żaneta"
    with pytest.raises(SettingsError, match="UTF-8"):
        AuditSettings.from_file(text.encode("cp1250"))


def test_a_named_pair_becomes_its_parts() -> None:
    settings = AuditSettings.from_dict({"version": 1, "qmad": {"pair": "qdd"}})
    assert (settings.qmad.comparison, settings.qmad.aggregation, settings.qmad.aggregate_over) == (
        "mean_difference",
        "arithmetic",
        "prediction",
    )


def test_one_contrast_for_everything() -> None:
    contrast = Contrast("within_group", ("sex",))
    settings = AuditSettings(qmad=QmadSettings(contrast=contrast), baselines=BaselineSettings())
    assert settings.baseline_settings().contrast == contrast
    assert replace(settings, baselines=None).baseline_settings().contrast == contrast


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path, "nul\0byte"):
        with pytest.raises(SettingsError, match="cannot be opened"):
            AuditSettings.from_file(path)


def _tables(folder: Path) -> dict[str, pd.DataFrame]:
    rows = {"sex": list("FMFM") * 20, "pay": [float(i % 7) for i in range(80)], "hired": ["no", "yes", "yes", "no"] * 20}
    tables = {"before": pd.DataFrame(rows), "after": pd.DataFrame(rows | {"pay": [float(i % 9) for i in range(80)]})}
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return tables


def test_saved_settings_give_the_same_numbers(tmp_path: Path) -> None:
    tables = _tables(tmp_path)
    frames = check_frames(tables["before"], {"after": tables["after"]})
    first = AuditSettings(qmad=QmadSettings(bins=4, resamples=0), baselines=BaselineSettings(sampling=Sampling(resamples=20)))
    saved = first.with_frames(frames, {"reference": "before.csv", "after": "after.csv"})
    path = tmp_path / "settings.yaml"
    path.write_text(saved.to_yaml(), encoding="utf-8")
    again = AuditSettings.from_file(path)
    loaded = load_frames(again, tmp_path)
    assert again.changed_tables(loaded) == ()
    pd.testing.assert_frame_equal(
        audit_frames(loaded, again.qmad_settings()).attributes(), audit_frames(frames, first.qmad_settings()).attributes()
    )
    pd.testing.assert_frame_equal(
        baselines_of_frames(loaded, again.baseline_settings()).to_frame(),
        baselines_of_frames(frames, first.baseline_settings()).to_frame(),
    )
    tables["after"].iloc[:-1].to_csv(tmp_path / "after.csv", index=False)
    assert again.changed_tables(load_frames(again, tmp_path)) == ("after",)


def test_settings_hold_no_data(tmp_path: Path) -> None:
    secret = "a very private answer"
    table = pd.DataFrame({"note": [secret, "b"] * 20, "pay": [1.5, 2.5] * 20})
    frames = check_frames(table, {"after": table}, {"types": {"note": "text"}})
    assert secret not in AuditSettings().with_frames(frames).to_yaml()


def test_settings_without_a_target_give_the_reference_alone(tmp_path: Path) -> None:
    table = pd.DataFrame({"sex": ["F", "M"] * 20, "pay": np.arange(40) * 1.5})
    table.to_csv(tmp_path / "a.csv", index=False)
    frames = load_frames(AuditSettings(reference=TableSettings("a", "a.csv")), tmp_path)
    saved = AuditSettings.from_file(AuditSettings().with_frames(frames, {"a": "a.csv"}).to_yaml().encode())
    assert load_frames(saved, tmp_path).fingerprint == frames.fingerprint and frames.targets == ()


def test_settings_without_tables_say_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no reference table"):
        load_frames(AuditSettings())
    settings: Any = AuditSettings(reference=TableSettings("a", "a.csv"), targets=(TableSettings("b"),))
    with pytest.raises(FairAuditError, match=r"a\.csv.*There is 1 more"):
        load_frames(settings, tmp_path)
