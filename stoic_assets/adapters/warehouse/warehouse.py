"""The warehouse: every table as immutable Parquet files, with DuckDB as the engine that reads them.

`<root>/<table>/agent_version=<v>/<evaluation_id>.<n>.parquet`, in the declared columns of `table_schemas`. Writing
and reading take no lock: any number of runs write concurrently, and readers never wait. Deleting and compacting take
turns (`compaction`). `<root>/stoic.duckdb` is for people; it contains only views, and this code never reads from it.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, suppress
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoic_assets.adapters.disk.paths import refuse_misread
from stoic_assets.adapters.warehouse.compaction import GRACE, Compacted, compact, remove_version
from stoic_assets.adapters.warehouse.damaged_files import DamagedFile
from stoic_assets.adapters.warehouse.damaged_tables import damaged, table_damage_named
from stoic_assets.adapters.warehouse.duckdb_engine import Answer, fetch, open_engine, twice_if_changed
from stoic_assets.adapters.warehouse.duckdb_files import has_other_views, mark, new_database, still_holds
from stoic_assets.adapters.warehouse.empty_files import empty_file, make_empty_file
from stoic_assets.adapters.warehouse.file_names import VERSION_FOLDER
from stoic_assets.adapters.warehouse.parquet_files import (
    Place,
    place_of,
    places,
    write_next,
    write_rows,
)
from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.adapters.warehouse.table_rows import rows_as_json
from stoic_assets.adapters.warehouse.table_scans import live_scan, scan
from stoic_assets.adapters.warehouse.table_schemas import MODELS, TABLES, duckdb_columns
from stoic_assets.core.errors import NothingYet, StoicError, TableMissing
from stoic_assets.core.evaluation.evaluation_id import EvaluationKey, check_evaluation_id
from stoic_assets.core.releases import check_agent_version
from stoic_assets.core.table_repair import way_to_remake
from stoic_assets.core.table_rows import Row, Rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class Warehouse:
    """All tables under one folder. `variables` are those of the SQL models (see `sql_project.model_variables`)."""

    def __init__(self, root: Path, variables: Mapping[str, Any] | None = None) -> None:
        self.root = root.absolute()
        self._variables = variables
        self._whole = set[str]()

    @cached_property
    def models(self) -> SqlProject:
        """The SQL models whose views and files are stored next to the tables."""
        return SqlProject(variables=self._variables)

    def refuse_misread_folder(self) -> None:
        """Raises `ConfigurationError` for a folder in which `publish` would fail; reading and writing tables do not."""
        # The log of a DuckDB file would be in a folder with another name; in patterns a backslash is a slash.
        refuse_misread("DuckDB", r"[?\\]", self.root, "set STOIC_WAREHOUSE to another one")

    def write(self, table: str, agent_version: str, evaluation_id: str, rows: Rows) -> Path:
        """Stores the rows of one evaluation as its newest version of `table`; an empty list makes a file too.

        Raises `StoicError` for an invalid row, `StorageError` when the disk refuses: nothing is stored then.
        """
        folder = self._folder(table, agent_version)
        check_evaluation_id(evaluation_id)
        lines = rows_as_json(table, agent_version, evaluation_id, rows)
        make_empty_file(self.root / table)
        with open_engine() as engine:
            return write_next(folder, evaluation_id, partial(write_rows, engine, duckdb_columns(table), lines))

    def file(self, table: str, agent_version: str, evaluation_id: str) -> Path | None:
        """The file with the rows that count for one evaluation, or None; a merged file contains others too."""
        place = self._place(table, agent_version, evaluation_id)
        return Path(place.path) if place else None

    def has(self, table: str, agent_version: str, evaluation_id: str) -> bool:
        """Whether the evaluation has this table, with or without rows."""
        return self.file(table, agent_version, evaluation_id) is not None

    def read(self, table: str, agent_version: str, evaluation_id: str, columns: Collection[str] = ()) -> list[Row]:
        """The rows of one evaluation as they were written, by path, or some of their columns.

        Raises `StoicError` when there are none yet, `DamagedFile`.
        """
        key = (table, agent_version, evaluation_id)
        selected = ", ".join(f'"{name}"' for name in columns) or "*"
        with table_damage_named(self.root, [table]), open_engine() as engine:
            return twice_if_changed(lambda _: fetch(engine, f"select {selected} from ({self.scan_one(*key)})"))

    def read_if_stored(
        self, table: str, agent_version: str, evaluation_id: str, columns: Collection[str] = ()
    ) -> list[Row]:
        """As `read`; no rows where the evaluation does not have this table."""
        key = (table, agent_version, evaluation_id)
        return self.read(*key, columns) if self.has(*key) else []

    def evaluations(self, agent_version: str) -> list[Row]:
        """The evaluations of one version, the newest first."""
        return self._of_version("evaluations", agent_version, "from ({}) order by started_at desc, evaluation_id desc")

    def evaluation_ids(self, agent_version: str, table: str = "evaluations") -> set[str]:
        """The evaluations of one version with this table, by the names of their files, which may be damaged."""
        return {evaluation_id for _, evaluation_id in places(self.root / table, agent_version)}

    def jobs(self, agent_version: str) -> list[Row]:
        """Each job and scenario of which an evaluation of one version has trials.

        A row has its hash, and how many `repeats` there are under the condition that has most.
        """
        columns = "evaluation_id, job, scenario, job_hash"
        counted = f"select {columns}, condition, count(*) as held from ({{}}) group by all"
        sql = f"select {columns}, max(held) as repeats from ({counted}) group by all"
        return self._of_version("trials", agent_version, sql)

    def newest_version(self) -> str:
        """The version evaluated last. Raises `NothingYet` if there is none."""
        rows = self.query("select agent_version from evaluations order by started_at desc limit 1")
        if not rows:
            advice = "run `stoic eval` or `stoic demo`, or continue one that was cut short, if `stoic list` shows any"
            raise NothingYet(f"nothing was evaluated yet in {self.root}; {advice}")
        return str(rows[0]["agent_version"])

    def agent_versions(self) -> set[str]:
        """Every version with a file in some table."""
        return {version for table in TABLES for version, _ in places(self.root / table)}

    def create_views(self, engine: "DuckDBPyConnection", names: Set[str], by_name: bool = True) -> None:
        """Makes a view of what is stored now of each named table, and of those behind the models among them.

        Not `by_name` is faster, but queries then fail with `duckdb.InvalidInputException` if a file lacks a new column.
        """
        for name in self.models.with_inputs(names):
            sql = self._model_view(name) or self._scan(name, places(self.root / name), by_name)
            engine.execute(f'create or replace temp view "{name}" as {sql}')

    def query(self, sql: str, params: Sequence[str | Sequence[str]] = ()) -> list[Row]:
        """The rows of a query over the views; only tables whose names occur in it are opened."""
        return self.ask(TABLES.keys() & re.findall(r"\w+", sql), lambda engine: fetch(engine, sql, params))

    def ask(self, names: Set[str], questions: "Callable[[DuckDBPyConnection], Answer]") -> Answer:
        """The result of `questions` over views of the named tables; it may be called twice. Raises `DamagedFile`."""

        def asked(again: bool) -> Answer:
            self.create_views(engine, names, by_name=again)  # slow, and rarely needed
            return questions(engine)

        with self.damage_named(names), open_engine(threads=None) as engine:
            return twice_if_changed(asked)

    @property
    def published(self) -> Path:
        """The DuckDB file for people, which `publish` makes."""
        return self.root / "stoic.duckdb"

    def publish(self) -> Path:
        """Updates `stoic.duckdb`, with a view of every table; a program that has the old file open keeps the old one.

        A view shows what is stored at the time of the query, so the file need not change with the data: it is made
        again only if it lacks today's views, or something else wrote to it. Making it takes long, since DuckDB opens
        every file of a table for its view. Raises `StorageError`, and see `refuse_misread_folder`.
        """
        self.refuse_misread_folder()
        target, (models, facts) = self.published, self._views()
        if not still_holds(target, facts | models):
            with new_database(target) as engine, self.damage_named(TABLES):
                # Models are first made over views without rows: else each would open all files of its tables again.
                for name in self.models.with_inputs(models.keys()):
                    engine.execute(f'create view "{name}" as {models.get(name) or self._scan(name, {})}')
                for name, sql in facts.items():
                    make_empty_file(self.root / name)
                    engine.execute(f'create or replace view "{name}" as {sql}')
            mark(target, facts | models)
        return target

    def renew(self) -> None:
        """Publishes again if another release did, or the folder was moved or copied since: views contain its path.

        Otherwise a copy would show the rows of the original. Where it cannot be written, the file stays as it is.
        """
        models, facts = self._views()
        if has_other_views(self.published, facts | models):
            with suppress(StoicError):
                self.publish()

    def damage_named(self, tables: Iterable[str]) -> AbstractContextManager[None]:
        """Within the block, a query that meets a damaged file of these tables and models raises `DamagedFile`."""
        return table_damage_named(self.root, self.models.with_inputs(frozenset(tables)))

    def damaged(self, tables: Iterable[str] = TABLES, agent_version: str | None = None) -> Iterator[DamagedFile]:
        """The damaged files of these tables, of all versions or of one, found by their first and last bytes."""
        return (each for table in tables for each in damaged(self.root / table, agent_version))

    def refuse_damaged(self, tables: Iterable[str] = TABLES, agent_version: str | None = None) -> None:
        """Raises `DamagedFile` for the first of the `damaged` files; one that it found whole is not read again."""
        for table in tables:
            for damage in damaged(self.root / table, agent_version, whole=self._whole):
                raise damage

    def delete(self, agent_version: str, on_wait: Callable[[], None] = lambda: None) -> None:
        """Removes all rows of one version; see `compaction.remove_version`. Raises `StorageError`."""
        remove_version(self.root, check_agent_version(agent_version), on_wait)

    def compact(self, grace: timedelta = GRACE) -> list[Compacted]:
        """Merges files that are older than `grace` into archives; see `compaction`. Raises `StorageError`."""
        self.publish()  # the views of an older program do not know archives
        return compact(self.root, grace)

    def scan_one(self, table: str, agent_version: str, evaluation_id: str) -> str:
        """SQL that reads one evaluation's file by its path. Raises `TableMissing` when there is none."""
        place = self._place(table, agent_version, evaluation_id)
        if place is None:
            has_evidence = self.has("trials", agent_version, evaluation_id)
            way = way_to_remake(table, agent_version, evaluation_id, has_evidence)
            advice = f"materialise that asset first{f', or {way}' if way else ''}"
            raise TableMissing(f"table {table} of evaluation {evaluation_id} ({agent_version}) is missing; {advice}")
        return self._scan(table, {(agent_version, evaluation_id): place})

    def _of_version(self, table: str, agent_version: str, sql: str) -> list[Row]:
        """The result of `sql` over all rows of one version, which replace its braces."""
        check_agent_version(agent_version)

        def rows(_: bool) -> list[Row]:
            found = places(self.root / table, agent_version)
            return fetch(engine, sql.format(self._scan(table, found))) if found else []

        with table_damage_named(self.root, [table]), open_engine() as engine:
            return twice_if_changed(rows)

    def _place(self, table: str, agent_version: str, evaluation_id: str) -> Place | None:
        key = check_agent_version(agent_version), check_evaluation_id(evaluation_id)
        return place_of(self.root / table, key)

    def _scan(self, table: str, found: Mapping[EvaluationKey, Place], by_name: bool = True) -> str:
        return scan(self.root / table, empty_file(self.root / table), found, by_name)

    def _model_view(self, name: str) -> str | None:
        """The SQL of a model that looks across evaluations."""
        return self.models.sql[name] if name in MODELS and self.models.is_view(name) else None

    def _views(self) -> tuple[dict[str, str], dict[str, str]]:
        """The SQL of the published views: of models, and of all other tables."""
        models = {name: sql for name in MODELS if (sql := self._model_view(name))}
        return models, {name: live_scan(self.root / name) for name in TABLES if name not in models}

    def _folder(self, table: str, agent_version: str) -> Path:
        return self.root / table / f"{VERSION_FOLDER}{check_agent_version(agent_version)}"
