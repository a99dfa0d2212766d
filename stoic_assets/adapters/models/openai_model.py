"""Chat completions through the official openai package, from any compatible server."""

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from stoic_assets.adapters.http.endpoint import below, parse_url, proxy_for
from stoic_assets.adapters.http.request_limit import Pace, RequestLimit
from stoic_assets.adapters.models.chat_completion import finish_reason_of, paid_tokens_of, served_model_of, text_of
from stoic_assets.adapters.models.context_truncation import ContextTruncation
from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_client import open_client
from stoic_assets.adapters.models.openai_faults import Faults, ReplyKeptBack, may_mind_form, refuse_hidden_error
from stoic_assets.adapters.models.refused_parts import FieldRefused, OptionRefused, refused_field
from stoic_assets.adapters.models.request_bodies import RequestBodies
from stoic_assets.adapters.process.loop_bound import LoopBound
from stoic_assets.core.calls.chat import ChatReply, ChatRequest, MalformedReply, ModelFailure, Role, charge, option
from stoic_assets.core.calls.model_costs import call_cost
from stoic_assets.core.calls.queueing import queueing
from stoic_assets.core.calls.retrying import Tally, persist, remedy
from stoic_assets.core.configuration.endpoint_limits import Limits, ModelLimit
from stoic_assets.core.configuration.settings import ModelOptions, Price
from stoic_assets.core.errors import AttemptFailed, ConfigurationError, ServiceUnreachable, StoicError
from stoic_assets.core.secrets.redaction import Redactor

if TYPE_CHECKING:
    from openai import AsyncOpenAI

USUAL_CHARACTERS_OF_A_TOKEN = 4
"""About; in other languages than English a token has fewer."""
GREETING = ({"role": "user", "content": "Hello"},)
"""A message that no server can object to."""


@dataclass(frozen=True)
class _Connection:
    """The connections of one event loop."""

    client: "AsyncOpenAI"
    gates: Mapping[Role, RequestLimit]


@dataclass
class _Call:
    """One call as far as it has come: whether any request was `sent`, and the answers without a reply."""

    sent: bool = False
    wasted: list[ChatReply] = field(default_factory=list)


class Unusable(AttemptFailed):
    """An answer without a reply, and what was `paid` for it."""

    def __init__(self, failure: AttemptFailed, paid: ChatReply) -> None:
        super().__init__(str(failure), final=failure.final)
        self.paid = paid


