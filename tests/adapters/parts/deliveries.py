"""Messages in an outbox, and a service on loopback that takes them."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stoic_assets.adapters.messages.outbox import Delivered, Outbox
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit

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


def put(outbox: Outbox, *numbers: int, version: str = VERSION, **more: Any) -> None:
    for number in numbers:
        outbox.put("events", {f"trial {number}": {"number": number} | more}, version)


def deliver(outbox: Outbox, service: Service, limit: EndpointLimit = QUICK, seconds: float = 20) -> Delivered:
    return asyncio.run(outbox.deliver({"events": service.url}, limit, seconds))


def delivery_time(outbox: Outbox) -> str | None:
    return outbox.delivery_times("events", ["trial 1"])["trial 1"]


def numbers(service: Service) -> list[int]:
    return [body["number"] for body in service.taken]


def requested(service: Service) -> list[int]:
    """Also what it did not take."""
    return [json.loads(content)["number"] for content in service.contents]
