"""Delivers the messages that wait in the outbox, alerts among them, and records the times in the tables.

A message may be delivered long after its evaluation was stored, together with another one or with an alert.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.messages.outbox import Delivered, fitness_message
from stoic_assets.adapters.messages.receiver import Target, addresses, secrets
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evolution.events import Event
from stoic_assets.core.presentation.formatting import plural

_MESSAGES: Mapping[str, tuple[Target, Callable[[Mapping[str, Any]], str]]] = {
    "events": ("events", lambda row: str(row["id"])),
    "fitness_updates": ("fitness", lambda row: fitness_message(row["agent_version"], row["evaluation_id"])),
}
"""For each table with `delivered_at`: the target of its messages, and the id of a row's message."""


def times_locked(workplace: Workplace) -> AbstractContextManager[None]:
    """Lets one process at a time look up delivery times and write them into tables, so that none is lost.

    Who deletes a version holds it too, so that no row comes back. Notes it if that must be waited for.
    """
    line = "another process writes delivery times or deletes a version; this waits for that"
    return locked(workplace.project.home / "outbox" / "times.lock", on_wait=partial(workplace.progress.note, line))


async def deliver(
    workplace: Workplace, targets: Mapping[Target, str], new: Collection[str], seconds: float = 60.0
) -> Delivered:
    """Delivers what waits, as `Outbox.deliver` does, and records the times in rows that were stored before.

    Shows in the progress what was not accepted at an address that is set.
    `new` are the ids of messages whose rows, if they have any, the caller stores afterwards.
    """
    delivery = await workplace.outbox.deliver(targets, seconds=seconds, secrets=secrets(workplace.env))
    if delivery.errors:
        waiting = workplace.outbox.waiting()
        held = sum(waiting.get(target, 0) for target, url in targets.items() if url)
        problem = "; ".join(delivery.errors)
        workplace.progress.note(f"{plural(held, 'message')} in the outbox could not be delivered: {problem}")
    for version, accepted in workplace.outbox.unnoted().items():
        if accepted.keys() <= {*new} or _has_noted_times(workplace, version):
            workplace.outbox.noted(accepted.values())
    return delivery


def _has_noted_times(workplace: Workplace, agent_version: str) -> bool:
    """Notes the times of a version's messages, or shows in the progress why it cannot: the next delivery tries again.

    That fails no evaluation: it need not be one of this version.
    """
    try:
        for table in _MESSAGES:
            _note_times(workplace, table, agent_version)
    except StorageError as fault:
        workplace.progress.note(f"when messages about {agent_version} were delivered could not be stored: {fault}")
        return False
    return True


def _note_times(workplace: Workplace, table: str, agent_version: str) -> None:
    """Writes again those evaluations of a version whose rows lack the time of a message that was delivered."""
    target, message = _MESSAGES[table]
    waiting = f"select distinct evaluation_id from {table} where agent_version = ? and delivered_at is null"
    with times_locked(workplace):
        for evaluation in workplace.warehouse.query(waiting, [agent_version]):
            place = (table, agent_version, evaluation["evaluation_id"])
            rows = workplace.warehouse.read(*place)
            known = workplace.outbox.delivery_times(target, [message(row) for row in rows])
            times = [row["delivered_at"] or known[message(row)] for row in rows]
            if times != [row["delivered_at"] for row in rows]:
                timed = [{**row, "delivered_at": time} for row, time in zip(rows, times, strict=True)]
                workplace.warehouse.write(*place, timed)


ALERT_SECONDS = 10.0
"""For one delivery: Dagster stops a sensor after 60 seconds; what is not accepted by then stays in the outbox."""


def put_events(workplace: Workplace, events: Sequence[Event]) -> None:
    """Stores events for `STOIC_WEBHOOK_URL` in the outbox, for the next delivery."""
    for event in events:
        workplace.outbox.put("events", {event.id: workplace.redactor.row(event.document())}, event.subject)


def announce(workplace: Workplace, events: Sequence[Event]) -> Delivered:
    """Stores events for `STOIC_WEBHOOK_URL` and delivers what waits. What cannot be delivered stays in the outbox."""
    put_events(workplace, events)
    webhook = addresses(workplace.env)["events"]
    new = {event.id for event in events}
    return run_async(deliver(workplace, {"events": webhook}, new, ALERT_SECONDS))


def deliver_alerts(workplace: Workplace) -> Delivered | None:
    """Delivers what waits, alerts first, if an alert is due (`has_alerts`) and has an address. Else gives None."""
    due = addresses(workplace.env)["events"] and workplace.outbox.has_alerts()
    return announce(workplace, []) if due else None