class OpenAiModel:
    """Every model of one server. Limits and retries are our own and differ by role; the package's are off.

    `prices` are US dollars for a million tokens, by model; `options` are additional request fields for each role;
    `redactor` blanks secrets in what errors quote.
    """

    def __init__(
        self, server: ModelServer, limits: Limits, prices: Mapping[str, Price],
        options: Mapping[Role, ModelOptions] | None = None, redactor: Redactor | None = None,
    ) -> None:
        parts = parse_url(server.address, server.url_variable)
        self._server, self._secrets = server, (redactor or Redactor(())).knowing([server.key or ""])
        self._faults = Faults(server, self._secrets)
        self._completions, self._proxy = below(parts, "/chat/completions"), proxy_for(parts)
        self._limits: Mapping[Role, ModelLimit] = {"evaluator": limits.evaluator, "judge": limits.judge}
        # What is known about the server outlives the loops: judging starts with what an earlier stage found out.
        self._paces = {role: Pace.of(limit) for role, limit in self._limits.items()}
        self._prices, self._bodies, self._cut = prices, RequestBodies(options or {}), ContextTruncation(server)
        self._connection: LoopBound[_Connection] = LoopBound(self._open, lambda connection: connection.client.close())

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply, after as many attempts as the role's limit allows; `latency_ms` is that of the last one.

        Raises `ModelFailure`; `ServiceUnreachable` if the server refuses all requests, not only this one.
        """
        call = _Call()
        try:
            reply = await self._replied(request, call)
        except BaseException as error:  # a cancelled call has been paid for as well
            charge(error, call.wasted, call.sent)
            raise
        return reply.billed_with(call.wasted) if call.wasted else reply

    async def _replied(self, request: ChatRequest, call: _Call, again: bool = True) -> ChatReply:
        """The reply; after an outage the request is made `again`, once."""
        try:
            return await self._persist(request, call)
        except AttemptFailed as failure:
            meaning = await self._meaning(failure, request, call)
            if isinstance(meaning, ServiceUnreachable) or not (again and failure.may_be_outage):
                raise meaning from None
        return await self._replied(request, call, again=False)

    async def _meaning(self, failure: AttemptFailed, request: ChatRequest, call: _Call) -> StoicError:
        """What the last failure of a request means: that the request failed, or the server."""
        problem = f"{request.model} gave no reply: {failure}"
        if isinstance(failure, ReplyKeptBack):
            return MalformedReply(problem, failure.text)
        doubtful = failure.turned_away or isinstance(failure, FieldRefused)
        if doubtful and not await self._greeted(request, call):
            return ServiceUnreachable(f"{problem}; {remedy(failure)}")
        return ModelFailure(problem)

    async def _greeted(self, request: ChatRequest, call: _Call) -> bool:
        """Whether the server answers a greeting, or has no connection for it and answers others meanwhile.

        The answer is `wasted`, too. The wait takes no trial's time. Raises `ConfigurationError` for a refused key.
        """
        greeting = ChatRequest(request.role, request.model, GREETING, request.temperature)
        connection, began = await self._connection.get(), asyncio.get_running_loop().time()
        try:
            with queueing():
                call.wasted.append(await self._persist(greeting, call, particular=False))
        except AttemptFailed as failure:
            return not failure.turned_away or (failure.late and connection.gates[request.role].answered_since(began))
        return True

    async def _persist(self, request: ChatRequest, call: _Call, particular: bool = True) -> ChatReply:
        """The reply; answers without one are `wasted`, and cost all the same."""
        connection, tally = await self._connection.get(), Tally()
        limit, gate = self._limits[request.role], connection.gates[request.role]
        limit = limit if particular else limit.patient()

        async def send() -> ChatReply:
            async with gate.request(request.characters / USUAL_CHARACTERS_OF_A_TOKEN) as passage:
                call.sent = True
                try:
                    reply = await self._attempt(connection.client, request, limit.timeout_seconds, particular)
                except Unusable as failure:
                    call.wasted.append(failure.paid)
                    passage.tokens = failure.paid.tokens
                    raise
                passage.tokens = reply.tokens
                return reply

        return await persist(
            send, limit, tally, lambda: math.inf if tally.refused_seconds < limit.longest_refusal_seconds else 0.0
        )

    async def _attempt(
        self, client: "AsyncOpenAI", request: ChatRequest, seconds: float, particular: bool,
        without: frozenset[str] = frozenset(),
    ) -> ChatReply:
        """One attempt. A part that the server refuses for this model is left out of later requests.

        Where a refusal may be about the form of the reply, the next form is tried; only its success shows that it was.
        """
        body = self._bodies.of(request, without)
        start = time.perf_counter()
        try:
            completion = await self._in_time(client, body, request.role, seconds)
        except Exception as error:  # anything that the package raises on a foreign answer
            meaning = self._explained(error, request, particular)
            if isinstance(meaning, OptionRefused) and self._bodies.leave_out(meaning.option, body):
                return await self._attempt(client, request, seconds, particular, without)
            if not may_mind_form(error, meaning) or not (form := self._bodies.untried_form(body)):
                raise meaning from None
            reply = await _unless_refused(
                self._attempt(client, request, seconds, particular, without | {form}), meaning
            )
            self._bodies.leave_out("response_format", body)
            return reply
        latency_ms = (time.perf_counter() - start) * 1000
        self._bodies.accept(body)
        return self._reply(completion, request, latency_ms)

    async def _in_time(self, client: "AsyncOpenAI", body: Mapping[str, Any], role: Role, seconds: float) -> Any:
        """The JSON of the answer, if it comes within so many seconds."""
        try:
            async with asyncio.timeout(seconds) as deadline:
                return await self._post(client, body)
        except TimeoutError:
            if not deadline.expired():
                raise
            advice = f"raise limits.{role}.timeout_seconds in stoic.yml"
            raise AttemptFailed(f"gave no answer within {seconds:g} s; {advice}", late=True) from None

    def _explained(self, error: Exception, request: ChatRequest, particular: bool) -> StoicError:
        """What the error of one attempt means."""
        meaning = self._faults.meaning(error, request.model, particular)
        field = refused_field(error, self._bodies.options(request))
        if not field:
            return meaning
        correction = f"{meaning}; correct {option(request, field)}"
        return FieldRefused(str(meaning)) if particular else ConfigurationError(correction)

    async def _post(self, client: "AsyncOpenAI", body: Mapping[str, Any]) -> Any:
        """The JSON of the answer."""
        from httpx2 import Response

        # Does what create() does without its walk through all messages, which is half of the processor time of a call.
        # It returns the raw answer, since the package would not validate what it makes of it.
        # Options that are left to the package are copied deeply for every call.
        options: Any = {"security": {"bearer_auth": True}, "max_retries": 0, "timeout": None}
        content = to_json(body)  # three times as fast as the package's encoder, and some bodies are long
        answer = await client.post(self._completions, content=content, cast_to=Response, options=options)
        completion = json.loads(answer.content)
        if isinstance(completion, dict):
            refuse_hidden_error(completion, answer.request)
        return completion

    def _reply(self, completion: Any, request: ChatRequest, latency_ms: float) -> ChatReply:
        prompt, output = paid_tokens_of(completion)
        cost = call_cost(self._prices.get(request.model), prompt, output)
        reason = finish_reason_of(completion, self._secrets)
        try:
            self._faults.refuse_broken_off(completion)
            text = text_of(completion, self._secrets)
        except AttemptFailed as failure:
            raise Unusable(failure, ChatReply("", prompt, output, cost, finish_reason=reason)) from None
        self._cut.notice(request, prompt)
        served = served_model_of(completion, self._secrets)
        return ChatReply(text, prompt, output, cost, latency_ms, finish_reason=reason, served_model=served)

    def _open(self) -> _Connection:
        gates = {role: RequestLimit(limit, self._paces[role]) for role, limit in self._limits.items()}
        seconds = min(limit.connect_seconds for limit in self._limits.values())
        return _Connection(open_client(self._server, self._proxy, seconds), gates)


async def _unless_refused(attempt: Awaitable[ChatReply], first: StoicError) -> ChatReply:
    """The reply to another `attempt`; where that is refused as well, the `first` error is raised."""
    try:
        return await attempt
    except (Unusable, ReplyKeptBack):
        raise
    except ConfigurationError:
        raise first from None
    except AttemptFailed as second:
        raise (first if second.final else second) from None
