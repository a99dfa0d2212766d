"""Kills compactions at random moments: after each kill every table must have the same rows.

    python -m benchmarks.scale.kills [--kills N]

A compaction continues where the killed one was; after one that ended before its kill, all starts from scratch.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.scale.history import write_history
from benchmarks.scale.places import History
from stoic_assets.adapters.warehouse.warehouse import Warehouse

HISTORY = History(evaluations=50, per_version=2)
LATEST = 3.0
"""The latest kill, in seconds after the start of a compaction; it takes about as long."""
COMPACT = """
import sys
from datetime import timedelta
from pathlib import Path
from stoic_assets.adapters.warehouse.compaction import compact
compact(Path(sys.argv[1]), timedelta(0))
"""
SUMS = "count(*), bit_xor(hash(row)), sum(hash(row)::hugeint % 1000000007)"


def kill_compactions(folder: Path, kills: int) -> None:
    """Raises `SystemExit` at the first difference."""
    pristine, root = folder / "pristine", folder / "warehouse"
    write_history(pristine, HISTORY)
    _start_over(pristine, root)
    rows, chance, killed = _rows(root), random.Random(1), 0
    while killed < kills:
        was_killed = _compact(root, kill_after=chance.uniform(0.2, LATEST))
        _compare(root, rows)
        if not was_killed:
            _start_over(pristine, root)
            continue
        killed += 1
        left = f"{_count(root, '*.parquet')} files, {_count(root, '*.tmp')} drafts"
        print(f"killed {killed}: {left}, the same rows", flush=True)
    for _ in range(2):  # the second removes what the first replaced
        if _compact(root):
            raise SystemExit("the last compaction failed")
    _compare(root, rows)
    if drafts := _count(root, "*.tmp"):
        raise SystemExit(f"the last compaction left {drafts} drafts")
    print(f"finished: {_count(root, '*.parquet')} files, the same rows")


def _start_over(pristine: Path, root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-rl", str(pristine), str(root)], check=True)


def _compact(root: Path, kill_after: float | None = None) -> bool:
    """Compacts in a process of its own; returns whether that was killed."""
    with subprocess.Popen([sys.executable, "-c", COMPACT, str(root)]) as compaction:
        if kill_after is not None:
            time.sleep(kill_after)
            compaction.kill()
    return compaction.returncode != 0


def _compare(root: Path, rows: dict[str, Any]) -> None:
    found = _rows(root)
    if different := [table for table in rows if rows[table] != found.get(table)]:
        raise SystemExit(f"other rows are read of {', '.join(different)}")


def _rows(root: Path) -> dict[str, Any]:
    """For each table the number of rows and two sums over their hashes."""
    tables = [folder.name for folder in root.iterdir() if folder.is_dir()]
    warehouse = Warehouse(root)
    return {table: warehouse.query(f'select {SUMS} from "{table}" as row') for table in tables}


def _count(root: Path, pattern: str) -> int:
    return sum(1 for _ in root.rglob(pattern))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Kills compactions and compares the rows.")
    parser.add_argument("--kills", type=int, default=20)
    with tempfile.TemporaryDirectory(prefix="stoic-kills-") as temporary:
        kill_compactions(Path(temporary), parser.parse_args().kills)
