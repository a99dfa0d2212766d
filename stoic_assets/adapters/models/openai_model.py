"""Chat completions through the official openai package, from any compatible server."""

import asyncio
import json
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoic_assets.adapters.endpoint import parse_url, proxy_for
from stoic_assets.adapters.foreign_text import excerpt, mend
from stoic_assets.adapters.loop_bound import LoopBound
from stoic_assets.adapters.models.openai_faults import OptionRefused, explain
from stoic_assets.adapters.request_limit import Pace, RequestLimit
from stoic_assets.core.chat import ChatReply, ChatRequest, ModelFailure, Role
from stoic_assets.core.errors import AttemptFailed
from stoic_assets.core.redaction import Redactor
from stoic_assets.core.retrying import Tally, persist
from stoic_assets.core.settings import Limits, ModelLimit, Price

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion

DEFAULT_URL = "https://api.openai.com/v1"
STRICT = "json_schema"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Connection:
    """What belongs to one event loop."""

    client: "AsyncOpenAI"
    gates: Mapping[Role, RequestLimit]


class OpenAiModel:
    """Every model of one server. Limits and retries are ours and differ by role; the package's own are off.

    `prices` are US dollars for a million tokens, by model. A server without keys needs a `base_url` only.
    """

    def __init__(
        self, base_url: str | None, api_key: str | None, limits: Limits, prices: Mapping[str, Price]
    ) -> None:
        parts = parse_url(base_url or DEFAULT_URL, "OPENAI_BASE_URL")
        self._url, self._proxy = parts._replace(query="", fragment="").geturl(), proxy_for(parts)
        self._key, self._secrets = api_key or "none", Redactor((), [api_key or ""])
        self._limits: Mapping[Role, ModelLimit] = {"evaluator": limits.evaluator, "judge": limits.judge}
        # What is learned of the server outlives the loops: judging begins with what an earlier stage found out.
        self._paces = {role: Pace.of(limit) for role, limit in self._limits.items()}
        self._prices = prices
        self._left_out: dict[str, set[str]] = {}
        self._connection: LoopBound[_Connection] = LoopBound(self._open, lambda connection: connection.client.close())

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply, after as many attempts as the role's limit allows; `latency_ms` is that of the last one."""
        connection = await self._connection.get()
        limit, gate = self._limits[request.role], connection.gates[request.role]

        async def send() -> ChatReply:
            async with gate.request() as passage:
                reply = await self._attempt(connection.client, request, limit.timeout_seconds)
                passage.tokens = reply.prompt_tokens + reply.completion_tokens
                return reply

        try:
            return await persist(send, limit, Tally())
        except AttemptFailed as failure:
            raise ModelFailure(f"{request.model} gave no reply: {failure}") from None

    async def close(self) -> None:
        """Closes the connections of the running event loop; otherwise they close with it."""
        await self._connection.close()

    async def _attempt(self, client: "AsyncOpenAI", request: ChatRequest, seconds: float) -> ChatReply:
        """One attempt. An option that the server refuses for this model is left out from then on."""
        body = self._body(request)
        start = time.perf_counter()
        try:
            async with asyncio.timeout(seconds):
                completion = await _post(client, body)
        except Exception as error:  # whatever a foreign answer makes the package trip over
            meaning = explain(error, request.model, self._url, self._secrets)
            if not isinstance(meaning, OptionRefused) or meaning.option not in body:
                raise meaning from None
            self._leave_out(request.model, meaning.option, body)
            return await self._attempt(client, request, seconds)
        latency_ms = (time.perf_counter() - start) * 1000
        text = text_of(completion)
        strict = body.get("response_format", {}).get("type") == STRICT
        text = text if strict or request.schema is None else unfenced(text)
        return self._reply(text, completion, request.model, latency_ms)

    def _leave_out(self, model: str, option: str, body: Mapping[str, Any]) -> None:
        """Notes what a model does not take; of `response_format` only the type that was sent."""
        refused = body[option]["type"] if option == "response_format" else option
        left_out = self._left_out.setdefault(model, set())
        if refused not in left_out:
            _log.warning("model %s does not take %s: asking without it", model, refused)
            left_out.add(refused)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        left_out = self._left_out.get(request.model, set())
        body: dict[str, Any] = {"messages": [dict(message) for message in request.messages], "model": request.model}
        if "temperature" not in left_out:
            body["temperature"] = request.temperature
        if request.schema is None:
            return body
        forms = [form for form in response_formats(request.schema_name, request.schema) if form["type"] not in left_out]
        if forms:
            body["response_format"] = forms[0]
        if STRICT in left_out:
            # Into the first message: the last may be a transcript, and nothing of ours belongs after that.
            body["messages"][0]["content"] += in_words(request.schema)
        return body

    def _reply(self, text: str, completion: "ChatCompletion", model: str, latency_ms: float) -> ChatReply:
        prompt, output = tokens_of(completion, "prompt_tokens"), tokens_of(completion, "completion_tokens")
        price = self._prices.get(model)
        cost = (prompt * price.input + output * price.output) / 1e6 if price else None
        return ChatReply(text, prompt, output, cost, latency_ms)

    def _open(self) -> _Connection:
        import httpx2
        from openai import AsyncOpenAI, DefaultAioHttpClient

        # Time-outs are set around each attempt; the proxy is chosen here, since loopback must bypass it.
        http = DefaultAioHttpClient(
            timeout=None, trust_env=False, proxy=self._proxy, verify=httpx2.create_ssl_context(trust_env=True)
        )
        client = AsyncOpenAI(api_key=self._key, base_url=self._url, max_retries=0, timeout=None, http_client=http)
        gates = {role: RequestLimit(limit, self._paces[role]) for role, limit in self._limits.items()}
        return _Connection(client, gates)


