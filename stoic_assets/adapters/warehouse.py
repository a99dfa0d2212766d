"""The warehouse: every table as immutable Parquet files, with DuckDB as the engine that reads them.

`<root>/<table>/agent_version=<v>/<evaluation_id>.<n>.parquet`, in the declared columns of `table_schemas`. Nothing here
takes a lock: any number of runs write side by side, and readers never wait. `<root>/stoic.duckdb` is for people; it
holds views only, and this code never opens it.
"""

import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import cache, cached_property
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from stoic_assets.adapters.files import StorageError
from stoic_assets.adapters.parquet_files import newest_files, write_next, write_once
from stoic_assets.adapters.spreadsheet_columns import spreadsheet_columns
from stoic_assets.adapters.sql_project import SqlProject
from stoic_assets.adapters.table_rows import fitting_rows
from stoic_assets.adapters.table_schemas import COMMON, MODELS, TABLES, arrow_schema, columns_of
from stoic_assets.core.errors import ConfigurationError, StoicError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

AGENT_VERSION = re.compile(r"[A-Za-z0-9_.+-]+@[A-Za-z0-9_.+-]+")
EVALUATION_ID = re.compile(r"[A-Za-z0-9_.-]+")
_OPTIONS = "hive_partitioning=true, union_by_name=true, hive_types_autocast=false, filename=true"


