"""Delivery from disk to a real HTTP service that fails, refuses, is busy and hangs."""

import asyncio
import base64
import hashlib
import hmac
import json
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.messages.outbox import Delivered, Outbox, errors_of
from stoic_assets.core.endpoint_limits import EndpointLimit

VERSION = "marcus@1.1.0"
QUICK = EndpointLimit(in_flight=1, attempts=3, backoff_seconds=0.01, longest_wait_seconds=5, timeout_seconds=5)


class Service:
    """Takes every message with 204, but first gives the answers that a test asks for."""

    def __init__(self) -> None:
        self.taken: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.contents: list[bytes] = []
        self.moments: list[float] = []
        self.answers: list[Response] = []
        self.refuse: Callable[[dict[str, Any]], Response | None] = lambda body: None
        self.on_request: Callable[[], None] = lambda: None
        self.delay = 0.0
        self.url = ""

    async def take(self, request: Request) -> Response:
        self.contents.append(await request.body())
        body = await request.json()
        self.moments.append(time.monotonic())
        self.headers.append(dict(request.headers))
        self.on_request()
        await asyncio.sleep(self.delay)
        answer = self.answers.pop(0) if self.answers else self.refuse(body)
        if answer:
            return answer
        self.taken.append(body)
        return Response(status_code=204)


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[uvicorn.Server, list[Service]]]:
    current: list[Service] = [Service()]

    async def take(request: Request) -> Response:
        return await current[0].take(request)

    app = Starlette(routes=[Route("/hook/{secret}", take, methods=["POST"])])
    config = uvicorn.Config(app, port=0, log_level="error", lifespan="off", ws="none", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield running, current
    running.should_exit = True
    thread.join(10)


@pytest.fixture
def service(server: tuple[uvicorn.Server, list[Service]]) -> Service:
    running, current = server
    current[0] = Service()
    port = running.servers[0].sockets[0].getsockname()[1]
    current[0].url = f"http://127.0.0.1:{port}/hook/s3cret-path"
    return current[0]


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path)


def put(outbox: Outbox, *numbers: int, version: str = VERSION, **more: Any) -> None:
    for number in numbers:
        outbox.put("events", {f"trial {number}": {"number": number} | more}, version)


def deliver(outbox: Outbox, service: Service, limit: EndpointLimit = QUICK, seconds: float = 20) -> Delivered:
    return asyncio.run(outbox.deliver({"events": service.url}, limit, seconds))


def delivery_time(outbox: Outbox) -> str | None:
    return outbox.delivery_times("events", ["trial 1"])["trial 1"]


def numbers(service: Service) -> list[int]:
    return [body["number"] for body in service.taken]


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


def test_each_target_has_its_address_and_content_type(outbox: Outbox, service: Service) -> None:
    outbox.put("events", {"night-7.ärger/1": {"number": 1}}, VERSION)
    outbox.put("fitness", {"abc": {"number": 2}}, VERSION)
    urls = {"events": service.url, "fitness": service.url}
    assert asyncio.run(outbox.deliver(urls, QUICK)) == Delivered(2, 0)  # type: ignore[arg-type]
    sent = {headers["content-type"]: headers["idempotency-key"] for headers in service.headers}
    assert sent == {"application/cloudevents+json": "night-7.%C3%A4rger/1", "application/json": "abc"}


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


def test_a_receiver_can_tell_a_correction_from_a_repeat(outbox: Outbox, service: Service) -> None:
    put(outbox, 1, note="first")
    service.answers = [Response(status_code=503)]
    deliver(outbox, service)
    put(outbox, 1, note="second")
    deliver(outbox, service)
    first, repeated, corrected = [headers["content-digest"] for headers in service.headers]
    assert first == repeated != corrected
    content = json.dumps(service.taken[-1]).encode()
    assert base64.b64decode(corrected.removeprefix("sha-256=:").removesuffix(":")) == hashlib.sha256(content).digest()


def test_a_receiver_knows_our_messages_while_a_key_is_replaced(outbox: Outbox, service: Service) -> None:
    put(outbox, 1)
    old, new = ("whsec_" + base64.b64encode(letter * 24).decode() for letter in (b"o", b"n"))
    asyncio.run(outbox.deliver({"events": service.url}, QUICK, secrets={"events": f"{new} {old}"}))
    [headers] = service.headers
    [body] = service.contents
    assert headers["webhook-id"] == headers["idempotency-key"]
    assert abs(int(headers["webhook-timestamp"]) - datetime.now(UTC).timestamp()) < 60
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = [base64.b64encode(hmac.digest(key * 24, text, "sha256")).decode() for key in (b"n", b"o")]
    assert headers["webhook-signature"] == f"v1,{wanted[0]} v1,{wanted[1]}"


def test_without_a_key_nothing_is_signed(outbox: Outbox, service: Service) -> None:
    put(outbox, 1)
    deliver(outbox, service)
    assert not [name for name in service.headers[0] if name.startswith("webhook-")]


