"""Requests to a language model and its replies: the port that every provider implements."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeVar

from stoic_assets.core.errors import StoicError

Role = Literal["evaluator", "judge"]
OPTIONS_OF: Mapping[Role, str] = {"evaluator": "conversations.model_options", "judge": "judging.model_options"}
"""The settings with the additional request fields of each role."""
SPOKEN = (None, "text", "output_text")
"""Types of a reply's parts that contain its text; parts of other types are thoughts."""
MESSAGE_CHARS = 8_000
"""The longest message of a conversation that a model is shown in full; of a longer one it sees head and tail."""


@dataclass(frozen=True)
class ChatRequest:
    """One chat completion.

    `messages` are `{"role", "content"}` pairs as they are sent. `schema` asks for strict structured output. `sample`
    numbers repetitions of the same request (a judge's samples) and is part of the cache key. `brief` has the content of
    the messages as data: the stand-in works from it, and it is never sent anywhere. `cacheable_as` identifies
    the request in the judge cache (the messages without their random fence); None means that the reply must not be
    cached. `fresh` ignores what earlier processes left in that cache. `trial_id` is the trial that it is made for.
    """

    role: Role
    model: str
    messages: tuple[Mapping[str, str], ...]
    temperature: float
    schema: Mapping[str, Any] | None = None
    schema_name: str = "reply"
    sample: int = 0
    brief: Mapping[str, Any] = field(default_factory=dict)
    cacheable_as: str | None = None
    fresh: bool = False
    trial_id: str | None = None

    @property
    def characters(self) -> int:
        """The length of all messages."""
        return sum(len(message["content"]) for message in self.messages)

    @property
    def words(self) -> frozenset[str]:
        """The names of fields, and values of enumerations, that `schema` asks for."""
        return frozenset(_words(self.schema or {}))


def _words(schema: Mapping[str, Any]) -> Iterator[str]:
    yield from schema.get("enum", ())
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from _words(inner)
    yield from _words(schema["items"]) if "items" in schema else ()


def worded(text: str) -> str:
    """The text of a message for `text`: some servers accept no blank message."""
    return text if text.strip() else "(empty)"


def without_middle(text: str, limit: int) -> tuple[str, str, str]:
    """`limit` characters of a longer text: head, a note on what is left out, and tail."""
    head = limit * 2 // 3
    return text[:head], f"[{len(text) - limit} characters left out]", text[len(text) - (limit - head) :]


def form_in_words(schema: Mapping[str, Any]) -> str:
    """The request for structured output as text, for servers that do not support it, or ignore it."""
    return f"Answer with one JSON object and nothing else. It must fit this JSON Schema:\n{json.dumps(schema)}"


OUT_OF_TOKENS = ("length", "max_tokens")
"""Values of `finish_reason`, in small letters, of a text that ends at the limit of its tokens."""
BROKEN_OFF = (
    *OUT_OF_TOKENS, "model_length", "content_filter", "safety", "recitation", "error", "abort",
    "insufficient_system_resource",
)  # fmt: skip
"""Those of a text that ends too early for any reason: of OpenAI, gateways before Gemini and Anthropic, Mistral, vLLM
and DeepSeek. Other servers have further words for a complete one."""


@dataclass(frozen=True)
class ChatReply:
    """The text of a reply and what it cost; tokens are counts, None where the server reports no possible number.

    `cost_usd` is None when no price is configured, or the tokens are not known. `finish_reason` is the server's reason
    why the text ends, `stop` or empty where the model was done. `served_model` is the model that answered, by the name
    that the server gives it; None where it gives none. `cost_partial`: its own tokens are not known, and what
    it cost is not either; tokens and `cost_usd` are only those of earlier answers.
    """

    text: str
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cost_usd: float | None = None
    latency_ms: float = 0.0
    cached: bool = False
    finish_reason: str = ""
    cost_partial: bool = False
    served_model: str | None = None

    @property
    def tokens(self) -> int | None:
        """All tokens; None where some are not known."""
        if self.prompt_tokens is None or self.completion_tokens is None:
            return None
        return self.prompt_tokens + self.completion_tokens

    def billed_with(self, others: Iterable["ChatReply"]) -> "ChatReply":
        """The same reply with the cost of `others` added, as far as it is known."""
        bill = [self, *others]
        return replace(
            self, prompt_tokens=_sum(each.prompt_tokens for each in bill),
            completion_tokens=_sum(each.completion_tokens for each in bill),
            cost_usd=_sum(each.cost_usd for each in bill),
            cost_partial=self.cost_usd is None and self.tokens is None,
        )  # fmt: skip

    @property
    def cut_off(self) -> str:
        """A suffix for an error message about the text: why it ends before the model was done; else empty."""
        return "" if self._end in ("", "stop") else f" (finish_reason {self.finish_reason})"

    @property
    def is_cut_off(self) -> bool:
        """Whether the server says that the rest of the text is missing."""
        return self._end in BROKEN_OFF

    @property
    def is_out_of_tokens(self) -> bool:
        """Whether a higher limit of its tokens would have made it longer."""
        return self._end in OUT_OF_TOKENS

    @property
    def _end(self) -> str:
        """The reason as a word: some gateways write it in capitals, or add their own after a colon."""
        return self.finish_reason.partition(":")[0].strip().lower()


def option(request: ChatRequest, field: str) -> str:
    """Where in the settings an additional `field` of such requests is set."""
    return f"{OPTIONS_OF[request.role]}.{request.model}.{field} in stoic.yml"


def more_tokens(request: ChatRequest, reply: ChatReply) -> str:
    """A suffix for an error about the `reply`: what to change if it ends at the limit of its tokens; else empty."""
    return f"; raise {option(request, 'max_completion_tokens')}" if reply.is_out_of_tokens else ""


A = TypeVar("A", int, float)


def _sum(amounts: Iterable[A | None]) -> A | None:
    """The sum of the known amounts; None where none is known."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known[1:], known[0]) if known else None


UNKNOWN = ChatReply("", prompt_tokens=None, completion_tokens=None)
"""The bill of a call without an answer."""


def charge(error: BaseException, answers: Iterable[ChatReply], sent: bool = True) -> None:
    """Attaches to the `error` that ends a call the cost of the answers before it, and whether anything was `sent`."""
    vars(error).update(paid=UNKNOWN.billed_with(answers), sent=sent)


def charged(error: BaseException) -> ChatReply:
    """The cost of a call that ended with `error`, as far as it is known."""
    paid: ChatReply = vars(error).get("paid", UNKNOWN)
    return paid


def was_sent(error: BaseException) -> bool:
    """Whether the call that ended with `error` may have reached a model, and be paid for."""
    return bool(vars(error).get("sent", True))


class ModelFailure(StoicError):
    """A model gave no reply after all attempts; the trial or verdict that needed it is invalid, not the run."""


class MalformedReply(ModelFailure):
    """The server itself checked the model's reply against the schema and withheld it; `text` is the part it quotes."""

    def __init__(self, problem: str, text: str) -> None:
        super().__init__(problem)
        self.text = text


class BudgetReached(StoicError):
    """The cost ceiling is reached: no model is called any more."""

    exit_code = 3
    says_how_to_go_on = True


class ChatModel(Protocol):
    """A provider of chat completions.

    Raises `ModelFailure` after its own retries, and `BudgetReached` at the ceiling. `ConfigurationError` for what no
    retry can fix (wrong key, unknown model) and `ServiceUnreachable` for a server that serves nobody end the run.
    """

    async def complete(self, request: ChatRequest) -> ChatReply: ...
