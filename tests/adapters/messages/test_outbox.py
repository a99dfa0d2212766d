"""What is put, replaced, withdrawn and deleted waits on disk, in order, until it is delivered."""

import asyncio
import resource
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from deliveries import VERSION, Service, deliver, delivery_time, numbers, put, requested
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import Response

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.messages.outbox import Delivered, Outbox
from stoic_assets.core.nights.alerts import ALERTS


def test_messages_arrive_once_and_in_order(outbox: Outbox, service: Service) -> None:
    put(outbox, 3, 1, 2)
    assert deliver(outbox, service) == Delivered(3, 0)
    assert deliver(outbox, service) == Delivered(0, 0)
    assert numbers(service) == [3, 1, 2]


def test_messages_that_are_put_together_keep_their_order(outbox: Outbox, service: Service) -> None:
    bodies = {f"trial {number}": {"number": number} for number in reversed(range(40))}
    outbox.put("events", bodies, VERSION)
    outbox.put("events", bodies | {"trial 0": {"number": 100}}, VERSION)
    assert deliver(outbox, service) == Delivered(40, 0)
    assert numbers(service) == [*range(39, 0, -1), 100]


def test_alerts_are_sent_before_other_messages(outbox: Outbox, service: Service) -> None:
    put(outbox, 1, 2)
    assert not outbox.has_alerts()
    for number, alert in enumerate(ALERTS, start=3):
        outbox.put("events", {alert: {"number": number, "type": alert}}, VERSION)
    assert outbox.has_alerts()
    assert deliver(outbox, service) == Delivered(5, 0)
    assert numbers(service) == [3, 4, 5, 1, 2]
    assert not outbox.has_alerts()


def test_an_alert_that_is_refused_each_time_holds_up_no_other_message(outbox: Outbox, service: Service) -> None:
    outbox.put("events", {"alert": {"number": 1, "type": ALERTS[0]}}, VERSION)
    service.refuse = lambda body: Response(status_code=400) if body["number"] == 1 else None
    for number in (2, 3):
        deliver(outbox, service)
        put(outbox, number)
    assert deliver(outbox, service).pending == 1
    assert requested(service) == [1, 2, 1, 3, 1]


@pytest.mark.parametrize(("ago", "waits"), [(timedelta(minutes=59), False), (timedelta(minutes=61), True)])
def test_an_alert_that_was_refused_asks_for_a_delivery_again_after_an_hour(
    outbox: Outbox, service: Service, monkeypatch: pytest.MonkeyPatch, ago: timedelta, waits: bool
) -> None:
    refused_at = (datetime.now(UTC) - ago).isoformat()
    monkeypatch.setattr("stoic_assets.adapters.messages.outbox.now", lambda: refused_at)
    outbox.put("events", {"alert": {"number": 1, "type": ALERTS[0]}}, VERSION)
    service.refuse = lambda _: Response(status_code=400)
    deliver(outbox, service)
    assert outbox.has_alerts() is waits
    outbox.put("events", {"another": {"number": 2, "type": ALERTS[0]}}, VERSION)
    assert outbox.has_alerts()


def test_on_a_full_disk_no_message_is_half_there(outbox: Outbox, service: Service, tmp_path: Path) -> None:
    put(outbox, 0)
    size = (tmp_path / "outbox" / "messages.sqlite").stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100_000, limits[1]))
    try:
        with pytest.raises(StorageError, match=r"messages.sqlite cannot be used: .*; free space"):
            outbox.put("events", {f"trial {number}": {"text": "x" * 10_000} for number in range(1, 100)}, VERSION)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert deliver(outbox, service) == Delivered(1, 0)
    assert numbers(service) == [0]


@pytest.mark.parametrize("urls", [{}, {"events": ""}, {"fitness": "http://127.0.0.1:9/"}])
def test_without_an_address_messages_wait(outbox: Outbox, urls: dict[Any, str]) -> None:
    put(outbox, 1)
    assert asyncio.run(outbox.deliver(urls)) == Delivered(0, 1)
    assert delivery_time(outbox) is None


def test_the_time_of_delivery_is_kept(outbox: Outbox, service: Service, tmp_path: Path) -> None:
    put(outbox, 1)
    deliver(outbox, service)
    moment = delivery_time(outbox)
    assert moment
    assert moment.endswith("+00:00")
    assert delivery_time(Outbox(tmp_path)) == moment
    assert outbox.delivery_times("fitness", ["trial 1"]) == {"trial 1": None}


def test_what_was_accepted_is_unnoted_until_it_is_noted_or_replaced(outbox: Outbox, service: Service) -> None:
    put(outbox, 1, 2)
    assert outbox.unnoted() == {}
    deliver(outbox, service)
    put(outbox, 3, version="marcus@2.0")
    deliver(outbox, service)
    assert {version: [*found] for version, found in outbox.unnoted().items()} == {
        VERSION: ["trial 1", "trial 2"], "marcus@2.0": ["trial 3"]
    }  # fmt: skip
    put(outbox, 1, note="replaced")
    former = outbox.unnoted()
    deliver(outbox, service)
    outbox.noted(former[VERSION].values())
    assert {version: [*found] for version, found in outbox.unnoted().items()} == {
        "marcus@2.0": ["trial 3"], VERSION: ["trial 1"]
    }  # fmt: skip
    outbox.delete(VERSION)
    assert [*outbox.unnoted()] == ["marcus@2.0"]


