"""Dagster's own records, for processes that make a run: SQLite files, or connections to PostgreSQL, in Dagster's format
but opened once, not for each event.

Measured: for an evaluation of one trial Dagster opens and closes a file some 2,500 times, 4 of 10 CPU seconds; as many
connections to PostgreSQL cost 5 CPU seconds here and 6 on its side. It queries the newest materialisation 73 times, and
300 times whether the partition exists, another 0.2 CPU seconds. The web UI and the daemon read and write the same
records in Dagster's way. Any other storage in `dagster.yaml` is left alone.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
from dagster._core.definitions.run_status_sensor_definition import RunStatusSensorCursor
from dagster._core.instance import types
from dagster._core.scheduler.instigation import SensorInstigatorData
from dagster._core.storage.event_log.migration import ASSET_KEY_INDEX_COLS
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME, SqliteEventLogStorage
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from sqlalchemy import Connection, Engine, create_engine, inspect
from sqlalchemy.event import listen
from sqlalchemy.pool import NullPool, StaticPool

BUSY_SECONDS = 60
"""How long a statement waits for another process that writes; Dagster's own connections wait as long."""


class KeptEventLog(SqliteEventLogStorage):
    """The event log with one open connection for each of its files, which caches what cannot have changed.

    Other processes may add tables and partitions; only the command that deletes a version drops a partition.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self._engines: dict[str, Engine] = {}
        self._tables: set[str] = set()
        self._partitions: set[tuple[str, str]] = set()
        self._materialized: dict[str, Any] = {}
        super().__init__(*args, **options)
        self._complete_index()

    def _complete_index(self) -> None:
        """Makes the rest of an index: Dagster looks only for its file, and may have been killed while it made that."""
        if not self.has_secondary_index(ASSET_KEY_INDEX_COLS):  # which Dagster notes last
            self.reindex_events()
            self.reindex_assets()

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            if shard not in self._initialized_dbs:
                self._prepare(shard)
                self._initialized_dbs.add(shard)
            with self._engine(shard).begin() as connection:
                yield connection

    def _prepare(self, shard: str) -> None:
        """Makes the tables of a new file. A run's file starts as a copy, since making the tables takes 60 ms."""
        file = Path(self.path_for_shard(shard))
        if shard != INDEX_SHARD_NAME and not file.exists():
            new = file.with_suffix(".new")
            try:
                shutil.copyfile(self._empty(), new).replace(file)
            except OSError:  # for example the disk is full: SQLite will report it itself
                new.unlink(missing_ok=True)
        if not inspect(self._engine(shard)).has_table("alembic_version"):  # which Dagster makes last
            self._initdb(self._engine(shard))

    def _empty(self) -> Path:
        """The file of a run before its first event, as this version of Dagster makes it."""
        empty = Path(self._base_dir).parent / f"empty-run-{dg.__version__}.db"
        if not empty.exists():
            new = empty.with_suffix(f".{os.getpid()}")
            engine = create_engine(f"sqlite:///{new}", poolclass=NullPool)
            self._initdb(engine)
            new.replace(empty)
        return empty

    def _engine(self, shard: str) -> Engine:
        if shard not in self._engines:
            options = {"timeout": BUSY_SECONDS, "check_same_thread": False}
            engine = create_engine(self.conn_string_for_shard(shard), poolclass=StaticPool, connect_args=options)
            listen(engine, "connect", _without_syncs)
            self._engines[shard] = engine
        return self._engines[shard]

    def has_table(self, table_name: str) -> bool:
        """Whether the file has a table."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        """Whether a partition exists."""
        partition = (partitions_def_name, partition_key)
        if partition not in self._partitions and super().has_dynamic_partition(*partition):
            self._partitions.add(partition)
        return partition in self._partitions

    def delete_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> None:
        """Removes a partition."""
        super().delete_dynamic_partition(partitions_def_name, partition_key)
        self._partitions.discard((partitions_def_name, partition_key))

    def count_on_from(self, event_id: int) -> None:
        """Gives the next event in the index a higher id than this one.

        SQLite gives the id after the highest that is left, and whatever has read up to a higher one would miss events.
        """
        if (self.get_maximum_record_id() or 0) < event_id:
            row = {"id": event_id, "event": "none: ids up to this one were given before"}  # nobody asks for its type
            with self.index_connection() as connection:
                connection.execute(SqlEventLogStorageTable.insert().prefix_with("or ignore").values(row))

    def delete_events(self, run_id: str) -> None:
        """Deletes the events of a run with its file, which Dagster would leave at its size."""
        last = self.get_maximum_record_id() or 0
        super().delete_events(run_id)
        self.count_on_from(last)
        with self._db_lock:
            self._initialized_dbs.discard(run_id)
            self._engines.pop(run_id).dispose()
            Path(self.path_for_shard(run_id)).unlink()

    def fetch_materializations(self, *asked: Any, **options: Any) -> Any:
        """Materialisations, cached until this process stores another: each check queries its materialisation twice."""
        question = repr((asked, options))
        if question not in self._materialized:
            self._materialized[question] = super().fetch_materializations(*asked, **options)
        return self._materialized[question]

    def store_event(self, event: dg.EventLogEntry) -> None:
        """Stores an event."""
        super().store_event(event)
        if event.dagster_event_type is dg.DagsterEventType.ASSET_MATERIALIZATION:
            self._materialized.clear()

    def dispose(self) -> None:
        """Closes the files."""
        super().dispose()
        for engine in self._engines.values():
            engine.dispose()
        self._engines.clear()


def _without_syncs(connection: Any, _record: object) -> None:
    """Spares a sync of the disk for each of some 500 events: our journals keep what must survive a power cut."""
    connection.execute("pragma synchronous = normal")


def instance_for_runs(home: Path) -> dg.DagsterInstance:
    """The instance of a `DAGSTER_HOME`, for one process that makes a run itself."""
    instance = dg.DagsterInstance.from_config(str(home))
    keep_event_log(instance)
    for storage in (instance.run_storage, instance.event_log_storage, instance.schedule_storage):
        if hasattr(storage, "postgres_url"):
            _keep_connection(storage)
    return instance


def keep_event_log(instance: dg.DagsterInstance) -> None:
    """Makes an instance keep the SQLite files of its event log open, if it writes there."""
    stock = instance.event_log_storage
    if type(stock) is SqliteEventLogStorage:
        kept = KeptEventLog(stock._base_dir)
        kept.register_instance(instance)
        instance._event_storage = kept
        kept.count_on_from(_last_read(instance))  # higher than any in an index that is new, or was wiped


def _last_read(instance: dg.DagsterInstance) -> int:
    """The highest id of an event that the daemon, or a sensor of failed runs, has read."""
    kinds = (dg.DagsterEventType.RUN_FAILURE, dg.DagsterEventType.RUN_SUCCESS)
    keys = {f"EVENT_LOG_CONSUMER_CURSOR-{kind.value}" for kind in kinds}
    by_daemon = [int(read) for read in instance.daemon_cursor_storage.get_cursor_values(keys).values()]
    by_sensors = [
        RunStatusSensorCursor.from_json(data.cursor).record_id
        for state in instance.all_instigator_state()
        if isinstance(data := state.instigator_data, SensorInstigatorData)
        and data.cursor and RunStatusSensorCursor.is_valid(data.cursor)
    ]  # fmt: skip
    return max([*by_daemon, *by_sensors], default=0)


def leave_output_alone(instance: dg.DagsterInstance) -> None:
    """Lets what a command prints go straight to its terminal: Dagster keeps no copy of it, and adds nothing.

    Its copying involves four processes, which print stack traces on Ctrl-C. Dagster also both prints and raises why an
    event could not be written.
    """
    if isinstance(instance.compute_log_manager, LocalComputeLogManager):
        instance._compute_log_manager = NoOpComputeLogManager()
    types.sys = SimpleNamespace(stderr=StringIO(), exc_info=sys.exc_info)  # type: ignore[assignment, attr-defined]


def _keep_connection(storage: Any) -> None:
    """Keeps one connection to PostgreSQL open, which is tested before each use."""
    from dagster_postgres.utils import create_pg_engine

    storage._engine = create_pg_engine(
        storage.postgres_url, storage._token_provider, isolation_level="AUTOCOMMIT", pool_size=1, pool_pre_ping=True
    )
    listen(storage._engine, "connect", _without_waiting_for_syncs)


def _without_waiting_for_syncs(connection: Any, _record: object) -> None:
    """Commits without waiting for the disk, as with SQLite: a power cut may lose the records of the last second."""
    with connection.cursor() as cursor:
        cursor.execute("set synchronous_commit = off")
    connection.commit()
