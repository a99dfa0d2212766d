"""Values of the neo4j driver as JSON values, without losing anything that an assertion or a reader could want.

`core/assertions/equality.py` describes and compares the typed objects.
"""

import base64
import math
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from stoic_assets.core.assertions.equality import TYPE, VALUE
from stoic_assets.core.errors import QueryError

DEEPEST = 64
"""The most lists and maps within each other, as for the data of an expression."""

TOO_DEEP = f"a returned value has more than {DEEPEST} levels: return less of it"


def encoded_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """A driver's record: its columns with their values as JSON. Raises `QueryError` as `encode` does."""
    return {column: encode(value) for column, value in record.items()}


def encode(value: Any, levels: int = DEEPEST) -> Any:
    """A driver value as JSON: plain where JSON has the type, else a typed object with `$type` and `value`.

    Raises `QueryError` for lists and maps of more than so many `levels`.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _typed("float", _float_name(value))
    if isinstance(value, bytes | bytearray):
        return _typed("bytes", base64.b64encode(value).decode("ascii"))
    return _encode_graph_type(value, levels)


def _encode_graph_type(value: Any, levels: int) -> Any:
    from neo4j import graph, spatial, time, vector

    if isinstance(value, graph.Node | graph.Relationship):
        return _encode_entity(value)
    if isinstance(value, graph.Path):
        return _typed("path", [encode(part) for part in _in_turn(value)])
    if isinstance(value, spatial.Point):
        return _typed("point", [encode(coordinate) for coordinate in value], srid=value.srid)
    if isinstance(value, time.Duration):
        return _typed("duration", value.iso_format())
    if isinstance(value, time.Date | time.Time | time.DateTime):
        return _encode_clock(value)
    if isinstance(value, vector.Vector):
        return _typed("vector", [encode(number) for number in value.to_native()])
    if isinstance(value, Mapping | list | tuple):
        return _encode_nested(value, levels)
    return _typed("unsupported", str(getattr(value, "error", value)))  # the driver's reason why it could not read it


def _typed(kind: str, value: Any, **further: Any) -> dict[str, Any]:
    return {TYPE: kind, VALUE: value, **further}


def _float_name(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _encode_nested(value: Any, levels: int) -> Any:
    if levels == 0:
        raise QueryError(TOO_DEEP)
    if isinstance(value, Mapping):
        return _encode_map(value, levels)
    return [encode(item, levels - 1) for item in value]


def _encode_map(value: Mapping[str, Any], levels: int = DEEPEST) -> dict[str, Any]:
    encoded = {str(key): encode(item, levels - 1) for key, item in value.items()}
    return _typed("map", encoded) if TYPE in encoded else encoded


def _encode_entity(entity: Any) -> dict[str, Any]:
    from neo4j.graph import Node

    properties = _encode_map(dict(entity.items()))
    if isinstance(entity, Node):
        return _typed("node", properties, id=entity.element_id, labels=sorted(entity.labels))
    # Not `if node`: a node without properties is an empty mapping, as are both ends of a relationship returned alone.
    ends = [None if node is None else node.element_id for node in entity.nodes]
    return _typed("relationship", properties, id=entity.element_id, type=entity.type, start=ends[0], end=ends[1])


def _in_turn(path: Any) -> list[Any]:
    parts = [path.start_node]
    for relationship, node in zip(path.relationships, path.nodes[1:], strict=True):
        parts += [relationship, node]
    return parts


def _encode_clock(value: Any) -> dict[str, Any]:
    from neo4j import time

    if isinstance(value, time.Date):
        return _typed("date", value.iso_format())
    if zone := getattr(value.tzinfo, "zone", None):
        return _encode_moment(value, zone)
    offset = value.utc_offset()
    kind = ("" if offset is not None else "local") + ("datetime" if isinstance(value, time.DateTime) else "time")
    return _typed(kind, _short(value.iso_format()))


def _encode_moment(value: Any, zone: str) -> dict[str, Any]:
    """A datetime in a named zone, which follows in brackets as Cypher writes it; UTC is not named.

    Of what the driver gives, only the instant is right: its tables of zones end in 2037 and have no seconds.
    """
    try:
        local = value.to_native().astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError, OverflowError):
        return _typed("unsupported", f"a datetime in zone {zone} that cannot be read: return toString(…) of it")
    seconds, _, rest = local.isoformat(timespec="microseconds").partition(".")
    text = _short(f"{seconds}.{value.nanosecond:09d}{rest[6:]}")
    return _typed("datetime", text if zone == "UTC" else f"{text}[{zone}]")


def _short(text: str) -> str:
    """ISO text without the trailing zeros of a fraction of nine digits."""
    seconds, _, rest = text.partition(".")
    fraction, offset = rest[:9].rstrip("0"), rest[9:]
    return seconds + (f".{fraction}" if fraction else "") + ("Z" if offset == "+00:00" else offset)
