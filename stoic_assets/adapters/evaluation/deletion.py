"""Deletes all data of a version from every store, in an order in which it can be interrupted and repeated."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from stoic_assets.adapters.disk.files import remove_folder
from stoic_assets.adapters.evaluation.delivery import times_locked
from stoic_assets.adapters.evaluation.publishing import IMPORTING
from stoic_assets.adapters.evaluation.stoic_graph_projection import delete_from_graph
from stoic_assets.adapters.ratings.rating_keys import forget_version, ratings_locked
from stoic_assets.adapters.workplace import Workplace


def delete_version(workplace: Workplace, version: str, forget_partition: Callable[[], None]) -> list[Path]:
    """Deletes everything, the tables first: after an interruption no command counts the version any more.

    The evidence goes last, after `forget_partition` has removed the version from Dagster's records: until then, this
    can be repeated and still finds all evaluations. Returns the damaged files of nights, which may still name the
    version. Raises `Busy` while an evaluation of it runs, and `StorageError`.
    """
    with workplace.evidence.all_locked(version):  # a running evaluation must not lose its data
        _delete_rows(workplace, version)
        delete_from_graph(workplace, version)  # after the tables: it reads the remaining trends from them
        for folder in (workplace.judge_cache(version), workplace.reports / version):
            remove_folder(folder)
        damaged = workplace.nights.forget(version)
        forget_partition()
        workplace.evidence.delete(version)
    return damaged


def _delete_rows(workplace: Workplace, version: str) -> None:
    """Deletes tables, messages and keys of ratings."""
    waits = partial(workplace.progress.note, "the tables are being compacted; this waits for that")
    # Else who imports feedback, collects ratings or stores delivery times writes back what was read before.
    with workplace.blocking_in_turn(*IMPORTING), ratings_locked(workplace), times_locked(workplace):
        workplace.evidence.begin_deletion(version)
        workplace.warehouse.delete(version, waits)
        workplace.warehouse.publish()
        workplace.outbox.delete(version)
        forget_version(workplace, version)
