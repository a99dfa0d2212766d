"""What keeping a warehouse costs: one more evaluation, publishing, compacting; each in a process of its own.

    python -m benchmarks.scale.upkeep (write | compact) WAREHOUSE VERSIONS PER_VERSION

Prints JSON: seconds, CPU seconds, and the peak of resident memory in MB.
"""

import json
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.scale.memory import peak_mb
from benchmarks.scale.places import History
from stoic_assets.adapters.warehouse import Warehouse


def write(warehouse: Warehouse, history: History) -> dict[str, Any]:
    """Stores an evaluation of a version that is new, then publishes; its rows are those of an earlier one."""
    key = next(history.places())[:2]
    tables = [folder.name for folder in warehouse.root.iterdir() if folder.is_dir()]
    rows = {table: warehouse.read(table, *key) for table in tables if warehouse.has(table, *key)}
    for found in rows.values():
        for row in found:
            row |= {"evaluation_id": "new", "agent_version": "marcus@new"}
    warehouse.publish()
    written = _timed(lambda: [warehouse.write(table, "marcus@new", "new", rows[table]) for table in rows])
    published = _timed(warehouse.publish)
    warehouse.delete("marcus@new")
    return {"write": written, "publish": published}


def compact(warehouse: Warehouse, history: History) -> dict[str, Any]:
    """Merges everything, and removes what was merged."""
    warehouse.publish()
    before = _files(warehouse)
    merged = _timed(lambda: warehouse.compact(timedelta(0)))
    removed = _timed(lambda: warehouse.compact(timedelta(0)))
    return {"merge": merged, "remove": removed, "files_before": before, "files_after": _files(warehouse)}


def _files(warehouse: Warehouse) -> int:
    return sum(1 for _ in warehouse.root.rglob("*.parquet"))


def _timed(work: Callable[[], Any]) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


if __name__ == "__main__":
    work = {"write": write, "compact": compact}[sys.argv[1]]
    found = work(Warehouse(Path(sys.argv[2])), History(int(sys.argv[3]), int(sys.argv[4])))
    print(json.dumps(found | {"rss_mb": peak_mb()}))
