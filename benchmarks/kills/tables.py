"""The rows of an evaluation's tables, without what differs between runs: ids, moments, latencies, attempts."""

import re
from collections import Counter
from pathlib import Path

import duckdb  # noqa: TID253 - a benchmark

from benchmarks.kills.attempts import of_whichever_attempt

MEASURED = re.compile(r".*(_at|_ms|_id|_key|_hash)|id|time|latency|user|parents|agent")
KEPT = ("trial_id", "task_id", "prompt_hash", "job_hash")
LEDGER = "llm_calls"
"""Paid calls, of which there are more after a kill: they are compared with the servers' own count."""
Rows = dict[str, list[str]]


def rows_of(home: Path, version: str) -> Rows:
    """Every table of the DuckDB file for people, with the version's rows as texts in order."""
    with duckdb.connect(str(home / "warehouse" / "stoic.duckdb"), read_only=True) as database:
        found = database.sql("select evaluation_id from evaluations where agent_version = ?", params=[version])
        [(evaluation_id,)] = found.fetchall()
        views = database.sql("select view_name from duckdb_views() where not internal").fetchall()
        tables = sorted(name for (name,) in views if name != LEDGER)
        return {
            table: sorted(_same(str(row), version, evaluation_id) for row in _rows(database, table, version))
            for table in tables
        }


def paid_calls(home: Path, version: str) -> int:
    """The model calls in the ledger, without cached replies."""
    with duckdb.connect(str(home / "warehouse" / "stoic.duckdb"), read_only=True) as database:
        query = f"select count(*) from {LEDGER} where agent_version = ? and not cached"
        [(count,)] = database.sql(query, params=[version]).fetchall()
    return int(count)


def differences(whole: Rows, cut: Rows) -> list[str]:
    """One line for each table whose rows differ."""
    lines = []
    for table in sorted(whole.keys() | cut.keys()):
        expected, found = whole.get(table, []), cut.get(table, [])
        if expected != found:
            more, fewer = Counter(found) - Counter(expected), Counter(expected) - Counter(found)
            first = next(iter([*more, *fewer]))
            lines.append(f"{table}: {more.total()} rows too many, {fewer.total()} missing; one of them: {first}")
    return lines


def _rows(database: duckdb.DuckDBPyConnection, table: str, version: str) -> list[tuple[object, ...]]:
    columns = [str(name) for name, *_ in database.sql(f"describe {table}").fetchall()]
    shown = [name for name in columns if name in KEPT or not MEASURED.fullmatch(name)]
    wanted = ", ".join(f'"{name}"' for name in shown)
    query = f"select {wanted} from {table} where agent_version = ?"
    return [tuple(_rounded(value) for value in row) for row in database.sql(query, params=[version]).fetchall()]


def _rounded(value: object) -> object:
    return round(value, 9) if isinstance(value, float) else value


def _same(row: str, version: str, evaluation_id: str) -> str:
    row = row.replace(evaluation_id, "E").replace(version, "V").replace(version.partition("@")[0], "A")
    row = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(\+00:00|Z)?", "T", row)
    return of_whichever_attempt(row)
