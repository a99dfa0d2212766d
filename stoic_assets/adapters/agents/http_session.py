"""JSON over HTTP to one service, and what its faults mean. Which paths and which fields is the protocols' business."""

import json
from collections.abc import Mapping
from enum import Flag, auto
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from stoic_assets.adapters.endpoint import below, parse_url, proxy_for, untrusted
from stoic_assets.adapters.foreign_text import TooManyValues, excerpt, parse_json
from stoic_assets.adapters.loop_bound import LoopBound
from stoic_assets.adapters.request_limit import retry_after_seconds
from stoic_assets.adapters.whole_reply import MIB, ReplyTooLarge, whole_reply
from stoic_assets.core.conversation.agent import AgentFailure, SentTooMuch
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.redaction import Redactor
from stoic_assets.core.settings import AgentLimit

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

TURNED_AWAY = (403, 502, 503)
"""What gateways answer when they let nobody through; a service may answer so to one request as well."""
LOST = (404, 405)
"""What is answered at an address where no such service listens; a service may mean one thing that it does not know."""

SETTING = "limits.agent.largest_reply_mib"
"""The setting of how much is taken at once."""
STREAM = "text/event-stream"
"""The type of an answer that comes in events."""
REPEATABLE = (408, 409, 423, 425)
"""Refusals that say of themselves that they pass: late, in conflict, locked, too early."""


class Particular(Flag):
    """What a request brings that no other does, so that a refusal may be about this one request alone."""

    NOTHING = 0
    WORDS = auto()
    """A moderation may answer 403 to them; else that refuses the key."""
    PLACE = auto()
    """A session or a graph, which the service may not know (`LOST`); else no such service listens there."""


class UnexpectedStatus(AgentFailure):
    """The service answered with a `status` that is no success."""

    def __init__(self, problem: str, status: int, retry_after: float | None, lost: bool) -> None:
        final = status < 500 and status not in REPEATABLE
        late, turned_away = status in (408, 504), status in TURNED_AWAY or lost
        super().__init__(problem, retry_after=retry_after, late=late, final=final, turned_away=turned_away)
        self.status = status


