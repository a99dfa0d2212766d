"""What is replaced, deleted, killed or delivered by another while a message is on its way."""

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from deliveries import QUICK, VERSION, Service, deliver, delivery_time, numbers, put
from filelock import FileLock

from stoic_assets.adapters.messages.outbox import Delivered, Outbox
from stoic_assets.adapters.messages.receiver import receiver
from stoic_assets.adapters.process import running_clock
from stoic_assets.adapters.process.interrupts import run_async


def test_while_another_process_delivers_to_a_target_nothing_is_sent_there(
    outbox: Outbox, service: Service, tmp_path: Path
) -> None:
    put(outbox, 1)
    with FileLock(tmp_path / "outbox" / "events.lock"):
        outcome = deliver(outbox, service, seconds=0.3)
    why = "STOIC_WEBHOOK_URL: another process has been delivering to it for 0.3 s"
    assert (outcome, service.moments) == (Delivered(0, 1, (why,)), [])
    assert deliver(outbox, service) == Delivered(1, 0)


def test_what_was_accepted_is_recorded_a_hundred_at_a_time(
    outbox: Outbox, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoic_assets.adapters.messages.outbox._SETTLED_EVERY", 60)
    outbox.put("events", {f"trial {number}": {"number": number} for number in range(250)}, VERSION)
    waiting: list[int] = []
    service.on_request = lambda: waiting.append(outbox.waiting()["events"])
    assert deliver(outbox, service) == Delivered(250, 0)
    assert waiting == [250] * 100 + [150] * 100 + [50] * 50


def test_of_a_slow_service_each_message_that_was_accepted_is_recorded_before_the_next_is_sent(
    outbox: Outbox, service: Service
) -> None:
    put(outbox, 1, 2, 3)
    service.delay = 0.6
    waiting: list[int] = []
    service.on_request = lambda: waiting.append(outbox.waiting()["events"])
    assert deliver(outbox, service) == Delivered(3, 0)
    assert waiting == [3, 2, 1]


def test_what_was_accepted_before_a_delivery_is_interrupted_is_recorded(outbox: Outbox, service: Service) -> None:
    async def interrupted() -> None:
        delivery = asyncio.create_task(outbox.deliver({"events": service.url}, QUICK))
        while not service.delay:
            await asyncio.sleep(0.01)
        delivery.cancel()
        await delivery

    put(outbox, 1, 2, 3)
    service.on_request = lambda: setattr(service, "delay", 5 if len(service.taken) == 2 else 0)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupted())
    assert (numbers(service), outbox.waiting()) == ([1, 2], {"events": 1})


def test_a_kill_makes_at_most_a_hundred_messages_and_the_one_in_flight_be_sent_again(
    outbox: Outbox, service: Service, tmp_path: Path
) -> None:
    outbox.put("events", {f"trial {number}": {"number": number} for number in range(300)}, VERSION)
    script = f"""
import asyncio, pathlib
from stoic_assets.adapters.messages import outbox
outbox._SETTLED_EVERY = 60
asyncio.run(outbox.Outbox(pathlib.Path({str(tmp_path)!r})).deliver({{"events": {service.url!r}}}))
"""
    process = subprocess.Popen([sys.executable, "-c", script])
    service.on_request = lambda: process.kill() if len(service.taken) == 199 else None
    assert process.wait(30) == -signal.SIGKILL
    service.on_request = lambda: None
    assert deliver(outbox, service) == Delivered(200, 0)
    sent = numbers(service)
    assert sent[-200:] == [*range(100, 300)]
    assert sent[:-200] in ([*range(199)], [*range(200)])


def test_a_message_replaced_on_its_way_is_sent_again(outbox: Outbox, service: Service) -> None:
    put(outbox, 1, note="first")

    def replace_once() -> None:
        service.on_request = lambda: None
        put(outbox, 1, note="second")

    service.on_request = replace_once
    assert deliver(outbox, service).pending == 1
    assert deliver(outbox, service) == Delivered(1, 0)
    assert [body["note"] for body in service.taken] == ["first", "second"]


def test_a_message_that_is_replaced_while_another_is_on_its_way_holds_up_none_behind_it(
    outbox: Outbox, service: Service
) -> None:
    put(outbox, 1, 2, 3, note="first")

    def replace_next() -> None:
        service.on_request = lambda: None
        put(outbox, 2, note="second")

    service.on_request = replace_next
    assert deliver(outbox, service) == Delivered(2, 1)
    assert deliver(outbox, service) == Delivered(1, 0)
    assert [(body["number"], body["note"]) for body in service.taken] == [(1, "first"), (3, "first"), (2, "second")]


def test_what_comes_in_place_of_a_message_deleted_on_its_way_still_waits(outbox: Outbox, service: Service) -> None:
    put(outbox, 1)

    def replace_it() -> None:
        outbox.delete(VERSION)
        put(outbox, 2, version="marcus@1.2.0")

    service.on_request = replace_it
    deliver(outbox, service)
    assert numbers(service) == [1]
    assert outbox.waiting() == {"events": 1}


def test_a_message_deleted_on_its_way_does_not_come_back(outbox: Outbox, service: Service) -> None:
    put(outbox, 1, 2)
    service.on_request = lambda: outbox.delete(VERSION)
    assert deliver(outbox, service).pending == 0
    assert delivery_time(outbox) is None


def test_processes_that_deliver_at_once_lose_nothing(outbox: Outbox, service: Service, tmp_path: Path) -> None:
    put(outbox, *range(20))
    service.delay = 0.005
    script = f"""
import asyncio, pathlib
from stoic_assets.adapters.messages.outbox import Outbox
asyncio.run(Outbox(pathlib.Path({str(tmp_path)!r})).deliver({{"events": {service.url!r}}}))
"""
    processes = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(2)]
    put(outbox, *range(20, 40))
    assert [process.wait(30) for process in processes] == [0, 0]
    deliver(outbox, service)
    assert numbers(service) == list(range(40))


def test_no_time_of_a_delivery_passes_while_its_process_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_clock, "STOPPED_FROM", 0.1)

    async def left() -> float:
        async with receiver("events", "http://127.0.0.1:9/", QUICK, 1, "") as service:
            time.sleep(1.2)
            return service._left()

    assert 0 < run_async(left()) <= 1
