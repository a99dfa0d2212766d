"""Turns of many evaluations in a real warehouse, and the files that hold them."""

import os
from datetime import timedelta

from stoic_assets.adapters.warehouse.compaction import compact

KEY = ("marcus@1.10", "e1")
NOW = timedelta(0)


def turn(number=0, **columns):
    return {"trial_id": "t1", "turn": number, "speaker": "user", "content": "Hello"} | columns


def write_many(warehouse, versions=6, of_each=2):
    """Evaluations of many versions; each has turns but one, whose file holds no rows."""
    for version in range(versions):
        for number in range(of_each):
            rows = [turn(n, content=f"{version}.{number}.{n}") for n in (2, 0, 1)] if version or number else []
            warehouse.write("turns", f"marcus@1.{version}", f"e{number}", rows)


def everything(warehouse, table="turns"):
    return warehouse.query(f"select * from {table} order by all")


def parquet_files(warehouse, table="turns"):
    """All but the two without rows."""
    return sorted(path for path in (warehouse.root / table).glob("*/*.parquet") if not path.name.startswith("schema"))


def compact_twice(warehouse):
    """The second removes what the first replaced."""
    compact(warehouse.root, NOW)
    compact(warehouse.root, NOW)


def grow_old(warehouse):
    for path in parquet_files(warehouse):
        os.utime(path, (0, 0))
