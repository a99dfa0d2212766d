"""Comparing what a job expects (a YAML value) with what a graph query returned (a JSON value).

A graph value that has no JSON type arrives as a typed object `{"$type": name, "value": plain form, ...}`, made by
`adapters/graph/graph_values.py`:

| $type | value | further keys |
| --- | --- | --- |
| date, time, localtime, datetime, localdatetime, duration | ISO 8601 text; a named zone follows in brackets | |
| point | list of coordinates | srid |
| node | map of properties | id, labels |
| relationship | map of properties | id, type, start, end |
| path | list of nodes and relationships in turn | |
| float | "NaN", "Infinity" or "-Infinity" | |
| bytes | base64 text | |
| vector | list of numbers | |
| map | a map that itself has a key `$type` | |
| unsupported | the driver's description | |
"""

import datetime
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from unicodedata import normalize

from stoic_assets.core.assertions.iso_text import same_clock, same_duration
from stoic_assets.core.errors import QueryError
from stoic_assets.core.table_rows import Rows

TYPE, VALUE = "$type", "value"
CLOCK_TYPES = frozenset({"time", "localtime", "datetime", "localdatetime"})

_SHOWN_CHARACTERS = 120
_PLAIN_TYPE_NAMES = {type(None): "null", bool: "boolean", int: "integer", float: "float", str: "string"}


def equals(expected: Any, actual: Any) -> bool:
    """Whether the result of a query is the expected value, in type and value.

    1 equals 1.0; a boolean never equals a number, a text never a number, NaN nothing. Lists compare in order, maps by
    key. A typed value equals its plain form, or a typed object of which every given key agrees: a node equals the map
    of its properties, and `{$type: node, labels: [Reminder]}`.
    """
    expected, actual = _decoded(expected), _decoded(actual)
    if _is_typed(actual):
        return _equals_typed(expected, actual)
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return _equal_maps(expected, actual)
    if isinstance(expected, list | tuple) and isinstance(actual, list | tuple):
        return len(expected) == len(actual) and all(map(equals, expected, actual))
    return bool(expected == actual)


def describe_difference(expected: Any, actual: Any) -> str:
    """One line that says where two unequal values first differ, with both types if they differ."""
    place, expected, actual = _first_difference("", expected, actual)
    kinds = [_type_name(expected), _type_name(actual)]
    shown = [_shown(expected), _shown(actual)]
    if kinds[0] != kinds[1]:
        shown = [f"{text} ({kind})" for text, kind in zip(shown, kinds, strict=True)]
    where = f"at {_clean(place)}: " if place else ""
    return f"{where}expected {shown[0]}, got {shown[1]}{_shape_note(expected, actual)}"


def single_value(rows: Rows) -> Any:
    """The value of a result of exactly one row with one column; raises QueryError for any other shape."""
    if len(rows) != 1:
        raise QueryError(f"the query returned {len(rows)} rows, not one: return one value, such as count(n)")
    if len(rows[0]) != 1:
        columns = ", ".join(rows[0]) or "none"
        raise QueryError(f"the query returned {len(rows[0])} columns ({columns}), not one: return one value")
    return next(iter(rows[0].values()))


def _decoded(value: Any) -> Any:
    """Dates, as YAML reads them, become ISO text; typed objects of non-finite floats become floats."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if _is_typed(value) and value[TYPE] == "float":
        with suppress(TypeError, ValueError, OverflowError):
            return float(value[VALUE])
    return value


def _is_typed(value: Any) -> bool:
    return isinstance(value, Mapping) and TYPE in value and VALUE in value


def _equals_typed(expected: Any, actual: Mapping[str, Any]) -> bool:
    kind = actual[TYPE]
    if isinstance(expected, Mapping) and expected.get(TYPE) == kind:
        plain_agrees = VALUE not in expected or _equals_plain_form(kind, expected[VALUE], actual[VALUE])
        further = {key: part for key, part in expected.items() if key != VALUE}
        return plain_agrees and all(key in actual and equals(part, actual[key]) for key, part in further.items())
    return _equals_plain_form(kind, expected, actual[VALUE])


def _equals_plain_form(kind: str, expected: Any, value: Any) -> bool:
    expected = _decoded(expected)
    if kind == "map":
        return isinstance(expected, Mapping) and _equal_maps(expected, value)
    if kind in CLOCK_TYPES:
        return isinstance(expected, str) and same_clock(expected, value)
    if kind == "duration":
        return isinstance(expected, str) and same_duration(expected, value)
    return equals(expected, value)


def _equal_maps(expected: Mapping[Any, Any], actual: Mapping[str, Any]) -> bool:
    return expected.keys() == actual.keys() and all(equals(part, actual[key]) for key, part in expected.items())


def _first_difference(place: str, expected: Any, actual: Any) -> tuple[str, Any, Any]:
    expected, actual = _decoded(expected), _decoded(actual)
    for key, left, right in _pairs(expected, actual):
        if not equals(left, right):
            return _first_difference(f"{place}[{key}]" if isinstance(key, int) else f"{place}.{key}", left, right)
    return place, expected, actual


def _pairs(expected: Any, actual: Any) -> list[tuple[Any, Any, Any]]:
    """The values at the same place in two lists of the same length or two maps with the same keys."""
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return list(zip(range(len(expected)), expected, actual, strict=True))
    if _is_map(expected) and _is_map(actual) and expected.keys() == actual.keys():
        return [(key, part, actual[key]) for key, part in expected.items()]
    return []


def _shape_note(expected: Any, actual: Any) -> str:
    """What else is to be said of two values without `_pairs`: of lists their lengths, of maps the other keys."""
    written = [_written(expected), _written(actual)]
    if written[0] != written[1] and normalize("NFC", written[0]) == normalize("NFC", written[1]):
        return " (the same text in two forms of Unicode: é may be one character, or an e with an accent)"
    if isinstance(expected, list) and isinstance(actual, list):
        return f" (lists of {len(expected)} and {len(actual)})"
    if _is_map(expected) and _is_map(actual):
        return f" (only one has: {_clean(', '.join(sorted(map(str, expected.keys() ^ actual.keys()))))})"
    return ""


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping) and not _is_typed(value)


def _type_name(value: Any) -> str:
    if _is_typed(value):
        return str(value[TYPE])
    return _PLAIN_TYPE_NAMES.get(type(value)) or ("map" if isinstance(value, Mapping) else "list")


def _shown(value: Any) -> str:
    return _clean(_written(value))


def _written(value: Any) -> str:
    return json.dumps(value[VALUE] if _is_typed(value) else value, ensure_ascii=False, default=str)


def _clean(text: str) -> str:
    """The text in one line of bounded length."""
    text = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
