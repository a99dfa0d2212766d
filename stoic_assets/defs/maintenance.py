"""Keeps the warehouse fast; nothing here changes its data.

`night_watch` starts it automatically.
"""

from datetime import timedelta

import dagster as dg

from stoic_assets.adapters.warehouse.compaction import GRACE, Compacted
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.defs.asset_metadata import OWNERS
from stoic_assets.defs.failures import reported
from stoic_assets.defs.run_config import Bounds, checked


class CompactionConfig(dg.Config):
    """Files younger than `grace_minutes` are not merged; files that were replaced since then are not removed."""

    grace_minutes: float = GRACE.total_seconds() / 60


@dg.asset(group_name="maintenance", kinds={"parquet"}, owners=OWNERS)
def compact(
    context: dg.AssetExecutionContext, config: CompactionConfig, workplace: dg.ResourceParam[Workplace]
) -> dg.MaterializeResult:
    """Merges the many small files of the warehouse into a few archives. No table changes.

    A table with a damaged file is left out, with a warning that names the file.
    """
    with reported(workplace):
        checked(Bounds, config.model_dump())
        tables = workplace.warehouse.compact(timedelta(minutes=config.grace_minutes))
    for damage in filter(None, (table.damage for table in tables)):
        context.log.warning(damage)
    return dg.MaterializeResult(
        metadata={
            "files": sum(table.files for table in tables),
            "merged_files": sum(table.merged for table in tables),
            "removed_files": sum(table.removed for table in tables),
            "bytes": sum(table.bytes for table in tables),
            "tables": dg.MetadataValue.md("\n".join(map(_line, tables)) or "the warehouse is empty"),
        }
    )


compaction = dg.define_asset_job(
    "compaction",
    selection=dg.AssetSelection.assets("compact"),
    description="Merges the small files of the warehouse.",
)


def _line(table: Compacted) -> str:
    if table.damage:
        return f"- {table.table}: left out: {table.damage}"
    return f"- {table.table}: {table.merged} merged, {table.removed} removed, {plural(table.files, 'file')} left"
