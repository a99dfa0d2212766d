"""The function calls that an agent reports, in the wire form of its events."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FunctionCall:
    """One call; `arguments` and `context` are as the agent sent them, `{}` and None where it sent none."""

    name: str
    arguments: Any
    context: Any


def call_of(event: Any) -> FunctionCall | None:
    """The function call in an event; None where it names no function, since events may have any shape.

    The protocol says `{"request": {"function": {"name": …}, "arguments": …, "context": …}}`. Also accepted: the name in
    place of the function object, and arguments and context next to the request.
    """
    match event:
        case {"request": {"function": {"name": str(name)} | str(name)} as request}:
            beside = {**event, **request}
            arguments = beside.get("arguments")
            return FunctionCall(name, {} if arguments is None else arguments, beside.get("context"))
    return None


def calls_function(events: str | None) -> bool:
    """Whether a message's events, as the table `turns` has them, contain a function call."""
    return any(call_of(event) for event in stored_events(events))


def stored_events(text: str | None) -> list[Any]:
    """A message's events from the table `turns`, of any shape. Text that is not readable counts as one event."""
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return [text]
    return found if isinstance(found, list) else [found]
