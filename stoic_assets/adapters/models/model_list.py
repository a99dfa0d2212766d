"""Checks, without paid tokens, whether a model server accepts our key and knows our models."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from stoic_assets.adapters.http.endpoint import below, parse_url, proxy_for
from stoic_assets.adapters.http.error_words import hidden_error
from stoic_assets.adapters.http.foreign_text import part_of
from stoic_assets.adapters.http.whole_reply import ReplyTooLarge
from stoic_assets.adapters.models.connect import evaluator_model, judge_panel, model_servers, uses_stand_in
from stoic_assets.adapters.models.model_server import ModelServer, evaluator_server, judge_server
from stoic_assets.adapters.models.openai_faults import Faults, error_of
from stoic_assets.adapters.process.configured_secrets import secrets_in
from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.configuration.service_address import is_loopback
from stoic_assets.core.errors import AttemptFailed, ConfigurationError
from stoic_assets.core.secrets.redaction import Redactor

if TYPE_CHECKING:
    from httpx2 import Response


async def require_access(env: Mapping[str, str], seconds: float = 5.0) -> None:
    """Raises `ConfigurationError` where a server refuses its key or redirects, or a certificate is not trusted.

    A server that does not answer passes: real requests are repeated.
    """
    if not uses_stand_in(env):
        secrets = Redactor((), secrets_in(env))
        await concurrently([_require_access(server, seconds, secrets) for server in model_servers(env)])


async def look_up_models(env: Mapping[str, str], seconds: float = 5.0) -> list[str]:
    """Notes about the configured models.

    Raises `ConfigurationError` for a key that is refused, a redirect or a model that the server says it does not know,
    and `AttemptFailed` if it cannot be reached. A late answer gives a note; any other answer is no fault: not every
    server lists its models.
    """
    wanted: dict[ModelServer, set[str]] = defaultdict(set)
    wanted[evaluator_server(env)].add(evaluator_model(env))
    wanted[judge_server(env)].update(judge_panel(env))
    secrets = Redactor((), secrets_in(env))
    notes = await concurrently([_of_server(server, models, seconds, secrets) for server, models in wanted.items()])
    return [note for of_server in notes for note in of_server]


async def _require_access(server: ModelServer, seconds: float, secrets: Redactor) -> None:
    with suppress(AttemptFailed):
        await _ModelList(server, seconds, secrets).require_access()


async def _of_server(server: ModelServer, models: set[str], seconds: float, secrets: Redactor) -> list[str]:
    listing = _ModelList(server, seconds, secrets)
    try:
        await listing.require_access()
        listed = await listing.names()
        unlisted = models - listed if listed else set()
        notes = [await listing.complaint(), *await concurrently(map(listing.look_up, sorted(unlisted)))]
    except AttemptFailed as failure:
        if not failure.is_slow:
            raise
        return [str(failure)]
    return [note for note in notes if note]


class _ModelList:
    """The model list of one server, reached as its models are; its words are quoted without `secrets`."""

    def __init__(self, server: ModelServer, seconds: float, secrets: Redactor) -> None:
        self._server, self._parts, self._seconds = server, parse_url(server.address, server.url_variable), seconds
        self._answer: Response | None = None
        json_only = {"Accept": "application/json", "Content-Type": "application/json"}
        self._headers = {"Authorization": f"Bearer {server.key or 'none'}", **json_only, **dict(server.headers)}
        self._faults = Faults(server, secrets)

    async def require_access(self) -> None:
        """Raises what `look_up_models` does where the server would refuse paid requests.

        A request with an empty body costs nothing, and the key is checked before the body. The list is no test: some
        servers show it to everybody, and a restricted OpenAI key may call models but not list them. A 403 may be about
        the missing model, unless the list is refused as well.

        A server on this machine is sent no such request unless it refuses its list as well: it may be a double that
        takes every request for the next message of a conversation.
        """
        if is_loopback(self._parts.hostname or "") and not _refuses(await self._list()):
            return
        answer = await self._send("POST", "chat/completions", b"{}")
        status = answer.status_code
        if 300 <= status < 400:
            raise self._faults.redirected(answer)
        found = error_of(answer)
        said = self._faults.line_of(found)
        if error := self._faults.barred(found, said):
            raise error
        if status == 403 and (await self._list()).status_code in (401, 403):
            raise self._faults.refused_key(found, said)

    async def names(self) -> set[str]:
        """The models that the server lists; none where it has no list. Raises what `look_up_models` does."""
        answer = await self._list()
        return _names(answer.content) if answer.is_success else set()

    async def complaint(self) -> str | None:
        """A note about an error that comes with status 200 in place of the list, as LM Studio's for a wrong path."""
        answer, server = await self._list(), self._server
        if not answer.is_success or not hidden_error(_parsed(answer.content)):
            return None
        said = self._faults.line_of(error_of(answer), f"{server} lists no models")
        return f"{said}; check {server.url_variable} (it usually ends in /v1)"

    async def look_up(self, model: str) -> str | None:
        """A note about a model that is not listed, if any; it may be listed under a longer name.

        Raises what `look_up_models` does.
        """
        answer = await self._send("GET", f"models/{quote(model, safe='/:')}")
        if answer.is_success:
            return None
        named = re.search(rf"model_not_found|\bmodel\W{{1,4}}{re.escape(model)}", answer.text, re.IGNORECASE)
        server, names = self._server, f"check STOIC_EVALUATOR_MODEL, STOIC_JUDGE_MODEL and {self._server.url_variable}"
        if answer.status_code == 404 and named:  # a server without a page for each model answers 404 for the path
            raise ConfigurationError(f"{server} does not know model {model!r}; {names}")
        return f"{server} does not list model {model!r}; if it does not know it by that name, {names}"

    async def _list(self) -> "Response":
        """The answer to the request for its list, which is sent once."""
        self._answer = self._answer or await self._send("GET", "models")
        return self._answer

    async def _send(self, method: str, path: str, content: bytes = b"") -> "Response":
        """The answer, whatever its status."""
        import aiohttp
        import httpx2

        from stoic_assets.adapters.models.aiohttp_client import AiohttpTransport, WholeRequest

        url, headers = httpx2.URL(below(self._parts, f"/{path}")), httpx2.Headers(self._headers)
        request = WholeRequest(method, url, headers, content)
        connect_seconds = EndpointLimit(timeout_seconds=self._seconds).connect_seconds
        try:
            transport = AiohttpTransport(self._parts.scheme == "https", proxy_for(self._parts), connect_seconds)
            try:
                async with asyncio.timeout(self._seconds):
                    return await transport.handle_async_request(request)
            finally:
                await transport.aclose()
        except (aiohttp.ClientError, OSError, ReplyTooLarge) as error:
            raise self._faults.meaning(error, "") from None


def _refuses(answer: "Response") -> bool:
    """Whether a server refuses its list or redirects, rather than that it has none or is out of order."""
    return 300 <= answer.status_code < 500 and answer.status_code not in (404, 405)


def _names(text: bytes) -> set[str]:
    """The names in a list of models; it is foreign JSON, and may be anything."""
    models = part_of(_parsed(text), "data")
    return {str(model.get("id")) for model in models if isinstance(model, dict)} if isinstance(models, list) else set()


def _parsed(text: bytes) -> Any:
    """The JSON; None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
