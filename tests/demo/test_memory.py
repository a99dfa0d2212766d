import asyncio
from collections.abc import Awaitable, Callable

import pytest

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.demo.functions import Call
from stoic_assets.demo.memory import Memory
from stoic_assets.demo.reminders import Reminder


@pytest.fixture
def sing(user) -> dict[str, object]:
    """The arguments of a call that creates a reminder."""
    return {"id": user, "text": "sing", "due": "2026-11-22T09:00", "zone": "UTC", "zoneAssumed": True}


@pytest.fixture
def on_graph(graph_address) -> Callable[[Callable[[Graph], Awaitable[None]]], None]:
    """Runs a coroutine over the real graph."""

    def run(body: Callable[[Graph], Awaitable[None]]) -> None:
        async def prepared() -> None:
            graph = Graph(graph_address)
            try:
                await body(graph)
            finally:
                await graph.aclose()

        asyncio.run(prepared())

    return run


def test_what_was_carried_out_is_known_again(on_graph, now, user, sing):
    async def body(graph: Graph) -> None:
        memory = Memory(graph)
        calls = [
            Call("createReminder", "", sing),
            Call("rememberPreference", "", {"subject": "name", "text": "Ada"}),
            Call("keepNote", "", {"id": f"{user}-note", "text": "the key is with Cato"}),
            Call("listReminders", ""),
        ]
        for _ in range(2):  # twice changes nothing
            await memory.carry_out(calls, user, "s1", now)
        known = await memory.known(user)
        assert known.reminders == [Reminder(user, "sing", "2026-11-22T09:00", "UTC", zone_assumed=True)]
        assert known.profile == {"name": "Ada"}
        assert known.notes == ["the key is with Cato"]
        assert (await memory.known("nobody")).reminders == []

    on_graph(body)


def test_reminders_are_changed_and_deleted_for_their_own_user_only(on_graph, now, user, sing):
    async def body(graph: Graph) -> None:
        memory = Memory(graph)
        await memory.carry_out([Call("createReminder", "", sing)], user, "s1", now)
        moved = {**sing, "due": None, "zone": "Europe/Oslo", "zoneAssumed": False}
        await memory.carry_out([Call("updateReminder", "", moved)], "nobody", "s2", now)
        assert (await memory.known(user)).reminders[0].zone == "UTC"
        await memory.carry_out([Call("updateReminder", "", moved)], user, "s2", now)
        assert (await memory.known(user)).reminders == [Reminder(user, "sing", None, "Europe/Oslo")]
        await memory.carry_out([Call("cancelReminder", "", {"id": user})], "nobody", "s2", now)
        assert len((await memory.known(user)).reminders) == 1
        await memory.carry_out([Call("cancelReminder", "", {"id": user})], user, "s2", now)
        assert (await memory.known(user)).reminders == []

    on_graph(body)


def test_resources_are_reminders_and_notes_and_not_the_profile(on_graph, now, user, sing):
    async def body(graph: Graph) -> None:
        memory = Memory(graph)
        calls = [
            Call("createReminder", "", sing),
            Call("rememberPreference", "", {"subject": "name", "text": "Ada"}),
            Call("keepNote", "", {"id": f"{user}-note", "text": "the key is with Cato"}),
        ]
        await memory.carry_out(calls, user, "s1", now)
        reminder, note = await memory.resources(user)
        assert reminder["labels"] == ["DomainNode", "Reminder"]
        assert (reminder["id"], reminder["name"]) == (user, "sing")
        assert reminder["properties"]["user"] == user
        assert reminder["properties"]["session"] == "s1"
        assert note["labels"] == ["DomainNode", "Note"]

    on_graph(body)


def test_nodes_that_others_prepared_are_read_with_what_they_have(on_graph, user):
    async def body(graph: Graph) -> None:
        await graph.write("CREATE (:DomainNode:Reminder {id: 'x', user: $u}), (:Reminder {user: $u})", {"u": user})
        memory = Memory(graph)
        assert [each.text for each in (await memory.known(user)).reminders] == ["Reminder", "Reminder"]
        assert len(await memory.resources(user)) == 2

    on_graph(body)


def test_a_dry_run_leaves_its_functions_out_and_no_others(on_graph, now, user, sing):
    async def body(graph: Graph) -> None:
        memory = Memory(graph, dry_run={"createReminder"})
        calls = [Call("createReminder", "", sing), Call("rememberPreference", "", {"subject": "name", "text": "Ada"})]
        await memory.carry_out(calls, user, "s1", now)
        known = await memory.known(user)
        assert known.reminders == []
        assert known.profile == {"name": "Ada"}

    on_graph(body)
