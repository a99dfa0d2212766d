"""Tables learn when a message left, also long after its evaluation was stored."""

import asyncio
import base64
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any, Protocol

import pytest
from starlette.responses import Response

from stoic_assets.adapters.evaluation import delivery
from stoic_assets.adapters.evaluation.delivery import announce, deliver, deliver_alerts, put_events, times_locked
from stoic_assets.adapters.messages.outbox import Delivered, fitness_message
from stoic_assets.adapters.messages.receiver import Target
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.nights.alerts import Failure, run_failed
from stoic_assets.core.progress import Progress

OLD = ("bot@1.0", "night-1")


class Service(Protocol):
    """The server of the tests."""

    url: str
    answers: list[Any]
    seen: list[Any]


def put(workplace: Workplace, place: tuple[str, str], *trials: str) -> None:
    """Messages of an evaluation that wait, and its rows, written when they did."""
    version, _ = place
    rows = [
        {"id": trial, "type": "t", "subject": version, "time": "2026-03-01T02:00:00+00:00", "data": '{"a": [1.5]}'}
        for trial in trials
    ]
    workplace.outbox.put("events", {trial: {"id": trial} for trial in trials}, version)
    workplace.warehouse.write("events", *place, rows)
    workplace.outbox.put("fitness", {fitness_message(*place): {}}, version)
    workplace.warehouse.write("fitness_updates", *place, [{"idempotency_key": "k", "agent_id": "bot"}])


def sent(workplace: Workplace, service: Service, new: Sequence[str] = (), *targets: Target) -> Delivered:
    return asyncio.run(deliver(workplace, dict.fromkeys(targets or ("events", "fitness"), service.url), new))


def times(workplace: Workplace, table: str, place: tuple[str, str]) -> list[Any]:
    return [row["delivered_at"] for row in workplace.warehouse.read(table, *place)]


def test_alerts_that_wait_are_delivered_without_an_evaluation(workplace: Workplace, service: Service) -> None:
    heard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": service.url})
    put(workplace, OLD, "t1")
    assert deliver_alerts(heard) is None
    announce(workplace, [run_failed(Failure("r", "night", "2026-11-21", "it failed", "2026-11-21T02:00:00+00:00"))])
    assert deliver_alerts(workplace) is None, "there is no address"
    assert deliver_alerts(heard) == Delivered(2, 1), "a fitness update waits for another service"
    assert [each.body["id"] for each in service.seen] == ["r.failed", "t1"]
    assert deliver_alerts(heard) is None


