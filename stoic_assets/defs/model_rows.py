"""What Dagster shows about the rows of a SQL model: the numbers of one version, and the first rows as a table."""

from collections.abc import Iterable, Sequence
from typing import Any

from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.adapters.warehouse.table_schemas import columns_of
from stoic_assets.core.table_rows import Row
from stoic_assets.defs.shown_rows import numbers, shown, trial_name

_ONE_FOR_ALL = frozenset({"agent", "evaluation_id", "evaluated_at"})


def of_version(project: SqlProject, model: str, rows: Sequence[Row], version: str) -> dict[str, Any]:
    """Row count; the numbers of this version, which Dagster plots; the first rows, this version's before others.

    A view also has rows of other versions, since it looks across evaluations.
    """
    own = [row for row in rows if row["agent_version"] == version]
    others = [row for row in rows if row["agent_version"] != version]
    others.sort(key=lambda row: row["released_at"], reverse=True)
    return {
        "dagster/row_count": len(rows),
        **_plotted(project, model, own),
        **({"rows": shown(_readable(project, model, [*own, *others]))} if rows else {}),
    }


def _plotted(project: SqlProject, model: str, rows: Iterable[Row]) -> dict[str, float]:
    """Each number, named by its column and what its row is about: `score_wisdom`, or `fitness` for a single row."""
    about = sorted(project.key(model) - _ONE_FOR_ALL - {"agent_version"})
    return numbers(
        {"_".join([name, *(row[each] for each in about)]): row[name] for row in rows for name in project.plotted(model)}
    )


def _readable(project: SqlProject, model: str, rows: Sequence[Row]) -> Iterable[Row]:
    """First the columns that identify the rows, then their numbers, then the rest, without those equal in all rows."""
    same = _ONE_FOR_ALL if project.is_view(model) else _ONE_FOR_ALL | {"agent_version"}
    key, numeric = project.key(model), {name for name, kind in columns_of(model).items() if kind.name == "number"}
    columns = sorted(
        (name for name in rows[0] if name not in same), key=lambda name: (name not in key, name not in numeric)
    )
    for row in rows:
        trial = {"trial_id": trial_name(row["trial_id"], row["evaluation_id"])} if "trial_id" in row else {}
        yield {name: trial.get(name, row[name]) for name in columns}