class Warehouse:
    """All tables under one folder. `variables` are those of the SQL models (see `sql_project.model_variables`)."""

    def __init__(self, root: Path, variables: Mapping[str, Any] | None = None) -> None:
        self.root = root.absolute()
        self._variables = variables

    @cached_property
    def models(self) -> SqlProject:
        """The SQL models whose views and files stand beside the tables."""
        return SqlProject(variables=self._variables)

    def write(self, table: str, agent_version: str, evaluation_id: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        """Stores the rows of one evaluation as its newest version of `table`; no rows make a file too.

        Raises `StoicError` for a row that does not fit, `StorageError` when the disk refuses: nothing is stored.
        """
        import pyarrow as pa

        folder = self._folder(table, agent_version)
        evaluation_id = checked(evaluation_id, EVALUATION_ID, "evaluation id")
        fitted = fitting_rows(table, agent_version, evaluation_id, rows)
        self._empty_file(table)
        return write_next(folder, evaluation_id, pa.Table.from_pylist(fitted, schema=arrow_schema(table)))

    def file(self, table: str, agent_version: str, evaluation_id: str) -> Path | None:
        """The file that counts of one evaluation, or None."""
        checked(evaluation_id, EVALUATION_ID, "evaluation id")
        return newest_files(self._folder(table, agent_version)).get(evaluation_id)

    def has(self, table: str, agent_version: str, evaluation_id: str) -> bool:
        """Whether the evaluation has this table, with or without rows."""
        return self.file(table, agent_version, evaluation_id) is not None

    def read(self, table: str, agent_version: str, evaluation_id: str) -> list[dict[str, Any]]:
        """The rows of one evaluation as they were written, by path. Raises `StoicError` when there are none yet."""
        with open_engine() as engine:
            return fetch(engine, self.scan_one(table, agent_version, evaluation_id))

    def evaluations(self, agent_version: str) -> list[dict[str, Any]]:
        """The evaluations of one version, the newest first."""
        files = list(newest_files(self._folder("evaluations", agent_version)).values())
        if not files:
            return []
        with open_engine() as engine:
            return fetch(engine, f"{self._scan('evaluations', files)} order by started_at desc, evaluation_id desc")

    def connect(self, tables: Iterable[str] | None = None) -> "DuckDBPyConnection":
        """An in-memory DuckDB with a view of every table and model, or of the named ones. The caller closes it."""
        engine = open_engine()
        self._create_views(engine, frozenset(TABLES if tables is None else tables))
        return engine

    def query(self, sql: str, params: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """The rows of a query over the views; only tables whose names occur in it are looked at."""
        with open_engine() as engine:
            self._create_views(engine, TABLES.keys() & re.findall(r"\w+", sql))
            return fetch(engine, sql, params)

    def publish(self) -> Path:
        """Renews `stoic.duckdb`, with a view of every table; whoever holds the old file open keeps the old one."""
        target = self.root / "stoic.duckdb"
        with _drafted(target) as draft, open_engine(draft) as engine:
            self._create_views(engine, frozenset(TABLES), "view")
        return target

    def export(self, file: Path) -> None:
        """Writes every table and model, as plain tables, into one DuckDB file; it replaces a file of that name."""
        with _drafted(file) as draft, open_engine(draft) as engine:
            self._create_views(engine, frozenset(TABLES))
            for table in TABLES:
                engine.execute(f'create table main."{table}" as select * from temp."{table}"')

    def export_parquet(self, folder: Path) -> None:
        """Writes every table and model into a folder, one Parquet file each.

        Raises `ConfigurationError` when the folder holds something, `StorageError` when the disk refuses; either way
        nothing is written.
        """
        self._export_files(folder, dict.fromkeys(TABLES, "*"), "parquet", "compression zstd")

    def export_csv(self, folder: Path) -> None:
        """Writes every table and model into a folder, one CSV file each, fit for a spreadsheet.

        Raises as `export_parquet` does.
        """
        self._export_files(folder, {table: spreadsheet_columns(table) for table in TABLES}, "csv", "header")

    def _export_files(self, folder: Path, columns: Mapping[str, str], kind: str, options: str) -> None:
        target = folder.resolve()
        with _drafted(target) as draft, self.connect() as engine:
            if target.exists() and not (target.is_dir() and not any(target.iterdir())):
                raise ConfigurationError(f"{folder} is not an empty folder; name a new one")
            draft.mkdir()
            for table, selected in columns.items():
                file = quoted(draft / f"{table}.{kind}")
                engine.execute(f'copy (select {selected} from "{table}") to {file} (format {kind}, {options})')

    def delete(self, agent_version: str) -> None:
        """Removes all files of one version; after an interruption it can be called again."""
        name = self._folder("", agent_version).name
        try:
            for folder in self.root.glob(f"*/{escape(name)}"):
                shutil.rmtree(folder)
        except OSError as error:
            raise StorageError(
                f"cannot delete all of {agent_version}: {error}; mend that and delete it again"
            ) from error

    def scan_one(self, table: str, agent_version: str, evaluation_id: str) -> str:
        """SQL that reads one evaluation's file by its path. Raises `StoicError` when there is none."""
        file = self.file(table, agent_version, evaluation_id)
        if file is None:
            raise StoicError(
                f"{table} of evaluation {evaluation_id} ({agent_version}) is missing; materialise it first"
            )
        return self._scan(table, [file])

    def _scan(self, table: str, files: Iterable[Path]) -> str:
        paths = ", ".join(quoted(escape(str(path))) for path in (*files, self._empty_file(table)))
        return f"select {_column_list(table)} from read_parquet([{paths}], {_OPTIONS})"

    def _scan_all(self, table: str) -> str:
        """SQL over all evaluations. The file with the highest number counts whole, also when it holds no rows.

        The newest files are listed first (left of the join): were it the other way round, a correction that arrives
        between the two listings would hide its evaluation.
        """
        self._empty_file(table)
        files = quoted(f"{escape(str(self.root / table))}/agent_version=*/*.parquet")
        newest = (
            "select arg_max(file, try_cast(regexp_extract(file, '[.]([0-9]+)[.]parquet$', 1) as bigint)) as file "
            f"from glob({files}) group by regexp_replace(file, '[0-9]+[.]parquet$', '')"
        )
        return (
            f"select {_column_list(table)} from ({newest}) as newest "
            f"inner join read_parquet({files}, {_OPTIONS}) as facts on facts.filename = newest.file"
        )

    def _create_views(self, engine: "DuckDBPyConnection", names: Set[str], kind: str = "temp view") -> None:
        for name in self.models.with_inputs(names):
            is_view = name in MODELS and self.models.is_view(name)
            sql = self.models.sql[name] if is_view else self._scan_all(name)
            engine.execute(f'create {kind} "{name}" as {sql}')

    def _folder(self, table: str, agent_version: str) -> Path:
        version = checked(agent_version, AGENT_VERSION, "agent version")
        return self.root / table / f"agent_version={quote(version, safe='@+ ')}"

    def _empty_file(self, table: str) -> Path:
        """A file without rows in today's columns: an empty table has a view, an old file has the newer columns."""
        columns = columns_of(table)
        digest = hashlib.sha256(repr(columns).encode()).hexdigest()[:8]
        path = self.root / table / "agent_version=_" / f"schema-{digest}.parquet"
        if not path.exists():
            write_once(path, arrow_schema(table).empty_table())
        return path


def checked(value: str, pattern: re.Pattern[str], what: str) -> str:
    """`value`, which becomes part of a path. Raises `ConfigurationError` when it does not match `pattern`."""
    if not pattern.fullmatch(value):
        raise ConfigurationError(f"{value!r} is no {what}; it must match {pattern.pattern}")
    return value


def quoted(text: str | Path) -> str:
    """An SQL string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def open_engine(path: Path | None = None, threads: int | None = None) -> "DuckDBPyConnection":
    """A connection to DuckDB in memory, or on a file of its own; speaks UTC and fetches no extension from anywhere.

    What it makes in memory must be temporary: temporary things are its own, all else is seen by the whole process.
    """
    engine = _started(str(path), threads) if path else _in_memory(threads).cursor()
    engine.execute("set TimeZone = 'UTC'")
    return engine


@cache
def _in_memory(threads: int | None) -> "DuckDBPyConnection":
    """One engine for the process: to start one takes 12 ms, and an evaluation looks at tables some hundred times."""
    return _started(":memory:", threads)


def _started(database: str, threads: int | None) -> "DuckDBPyConnection":
    import duckdb

    config: dict[str, Any] = {"autoinstall_known_extensions": False} | ({"threads": threads} if threads else {})
    return duckdb.connect(database, config=config)


def fetch(engine: "DuckDBPyConnection", sql: str, params: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """The rows of a query, each by column name."""
    rows = engine.execute(sql, list(params)).fetchall()
    names = [column[0] for column in engine.description]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _column_list(table: str) -> str:
    own = [name for name in columns_of(table) if name not in COMMON]
    return ", ".join(f'"{name}"' for name in ("agent_version", *COMMON, *own))


@contextmanager
def _drafted(target: Path) -> Iterator[Path]:
    """A path for a DuckDB file, or a folder, that takes the place of `target` once it is complete.

    It has the same stem, since DuckDB names the catalog after it, and lies in a folder of its own beside. A write-ahead
    log of the old file would be replayed into the new one, so it goes.
    """
    import duckdb

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".draft-", dir=target.parent) as folder:
            draft = Path(folder) / target.name
            yield draft
            if draft.is_file():
                target.with_name(f"{target.name}.wal").unlink(missing_ok=True)
            draft.replace(target)
    except (OSError, duckdb.Error) as error:
        raise StorageError(f"cannot write {target}: {error}; is there room, may it be written?") from error
