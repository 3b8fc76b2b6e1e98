"""AuditSettings: everything that can be chosen, checked, and back again as YAML or JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fairaudit.baselines import BaselineSettings, Sampling
from fairaudit.contrast import Contrast
from fairaudit.errors import FairAuditError, SettingsError
from fairaudit.injection import DEFAULT_SEED, Injection
from fairaudit.injection.description import check_seed
from fairaudit.qmad.pairs import named_pair
from fairaudit.qmad.settings import AGGREGATE_SETS, QmadSettings
from fairaudit.reading import ReadOptions
from fairaudit.schema import Frames, Schema
from fairaudit.settings.form import check_form
from fairaudit.settings.text import parse_settings_text, plain_value, to_yaml_text
from fairaudit.validation import Remedy

VERSION = 2
"""Version 2 has repairs; files of version 1 are read as they are."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class TableSettings:
    """A table by name: where it came from and how it was read, never what is in it.

    Attributes
    ----------
    name : str
    file : str or None
        Name or path of the file, relative to the settings file.
    fingerprint : str or None
        Of the checked table when the settings were saved.
    reading : ReadOptions
    """

    name: str
    file: str | None = None
    fingerprint: str | None = None
    reading: ReadOptions = field(default_factory=ReadOptions)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; reading options that were left open are left out."""
        left_open = ReadOptions().to_dict()
        reading = {k: v for k, v in self.reading.to_dict().items() if v != left_open[k]}
        return {"name": self.name, "file": self.file, "fingerprint": self.fingerprint, "reading": reading}


@dataclass(frozen=True)
class EvaluationChoices:
    """The fair-versus-biased experiment; the entries are the arguments of ``fairaudit.evaluate``.

    Attributes
    ----------
    injection : dict
        The planted bias; its strength is set by the levels.
    levels : tuple of float
    models : tuple of str
    mitigations : tuple of str or None
        None: all.
    folds : int or None
    seed : int
    stratified : bool
    train_on : {"all", "privileged"}
    group : dict or None
    engine : {"numpy", "aif360"}
    """

    injection: dict[str, Any]
    levels: tuple[float, ...] = tuple(round(0.1 * k, 1) for k in range(10))
    models: tuple[str, ...] = ("random_forest",)
    mitigations: tuple[str, ...] | None = None
    folds: int | None = None
    seed: int = 0
    stratified: bool = False
    train_on: str = "all"
    group: dict[str, Any] | None = None
    engine: str = "numpy"

    def __post_init__(self) -> None:
        """Check the entries as the evaluation will."""
        # Models and mitigation methods bring scikit-learn along, which settings without an experiment can do without.
        from fairaudit.evaluation.settings import checked_settings
        from fairaudit.mitigation import MITIGATIONS

        put = object.__setattr__
        put(self, "injection", plain_value(self.injection))
        put(self, "levels", tuple(self.levels))
        put(self, "models", (self.models,) if isinstance(self.models, str) else tuple(self.models))
        if self.mitigations is not None:
            put(self, "mitigations", (self.mitigations,) if isinstance(self.mitigations, str) else tuple(self.mitigations))
        if self.group is not None:
            put(self, "group", plain_value(self.group))
        # Who is unprivileged may be known only when the table is; any group will do for checking the rest.
        group = self.injection.get("group") or self.group or {"group": "unprivileged"}
        checked_settings(
            {**self.injection, "group": group},
            self.levels,
            self.models,
            MITIGATIONS.names() if self.mitigations is None else self.mitigations,
            self.folds,
            self.seed,
            self.stratified,
            self.train_on,
            self.engine,
            group,
        )

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments for ``fairaudit.evaluate``."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        plain: dict[str, Any] = plain_value(self.arguments())
        return plain


@dataclass(frozen=True)
class Comment:
    """A remark of the auditor, on a finding or in general (empty names mean all).

    Attributes
    ----------
    text, frame, group, attribute : str
    """

    text: str
    frame: str = ""
    group: str = ""
    attribute: str = ""

    def concerns(self, frame: str, group: str, attribute: str) -> bool:
        """Whether the remark is about this finding; a remark without any name is about none in particular."""
        own = (self.frame, self.group, self.attribute)
        return any(own) and all(not a or a == b for a, b in zip(own, (frame, group, attribute), strict=True))


@dataclass(frozen=True)
class ReportOptions:
    """What the auditor adds to the report.

    Attributes
    ----------
    auditor, purpose : str
    comments : tuple of Comment
    """

    auditor: str = ""
    purpose: str = ""
    comments: tuple[Comment, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"auditor": self.auditor, "purpose": self.purpose, "comments": [vars(c).copy() for c in self.comments]}


@dataclass(frozen=True)
class AuditSettings:
    """Everything that can be chosen for an audit.

    Attributes
    ----------
    reference : TableSettings or None
    targets : tuple of TableSettings
    schema : Schema or None
        None: roles and types are proposed from the data.
    repairs : tuple of Remedy
        What is done to the tables after reading, in order; the schema is the one after all of them.
    qmad : QmadSettings
        Holds the contrast, which the classical metrics share.
    baselines : BaselineSettings or None
        None: without classical metrics.
    injections : tuple of Injection
        For ``fairaudit.inject``; an audit itself plants nothing.
    injection_seed : int
    evaluation : EvaluationChoices or None
    report : ReportOptions
    version : int
        Of the form.

    Examples
    --------
    >>> settings = AuditSettings.from_dict({"version": 1, "qmad": {"pair": "rom-arithmetic", "bins": 5}})
    >>> settings.qmad.comparison, settings.qmad.bins
    ('rom', 5)
    >>> AuditSettings.from_file(settings.to_yaml().encode()) == settings
    True
    """

    reference: TableSettings | None = None
    targets: tuple[TableSettings, ...] = ()
    schema: Schema | None = None
    repairs: tuple[Remedy, ...] = ()
    qmad: QmadSettings = field(default_factory=QmadSettings)
    baselines: BaselineSettings | None = None
    injections: tuple[Injection, ...] = ()
    injection_seed: int = DEFAULT_SEED
    evaluation: EvaluationChoices | None = None
    report: ReportOptions = field(default_factory=ReportOptions)
    version: int = VERSION

    def __post_init__(self) -> None:
        """One contrast for everything; unique names of tables."""
        put = object.__setattr__
        put(self, "targets", tuple(self.targets))
        put(self, "repairs", tuple(self.repairs))
        put(self, "injections", tuple(self.injections))
        check_seed(self.injection_seed)
        if self.version != VERSION:
            raise SettingsError(
                f"Settings of version {self.version!r} are not known.", f"This program reads versions 1 to {VERSION}."
            )
        if self.baselines is not None and self.baselines.contrast != self.contrast:
            put(self, "baselines", replace(self.baselines, contrast=self.contrast))
        names = [t.name for t in (self.reference, *self.targets) if t is not None]
        for name in names:
            if not name or names.count(name) > 1:
                raise SettingsError(
                    f"tables: {f'two tables are named {name!r}' if name else 'a table has no name'}.",
                    "Give each table its own name.",
                )

    @property
    def contrast(self) -> Contrast:
        """Who is compared with whom."""
        return self.qmad.contrast

    def qmad_settings(self) -> QmadSettings:
        """Settings for ``fairaudit.qmad.audit_frames``."""
        return self.qmad

    def baseline_settings(self) -> BaselineSettings:
        """Settings for ``fairaudit.baselines.baselines_of_frames``; the default metrics where none were chosen."""
        return BaselineSettings(contrast=self.contrast) if self.baselines is None else self.baselines

    def with_frames(
        self,
        frames: Frames,
        files: Mapping[str, str] | None = None,
        reading: Mapping[str, ReadOptions] | ReadOptions | None = None,
    ) -> AuditSettings:
        """The same settings with the names, fingerprints and the schema of loaded tables.

        Parameters
        ----------
        frames : Frames
        files : mapping of str to str, optional
            Name of the file of each table, by the table's name.
        reading : ReadOptions or mapping of str to ReadOptions, optional
        """

        def described(name: str, fingerprint: str) -> TableSettings:
            how = reading.get(name) if isinstance(reading, Mapping) else reading
            return TableSettings(name, (files or {}).get(name), fingerprint, how or ReadOptions())

        tables = [described(t.name, t.fingerprint) for t in frames.tables]
        return replace(self, reference=tables[0], targets=tuple(tables[1:]), schema=frames.schema)

    def changed_tables(self, frames: Frames) -> tuple[str, ...]:
        """Names of tables that are not the ones the settings were saved with."""
        saved = {t.name: t.fingerprint for t in (self.reference, *self.targets) if t is not None}
        return tuple(t.name for t in frames.tables if saved.get(t.name) not in (None, t.fingerprint))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON or YAML; ``from_dict`` reads them back."""
        qmad = self.qmad.to_dict()
        contrast = qmad.pop("contrast")
        plain: dict[str, Any] = plain_value(
            {
                "version": self.version,
                "tables": {
                    "reference": None if self.reference is None else self.reference.to_dict(),
                    "targets": [t.to_dict() for t in self.targets],
                },
                "schema": None if self.schema is None else self.schema.to_dict(),
                "repairs": [r.to_dict() for r in self.repairs],
                "contrast": contrast,
                "qmad": qmad,
                "baselines": None if self.baselines is None else _baselines_to_dict(self.baselines),
                "injections": [i.to_dict() for i in self.injections],
                "injection_seed": self.injection_seed,
                "evaluation": None if self.evaluation is None else self.evaluation.to_dict(),
                "report": self.report.to_dict(),
            }
        )
        return plain

    def to_yaml(self) -> str:
        """The settings as YAML text."""
        return to_yaml_text(self.to_dict())

    def to_json(self) -> str:
        """The settings as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> AuditSettings:
        """Settings from plain values.

        Raises
        ------
        FairAuditError
            Naming each entry that is unknown or wrong by its dotted path, with the choices.
        """
        check_form(values)
        tables = values.get("tables") or {}
        reference = tables.get("reference")
        contrast = _at("contrast", lambda: Contrast.from_any(values.get("contrast") or {}))
        return cls(
            reference=None if reference is None else _table(reference, "tables.reference"),
            targets=tuple(_table(t, f"tables.targets[{i}]") for i, t in enumerate(tables.get("targets", ()))),
            schema=_optional("schema", values, Schema.from_any),
            repairs=tuple(
                _at(f"repairs[{i}]", partial(Remedy.from_dict, given)) for i, given in enumerate(values.get("repairs") or ())
            ),
            qmad=_at("qmad", lambda: _qmad(dict(values.get("qmad") or {}), contrast)),
            baselines=_optional("baselines", values, lambda given: _baselines(dict(given), contrast)),
            injections=tuple(
                _at(f"injections[{i}]", partial(Injection.from_dict, given))
                for i, given in enumerate(values.get("injections") or ())
            ),
            injection_seed=values.get("injection_seed", DEFAULT_SEED),
            evaluation=_optional("evaluation", values, lambda given: EvaluationChoices(**given)),
            report=_report(values.get("report") or {}),
        )

    @classmethod
    def from_file(cls, source: bytes | str | os.PathLike[str]) -> AuditSettings:
        """Settings from a YAML or JSON file.

        Parameters
        ----------
        source : bytes, str or path
            The content as bytes, or where the file is.

        Raises
        ------
        FairAuditError
        """
        if isinstance(source, (bytes, bytearray)):
            return cls.from_dict(parse_settings_text(bytes(source)))
        return cls.from_dict(parse_settings_text(read_settings_file(source), str(source)))


def read_settings_file(path: str | os.PathLike[str]) -> bytes:
    """Content of a settings file, or a sentence that says why it cannot be opened."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(f"{str(path)!r} cannot be opened: {reason}.", "Check the path and the rights to read it.") from None


