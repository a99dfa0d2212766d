"""Dagster's own records, for processes that make a run: SQLite files, or connections to PostgreSQL, as Dagster makes
them, opened once, not for each event.

Measured: for an evaluation of one trial Dagster opens and closes a file some 2,500 times, 4 of 10 CPU seconds; as many
connections to PostgreSQL cost 5 CPU seconds here and 6 on its side. The web UI and the daemon read and write the same
records in Dagster's way. Any other storage that `dagster.yaml` names stays.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.instance.ref import InstanceRef
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.event import listen
from sqlalchemy.pool import StaticPool

BUSY_SECONDS = 60
"""How long a statement waits for another process that writes; Dagster's own connections wait as long."""


class KeptEventLog(SqliteEventLogStorage):
    """The event log with one open connection for each of its files."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._engines: dict[str, Engine] = {}
        self._tables: set[str] = set()
        super().__init__(*args, **options)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engine = self._engine(shard)
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                yield connection

    def _engine(self, shard: str) -> Engine:
        if shard not in self._engines:
            options = {"timeout": BUSY_SECONDS, "check_same_thread": False}
            engine = create_engine(self.conn_string_for_shard(shard), poolclass=StaticPool, connect_args=options)
            listen(engine, "connect", _without_syncs)
            self._engines[shard] = engine
        return self._engines[shard]

    def has_table(self, table_name: str) -> bool:
        """Tables are added, never dropped: one that was there is there."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def dispose(self) -> None:
        """Closes the files."""
        super().dispose()
        for engine in self._engines.values():
            engine.dispose()
        self._engines.clear()


def _without_syncs(connection: Any, _record: object) -> None:
    """No sync of the disk for each of some 500 events: what must outlast a power cut stands in our journals."""
    connection.execute("pragma synchronous = normal")


class KeptStorage(DagsterSqliteStorage):
    """Dagster's SQLite storage with that event log."""

    def __init__(self, base_dir: str, inst_data: Any = None) -> None:
        super().__init__(base_dir, inst_data)
        self._event_log_storage = KeptEventLog(self._event_log_storage._base_dir)

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Any) -> "KeptStorage":
        """Dagster's own names its own class here."""
        return cls.from_local(inst_data=inst_data, **config_value)


def open_instance(home: Path) -> dg.DagsterInstance:
    """The instance of a `DAGSTER_HOME`, for one process that makes a run itself."""
    ref = InstanceRef.from_dir(str(home))
    if ref.storage_data is not None and ref.storage_data.class_name == "DagsterSqliteStorage":
        kept = ref.storage_data._replace(module_name=__name__, class_name=KeptStorage.__name__)
        ref = ref._replace(storage_data=kept)
    instance = dg.DagsterInstance.from_ref(ref)
    for storage in (instance.run_storage, instance.event_log_storage, instance.schedule_storage):
        if hasattr(storage, "postgres_url"):
            _keep_connection(storage)
    return instance


def _keep_connection(storage: Any) -> None:
    """One open connection to PostgreSQL, asked before each use whether it still is one."""
    from dagster_postgres.utils import create_pg_engine

    storage._engine = create_pg_engine(
        storage.postgres_url, storage._token_provider, isolation_level="AUTOCOMMIT", pool_size=1, pool_pre_ping=True
    )
    listen(storage._engine, "connect", _without_waiting_for_syncs)


def _without_waiting_for_syncs(connection: Any, _record: object) -> None:
    """As with SQLite: in a power cut of its machine the database may lose the records of the last second."""
    with connection.cursor() as cursor:
        cursor.execute("set synchronous_commit = off")
    connection.commit()