class AgentHttp:
    """The HTTP side of one agent, or of a service beside it that has another `name`.

    Own headers, no cookies (trials must not meet in them), no redirects (they would carry the key elsewhere), the
    environment's proxy. `url` has no trailing slash. Of the `limit` counts what holds for one attempt. `key_advice`
    says what to check when the key is refused, `path_advice` when nothing is found at the address.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], limit: AgentLimit, name: str = "the agent",
        key_advice: str = "check AGENT_API_KEY and target.headers",
        path_advice: str = "check its address; a corrected address needs a new evaluation",
    ) -> None:
        self._parts = parts = parse_url(url, f"the address of {name}")
        self.url = parts.geturl().rstrip("/")
        shown = parts._replace(query="", fragment="").geturl().rstrip("/")
        self._name, self._key_advice, self._path_advice = f"{name} at {shown}", key_advice, path_advice
        self._headers, self._limit, self._proxy = dict(headers), limit, proxy_for(parts)
        secrets = {part for value in headers.values() for part in (value, *value.split())}
        self._secrets = Redactor((), sorted(secrets, key=len, reverse=True))
        self._session: LoopBound[ClientSession] = LoopBound(self._open, lambda session: session.close())

    def below(self, path: str) -> str:
        """The address with `path` after its own, and its query, if it has one, after that."""
        return below(self._parts, path)

    async def call(
        self, method: str, url: str, body: Mapping[str, Any] | None = None, particular: Particular = Particular.NOTHING
    ) -> Any:
        """The JSON that one request brings back; None for an empty body. Raises what `send` raises."""
        text = await self.send(method, url, body, particular)
        try:
            return parse_json(text, self._limit.most_values) if text.strip() else None
        except TooManyValues as error:
            raise self._too_much(error) from None
        except ValueError as error:
            is_page = text.lstrip().startswith(b"<")
            problem = f"did not answer with JSON: {'it is a web page' if is_page else self._quote(error)}"
            lost = is_page and Particular.PLACE not in particular
            raise AgentFailure(f"{self._name} {problem}", turned_away=lost) from None

    async def send(
        self, method: str, url: str, body: Mapping[str, Any] | None = None, particular: Particular = Particular.NOTHING
    ) -> bytes:
        """The bytes that one request brings back.

        Raises `AgentFailure`, or `ConfigurationError` for a key, a certificate or an address that is not right.
        With anything `particular`, its failure may be its own.
        """
        import aiohttp

        session = await self._session.get()
        try:
            async with session.request(method, url, json=body, allow_redirects=False) as response:
                text = await self._read(response)
        except TimeoutError:
            problem = f"{self._name} gave no answer within {self._limit.timeout_seconds:g} s"
            raise AgentFailure(problem, late=True) from None
        except aiohttp.ClientConnectorCertificateError as error:
            raise untrusted(self._name, error) from None
        except (aiohttp.ClientError, OSError) as error:
            problem = f"{self._name} cannot be reached: {self._quote(error)}"
            is_no_http = isinstance(error, aiohttp.ClientResponseError) and Particular.PLACE not in particular
            turned_away = isinstance(error, aiohttp.ClientConnectorError) or is_no_http
            raise AgentFailure(problem, turned_away=turned_away) from None
        self._refuse_status(response, text, particular)
        return text

    async def check_access(self, url: str) -> None:
        """Raises what `send` does where the service lets nobody in like us, or does not answer; nothing is asked of it.

        What it says to a GET where it takes a PUT or a POST tells nothing, unless it refuses the key or redirects.
        """
        try:
            await self.send("GET", url, particular=Particular.WORDS)
        except AgentFailure as failure:
            answered = failure.busy or (isinstance(failure, UnexpectedStatus) and failure.status >= 400)
            if not answered and (failure.turned_away or failure.late):
                raise

    async def close(self) -> None:
        """Closes the connections of the running event loop."""
        await self._session.close()

    def fault(self, problem: str, answer: Any = None) -> AgentFailure:
        """An attempt that failed, and may be made again; an `answer` that tells of an error is quoted."""
        error = answer.get("error") if isinstance(answer, dict) else None
        said = f": {excerpt(error if isinstance(error, str) else json.dumps(error), self._secrets)}" if error else ""
        return AgentFailure(f"{self._name} {problem}{said}")

    def _open(self) -> "ClientSession":
        import aiohttp
        from multidict import CIMultiDict

        headers = CIMultiDict[str]()
        for name, value in self._headers.items():
            headers[name] = value  # an own header replaces ours, however it is written
        # No limit on connections: that limit is ours and stands before every request.
        session = aiohttp.ClientSession(
            # Servers close what idles (from 5 s on): what idled for two is not used again.
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=2),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=self._limit.timeout_seconds),
            proxy=self._proxy,
        )
        # Else aiohttp repeats, unseen, every PUT and GET whose connection drops: the agent would act twice, and its
        # failure would not count. There is no public switch.
        session._retry_connection = False
        return session

    async def _read(self, response: "ClientResponse") -> bytes:
        if response.ok and response.content_type == STREAM:
            problem = f"did not answer with JSON: it streams ({STREAM}); have it answer in one piece"
            raise AgentFailure(f"{self._name} {problem}")
        try:
            return await whole_reply(response, self._limit.largest_reply_mib * MIB)
        except ReplyTooLarge as error:
            advice = f"if that is right, raise {SETTING} in stoic.yml"
            raise SentTooMuch(f"{self._name} {error} at once; {advice}") from None

    def _too_much(self, found: TooManyValues) -> SentTooMuch:
        """What it is that a reply holds more values than its size may."""
        limit = self._limit
        bound = f"{SETTING}: {limit.largest_reply_mib:g} allows {limit.most_values:,}"
        advice = f"if that is right, set it to {limit.room_for(found.values)} in stoic.yml"
        return SentTooMuch(f"{self._name} sends {found} at once, and {bound}; {advice}")

    def _refuse_status(self, response: "ClientResponse", text: bytes, particular: Particular) -> None:
        """Raises what a status other than 2xx means."""
        status = response.status
        if 200 <= status < 300:
            return
        if status in (401, 402) or (status == 403 and Particular.WORDS not in particular):
            raise ConfigurationError(f"{self._name} refuses the key ({status}); {self._key_advice}")
        redirect = self._redirect(response)
        if redirect and not particular:
            raise ConfigurationError(f"{self._name} {redirect}; {self._path_advice}")
        wait = retry_after_seconds(response.headers.get("Retry-After"), response.headers.get("Date"))
        if status == 429:
            raise AgentFailure(f"{self._name} is busy (429)", retry_after=wait, busy=True)
        said = excerpt(text.decode("utf-8", "replace"), self._secrets)
        lost = bool(redirect or status in LOST) and Particular.PLACE not in particular
        answered = f"answered {status}" + (f": {said}" if said else "")
        problem = f"{self._name} {redirect or answered}"
        raise UnexpectedStatus(f"{problem}; {self._path_advice}" if lost else problem, status, wait, lost)

    def _redirect(self, response: "ClientResponse") -> str:
        """Where an answer leads instead, without a query, which may hold a key; empty of any other answer."""
        if not 300 <= response.status < 400 or "Location" not in response.headers:
            return ""
        try:
            place = urlsplit(urljoin(str(response.url), response.headers["Location"]))
        except ValueError:
            return "redirects to something that is not an address"
        return f"redirects to {excerpt(place._replace(query='', fragment='').geturl(), self._secrets)}"

    def _quote(self, error: Exception) -> str:
        return excerpt(str(error) or type(error).__name__, self._secrets)
