"""Settings as YAML or JSON text: nothing in it is ever run, and what would be read silently wrong is refused."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import yaml

from fairaudit.errors import FairAuditError, SettingsError

MAX_BYTES = 2_000_000
"""Settings hold no data; a larger file is another file."""
MAX_DEPTH = 50


def parse_settings_text(source: bytes | str, name: str = "The settings file") -> dict[str, Any]:
    r"""The mapping in a YAML or JSON text.

    Parameters
    ----------
    source : bytes or str
        Bytes are UTF-8, or UTF-16 with a byte order mark.
    name : str
        How messages call the text.

    Returns
    -------
    dict
        Plain values: text keys, lists, finite numbers, text, booleans, None.

    Raises
    ------
    SettingsError
        If it is no YAML or JSON, no mapping, too large, or says one thing twice.

    Examples
    --------
    >>> parse_settings_text("version: 1\nqmad: {bins: 5}")
    {'version': 1, 'qmad': {'bins': 5}}
    """
    text = _decoded(source, name)
    loaded = _json(text, name)
    if loaded is None:
        loaded = _yaml(text, name)
    if loaded is None:
        raise SettingsError(f"{name} is empty.", "The shortest one is: version: 1")
    if not isinstance(loaded, Mapping):
        raise SettingsError(f"{name} must hold entries such as 'version: 1'. Got {shown(loaded)}.", "See docs/settings.md.")
    plain: dict[str, Any] = _plain(loaded, "")
    return plain


def to_yaml_text(values: Mapping[str, Any]) -> str:
    """Plain values as YAML that ``parse_settings_text`` reads back unchanged."""
    return yaml.dump(
        plain_value(values), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )


class _Dumper(yaml.SafeDumper):
    """Writes text with unusual line ends in double quotes, where they are spelt out; in other styles they would be lost."""


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if set(text) & set("\r\x85\u2028\u2029") else None)


_Dumper.add_representer(str, _text_node)


def plain_value(value: Any) -> Any:
    """Tuples as lists, numpy scalars as numbers, dates as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(k): plain_value(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_value(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def shown(value: Any, most: int = 60) -> str:
    """A value for a message, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= most else f"{text[:most]}…"


def _decoded(source: bytes | str, name: str) -> str:
    if len(source) > MAX_BYTES:
        raise SettingsError(
            f"{name} is larger than {MAX_BYTES // 1_000_000} MB.", "Settings hold no data; was another file chosen by mistake?"
        )
    if isinstance(source, str):
        return source.removeprefix("\ufeff")
    encoding = "utf-16" if source[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return source.decode(encoding)
    except UnicodeDecodeError:
        raise SettingsError(f"{name} is not a text in UTF-8.", "Choose the YAML or JSON file, and save it as UTF-8.") from None


def _json(text: str, name: str) -> Any:
    """What a JSON text holds; None when it is none. JSON may hold characters that YAML refuses."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise SettingsError(f"{name} has the entry {key!r} twice.", "Remove one of the two.")
            found[key] = value
        return found

    if not text.lstrip().startswith("{"):
        return None
    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        raise SettingsError(f"{name} is nested too deeply.", "See docs/settings.md.") from None


def _yaml(text: str, name: str) -> Any:
    """What a YAML text holds."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is not None:
            _check_node(node, name)
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise SettingsError(
            f"{name} is neither YAML nor JSON{where}: {error.problem or error.context}.",
            "Check the indentation, quotes and brackets there.",
        ) from None
    except yaml.YAMLError:
        raise SettingsError(f"{name} holds characters that no text file has.", "Save it as UTF-8 text.") from None
    except FairAuditError:
        raise
    except (RecursionError, ValueError, OverflowError):
        # Deep nesting, or a date such as 2020-99-99 that YAML takes for one.
        raise SettingsError(
            f"{name} cannot be read: it is nested too deeply, or holds a date or number that does not exist.",
            "Put dates and codes in quotes.",
        ) from None


def _check_node(root: yaml.Node, name: str) -> None:
    """Refuse repeated entries (YAML would keep the last one), references (a short text could grow without limit) and great depth."""
    seen: set[int] = set()
    for node, depth in _nodes(root):
        if id(node) in seen or depth > MAX_DEPTH:
            what = "refers to another part of itself" if id(node) in seen else "is nested too deeply"
            raise SettingsError(f"{name} {what} (line {node.start_mark.line + 1}).", "Write every entry out, without & and *.")
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            keys: set[str] = set()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise SettingsError(f"{name} has an entry without a name in line {key.start_mark.line + 1}.", "Give it one.")
                if key.value in keys:
                    raise SettingsError(
                        f"{name} has the entry {key.value!r} twice (line {key.start_mark.line + 1}).", "Remove one of the two."
                    )
                keys.add(key.value)


def _nodes(root: yaml.Node) -> Iterator[tuple[yaml.Node, int]]:
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        if isinstance(node, yaml.SequenceNode):
            stack += [(child, depth + 1) for child in node.value]
        elif isinstance(node, yaml.MappingNode):
            # An empty plain scalar node may be shared by the parser; keys are checked by their text.
            stack += [(child, depth + 1) for pair in node.value for child in pair]


def _plain(value: Any, path: str) -> Any:
    """Keys as text, dates as text; numbers that are none are refused by name."""
    if isinstance(value, Mapping):
        result = {}
        for key, inner in value.items():
            if isinstance(key, bool) or key is None:
                raise SettingsError(
                    f"The entry {path or 'at the top'} has a name that YAML reads as {shown(key)}.",
                    'Put names such as "yes", "no", "on", "off" and "null" in quotes.',
                )
            result[str(key)] = _plain(inner, f"{path}.{key}" if path else str(key))
        return result
    if isinstance(value, list):
        return [_plain(inner, f"{path}[{i}]") for i, inner in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise SettingsError(f"{path} must be a finite number. Got {value}.", "Leave the entry out, or give a number.")
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise SettingsError(f"{path} holds a {type(value).__name__}, which is no setting.", "Write it as text in quotes.")
