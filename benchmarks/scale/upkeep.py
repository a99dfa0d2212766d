"""The cost of keeping a warehouse: one more evaluation, publishing, compacting; each in a process of its own.

    python -m benchmarks.scale.upkeep (compare | add | compact) WAREHOUSE EVALUATIONS PER_VERSION

Prints JSON: seconds, CPU seconds, and the peak of resident memory in MB.
"""

import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.scale.history import WRITINGS
from benchmarks.scale.measuring import peak_mb, timed
from benchmarks.scale.places import History
from benchmarks.scale.queries import base_and_candidate, manifest_of, workplace_over
from stoic_assets.adapters.evaluation.readable_tables import needed_by_all
from stoic_assets.adapters.evaluation.version_comparison import compare_versions, store_comparison
from stoic_assets.adapters.warehouse.sql_models import tested_view
from stoic_assets.adapters.warehouse.table_schemas import MODELS
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.table_rows import Row

NEW = "marcus@new"


def compare(warehouse: Warehouse, history: History) -> dict[str, Any]:
    """Stores the comparison of the evaluation that the questions are about with its base, as its stage does."""
    workplace, (base, candidate) = workplace_over(warehouse.root), base_and_candidate(history)
    versions, ids = zip(base[:2], candidate[:2], strict=True)
    comparison = compare_versions(workplace, *versions, *ids)
    path = store_comparison(workplace, manifest_of(candidate, base), comparison)
    return {"comparison": path.name}


def add(warehouse: Warehouse, history: History) -> dict[str, Any]:
    """Stores an evaluation of a version that is new, with the rows of an earlier one, and publishes.

    Then what an evaluation reads of all evaluations before it: both ends of the files that it will need, and at its end
    the models that are views, and their tests. Last, `stoic.duckdb` is made again, as a newer program does.
    """
    key = next(history.places())[:2]
    tables = [folder.name for folder in warehouse.root.iterdir() if folder.is_dir()]
    rows = {table: warehouse.read(table, *key) for table in tables if warehouse.has(table, *key)}
    _write(warehouse, "first", rows)  # so that imports are not measured
    warehouse.publish()
    costs = {
        "write": timed(lambda: _write(warehouse, "second", rows)),
        "publish": timed(warehouse.publish),
        "check": timed(lambda: _find_whole(warehouse)),
        "views": timed(lambda: [_look_across(warehouse, model) for model in MODELS if warehouse.models.is_view(model)]),
    }
    (warehouse.root / "stoic.duckdb").unlink()
    costs["publish_again"] = timed(warehouse.publish)
    warehouse.delete(NEW)
    return {"added": costs | {"rss_mb": peak_mb()}}


def _write(warehouse: Warehouse, evaluation_id: str, rows: dict[str, list[Row]]) -> None:
    """Writes every table as often as an evaluation does."""
    for table, found in rows.items():
        renamed = [{**row, "agent_version": NEW, "evaluation_id": evaluation_id} for row in found]
        for _ in range(WRITINGS.get(table, 1)):
            warehouse.write(table, NEW, evaluation_id, renamed)


def _find_whole(warehouse: Warehouse) -> None:
    """As an evaluation does before its conversations; before its judging it reads only files that are new."""
    if found := next(needed_by_all(warehouse), None):
        raise found


def _look_across(warehouse: Warehouse, model: str) -> None:
    """As the asset of a view does."""
    rows, failing = tested_view(warehouse, model, "marcus")
    if not rows or any(failing.values()):
        raise SystemExit(f"{model} has no rows or fails its tests")


def compact(warehouse: Warehouse, history: History) -> dict[str, Any]:
    """Merges everything, and removes what was merged."""
    warehouse.publish()
    before = _files(warehouse)
    costs = {
        "merge": timed(lambda: warehouse.compact(timedelta(0))),
        "remove": timed(lambda: warehouse.compact(timedelta(0))),
    }
    return {"compaction": costs | {"before": before, "after": _files(warehouse), "rss_mb": peak_mb()}}


def _files(warehouse: Warehouse) -> int:
    return sum(1 for _ in warehouse.root.rglob("*.parquet"))


if __name__ == "__main__":
    work = {"compare": compare, "add": add, "compact": compact}[sys.argv[1]]
    found = work(Warehouse(Path(sys.argv[2])), History(int(sys.argv[3]), int(sys.argv[4])))
    print(json.dumps(found))
