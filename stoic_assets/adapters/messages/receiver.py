"""One service that receives our messages over HTTP: how they are sent, and what its answers mean for a message.

`outbox` decides what waits, in which order, and what happens to a message afterwards.
"""

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import SplitResult, parse_qsl, quote, unquote

from stoic_assets.adapters.http.endpoint import closed_proxy, parse_url, proxy_for
from stoic_assets.adapters.http.foreign_text import excerpt
from stoic_assets.adapters.http.message_signature import signed, signing_keys
from stoic_assets.adapters.http.refusals import PROXY_REFUSES, is_busy, is_final, retry_after_seconds
from stoic_assets.adapters.http.whole_reply import whole_reply
from stoic_assets.core.calls.retrying import Tally, persist
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.errors import AttemptFailed, ConfigurationError
from stoic_assets.core.secrets.redaction import Redactor

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

Target = Literal["events", "fitness"]
TARGETS: tuple[Target, ...] = get_args(Target)
SETTINGS: Mapping[Target, str] = {"events": "STOIC_WEBHOOK_URL", "fitness": "EVOLUTION_URL"}
"""The setting of each target's address."""
SECRETS: Mapping[Target, str] = {"events": "STOIC_WEBHOOK_SECRET", "fitness": "EVOLUTION_SECRET"}
"""The setting of the keys with which messages to each target are signed."""
CONTENT_TYPES: Mapping[Target, str] = {"events": "application/cloudevents+json", "fitness": "application/json"}
LIMIT = EndpointLimit(in_flight=1, attempts=4, backoff_seconds=0.5, longest_wait_seconds=60, timeout_seconds=10)
_EXCERPT = 1000
"""Bytes of a refusal that are enough to quote it."""
_SHORTEST_KEY = 8
"""Characters of a part of an address that may be a key."""
ABOUT_THE_MESSAGE = (400, 409, 413, 422)
"""Answers that refuse one message; any other refusal would apply to the next message too."""


class MessageRefused(AttemptFailed):
    """The service refuses this message; it may accept others."""


def addresses(env: Mapping[str, str]) -> dict[Target, str]:
    """The address of each target; empty where none is set."""
    return {target: env.get(SETTINGS[target], "") for target in TARGETS}


def secrets(env: Mapping[str, str]) -> dict[Target, str]:
    """The signing keys of each target; empty where none is set."""
    return {target: env.get(SECRETS[target], "") for target in TARGETS}


def refuse_receivers(env: Mapping[str, str]) -> None:
    """Raises `ConfigurationError` when an address for messages, or a key that signs them, is invalid."""
    for name in SETTINGS.values():
        if url := env.get(name):
            parse_url(url, name)
    for name in SECRETS.values():
        signing_keys(env.get(name, ""), name)


@asynccontextmanager
async def receiver(
    target: Target, url: str, limit: EndpointLimit, seconds: float, secret: str
) -> AsyncIterator["Receiver"]:
    """The service of one target, for one delivery of at most `seconds`; no cookies, the environment's proxy.

    With a `secret` (one or more keys) messages are signed. Raises `ConfigurationError` if `url` is not an address, or
    `secret` holds no keys.
    """
    from stoic_assets.adapters.http.client_session import open_session

    address, keys = parse_url(url, SETTINGS[target]), signing_keys(secret, SECRETS[target])
    headers = {"Content-Type": CONTENT_TYPES[target], "Accept-Encoding": "identity"}
    # No answer is unpacked: our client hides the status of an answer that it cannot unpack.
    async with open_session(proxy_for(address), headers=headers, auto_decompress=False) as session:
        yield Receiver(session, address, SETTINGS[target], limit, asyncio.get_running_loop().time() + seconds, keys)


def _digest(content: bytes) -> str:
    """RFC 9530: distinguishes a correction, which has the id of what it corrects, from a repeated message."""
    return f"sha-256=:{base64.b64encode(hashlib.sha256(content).digest()).decode()}:"


def _possible_keys(address: SplitResult) -> list[str]:
    """The parts of an address that may be a key: long ones, but no words on the way to the last part of the path."""
    *way, last = address.path.rstrip("/").split("/")
    parts = [*(part for part in way if not part.isalpha()), last]
    values = [value for _, value in parse_qsl(address.query)]
    return [each for each in (*map(unquote, parts), *values) if len(each) >= _SHORTEST_KEY]


class Receiver:
    """A service that takes messages until `deadline` (seconds of the event loop); its address comes from `setting`."""

    def __init__(
        self, session: "ClientSession", address: SplitResult, setting: str, limit: EndpointLimit, deadline: float,
        keys: Sequence[bytes],
    ) -> None:
        self._session, self._url, self._limit, self._deadline = session, address.geturl(), limit, deadline
        self._keys = keys
        # The path may be the secret of a webhook, so errors name only the setting and the host.
        self._name = f"{setting} ({address.hostname})"
        self._secrets = Redactor((), [self._url, address.path, address.query, *_possible_keys(address)])

    async def take(self, message_id: str, body: Mapping[str, Any]) -> None:
        """Delivers one message, with retries where they can help.

        Raises `MessageRefused` if the next message may be accepted, else `AttemptFailed`, or `ConfigurationError` for a
        certificate that is not trusted or a proxy that refuses requests.
        """
        if self._left() <= 0:
            raise AttemptFailed(f"{self._name}: the time for this delivery is over; the next delivery continues")
        await persist(lambda: self._post(message_id, body), self._limit, Tally(), self._left)

    def _left(self) -> float:
        """Seconds until the deadline."""
        return self._deadline - asyncio.get_running_loop().time()

    async def _post(self, message_id: str, body: Mapping[str, Any]) -> None:
        import aiohttp

        from stoic_assets.adapters.http.disconnection import Disconnection

        seconds = max(0.1, min(self._limit.timeout_seconds, self._left()))
        content, key = json.dumps(body).encode(), quote(message_id, safe="/:@+,=")
        headers = {"Idempotency-Key": key, "Content-Digest": _digest(content), **signed(self._keys, key, content)}
        try:
            async with self._session.post(
                self._url,
                data=content,
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=seconds),
                allow_redirects=False,  # a redirected POST may arrive as a GET
            ) as response:
                if not 200 <= response.status < 300:
                    raise self._refusal(response, await whole_reply(response, _EXCERPT))
        except TimeoutError:
            raise AttemptFailed(f"{self._name} gave no answer within {seconds:g} s") from None
        except (aiohttp.ClientError, OSError) as error:
            broken = Disconnection(error, self._secrets)
            failure = AttemptFailed(f"{self._name} {broken.words}", final=broken.no_tls)
            raise broken.closed_to_all(self._name) or failure from None

    def _refusal(self, response: "ClientResponse", text: bytes) -> AttemptFailed | ConfigurationError:
        status = response.status
        if status == PROXY_REFUSES:
            return closed_proxy(self._name)
        said = "" if "Content-Encoding" in response.headers else excerpt(text.decode("utf-8", "replace"), self._secrets)
        problem = f"{self._name} answered {status}" + (f": {said}" if said else "")
        if status in ABOUT_THE_MESSAGE:
            return MessageRefused(problem, final=True)
        wait = retry_after_seconds(response.headers)
        busy = is_busy(status, wait)
        return AttemptFailed(problem, retry_after=wait, busy=busy, final=not busy and is_final(status))
