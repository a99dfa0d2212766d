"""JSON over HTTP to one service, and what its faults mean. The protocols' modules know the paths and the fields."""

from collections.abc import Mapping
from enum import Flag, auto
from typing import TYPE_CHECKING, Any, NoReturn

from stoic_assets.adapters.agents.unanswered import LOST, NoAgentThere, UnexpectedStatus, words_of
from stoic_assets.adapters.http.endpoint import below, closed_proxy, led_to, parse_url, proxy_for
from stoic_assets.adapters.http.error_words import ForeignError, read_error, read_hidden
from stoic_assets.adapters.http.foreign_text import TooManyValues, excerpt, instead_of_json, is_web_page, parse_json
from stoic_assets.adapters.http.refusals import PROXY_REFUSES
from stoic_assets.adapters.http.whole_reply import MIB, ReplyTooLarge, in_utf8, whole_reply
from stoic_assets.adapters.process.loop_bound import LoopBound
from stoic_assets.core.configuration.endpoint_limits import AgentLimit
from stoic_assets.core.conversation.agent import AgentFailure, SentTooMuch
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.core.text.json_text import json_text

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

    from stoic_assets.adapters.http.disconnection import Disconnection

SETTING = "limits.agent.largest_reply_mib"
"""The setting that limits the size of one reply."""
SCHEME = "bearer"
"""The word before a key, which is no secret: services name it when they explain themselves."""
STREAM = "text/event-stream"
"""The content type of a reply that is streamed as events."""


class Particular(Flag):
    """What only this request contains, so that a refusal may be about this one request alone."""

    NOTHING = 0
    WORDS = auto()
    """A message: a moderation may answer it with 403; otherwise 403 refuses the key."""
    PLACE = auto()
    """A session or a graph, which the service may not know (`LOST`); otherwise no such service listens there."""


