"""What an expression sees: `objectContext` and `evaluation`, made of the plain data that a trial left.

It turns the wire form of an agent's object context and events into the view that `docs/expressions.md` describes.
Objects made here are `Record`s; the data in them is unchanged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stoic_assets.core.assertions.kotlin.values import Record
from stoic_assets.core.errors import ExpressionFailure
from stoic_assets.core.function_calls import call_of
from stoic_assets.core.secrets.redaction import BLANK


@dataclass(frozen=True)
class Shape:
    """What a member is, whatever the data: its `kind` (`kotlin.values.kind`), None where it may be a Boolean.

    A list may hold only `objects`; `fields` are all members that these can have, with their kinds, empty where the data
    decides.
    """

    kind: str | None = None
    objects: bool = False
    fields: Mapping[str, str | None] = field(default_factory=dict)


_OBJECTS = Shape("List", objects=True)
_MESSAGE = {"content": "String", "role": "String", "timeTakenMillis": "Number", "events": "List"}
_CALL = {"function": "String", "args": None}
ROOTS: dict[str, dict[str, Shape]] = {
    "objectContext": {"context": Shape(), "resources": _OBJECTS, "entities": _OBJECTS, "functions": _OBJECTS},
    "evaluation": {
        "sessionId": Shape("String"),
        "model": Shape("String"),
        "job": Shape("Map"),
        "transcript": Shape("List", objects=True, fields=_MESSAGE),
        "events": _OBJECTS,
        "functionCalls": Shape("List", objects=True, fields=_CALL),
        "failureCount": Shape("Number"),
        "secretsTold": Shape("Number"),
        "done": Shape(),
    },
}
"""The names an expression may begin with, and the members that each of them has."""

T = TypeVar("T")

ENTITY_LABEL = "DomainNode"
_EVENT_FIELDS = ("systemPrompt", "content", "summaryDirection", "request", "output")
_FUNCTION_DEFAULTS = {"label": None, "view": None, "staticMethod": False}


def object_context(raw: Mapping[str, Any]) -> dict[str, object]:
    """The view of an agent's object context; lists that are absent are empty.

    Raises `ExpressionFailure` where the agent sent something else.
    """
    resources = [_resource(resource) for resource in _objects(raw, "resources")]
    return {
        "context": raw.get("context", ""),
        "resources": resources,
        "entities": [resource for resource in resources if ENTITY_LABEL in resource["labels"]],
        "functions": [Record({**_FUNCTION_DEFAULTS, **function}) for function in _objects(raw, "functions")],
    }


def evaluation(
    *,
    session_id: str,
    model: str,
    job: Mapping[str, Any],
    transcript: Sequence[Mapping[str, Any]],
    failure_count: int,
    done: bool,
) -> dict[str, object]:
    """The view of a conversation; each message has `content`, `role`, `timeTakenMillis` and `events` in wire form.

    All of it is plain JSON data: lists, not tuples.
    """
    messages = [Record({**message, "events": _events(message)}) for message in transcript]
    events = [event for message in messages for event in message["events"]]
    calls = [call for event in events if (call := call_of(event))]
    return {
        "sessionId": session_id,
        "model": model,
        "job": dict(job),
        "transcript": messages,
        "events": events,
        "functionCalls": [Record(function=call.name, args=call.arguments) for call in calls],
        "failureCount": failure_count,
        "secretsTold": sum(each["content"].count(BLANK) for each in messages if each["role"] == "assistant"),
        "done": done,
    }


def _resource(raw: Mapping[str, Any]) -> Record:
    """A resource with its defaults, its type, and its properties as direct members where the name is free."""
    if "id" not in raw or "name" not in raw:
        raise ExpressionFailure("the agent's object context contains a resource without `id` or `name`")
    properties, labels = _part(raw, "properties", dict), _part(raw, "labels", list)
    own = {
        "id": raw["id"],
        "name": raw["name"],
        "description": raw.get("description") or raw["name"],
        "properties": properties,
        "labels": labels,
        "aliases": _part(raw, "aliases", list),
        "type": _type(properties, labels),
    }
    return Record({**properties, **own})


def _type(properties: Mapping[str, Any], labels: Sequence[str]) -> Any:
    """The property `type`, else the first label other than `ENTITY_LABEL`."""
    if properties.get("type") is not None:
        return properties["type"]
    return next((label for label in labels if label != ENTITY_LABEL), None)


def _events(message: Mapping[str, Any]) -> list[Record]:
    """The events of a message; fields of other kinds of event are null, so that one test works on all of them."""
    return [Record({**dict.fromkeys(_EVENT_FIELDS), **event}) for event in message.get("events") or ()]


def _objects(raw: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects listed under `key`."""
    found = _part(raw, key, list)
    if not all(isinstance(entry, Mapping) for entry in found):
        raise ExpressionFailure(f"the agent's object context has no list of objects `{key}`")
    return found


def _part(raw: Mapping[str, Any], key: str, expected: type[T]) -> T:
    """The value of `key`; an empty one where there is none."""
    found = raw.get(key)
    if found is None:
        return expected()
    if not isinstance(found, expected):
        raise ExpressionFailure(f"the agent sent `{key}` as {type(found).__name__}; it must be a {expected.__name__}")
    return found
