"""Checks rows against the declared columns of their table before any of them is written.

DuckDB alone is too tolerant: it rounds 1.5 to 2, takes a text for a number, True for 1.0, NaN for a score, and drops
unknown keys.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from pydantic_core import SchemaSerializer, SchemaValidator, ValidationError
from pydantic_core import core_schema as schemas

from stoic_assets.adapters.warehouse.table_schemas import columns_of
from stoic_assets.core.errors import StoicError
from stoic_assets.core.moments import FIRST, LAST, in_utc
from stoic_assets.core.table_rows import Rows
from stoic_assets.core.text.documents import first_fault
from stoic_assets.core.text.foreign_text import well_formed
from stoic_assets.core.virtues import VIRTUES

_STRICT = schemas.CoreConfig(strict=True, extra_fields_behavior="forbid", allow_inf_nan=False)


def _readable_json(text: str) -> str:
    """Refuses text that no reader of the column could parse."""
    json.loads(text)
    return text


def rows_as_json(table: str, agent_version: str, evaluation_id: str, rows: Rows) -> list[bytes]:
    """The rows, a line of JSON each, complete and checked.

    Nullable columns may be left out; `evaluated_at` defaults to now. A row may contain `agent_version` and
    `evaluation_id`, as rows that were read do; they must be the given ones. No unknown column, no NaN, no number for a
    text; times also as ISO 8601. Raises `StoicError` for the first invalid row.
    """
    now = datetime.now(UTC)
    place = {"agent_version": agent_version, "evaluation_id": evaluation_id}
    lines = []
    for number, row in enumerate(rows, 1):
        for key, value in place.items():
            if row.get(key, value) != value:
                raise StoicError(f"row {number} of {table} has {key} {row[key]!r}, but is written under {value!r}")
        columns = {"evaluated_at": now, **row, "evaluation_id": evaluation_id}
        columns.pop("agent_version", None)
        lines.append(_as_json(table, number, columns))
    return lines


def _as_json(table: str, number: int, row: dict[str, Any]) -> bytes:
    validator, serializer = _row_schema(table)
    try:
        return serializer.to_json(validator.validate_python(row)) + b"\n"
    except ValidationError as error:
        first = first_fault(error)
        column = ".".join(str(step) for step in first["loc"])
        raise StoicError(f"row {number} of {table} does not fit: {column}: {first['msg']}") from None


@cache
def _row_schema(table: str) -> tuple[SchemaValidator, SchemaSerializer]:
    """The schema of a row for pydantic's core: making a model of each table takes 30 to 80 ms in every evaluation."""
    kinds = _kinds()
    columns = columns_of(table).items()
    row = _record({name: _or_null(kinds[kind.name]) if kind.nullable else kinds[kind.name] for name, kind in columns})
    return SchemaValidator(row), SchemaSerializer(row)


@cache
def _kinds() -> dict[str, schemas.CoreSchema]:
    text = schemas.no_info_after_validator_function(well_formed, schemas.str_schema())
    number = schemas.float_schema()
    time = schemas.datetime_schema(tz_constraint="aware", strict=False, ge=FIRST, le=LAST)
    aspect = {"aspect": text, "assessment": _or_null(text), "example": _or_null(text), "score": _or_null(number)}
    return {
        "text": text,
        "json": schemas.no_info_after_validator_function(_readable_json, text),
        "number": number,
        "count": schemas.int_schema(ge=-(2**63), lt=2**63),
        "flag": schemas.bool_schema(),
        # JSON would drop the seconds by which old local times differ from UTC.
        "time": schemas.no_info_after_validator_function(in_utc, time),
        "texts": schemas.list_schema(text, strict=False),
        "aspects": schemas.list_schema(_record(aspect), strict=False),
        "weights": _record(dict.fromkeys(VIRTUES, _or_null(number))),
    }


def _record(fields: Mapping[str, schemas.CoreSchema]) -> schemas.CoreSchema:
    columns = {name: schemas.typed_dict_field(schema) for name, schema in fields.items()}
    return schemas.typed_dict_schema(columns, config=_STRICT)


def _or_null(schema: schemas.CoreSchema) -> schemas.CoreSchema:
    return schemas.with_default_schema(schemas.nullable_schema(schema), default=None)
