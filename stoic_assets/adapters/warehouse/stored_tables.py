"""Reads the tables of one evaluation, by its key alone: its manifest need not be kept."""

from collections.abc import Collection

from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.evaluation_id import EvaluationKey
from stoic_assets.core.table_repair import loss, tables_at
from stoic_assets.core.table_rows import Row


class StoredTables:
    """The tables of one evaluation, as far as they are stored."""

    def __init__(self, warehouse: Warehouse, key: EvaluationKey) -> None:
        self.warehouse, self.key = warehouse, key

    def read(self, table: str, columns: Collection[str] = ()) -> list[Row]:
        """The rows of one table, or some of their columns. Raises as `Warehouse.read` does."""
        return self.warehouse.read(table, *self.key, columns)

    def read_if_stored(self, table: str, columns: Collection[str] = ()) -> list[Row]:
        """As `read`; no rows where the table was not stored for this evaluation."""
        return self.warehouse.read_if_stored(table, *self.key, columns)

    def has(self, table: str) -> bool:
        """Whether the table was stored for this evaluation, with or without rows."""
        return self.warehouse.has(table, *self.key)

    def head(self) -> Row:
        """The evaluation's own row; empty if none was written yet."""
        return next(iter(self.read_if_stored("evaluations")), {})

    def refuse_lost(self, status: str, tables: Collection[str]) -> None:
        """Raises `ConfigurationError` if an evaluation of this status must have one of these tables and does not.

        What is lost would otherwise count as a table without rows.
        """
        for table in tables_at(status):
            if table in tables and not self.has(table):
                raise ConfigurationError(loss(table, *self.key))