def test_the_same_message_is_not_sent_again_but_a_changed_one_is(outbox: Outbox, service: Service) -> None:
    put(outbox, 1, note=("a", "b"))
    deliver(outbox, service)
    put(outbox, 1, note=["a", "b"])
    assert deliver(outbox, service) == Delivered(0, 0)
    put(outbox, 1, note=[])
    assert delivery_time(outbox) is None
    assert deliver(outbox, service) == Delivered(1, 0)
    assert [body["note"] for body in service.taken] == [["a", "b"], []]
    assert len({headers["idempotency-key"] for headers in service.headers}) == 1


def test_going_back_to_what_was_delivered_is_a_change_while_another_content_waits(
    outbox: Outbox, service: Service
) -> None:
    put(outbox, 1, note="first")
    deliver(outbox, service)
    put(outbox, 1, note="second")
    put(outbox, 1, note="first")
    assert deliver(outbox, service) == Delivered(1, 0)
    assert [body["note"] for body in service.taken] == ["first", "first"]


def test_what_no_receiver_could_read_as_json_is_not_put(outbox: Outbox) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        put(outbox, 1, share=float("nan"))
    assert outbox.waiting() == {}


def test_what_was_delivered_is_not_withdrawn_and_its_content_is_known(outbox: Outbox, service: Service) -> None:
    put(outbox, 1)
    deliver(outbox, service)
    put(outbox, 2)
    outbox.withdraw("events", ["trial 2"], "seneca@1.0.0")
    assert outbox.waiting() == {"events": 1}, "it may be another version's by now"
    outbox.withdraw("events", ["trial 1", "trial 2"], VERSION)
    assert delivery_time(outbox) is not None
    assert outbox.newest("events", "trial 1") == {"number": 1}
    assert outbox.newest("events", "trial 2") is None
    assert outbox.waiting() == {}


def test_deleting_a_version_spares_the_others(outbox: Outbox, service: Service) -> None:
    put(outbox, 1)
    deliver(outbox, service)
    put(outbox, 2)
    put(outbox, 3, version="marcus@1.1.0-rc")
    outbox.delete(VERSION)
    assert delivery_time(outbox) is None
    assert deliver(outbox, service) == Delivered(1, 0)
    assert numbers(service) == [1, 3]


def test_a_damaged_file_is_named(outbox: Outbox, tmp_path: Path) -> None:
    put(outbox, 1)
    (tmp_path / "outbox" / "messages.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(StorageError, match=r"messages.sqlite cannot be used: file is not a database; .* deleted"):
        put(outbox, 2)


@pytest.mark.parametrize("body", ['{#a": 1}', '{"a": [1}', "7", b"\xff", None])
def test_a_file_with_a_damaged_message_is_named(outbox: Outbox, service: Service, tmp_path: Path, body: Any) -> None:
    put(outbox, 1)
    with closing(sqlite3.connect(tmp_path / "outbox" / "messages.sqlite")) as damaged, damaged:
        damaged.execute("update messages set body = ?", [body])
    advice = r"messages.sqlite is damaged; it may be deleted: materialising fitness_updates makes the messages"
    with pytest.raises(StorageError, match=advice):
        deliver(outbox, service)
    with pytest.raises(StorageError, match=advice):
        outbox.newest("events", "trial 1")


def test_a_delivery_whose_lock_cannot_be_taken_says_so(outbox: Outbox, service: Service, tmp_path: Path) -> None:
    put(outbox, 1)
    (tmp_path / "outbox" / "events.lock").mkdir()
    with pytest.raises(StorageError, match=r"outbox cannot be written: Is a directory"):
        deliver(outbox, service)


def test_nothing_of_a_deleted_version_is_left_in_the_file(outbox: Outbox, tmp_path: Path) -> None:
    put(outbox, 1, text="private words" * 10_000)
    put(outbox, 2, version="marcus@1.0.0", text="other words")
    outbox.delete(VERSION)
    kept = (tmp_path / "outbox" / "messages.sqlite").read_bytes()
    assert b"private words" not in kept
    assert len(kept) < 100_000, "not even its place: not every SQLite overwrites what it deletes"
    assert b"other words" in kept


@given(st.lists(st.text(min_size=1), unique=True, min_size=2, max_size=5))
def test_any_id_is_told_from_the_others(tmp_path_factory: pytest.TempPathFactory, ids: list[str]) -> None:
    outbox = Outbox(tmp_path_factory.mktemp("home"))
    outbox.put("events", {message_id: {"id": message_id} for message_id in ids}, VERSION)
    assert asyncio.run(outbox.deliver({})) == Delivered(0, len(ids))
    assert outbox.delivery_times("events", ids) == dict.fromkeys(ids)


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file, not a folder")
    with pytest.raises(StorageError, match=r"cannot be used: .*Not a directory"):
        put(Outbox(home), 1)
