"""Delivery to a real HTTP service that fails, refuses, is busy and hangs, or to none."""

import asyncio
import gzip
import sqlite3
import ssl
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from deliveries import QUICK, Service, deliver, numbers, put, requested
from starlette.responses import Response

from stoic_assets.adapters.messages.outbox import Delivered, Outbox, errors_of


@pytest.mark.parametrize("statuses", [(503, 500), (408, 425), (423, 402)])
def test_a_failure_is_tried_again(outbox: Outbox, service: Service, statuses: tuple[int, int]) -> None:
    service.answers = [Response("half", status, {"Retry-After": "0"}) for status in statuses]
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


@pytest.mark.parametrize("headers", [{"Content-Length": "100"}, {"Content-Encoding": "br"}], ids=str)
def test_a_refusal_that_cannot_be_read_holds_up_no_other_message(
    outbox: Outbox, service: Service, headers: dict[str, str]
) -> None:
    service.refuse = lambda body: Response(b"", 400, headers) if body["number"] == 1 else None
    put(outbox, 1, 2)
    assert deliver(outbox, service) == Delivered(1, 1, ("STOIC_WEBHOOK_URL (127.0.0.1) answered 400",))
    assert requested(service) == [1, 2]


def test_a_refusal_that_is_packed_though_we_unpack_nothing_is_not_quoted(outbox: Outbox, service: Service) -> None:
    service.answers = [Response(gzip.compress(b"no such field"), 400, {"Content-Encoding": "gzip"})]
    put(outbox, 1)
    assert deliver(outbox, service).errors == ("STOIC_WEBHOOK_URL (127.0.0.1) answered 400",)
    assert service.headers[0]["accept-encoding"] == "identity"


def test_a_message_whose_receipt_cannot_be_read_is_delivered(outbox: Outbox, service: Service) -> None:
    service.answers = [Response(b"yes", 200, {"Content-Encoding": "br"})]
    put(outbox, 1)
    assert deliver(outbox, service) == Delivered(1, 0)
    assert requested(service) == [1]


def test_what_was_refused_is_sent_after_what_never_was_and_then_in_turn(outbox: Outbox, service: Service) -> None:
    service.answers = [Response(status_code=status) for status in (422, 422, 404)]
    service.refuse = lambda body: Response(status_code=422) if body["number"] < 4 else None
    put(outbox, 0, 1, 2, 3)
    deliver(outbox, service)
    put(outbox, 4)
    deliver(outbox, service)
    assert requested(service) == [0, 1, 2, 2, 3, 4, 0, 1]
    put(outbox, 0, note="corrected")
    deliver(outbox, service)
    assert requested(service)[8:] == [0, 2, 3, 1]


def test_an_outbox_that_was_made_before_refusals_were_recorded_records_them(
    outbox: Outbox, service: Service, tmp_path: Path
) -> None:
    service.refuse = lambda body: Response(status_code=422) if body["number"] == 1 else None
    put(outbox, 1)
    with closing(sqlite3.connect(tmp_path / "outbox" / "messages.sqlite")) as older:
        older.execute("drop table refusals")
    deliver(outbox, service)
    put(outbox, 2)
    deliver(outbox, service)
    assert requested(service) == [1, 2, 1]


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


def test_a_certificate_that_is_not_trusted_names_the_way_out_and_no_message_is_tried_in_vain(
    outbox: Outbox, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def refuse(*_: Any, data: bytes, **__: Any) -> None:
        tried.append(data)
        place: Any = SimpleNamespace(host="127.0.0.1", port=443, is_ssl=True)
        raise aiohttp.ClientConnectorCertificateError(place, ssl.SSLCertVerificationError("self-signed certificate"))

    put(outbox, 1, 2)
    with monkeypatch.context() as untrusting:
        untrusting.delenv("SSL_CERT_FILE", raising=False)
        untrusting.setattr(aiohttp.ClientSession, "post", refuse)
        outcome = deliver(outbox, service)
    [line] = outcome.errors
    assert line.startswith("STOIC_WEBHOOK_URL (127.0.0.1) shows a certificate that is not trusted")
    assert "; if it is right, set SSL_CERT_FILE to a file" in line
    assert (outcome.pending, len(tried)) == (2, 1)
    assert deliver(outbox, service) == Delivered(2, 0)


def test_a_service_that_speaks_no_tls_is_asked_once(outbox: Outbox, service: Service) -> None:
    put(outbox, 1)
    outcome = asyncio.run(outbox.deliver({"events": service.url.replace("http://", "https://")}, QUICK))
    assert outcome == Delivered(0, 1, ("STOIC_WEBHOOK_URL (127.0.0.1) speaks no TLS (is it http://?)",))


def test_a_proxy_that_fails_is_quoted_without_its_password(outbox: Outbox, lost_proxy: str) -> None:
    put(outbox, 1)
    outcome = asyncio.run(outbox.deliver({"events": "https://zeno.example/hook"}, QUICK))
    assert outcome.errors == ("STOIC_WEBHOOK_URL (zeno.example) cannot be reached: the proxy answers 502 Bad Gateway",)


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
    assert time.monotonic() - begin < 30
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


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("unknown webhook token xoxT0kenSECRET12345", "unknown webhook token [redacted]"),
        ("bad key pieces/of 8", "bad key [redacted]"),
        ("no pieces%2fof+8 here", "no [redacted] here"),
        ("team T0123456789 is gone", "team [redacted] is gone"),
        ("no such services", "no such services"),
    ],
)
def test_a_service_that_echoes_a_part_of_its_address_does_not_spread_it(
    outbox: Outbox, service: Service, said: str, shown: str
) -> None:
    service.url = service.url.replace(
        "/hook/s3cret-path", "/services/T0123456789/xoxT0kenSECRET12345?key=pieces%2Fof%208"
    )
    service.refuse = lambda body: Response(said, 403)
    put(outbox, 1)
    assert deliver(outbox, service).errors == (f"STOIC_WEBHOOK_URL (127.0.0.1) answered 403: {shown}",)