def _at(path: str, make: Callable[[], Result]) -> Result:
    """What ``make`` gives, with the path in front of its complaints."""
    try:
        return make()
    except FairAuditError as error:
        raise SettingsError(f"{path}: {error.problem}", error.remedy) from None


def _optional(path: str, values: Mapping[str, Any], make: Callable[[Any], Result]) -> Result | None:
    given = values.get(path)
    return None if given is None else _at(path, lambda: make(given))


def _table(values: Mapping[str, Any], path: str) -> TableSettings:
    reading = _at(f"{path}.reading", lambda: ReadOptions.from_any(_tuples(values.get("reading") or {})))
    return TableSettings(values["name"], values.get("file"), values.get("fingerprint"), reading)


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}


def _qmad(values: dict[str, Any], contrast: Contrast) -> QmadSettings:
    pair = values.pop("pair", None)
    if pair is not None:
        named = named_pair(pair)
        own = {"comparison": named.comparison, "aggregation": named.aggregation}
        for entry, wanted in own.items():
            if values.setdefault(entry, wanted) != wanted:
                raise SettingsError(
                    f"The pair {pair} has the {entry} {wanted}, and the entry {entry} says {values[entry]}.",
                    "Leave one of the two out.",
                )
        if named.aggregate_over is not None:
            values.setdefault("aggregate_over", named.aggregate_over)
    over = values.get("aggregate_over")
    if isinstance(over, str) and over not in AGGREGATE_SETS:
        values["aggregate_over"] = (over,)
    return QmadSettings(contrast=contrast, **_tuples(values))


_SAMPLING = tuple(Sampling.__dataclass_fields__)


def _baselines(values: dict[str, Any], contrast: Contrast) -> BaselineSettings:
    sampling = Sampling(**{name: values.pop(name) for name in _SAMPLING if name in values})
    lines: Iterable[tuple[str, float]] = sorted((values.pop("thresholds", None) or {}).items())
    return BaselineSettings(contrast=contrast, thresholds=tuple(lines), sampling=sampling, **_tuples(values))


def _baselines_to_dict(settings: BaselineSettings) -> dict[str, Any]:
    return {
        "metrics": None if settings.metrics is None else [*settings.metrics],
        "threshold": settings.threshold,
        "thresholds": dict(settings.thresholds),
        "encoding": settings.encoding,
        **{name: getattr(settings.sampling, name) for name in _SAMPLING},
    }


def _report(values: Mapping[str, Any]) -> ReportOptions:
    comments = tuple(Comment(**c) for c in values.get("comments", ()))
    return ReportOptions(values.get("auditor", ""), values.get("purpose", ""), comments)
