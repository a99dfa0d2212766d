"""What a service's error says. OpenAI's form is `{"error": {"message", "type", "code", "param"}}`; others differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stoic_assets.adapters.http.foreign_text import TooManyValues, is_web_page, page_words, parse_json, part_of
from stoic_assets.adapters.http.refusals import is_busy, retry_after_seconds
from stoic_assets.core.text.json_text import json_text

_WORDS = ("message", "detail", "Message", "error_description", "error")
"""Where the words are: OpenAI's, FastAPI's, AWS's, OAuth's, xAI's and TGI's. Beside others, `error` is only a title."""
_SAID = ("content", "refusal", "tool_calls", "function_call")
"""What a message of a chat completion may consist of."""
_KEY_CODES = frozenset({"no_db_connection", "API_KEY_INVALID"})
"""Codes of a LiteLLM without a database, which looks there for every key but its master key, and of Gemini."""
_MODEL_CODES = frozenset(
    {
        "model_not_found", "model_decommissioned", "model_not_supported", "model_not_available", "invalid_model",
        "unknown_model",
    }
)  # fmt: skip
"""Codes or types, of OpenAI, Groq, Hugging Face, Together, Mistral and GitHub."""
_MODEL_WORDS = (
    "does not exist", "model not exist", "not found", "unknown model", "invalid model", "not a valid model",
    "access to model", "no healthy deployments for this", "decommissioned", "not supported by any provider",
)  # fmt: skip
"""What others say of a model; DeepSeek and LiteLLM have no codes of their own."""


@dataclass(frozen=True)
class ForeignError:
    """An error as the service reports it: its `words`, and the part of the request, `param`, that it names.

    `codes` are its code, type and reasons, by which programs tell errors apart; `status` is that of its answer, and
    `retry_after` the wait in seconds that this asks for.
    """

    status: int
    words: str
    codes: frozenset[str] = frozenset()
    param: str = ""
    retry_after: float | None = None

    @property
    def is_busy(self) -> bool:
        """Whether the service is only busy."""
        return is_busy(self.status, self.retry_after)

    @property
    def refuses_key(self) -> bool:
        """Whether it refuses the key, by its status or by its codes."""
        return self.status == 401 or (self.status == 400 and not self.codes.isdisjoint(_KEY_CODES))

    @property
    def refuses_model(self) -> bool:
        """Whether it refuses every request for the model, by its codes or by its words.

        Its `param` alone does not say so: it names the model as well where that does not take some other part.
        """
        text = self.words.lower()
        named = "model" in text and any(words in text for words in _MODEL_WORDS)
        return self.status in (400, 403, 404) and (named or not self.codes.isdisjoint(_MODEL_CODES))


def read_error(status: int, headers: Mapping[str, str], body: bytes) -> ForeignError:
    """The error in an answer, whatever the form of its body; without words where that is empty."""
    try:
        words, codes, param = _read(parse_json(body))
    except (ValueError, TooManyValues):
        text = body.decode("utf-8", "replace").strip()
        words, codes, param = page_words(text) if is_web_page(text) else text, frozenset(), ""
    return ForeignError(status, words, codes, param, retry_after_seconds(headers))


def hidden_error(completion: Any) -> Any:
    """The error in a chat completion of status 200: beside its choices or, from OpenRouter, in the first; else None.

    A reply that ends with an error before its first word is one as well; an object of empty fields is none.
    """
    choice = part_of(completion, "choices", 0)
    silent = part_of(choice, "finish_reason") == "error" and not any(part_of(choice, "message", name) for name in _SAID)
    unsaid = {"message": "the reply is empty (finish_reason error)"} if silent else None
    found = (part_of(completion, "error"), part_of(choice, "error"))
    return next((error for error in found if (any(error.values()) if isinstance(error, dict) else error)), unsaid)


def read_hidden(error: Any) -> ForeignError:
    """A `hidden_error`, as `read_error` reads that of an answer; its status is the one that its code names, else 500.

    LM Studio gives an unknown path status 200 and no code.
    """
    words, codes, param = _read({"error": error})
    named = next((known for known in range(400, 600) if str(known) in codes), 500)
    return ForeignError(404 if words.startswith("Unexpected endpoint") else named, words, codes, param)


def _read(body: Any) -> tuple[str, frozenset[str], str]:
    """Words, codes and `param` of the error in the JSON of an answer."""
    while isinstance(body, list) and len(body) == 1:  # Gemini's
        [body] = body
    if not isinstance(body, dict):
        return _worded(body), frozenset(), ""
    error = body["error"] if isinstance(body.get("error"), dict) else body
    return _words(error), frozenset(_codes(error)), _param(error)


def _param(error: Mapping[str, Any]) -> str:
    """The part of the request that an error names: OpenAI's `param`, or Azure's `loc` as `body.temperature`."""
    if isinstance(param := error.get("param"), str):
        return param
    place = part_of(error, "detail", 0, "loc") or part_of(error, "detail", "loc")
    return ".".join(map(str, place)) if isinstance(place, list) else ""


def _words(error: Mapping[str, Any]) -> str:
    """The words of an error, and those of the provider behind a gateway, which OpenRouter adds; else all of it."""
    said = next((error[name] for name in _WORDS if error.get(name)), error)
    return " ".join(filter(None, (_worded(said), _worded(part_of(error, "metadata", "raw")))))


def _worded(said: Any) -> str:
    if isinstance(said, dict) and said.keys() == {"detail"}:  # Mistral's
        said = said["detail"]
    faults = [_fault(each) for each in said] if isinstance(said, list) else []
    if faults and all(faults):
        return "; ".join(faults)
    return said.strip() if isinstance(said, str) else json_text(said) if said else ""


def _fault(found: Any) -> str:
    """One fault in a request as FastAPI reports it, without the value, which may be all of a conversation; else empty.
    """
    place, why = part_of(found, "loc"), part_of(found, "msg")
    return f"{'.'.join(map(str, place))}: {why}" if isinstance(place, list) and why else ""


def _codes(error: Mapping[str, Any]) -> Iterator[str]:
    details = error.get("details")
    reasons = [part_of(each, "reason") for each in details] if isinstance(details, list) else []
    for code in (error.get("code"), error.get("type"), *reasons):
        if isinstance(code, str | int):
            yield str(code)
