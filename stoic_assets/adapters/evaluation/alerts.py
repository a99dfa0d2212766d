"""Sends alerts: into the outbox first, then to the webhook if there is one."""

from collections.abc import Sequence

from stoic_assets.adapters.evaluation.delivery import deliver
from stoic_assets.adapters.messages.outbox import Delivered
from stoic_assets.adapters.messages.receiver import addresses
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evolution.events import Event

SECONDS = 10.0
"""For one delivery: Dagster stops a sensor after 60 seconds; what is not accepted by then stays in the outbox."""


def announce(workplace: Workplace, events: Sequence[Event]) -> Delivered:
    """Stores events for `STOIC_WEBHOOK_URL` and delivers what waits. What cannot be delivered stays in the outbox."""
    for event in events:
        workplace.outbox.put("events", {event.id: workplace.redactor.row(event.document())}, event.subject)
    webhook = addresses(workplace.env)["events"]
    new = {event.id for event in events}
    return run_async(deliver(workplace, {"events": webhook}, new, SECONDS))
