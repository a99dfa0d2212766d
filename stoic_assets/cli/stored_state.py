"""What `stoic doctor` says of stored data: files that are damaged, and what needs them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from stoic_assets.adapters.disk.sqlite_files import is_damaged
from stoic_assets.adapters.evaluation.readable_tables import needed_by_all
from stoic_assets.adapters.project import dagster_folder
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.dagster_instance import celery_launcher, open_instance, sqlite_folders
from stoic_assets.cli.damaged_records import damaged_record
from stoic_assets.cli.run_faults import faults_translated
from stoic_assets.core.errors import ServiceUnreachable
from stoic_assets.core.presentation.formatting import plural

if TYPE_CHECKING:
    import dagster as dg

Found = tuple[str, str]
"""State and detail of a finding."""


def _tables(workplace: Workplace) -> Found:
    for damage in workplace.warehouse.damaged(needed_by_all(workplace.warehouse)):
        raise damage
    damaged = [str(damage) for damage in workplace.warehouse.damaged()]
    if not damaged:
        return "ok", f"no file is damaged in {workplace.warehouse.root}"
    more = f"; {plural(len(damaged), 'file')} of tables are damaged in all" if damaged[1:] else ""
    return "note", f"{damaged[0]}{more}"


def _dagster(workplace: Workplace) -> Found:
    home = dagster_folder(workplace.project, workplace.env)
    if damage := damaged_record(sqlite_folders(workplace)):  # which finds a fault of dagster.yaml too
        raise damage
    if not (home / "dagster.yaml").exists():
        return "ok", f"no run was recorded yet in {home}"
    with faults_translated(workplace, lambda: "no evaluation can run"), open_instance(workplace) as instance:
        return "ok", f"records of runs in {_database(instance) or home}"


def _database(instance: "dg.DagsterInstance") -> str | None:
    """Where the records are in PostgreSQL; None if they are in files."""
    from sqlalchemy import make_url

    if not (address := getattr(instance.run_storage, "postgres_url", None)):
        return None
    url = make_url(address)
    return f"the database {url.database} of PostgreSQL on {url.host}:{url.port or 5432}"


def _queue(workplace: Workplace) -> Found | None:
    """Of a deployment on several machines, in which commands do without it."""
    if not (launcher := celery_launcher(workplace)):
        return None
    try:
        return "ok", f"workers take runs from {launcher.ask_queue()}"
    except ServiceUnreachable as fault:
        return "note", f"{fault}; start it, or correct STOIC_BROKER_URL: runs of sensors and schedules wait for it"


def _judge_cache(workplace: Workplace) -> Found:
    caches = sorted(workplace.project.home.glob("cache/*/*/*.sqlite"))
    damaged = [str(file) for file in caches if is_damaged(file)]
    if not damaged:
        return "ok", f"{plural(len(caches), 'file')} of replies"
    return "note", f"damaged, and may be deleted, since they are only a cache: {', '.join(damaged)}"


STORED: Mapping[str, Callable[[Workplace], Found | None]] = {
    "tables": _tables, "dagster": _dagster, "queue": _queue, "judge cache": _judge_cache,
}  # fmt: skip