@pytest.mark.parametrize("secret", ["secret", "whsec_c2hvcnQ=", "=" * 40, "ä" * 40, "-_-_" + "QUJD" * 10])
def test_a_key_that_is_none_is_not_shown(outbox: Outbox, service: Service, secret: str) -> None:
    put(outbox, 1)
    outcome = asyncio.run(outbox.deliver({"events": service.url}, QUICK, secrets={"events": secret}))
    assert outcome == Delivered(0, 1, (
        "STOIC_WEBHOOK_SECRET: each key must be at least 24 bytes in base64; make one with: openssl rand -base64 32",
    ))  # fmt: skip
    assert service.headers == []


def test_going_back_to_what_was_delivered_is_a_change_while_another_content_waits(
    outbox: Outbox, service: Service
) -> None:
    put(outbox, 1, note="first")
    deliver(outbox, service)
    put(outbox, 1, note="second")
    put(outbox, 1, note="first")
    assert deliver(outbox, service) == Delivered(1, 0)
    assert [body["note"] for body in service.taken] == ["first", "first"]


@pytest.mark.parametrize("statuses", [(503, 500), (408, 425)])
def test_a_failure_is_tried_again(outbox: Outbox, service: Service, statuses: tuple[int, int]) -> None:
    service.answers = [Response("half", status) for status in statuses]
    put(outbox, 1)
    assert deliver(outbox, service) == Delivered(1, 0)
    assert len(service.moments) == 3


def test_a_service_that_stays_down_gets_nothing_out_of_order(outbox: Outbox, service: Service) -> None:
    service.refuse = lambda body: Response("back at\nnoon", 503) if body["number"] == 2 else None
    put(outbox, 1, 2, 3)
    assert deliver(outbox, service) == Delivered(
        1, 2, ("STOIC_WEBHOOK_URL (127.0.0.1) answered 503: back at noon",)
    )
    service.refuse = lambda body: None
    assert deliver(outbox, service) == Delivered(2, 0)
    assert numbers(service) == [1, 2, 3]


@pytest.mark.parametrize("status", [400, 409, 413, 422])
def test_a_message_that_is_refused_holds_up_no_other(outbox: Outbox, service: Service, status: int) -> None:
    service.refuse = lambda body: Response("no such field", status) if body["number"] == 2 else None
    put(outbox, 1, 2, 3)
    outcome = deliver(outbox, service)
    assert (outcome.delivered, outcome.pending) == (2, 1)
    assert outcome.errors == (f"STOIC_WEBHOOK_URL (127.0.0.1) answered {status}: no such field",)
    assert len(service.moments) == 3


@pytest.mark.parametrize("status", [301, 401, 404, 410])
def test_a_wrong_address_or_key_is_told_once(outbox: Outbox, service: Service, status: int) -> None:
    service.refuse = lambda body: Response(status_code=status, headers={"Location": "/hook/elsewhere"})
    put(outbox, 1, 2, 3)
    assert deliver(outbox, service).errors == (f"STOIC_WEBHOOK_URL (127.0.0.1) answered {status}",)
    assert len(service.moments) == 1


def test_a_proxy_that_refuses_a_message_is_named_and_what_went_before_is_delivered(
    outbox: Outbox, service: Service
) -> None:
    service.refuse = lambda body: Response(status_code=407) if body["number"] == 2 else None
    put(outbox, 1, 2, 3)
    refused = "the proxy before STOIC_WEBHOOK_URL (127.0.0.1) refuses requests (407)"
    advice = "check the user name and password in HTTPS_PROXY or HTTP_PROXY"
    assert deliver(outbox, service) == Delivered(1, 2, (f"{refused}; {advice}",))
    assert len(service.moments) == 2


def test_a_proxy_that_lets_no_message_through_is_named_and_its_password_is_not(
    outbox: Outbox, refusing_proxy: str
) -> None:
    put(outbox, 1)
    outcome = asyncio.run(outbox.deliver({"events": "https://zeno.example/hook"}, QUICK))
    assert (outcome.delivered, outcome.pending) == (0, 1)
    [line] = outcome.errors
    assert line.startswith("the proxy before STOIC_WEBHOOK_URL (zeno.example) refuses requests (407); check")
    assert refusing_proxy not in line


@pytest.mark.parametrize("status", [429, 529])
def test_a_busy_service_is_waited_for_longer_than_a_failing_one(outbox: Outbox, service: Service, status: int) -> None:
    limit = QUICK.model_copy(update={"attempts": 2, "backoff_seconds": 0.001, "longest_wait_seconds": 0.01})
    service.refuse = lambda body: Response(status_code=status)
    put(outbox, 1)
    assert deliver(outbox, service, limit) == Delivered(0, 1, (f"STOIC_WEBHOOK_URL (127.0.0.1) answered {status}",))
    assert len(service.moments) == 20


def test_retry_after_is_honoured(outbox: Outbox, service: Service) -> None:
    service.answers = [Response(status_code=429, headers={"Retry-After": "1"})]
    put(outbox, 1)
    assert deliver(outbox, service) == Delivered(1, 0)
    assert service.moments[1] - service.moments[0] >= 0.95


