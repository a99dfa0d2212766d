"""What a receiver is sent: to which address, with which headers, by which signature."""

import asyncio
import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime

import pytest
from deliveries import QUICK, VERSION, Service, deliver, put
from starlette.responses import Response

from stoic_assets.adapters.messages.outbox import Delivered, Outbox


def test_each_target_has_its_address_and_content_type(outbox: Outbox, service: Service) -> None:
    outbox.put("events", {"night-7.ärger/1": {"number": 1}}, VERSION)
    outbox.put("fitness", {"abc": {"number": 2}}, VERSION)
    urls = {"events": service.url, "fitness": service.url}
    assert asyncio.run(outbox.deliver(urls, QUICK)) == Delivered(2, 0)  # type: ignore[arg-type]
    sent = {headers["content-type"]: headers["idempotency-key"] for headers in service.headers}
    assert sent == {"application/cloudevents+json": "night-7.%C3%A4rger/1", "application/json": "abc"}


def test_a_receiver_of_fitness_knows_a_repeated_update_by_the_key_within(outbox: Outbox, service: Service) -> None:
    outbox.put("fitness", {f"{VERSION} E1": {"idempotency_key": "key/2"}}, VERSION)
    assert asyncio.run(outbox.deliver({"fitness": service.url}, QUICK)) == Delivered(1, 0)
    assert [headers["idempotency-key"] for headers in service.headers] == ["key/2"]


def test_a_receiver_that_is_busy_for_a_moment_is_asked_again_unless_told_otherwise(
    outbox: Outbox, service: Service
) -> None:
    put(outbox, 1)
    service.answers = [Response(status_code=503)]
    assert asyncio.run(outbox.deliver({"events": service.url})) == Delivered(1, 0)


def test_a_message_whose_receipt_has_a_long_header_is_delivered(outbox: Outbox, service: Service) -> None:
    put(outbox, 1)
    service.answers = [Response(status_code=204, headers={"X-Trace": "a" * 60_000})]
    assert (deliver(outbox, service), len(service.headers)) == (Delivered(1, 0), 1)


def test_nothing_is_sent_once_the_time_for_a_delivery_is_over(outbox: Outbox, service: Service) -> None:
    put(outbox, 1, 2)
    over = "STOIC_WEBHOOK_URL (127.0.0.1): the time for this delivery is over; the next delivery continues"
    assert deliver(outbox, service, seconds=0) == Delivered(0, 2, (over,))
    assert service.headers == []


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
