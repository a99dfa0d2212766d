"""What the demo agent stores in the subject graph.

Every node has `user`, `session` and the label `DomainNode`. Reminders and notes are stored for the user and listed in
the object context; facts about the user are `Preference` nodes, which it gives in words.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Protocol

from tenacity import AsyncRetrying, stop_after_attempt, wait_random

from stoic_assets.demo.functions import Call
from stoic_assets.demo.reminders import UNNAMED, Reminder
from stoic_assets.demo.session import Known, in_order

Rows = list[dict[str, Any]]

_LABELS = ("Reminder", "Note", "Preference")
_OF_THE_USER = "MATCH (n:{label} {{user: $user}}) RETURN labels(n) AS labels, properties(n) AS properties"
_KEPT_FOR = "SET n.user = $user, n.session = $session, n.created_at = coalesce(n.created_at, $now), "
_TEXT = "n.text = $text"
_REMINDER = f"{_TEXT}, n.due = $due, n.zone = $zone, n.zone_assumed = $zoneAssumed"
_WRITES = {
    "createReminder": f"MERGE (n:DomainNode:Reminder {{id: $id}}) {_KEPT_FOR}{_REMINDER}",
    "updateReminder": f"MATCH (n:Reminder {{id: $id, user: $user}}) SET n.updated_at = $now, {_REMINDER}",
    "cancelReminder": "MATCH (n:Reminder {id: $id, user: $user}) DETACH DELETE n",
    "rememberPreference": f"MERGE (n:DomainNode:Preference {{user: $user, subject: $subject}}) {_KEPT_FOR}{_TEXT}",
    "keepNote": f"MERGE (n:DomainNode:Note {{id: $id}}) {_KEPT_FOR}{_TEXT}",
}
"""What a function writes; functions that are not listed here only read. Running one twice changes nothing."""


class Graph(Protocol):
    """The database of the memory."""

    async def write(self, cypher: str, parameters: dict[str, Any] | None = None) -> Rows: ...


class Memory:
    """The demo agent's part of a subject graph; `dry_run` names the functions whose writes are left out."""

    def __init__(self, graph: Graph, dry_run: Iterable[str] = ()) -> None:
        self._graph = graph
        self._writes = {name: cypher for name, cypher in _WRITES.items() if name not in set(dry_run)}

    async def prepare(self) -> None:
        """Makes the labels known to the graph before conversations begin.

        When several clients create the first node of a combination of labels at once, ArcadeDB refuses all but one,
        with an error that looks like a faulty query. Another agent may start now, so this tries again.
        """
        for label in _LABELS:
            async for attempt in AsyncRetrying(stop=stop_after_attempt(3), wait=wait_random(max=0.2), reraise=True):
                with attempt:
                    await self._graph.write(f"CREATE (n:DomainNode:{label}) DELETE n")

    async def known(self, user: str) -> Known:
        """All that is stored about a user."""
        reminders, notes, profile = [await self._nodes(label, user) for label in _LABELS]
        return Known(
            reminders=in_order([_reminder(node["properties"]) for node in reminders]),
            profile={node["properties"]["subject"]: node["properties"]["text"] for node in profile},
            notes=[node["properties"]["text"] for node in notes],
        )

    async def carry_out(self, calls: Sequence[Call], user: str, session: str, now: datetime) -> None:
        """Writes to the graph what the calls of a reply claim."""
        own = {"user": user, "session": session, "now": now.isoformat()}
        for call in calls:
            if call.function in self._writes:
                await self._graph.write(self._writes[call.function], {**call.arguments, **own})

    async def resources(self, user: str) -> list[dict[str, Any]]:
        """The user's reminders and notes as resources of an object context."""
        nodes = [node for label in ("Reminder", "Note") for node in await self._nodes(label, user)]
        return [_resource(node["labels"], node["properties"]) for node in nodes]

    async def _nodes(self, label: str, user: str) -> Rows:
        found = await self._graph.write(_OF_THE_USER.format(label=label), {"user": user})
        return sorted(found, key=lambda node: [str(node["properties"].get(key)) for key in ("created_at", "id")])


def _reminder(properties: dict[str, Any]) -> Reminder:
    return Reminder(
        id=str(properties.get("id")),
        text=str(properties.get("text") or UNNAMED),
        due=properties.get("due"),
        zone=properties.get("zone") or "UTC",
        zone_assumed=bool(properties.get("zone_assumed", not properties.get("zone"))),
    )


def _resource(labels: Sequence[str], properties: dict[str, Any]) -> dict[str, Any]:
    name = str(properties.get("text") or properties.get("id"))
    return {
        "id": str(properties.get("id")),
        "name": name,
        "description": name,
        "properties": properties,
        "labels": sorted(labels),
        "aliases": [],
    }
