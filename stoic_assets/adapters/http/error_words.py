"""What a service's error says. OpenAI's form is `{"error": {"message", "type", "code", "param"}}`; others differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stoic_assets.adapters.http.foreign_text import TooManyValues, is_web_page, page_words, parse_json
from stoic_assets.core.text.json_text import json_text

_WORDS = ("message", "detail", "Message", "error_description", "error")
"""Where the words are: OpenAI's, FastAPI's, AWS's, OAuth's, xAI's and TGI's. Beside others, `error` is only a title."""
_SAID = ("content", "refusal", "tool_calls", "function_call")
"""What a message of a chat completion may consist of."""


@dataclass(frozen=True)
class ForeignError:
    """An error as the service reports it: its `words`, and the part of the request, `param`, that it names.

    `codes` are its code, type and reasons, by which programs tell errors apart.
    """

    words: str
    codes: frozenset[str] = frozenset()
    param: str = ""


def read_error(answer: bytes) -> ForeignError:
    """The error in the body of an answer, whatever its form; without words where that is empty."""
    try:
        return _error_in(parse_json(answer))
    except (ValueError, TooManyValues):
        text = answer.decode("utf-8", "replace").strip()
        return ForeignError(page_words(text) if is_web_page(text) else text)


def hidden_error(completion: Any) -> Any:
    """The error in a chat completion of status 200: beside its choices or, from OpenRouter, in the first; else None.

    A reply that ends with an error before its first word is one as well; an object of empty fields is none.
    """
    if not isinstance(completion, dict):
        return None
    choices = completion.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    choice = first if isinstance(first, dict) else {}
    message = choice.get("message")
    said = isinstance(message, dict) and any(map(message.get, _SAID))
    empty = {"message": "the reply is empty (finish_reason error)"}
    unsaid = empty if choice.get("finish_reason") == "error" and not said else None
    found = (completion.get("error"), choice.get("error"))
    return next((error for error in found if (any(error.values()) if isinstance(error, dict) else error)), unsaid)


def read_hidden(error: Any) -> ForeignError:
    """A `hidden_error`, as `read_error` reads that of an answer."""
    return _error_in({"error": error})


def status_of(error: ForeignError) -> int:
    """The HTTP status that the code of a hidden error names; else 500.

    LM Studio gives an unknown path status 200 and no code.
    """
    if error.words.startswith("Unexpected endpoint"):
        return 404
    return next((known for known in range(400, 600) if str(known) in error.codes), 500)


def _error_in(body: Any) -> ForeignError:
    while isinstance(body, list) and len(body) == 1:  # Gemini's
        [body] = body
    if not isinstance(body, dict):
        return ForeignError(_worded(body))
    error = body["error"] if isinstance(body.get("error"), dict) else body
    return ForeignError(_words(error), frozenset(_codes(error)), _param(error))


def _param(error: Mapping[str, Any]) -> str:
    """The part of the request that an error names: OpenAI's `param`, or Azure's `loc` as `body.temperature`."""
    if isinstance(param := error.get("param"), str):
        return param
    detail = error.get("detail")
    first = detail[0] if isinstance(detail, list) and detail else detail
    place = first.get("loc") if isinstance(first, dict) else None
    return ".".join(map(str, place)) if isinstance(place, list) else ""


def _words(error: Mapping[str, Any]) -> str:
    """The words of an error, and those of the provider behind a gateway, which OpenRouter adds; else all of it."""
    said = next((error[name] for name in _WORDS if error.get(name)), error)
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    return " ".join(filter(None, (_worded(said), _worded(raw))))


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
    place, why = (found.get("loc"), found.get("msg")) if isinstance(found, dict) else (None, None)
    return f"{'.'.join(map(str, place))}: {why}" if isinstance(place, list) and why else ""


def _codes(error: Mapping[str, Any]) -> Iterator[str]:
    details = error.get("details")
    reasons = [each.get("reason") for each in details if isinstance(each, dict)] if isinstance(details, list) else []
    for code in (error.get("code"), error.get("type"), *reasons):
        if isinstance(code, str | int):
            yield str(code)
