"""Checks rows against the declared columns of their table before any of them is written.

Arrow alone is too kind: it cuts 1.5 to 1, takes a text for a list of letters, True for 1.0, NaN for a score, and
drops keys that it does not know.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Strict, ValidationError, create_model

# pydantic refuses typing.TypedDict before Python 3.12
from typing_extensions import TypedDict

from stoic_assets.adapters.table_schemas import columns_of
from stoic_assets.core.errors import StoicError
from stoic_assets.core.judging.virtues import VIRTUES


def storable(text: str) -> str:
    """The text as UTF-8 can hold it: half a surrogate pair, as a cut-off emoji leaves it, becomes `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def readable_json(text: str) -> str:
    """Refuses text that no reader of the column could parse."""
    json.loads(text)
    return text


Text = Annotated[str, AfterValidator(storable)]
_Weights = TypedDict("_Weights", dict.fromkeys(VIRTUES, float | None), total=False)  # type: ignore[misc]


class _Aspect(TypedDict):
    aspect: Text
    assessment: Text | None
    example: Text | None
    score: float | None


_TYPES: dict[str, Any] = {
    "text": Text,
    "json": Annotated[Text, AfterValidator(readable_json)],
    "number": float,
    "count": int,
    "flag": bool,
    "time": Annotated[AwareDatetime, Strict(False)],
    "texts": Sequence[Text],
    "aspects": Sequence[_Aspect],
    "weights": _Weights,
}


@cache
def row_model(table: str) -> type[BaseModel]:
    """The strict model of one row: no unknown column, no NaN, no number for a text; times also as ISO 8601."""
    fields: dict[str, Any] = {
        name: (_TYPES[kind.name] | None, None) if kind.nullable else (_TYPES[kind.name], ...)
        for name, kind in columns_of(table).items()
    }
    return create_model(table, __config__=ConfigDict(strict=True, extra="forbid", allow_inf_nan=False), **fields)


def fitting_rows(
    table: str, agent_version: str, evaluation_id: str, rows: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The rows, complete and checked: nullable columns may be left out, `evaluated_at` is now unless a row says it.

    A row may carry `agent_version` and `evaluation_id`, as rows that were read do; they must be the given ones.
    Raises `StoicError` for the first row that does not fit.
    """
    now = datetime.now(UTC)
    place = {"agent_version": agent_version, "evaluation_id": evaluation_id}
    fitted = []
    for number, row in enumerate(rows, 1):
        for key, value in place.items():
            if row.get(key, value) != value:
                raise StoicError(f"row {number} of {table} has {key} {row[key]!r}, but is written under {value!r}")
        columns = {name: value for name, value in row.items() if name != "agent_version"}
        fitted.append(_fit(table, number, {"evaluated_at": now} | columns | {"evaluation_id": evaluation_id}))
    return fitted


def _fit(table: str, number: int, row: dict[str, Any]) -> dict[str, Any]:
    try:
        return row_model(table).model_validate(row).model_dump()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        column = ".".join(str(step) for step in first["loc"])
        raise StoicError(f"row {number} of {table} does not fit: {column}: {first['msg']}") from None
