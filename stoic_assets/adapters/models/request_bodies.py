"""The bodies of chat completion requests, fitted to what each model accepts."""

import logging
from collections.abc import Mapping
from typing import Any

from stoic_assets.adapters.models.refused_parts import SYSTEM_MESSAGE
from stoic_assets.core.calls.chat import ChatRequest, Role, form_in_words
from stoic_assets.core.configuration.settings import ModelOptions

STRICT = "json_schema"
BOUNDS = {"minimum", "maximum", "maxItems"}
"""Keywords that Anthropic, Gemini and vLLM refuse. The form in words has them; the reader of a verdict applies them."""
Body = dict[str, Any]
_log = logging.getLogger(__name__)


class RequestBodies:
    """Makes the body of each request. `options` are additional request fields for each role, by model."""

    def __init__(self, options: Mapping[Role, ModelOptions]) -> None:
        self._options = options
        self._left_out: dict[str, set[str]] = {}
        self._formats: dict[tuple[str, int], tuple[Mapping[str, Any], list[dict[str, Any]]]] = {}
        self._accepted: set[tuple[str, int]] = set()

    def of(self, request: ChatRequest, without: frozenset[str] = frozenset()) -> Body:
        """The body of a request, `without` some parts, and those that its model was found not to accept."""
        left_out = self._left_out.get(request.model, set()) | without
        messages = [dict(message) for message in request.messages]
        if SYSTEM_MESSAGE in left_out:
            messages = _without_system(messages)
        body: Body = {"messages": messages, "model": request.model, "stream": False}  # some stream by default
        body |= self.options(request)
        if "temperature" not in left_out:
            body["temperature"] = request.temperature
        if request.schema is None:
            return body
        forms = self._forms(request.schema_name, request.schema)
        if accepted := [form for form in forms if form["type"] not in left_out]:
            body["response_format"] = accepted[0]
        if STRICT in left_out:
            _ask_in_words(messages, form_in_words(request.schema))
        return body

    def _forms(self, name: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The forms for a schema, made once: schemas are few, and each is one object, which is kept with its forms."""
        key = (name, id(schema))
        if key not in self._formats:
            self._formats[key] = schema, _response_formats(name, _unbounded(schema))
        return self._formats[key][1]

    def options(self, request: ChatRequest) -> Mapping[str, Any]:
        """The additional fields of a request."""
        return self._options.get(request.role, {}).get(request.model, {})

    def leave_out(self, option: str, body: Body) -> bool:
        """Leaves an option that a model refused out of its later bodies; False if the refused `body` had no such part.

        Of `response_format` only the type that was sent is left out.
        """
        if not _holds(body, option):
            return False
        refused = body[option]["type"] if option == "response_format" else option
        model = body["model"]
        left_out = self._left_out.setdefault(model, set())
        if refused not in left_out:
            _log.warning("model %s does not take %s: asking without it", model, refused)
            left_out.add(refused)
        return True

    def accept(self, body: Body) -> None:
        """Remembers that a model answered this `body`."""
        if "response_format" in body:
            self._accepted.add((body["model"], id(body["response_format"])))

    def untried_form(self, body: Body) -> str | None:
        """The type of the form that a `body` asks for, unless its model has answered in that form before."""
        asked = body.get("response_format")
        if asked is None or (body["model"], id(asked)) in self._accepted:
            return None
        return str(asked["type"])


def _holds(body: Body, option: str) -> bool:
    """Whether a body contains a part that a server may refuse."""
    return body["messages"][0]["role"] == "system" if option == SYSTEM_MESSAGE else option in body


def _without_system(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """Moves the system text into a user message with a reply: roles alternate, and a transcript stays separate."""
    first, *rest = messages
    if first["role"] != "system":
        return messages
    return [{**first, "role": "user"}, {"role": "assistant", "content": "Understood."}, *rest]


def _ask_in_words(messages: list[dict[str, str]], form: str) -> None:
    """Puts the form of the answer into the first message, unless one has it, as in a repair.

    The last may be a transcript, and our own text must not follow that.
    """
    if not any(form in message["content"] for message in messages):
        messages[0]["content"] += f"\n\n{form}"


def _unbounded(schema: Any) -> Any:
    """A JSON Schema without `BOUNDS`; a property may be named like one."""
    if not isinstance(schema, Mapping):
        return schema
    return {key: _unbounded(part) for key, part in schema.items() if key not in BOUNDS or isinstance(part, Mapping)}


def _response_formats(name: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Structured output as chat completions define it, strict; and the older form, which some servers still use."""
    strict = {"type": STRICT, "json_schema": {"name": name, "schema": schema, "strict": True}}
    return [strict, {"type": "json_object", "schema": schema}]