class AgentHttp:
    """The HTTP side of one agent, or of another service, which then has a `name` of its own.

    It sends its own headers, keeps no cookies (trials must not share them), follows no redirects (they would carry the
    key elsewhere) and uses the environment's proxy. Of the `limit`, only what concerns a single attempt is used.
    `key_advice` says what to check when the key is refused, `path_advice` when nothing is found at the address.
    `redactor` blanks secrets in what errors quote. Once it `has_answered`, it is known to speak HTTP.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], limit: AgentLimit, *, path_advice: str, name: str = "the agent",
        key_advice: str = "check AGENT_API_KEY and target.headers", redactor: Redactor | None = None,
    ) -> None:
        self._parts = parts = parse_url(url, f"the address of {name}")
        self.url = parts.geturl()
        shown = parts._replace(query="", fragment="").geturl().rstrip("/")
        self._name, self._key_advice, self._path_advice = f"{name} at {shown}", key_advice, path_advice
        self._headers, self._limit, self._proxy = dict(headers), limit, proxy_for(parts)
        sent = {part for value in headers.values() for part in (value, *value.split())}
        self._secrets = (redactor or Redactor(())).knowing(part for part in sent if part.lower() != SCHEME)
        self.has_answered = False
        self._session: LoopBound[ClientSession] = LoopBound(self._open, lambda session: session.close())

    def below(self, path: str) -> str:
        """The address with `path` appended to its own path; a query of the address stays at the end."""
        return below(self._parts, path)

    async def call(
        self, method: str, url: str, body: Mapping[str, Any] | None = None, particular: Particular = Particular.NOTHING
    ) -> Any:
        """The JSON that one request returns; None for an empty body. Raises what `send` raises."""
        text = await self.send(method, url, body, particular)
        try:
            return parse_json(text, self._limit.most_values) if text.strip() else None
        except TooManyValues as error:
            raise self._too_much(error) from None
        except ValueError as error:
            is_page = is_web_page(instead_of_json(error))
            problem = f"did not answer with JSON: {'it is a web page' if is_page else self._quote(error)}"
            if is_page and Particular.PLACE not in particular:
                raise NoAgentThere(self._lost(problem), turned_away=True) from None
            raise AgentFailure(f"{self._name} {problem}") from None

    async def send(
        self, method: str, url: str, body: Mapping[str, Any] | None = None, particular: Particular = Particular.NOTHING
    ) -> bytes:
        """The bytes that one request returns.

        Raises `AgentFailure`, or `ConfigurationError` for a wrong key, certificate or proxy.
        What the request contains that is `particular` to it decides whether a refusal is about this request alone.
        """
        import aiohttp

        from stoic_assets.adapters.http.disconnection import Disconnection

        session = await self._session.get()
        try:
            async with session.request(method, url, json=body, allow_redirects=False) as response:
                self.has_answered = True
                text = in_utf8(await self._read(response), response.charset)
        except (aiohttp.ClientError, OSError) as error:
            broken = Disconnection(error, self._secrets)
            raise broken.closed_to_all(self._name) or self._unanswered(broken, particular) from None
        self._refuse_status(response, text, particular)
        return text

    async def check_access(self, url: str) -> None:
        """Raises what `send` does where the service would refuse us or does not answer; no request does any work there.

        Its answer to a GET where it takes PUT or POST is ignored, unless it refuses the key or redirects.
        """
        try:
            await self.send("GET", url, particular=Particular.WORDS)
        except AgentFailure as failure:
            answered = failure.busy or (isinstance(failure, UnexpectedStatus) and failure.error.status >= 400)
            if not answered and (failure.turned_away or failure.late):
                raise

    async def close(self) -> None:
        """Closes the connections of the running event loop."""
        await self._session.close()

    def refuse(self, hidden: Any, particular: Particular = Particular.NOTHING) -> NoReturn:
        """Raises what an error that is `hidden` in a chat completion means: what its status would."""
        error = read_hidden(hidden)
        answered = f"did not answer with a chat completion: {excerpt(error.words, self._secrets)}"
        self._refuse(error, answered, particular, error.status in LOST)

    def fault(self, problem: str, answer: Any = None) -> AgentFailure:
        """An attempt that failed and may be repeated; `answer`, or the error that it reports, is quoted."""
        said = (answer.get("error") if isinstance(answer, dict) else None) or answer
        words = said if isinstance(said, str) else json_text(said)
        return AgentFailure(f"{self._name} {problem}" + (f": {excerpt(words, self._secrets)}" if said else ""))

    def _open(self) -> "ClientSession":
        import aiohttp
        from multidict import CIMultiDict

        from stoic_assets.adapters.http.client_session import open_session

        headers = CIMultiDict[str]()
        for name, value in self._headers.items():
            headers[name] = value  # a header of the target replaces ours, whatever its case
        timeout = aiohttp.ClientTimeout(total=self._limit.timeout_seconds, connect=self._limit.connect_seconds)
        # Servers close idle connections (from 5 s on).
        session = open_session(self._proxy, idle_seconds=2, headers=headers, timeout=timeout)
        # Otherwise aiohttp silently repeats every PUT and GET whose connection drops: the agent would act twice, and
        # its failure would not count. There is no public switch.
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

    def _unanswered(self, broken: "Disconnection", particular: Particular) -> AgentFailure:
        """What it means that no answer came, or none that can be read.

        A service that hangs up on a message may have crashed because of it, unless it has never answered anything: if
        it does so each time, a test request shows whether anybody is there.
        """
        if broken.is_slow:
            return AgentFailure(f"{self._name} gave no answer within {self._limit.timeout_seconds:g} s", late=True)
        broke_down = broken.hung_up and Particular.WORDS in particular and self.has_answered
        no_http = (broken.no_http or broken.hung_up) and not broke_down and Particular.PLACE not in particular
        if broken.no_tls or (no_http and not self.has_answered):
            hint = " (is it https://?)" if self._parts.scheme == "http" else ""
            return NoAgentThere(self._lost(broken.words + hint), turned_away=True)
        away, problem = no_http or broken.nobody, f"{self._name} {broken.words}"
        return AgentFailure(problem, late=broken.late, turned_away=away, hung_up=broken.hung_up and not away)

    def _too_much(self, found: TooManyValues) -> SentTooMuch:
        """The failure of a reply that contains more values than its size may."""
        limit = self._limit
        bound = f"{SETTING}: {limit.largest_reply_mib:g} allows {limit.most_values:,}"
        advice = f"if that is right, set it to {limit.room_for(found.values)} in stoic.yml"
        return SentTooMuch(f"{self._name} sends {found} at once, and {bound}; {advice}")

    def _refuse_status(self, response: "ClientResponse", text: bytes, particular: Particular) -> None:
        """Raises what a status other than 2xx means."""
        status = response.status
        if 200 <= status < 300:
            return
        redirect = self._redirect(response)
        said = excerpt(text.decode("utf-8", "replace"), self._secrets)
        is_lost = status in LOST and Particular.PLACE not in particular
        asked = f" to {response.method} {response.url.raw_path}" if is_lost else ""
        answered = redirect or f"answered {status}{asked}{words_of(said, status)}"
        error = read_error(status, response.headers, text)
        self._refuse(error, answered, particular, bool(redirect) or status in LOST)

    def _refuse(self, error: ForeignError, answered: str, particular: Particular, nowhere: bool) -> NoReturn:
        """Raises what an `error` means, whether it is the answer or hidden within one."""
        status, for_all = error.status, Particular.PLACE not in particular
        unknown = for_all and error.refuses_model
        refused = error.refuses_key or (status == 402 and not error.is_busy)
        if refused or (status == 403 and Particular.WORDS not in particular and not unknown):
            said = words_of(excerpt(error.words, self._secrets), status)
            raise ConfigurationError(f"{self._name} refuses the key ({status}){said}; {self._key_advice}")
        if status == PROXY_REFUSES:
            raise closed_proxy(self._name)
        if error.is_busy:
            raise AgentFailure(f"{self._name} is busy ({status})", retry_after=error.retry_after, busy=True)
        lost = unknown or (nowhere and for_all)
        problem = self._lost(answered) if lost else f"{self._name} {answered}"
        raise UnexpectedStatus(problem, error, lost)

    def _lost(self, problem: str) -> str:
        """The message about a problem which shows that another service listens there, with what to do."""
        return f"{self._name} {problem}; {self._path_advice}"

    def _redirect(self, response: "ClientResponse") -> str:
        """Where a redirect leads, without its query, which may contain a key; empty for any other answer."""
        if not 300 <= response.status < 400 or "Location" not in response.headers:
            return ""
        place = led_to(str(response.url), response.headers["Location"]) or "something that is not an address"
        return f"redirects to {excerpt(place, self._secrets)}"

    def _quote(self, error: Exception) -> str:
        return excerpt(str(error) or type(error).__name__, self._secrets)
