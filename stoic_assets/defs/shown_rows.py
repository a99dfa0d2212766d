"""Rows, numbers and pages as Dagster's UI shows them.

Only a few rows of a table: Dagster's records keep each of them three times, for good.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import dagster as dg

MOST_ROWS = 25
"""The file named next to them contains all rows. Measured: with 200 rows of each table the records of an evaluation of
200 trials were a file of 1.6 MB, with 25 it is one of 1.0."""
DECIMALS = 4


def shown(rows: Iterable[Mapping[str, Any]], schema: dg.TableSchema | None = None) -> dg.TableMetadataValue:
    """The first rows as a table. `schema` gives the columns where there may be no row."""
    records = [dg.TableRecord({name: _cell(value) for name, value in row.items()}) for row in islice(rows, MOST_ROWS)]
    return dg.MetadataValue.table(records, schema=schema)


def numbers(found: Mapping[str, float | None]) -> dict[str, float]:
    """Numbers by the names under which Dagster plots them over partitions, without those that were not measured."""
    return {name: round(value, DECIMALS) for name, value in found.items() if value is not None}


def page(path: Path) -> dict[str, Any]:
    """Where an HTML file is, and how to open it: no browser follows a link from the UI to a file."""
    return {
        "path": dg.MetadataValue.path(path),
        "to_open": "copy the path into the address bar of a browser on the machine that has the file",
    }


def trial_name(trial_id: str, evaluation_id: str) -> str:
    """The name of a trial within its evaluation."""
    return trial_id.removeprefix(f"{evaluation_id}.")


def _cell(value: Any) -> str | int | float | bool | None:
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, list | tuple):
        return " · ".join(map(str, value))
    return value if isinstance(value, bool | int | str) or value is None else str(value)