async def _post(client: "AsyncOpenAI", body: Mapping[str, Any]) -> "ChatCompletion":
    from openai.types.chat import ChatCompletion

    # What create() does, without its walk through all messages, half of the CPU time of a call. A whole address, for
    # the package to complete one costs a tenth of the rest.
    url = f"{str(client.base_url).rstrip('/')}/chat/completions"
    bearer: Any = {"security": {"bearer_auth": True}}
    return await client.post(url, body=body, cast_to=ChatCompletion, options=bearer)


def response_formats(name: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Structured output as chat completions spell it, strict; and as servers did before, which some still do."""
    strict = {"type": STRICT, "json_schema": {"name": name, "schema": schema, "strict": True}}
    return [strict, {"type": "json_object", "schema": schema}]


def in_words(schema: Mapping[str, Any] | None) -> str:
    """The same wish for a server that knows no strict `response_format`."""
    return f"\n\nAnswer with one JSON object and nothing else. It must fit this JSON Schema:\n{json.dumps(schema)}"


def unfenced(text: str) -> str:
    """`text` without the Markdown code fence that models like to put around JSON."""
    fenced = re.fullmatch(r"\s*```\w*\s*\n(.*?)\n?\s*```\s*", text, re.DOTALL)
    return fenced[1] if fenced else text


def text_of(completion: "ChatCompletion") -> str:
    """The words of a reply. Raises `AttemptFailed` for a reply without any; a refusal is final."""
    # The package does not check what a server sends: any part may be missing.
    choices: Any = getattr(completion, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    if message is None:
        raise AttemptFailed("the answer is not a chat completion")
    if refusal := getattr(message, "refusal", None):
        raise AttemptFailed(f"the model refuses: {excerpt(str(refusal), Redactor(()))}", final=True)
    content = getattr(message, "content", None)
    if not isinstance(content, str) or not content.strip():
        reason = getattr(choice, "finish_reason", None)
        raise AttemptFailed(f"the reply is empty (finish_reason {reason})", final=True)
    return str(mend(content))


def tokens_of(completion: "ChatCompletion", name: str) -> int:
    """A count of the reply's usage; 0 where the server tells none."""
    count = getattr(getattr(completion, "usage", None), name, None)
    return count if isinstance(count, int) else 0