def test_nobody_waits_for_tables_to_deliver_an_alert_which_has_no_row(
    workplace: Workplace, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("stoic_assets.adapters.evaluation.delivery.times_locked")
    heard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": service.url})
    put_events(heard, [run_failed(Failure("r", "night", "2026-11-21", "it failed", "2026-11-21T02:00:00+00:00"))])
    assert deliver_alerts(heard) == Delivered(1, 0)
    assert workplace.outbox.unnoted() == {}


@pytest.mark.parametrize("compacted", [False, True])
def test_rows_of_an_older_evaluation_get_their_times(workplace: Workplace, service: Service, compacted: bool) -> None:
    put(workplace, OLD, "t1", "t2")
    put(workplace, ("bot@1.0", "night-2"), "t3")
    if compacted:
        workplace.warehouse.compact(timedelta(0))
    before = workplace.warehouse.read("events", *OLD)
    assert sent(workplace, service).delivered == 5
    for place in (OLD, ("bot@1.0", "night-2")):
        for table in ("events", "fitness_updates"):
            assert all(times(workplace, table, place))
    after = workplace.warehouse.read("events", *OLD)
    assert [row["delivered_at"].isoformat() for row in after] == [
        *workplace.outbox.delivery_times("events", ["t1", "t2"]).values()
    ]
    assert [row | {"delivered_at": None} for row in after] == before


def test_what_waits_on_stays_null(workplace: Workplace, service: Service) -> None:
    put(workplace, OLD, "t1", "t2")
    workplace.outbox.put("events", {"t2": {"id": "t2", "judged": "again"}}, "bot@1.0")
    service.answers = [lambda seen: Response(status_code=422 if "judged" in seen.body else 204)]
    sent(workplace, service, (), "events")
    first, second = times(workplace, "events", OLD)
    assert first
    assert (second, *times(workplace, "fitness_updates", OLD)) == (None, None)


def test_nothing_is_written_where_nothing_old_was_delivered(workplace: Workplace, service: Service) -> None:
    put(workplace, OLD, "t1")
    files = {table: workplace.warehouse.file(table, *OLD) for table in ("events", "fitness_updates")}
    sent(workplace, service, ("t1", fitness_message(*OLD)))
    sent(workplace, service)
    assert files == {table: workplace.warehouse.file(table, *OLD) for table in files}


def test_times_that_a_kill_kept_from_the_rows_are_set_by_the_next_delivery(
    workplace: Workplace, service: Service
) -> None:
    put(workplace, OLD, "t1", "t2")
    asyncio.run(workplace.outbox.deliver({"events": service.url, "fitness": service.url}))
    assert times(workplace, "events", OLD) == [None, None], "the process was killed"
    assert sent(workplace, service, ["t1", fitness_message(*OLD)]).delivered == 0
    assert all(times(workplace, "events", OLD) + times(workplace, "fitness_updates", OLD))
    assert workplace.outbox.unnoted() == {}


def test_times_that_cannot_be_stored_fail_no_evaluation_and_are_set_later(
    workplace: Workplace, service: Service
) -> None:
    put(workplace, OLD, "t1")
    listener = Listener()
    watched = replace(workplace, progress=listener)
    file = workplace.warehouse.file("events", *OLD)
    assert file is not None
    whole = file.read_bytes()
    file.write_bytes(b"damaged")
    assert sent(watched, service, ["t2"]).delivered == 2
    [note] = listener.notes
    assert note.startswith("when messages about bot@1.0 were delivered could not be stored: table events of evaluation")
    file.write_bytes(whole)
    sent(watched, service)
    assert all(times(workplace, "events", OLD))


def test_a_time_that_is_known_stays_though_the_outbox_was_deleted(workplace: Workplace, service: Service) -> None:
    put(workplace, OLD, "t1", "t2")
    service.answers = [lambda seen: Response(status_code=422 if seen.body["id"] == "t2" else 204)]
    sent(workplace, service, (), "events")
    before, still_open = times(workplace, "events", OLD)
    assert (before is None, still_open) == (False, None)
    (workplace.project.home / "outbox" / "messages.sqlite").unlink()
    workplace.outbox.put("events", {trial: {"id": trial} for trial in ("t1", "t2")}, OLD[0])
    service.answers = [Response(status_code=204)]
    sent(workplace, service, (), "events")
    first, second = times(workplace, "events", OLD)
    assert first == before < second


def test_while_another_process_writes_times_none_are_written(workplace: Workplace, service: Service) -> None:
    """Else the one that read the rows first would put them back without the times of the other."""
    put(workplace, OLD, "t1")
    listener = Listener()
    with ThreadPoolExecutor(1) as pool:
        with times_locked(workplace):
            sending = pool.submit(sent, replace(workplace, progress=listener), service)
            deadline = time.monotonic() + 10
            while workplace.outbox.waiting() and not sending.done():
                assert time.monotonic() < deadline
                time.sleep(0.01)
            with pytest.raises(TimeoutError):
                sending.result(0.3)
            assert times(workplace, "events", OLD) == [None]
        sending.result()
    assert all(times(workplace, "events", OLD))
    assert listener.notes == ["another process writes delivery times or deletes a version; this waits for that"]


def test_an_alert_takes_what_waits_along(workplace: Workplace, service: Service) -> None:
    put(workplace, OLD, "t1")
    heard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": service.url})
    failure = Failure("r", "release_evaluation", "bot@1.0", "why", "2026-03-01T02:00:00+00:00", None, "bot@1.0")
    assert announce(heard, [run_failed(failure)]).delivered == 2
    assert all(times(workplace, "events", OLD))


def test_an_alert_waits_for_a_service_no_longer_than_dagster_for_a_sensor(
    workplace: Workplace, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert delivery.ALERT_SECONDS < 60
    monkeypatch.setattr(delivery, "ALERT_SECONDS", 0.3)
    service.answers = [lambda _: asyncio.sleep(3, Response(status_code=204))]
    put(workplace, OLD, "t1")
    outcome = announce(replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": service.url}), [])
    assert outcome.delivered == 0


@pytest.mark.parametrize(("setting", "signed"), [("STOIC_WEBHOOK_SECRET", "t1"), ("EVOLUTION_SECRET", "bot@1.0")])
def test_what_is_sent_to_a_target_is_signed_with_the_key_of_that_target_alone(
    workplace: Workplace, service: Service, setting: str, signed: str
) -> None:
    put(workplace, OLD, "t1")
    key = base64.b64encode(b"k" * 32).decode()
    sent(replace(workplace, env={**workplace.env, setting: key}), service)
    assert len(service.seen) == 2
    [message] = [each for each in service.seen if "webhook-signature" in each.headers]
    assert message.headers["idempotency-key"].startswith(signed)


class Listener(Progress):
    """Somebody who hears notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, message: str) -> None:
        self.notes.append(message)


def test_whoever_watches_is_told_what_an_address_did_not_take(workplace: Workplace, service: Service) -> None:
    put(workplace, OLD, "t1", "t2")
    listener = Listener()
    watched = replace(workplace, progress=listener)
    asyncio.run(deliver(watched, {"events": "", "fitness": ""}, ()))
    assert listener.notes == [], "without an address that is as it should be"
    service.answers = [lambda seen: Response(status_code=404)]
    asyncio.run(deliver(watched, {"events": service.url, "fitness": ""}, ()))
    [note] = listener.notes
    why = "STOIC_WEBHOOK_URL (127.0.0.1) answered 404"
    assert note == f"2 messages in the outbox could not be delivered: {why}", "that for which there is no address apart"


def test_a_target_for_which_nothing_waits_is_none_of_those_that_took_nothing(
    workplace: Workplace, service: Service
) -> None:
    workplace.outbox.put("events", {"t1": {"id": "t1"}}, "bot@1.0")
    listener = Listener()
    service.answers = [lambda seen: Response(status_code=404)]
    sent(replace(workplace, progress=listener), service)
    [note] = listener.notes
    assert note.startswith("1 message in the outbox could not be delivered: STOIC_WEBHOOK_URL")
