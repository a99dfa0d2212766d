"""Whether an evaluation still has its tables: what is lost would otherwise count as a table without rows."""

from collections.abc import Collection

from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.table_repair import loss, tables_at


def refuse_lost(stored: StoredTables, status: str, tables: Collection[str]) -> None:
    """Raises `ConfigurationError` if the evaluation, by its status, must have one of these tables and does not."""
    for table in tables_at(status):
        if table in tables and not stored.has(table):
            raise ConfigurationError(loss(table, *stored.key))