def test_a_busy_service_does_not_hold_the_evaluation(outbox: Outbox, service: Service) -> None:
    service.refuse = lambda body: Response(status_code=429, headers={"Retry-After": "3600"})
    put(outbox, 1, 2)
    begin = time.monotonic()
    outcome = deliver(outbox, service, seconds=1)
    assert time.monotonic() - begin < 3
    assert (outcome.delivered, outcome.pending) == (0, 2)
    assert outcome.errors == ("STOIC_WEBHOOK_URL (127.0.0.1) answered 429",)


def test_a_service_that_hangs_is_given_up(outbox: Outbox, service: Service) -> None:
    service.delay = 5
    put(outbox, 1)
    limit = QUICK.model_copy(update={"timeout_seconds": 0.1, "attempts": 2})
    outcome = deliver(outbox, service, limit)
    assert outcome == Delivered(0, 1, ("STOIC_WEBHOOK_URL (127.0.0.1) gave no answer within 0.1 s",))
    assert len(service.moments) == 2


def test_what_does_not_fit_into_the_time_waits_for_the_next_delivery(outbox: Outbox, service: Service) -> None:
    service.delay = 0.2
    put(outbox, *range(10))
    outcome = deliver(outbox, service, seconds=0.5)
    assert 1 <= outcome.delivered < 10
    assert outcome.delivered + outcome.pending == 10
    service.delay = 0
    deliver(outbox, service)
    assert list(dict.fromkeys(numbers(service))) == list(range(10))


@pytest.mark.parametrize(
    ("url", "said"), [("http://127.0.0.1:9/s3cret", "127.0.0.1"), ("webhook", "not an http or https address")]
)
def test_an_address_without_a_service_is_reported(outbox: Outbox, url: str, said: str) -> None:
    put(outbox, 1)
    outcome = asyncio.run(outbox.deliver({"events": url}, QUICK))
    assert (outcome.delivered, outcome.pending) == (0, 1)
    assert outcome.errors[0].startswith("STOIC_WEBHOOK_URL")
    assert said in outcome.errors[0]
    assert "s3cret" not in outcome.errors[0]


def test_an_address_to_which_nothing_is_to_be_sent_is_not_looked_at(outbox: Outbox) -> None:
    assert asyncio.run(outbox.deliver({"events": "webhook"}, QUICK)) == Delivered(0, 0)


def test_what_went_wrong_in_several_deliveries_is_told_once() -> None:
    several = [Delivered(0, 1, ("gone",)), Delivered(1, 0), Delivered(0, 2, ("gone", "busy"))]
    assert errors_of(several) == ["gone", "busy"]


def test_a_service_that_echoes_the_secret_path_does_not_spread_it(outbox: Outbox, service: Service) -> None:
    service.refuse = lambda body: Response("no hook at /hook/s3cret-path", 404)
    put(outbox, 1)
    assert "s3cret" not in deliver(outbox, service).errors[0]


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
    put(outbox, 1, 2, 3)
    service.on_request = lambda: setattr(service, "delay", 5 if len(service.taken) == 2 else 0)
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(outbox.deliver({"events": service.url}, QUICK), 2))
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


def test_what_no_receiver_could_read_as_json_is_not_put(outbox: Outbox) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        put(outbox, 1, share=float("nan"))
    assert outbox.waiting() == {}


def test_what_comes_in_place_of_a_message_deleted_on_its_way_still_waits(outbox: Outbox, service: Service) -> None:
    put(outbox, 1)

    def replace_it() -> None:
        outbox.delete(VERSION)
        put(outbox, 2, version="marcus@1.2.0")

    service.on_request = replace_it
    deliver(outbox, service)
    assert numbers(service) == [1]
    assert outbox.waiting() == {"events": 1}


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


def test_a_message_deleted_on_its_way_does_not_come_back(outbox: Outbox, service: Service) -> None:
    put(outbox, 1, 2)
    service.on_request = lambda: outbox.delete(VERSION)
    assert deliver(outbox, service).pending == 0
    assert delivery_time(outbox) is None


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


def test_nothing_of_a_deleted_version_is_left_in_the_file(outbox: Outbox, tmp_path: Path) -> None:
    put(outbox, 1, text="private words" * 10_000)
    put(outbox, 2, version="marcus@1.0.0", text="other words")
    outbox.delete(VERSION)
    kept = (tmp_path / "outbox" / "messages.sqlite").read_bytes()
    assert b"private words" not in kept
    assert len(kept) < 100_000, "not even its place: not every SQLite overwrites what it deletes"
    assert b"other words" in kept


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


@given(st.lists(st.text(min_size=1), unique=True, min_size=2, max_size=5))
def test_any_id_is_told_from_the_others(tmp_path_factory: pytest.TempPathFactory, ids: list[str]) -> None:
    outbox = Outbox(tmp_path_factory.mktemp("home"))
    for message_id in ids:
        outbox.put("events", {message_id: {"id": message_id}}, VERSION)
    assert asyncio.run(outbox.deliver({})) == Delivered(0, len(ids))
    assert outbox.delivery_times("events", ids) == dict.fromkeys(ids)


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file, not a folder")
    with pytest.raises(StorageError, match=r"cannot be used: .*Not a directory"):
        put(Outbox(home), 1)
