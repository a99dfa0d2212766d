"""The form of a verdict: the strict JSON Schema that a judge is given, and the parsers that enforce it.

A number out of range is refused, never clamped, and nothing that is missing gets a default.
"""

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError

from stoic_assets.core.errors import StoicError
from stoic_assets.core.text.clean_text import clean
from stoic_assets.core.text.json_text import unfenced
from stoic_assets.core.virtues import ASPECTS, Virtue

MOST_EXAMPLES = 5
MOST_SUGGESTIONS = 5
REPLY_CHARS = 50_000
"""A longer reply is refused unread, unless it has no more than `MARK_CHARS` for each mark that was asked for."""
MARK_CHARS = 2_000
"""Enough for the mark of a task: a reason of two sentences and a quote, with its escapes."""


class MalformedVerdict(StoicError):
    """A judge's reply is not a verdict; says in one line what is wrong with it."""


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
"""A score or a confidence: 0–1."""
Text = Annotated[str, AfterValidator(clean)]
"""A judge repeats what it read, so its words are cleaned like the record's."""


class Part(BaseModel, frozen=True, strict=True, extra="forbid"):
    """A part of a reply: no other keys than asked for, and no value converted."""


class Mark(Part):
    """The score of one task, or of the tone, and what decided it."""

    reason: Text
    score: Share


class AspectMark(Part):
    """One aspect of a virtue; `example` is a quote, or empty."""

    example: Text
    assessment: Text
    score: Share


class VirtueVerdict(Part):
    """One judge's verdict on one virtue; the fields are in the order in which the judge is to think."""

    supporting_examples: Annotated[list[Text], Field(max_length=MOST_EXAMPLES)]
    aspects: dict[str, AspectMark]
    reasoning: Text
    improvement_suggestions: Annotated[list[Text], Field(max_length=MOST_SUGGESTIONS)]
    exercised: bool
    score: Share
    confidence: Share


_VIRTUE: TypeAdapter[VirtueVerdict] = TypeAdapter(VirtueVerdict)
_MARKS: TypeAdapter[dict[str, Mark]] = TypeAdapter(dict[str, Mark])
_OBJECT: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
P = TypeVar("P")


def parse_virtue(text: str, virtue: Virtue) -> VirtueVerdict:
    """Reads a reply to `virtue_schema`. Raises `MalformedVerdict`."""
    verdict = parsed(text, _VIRTUE)
    _refuse_other_keys(verdict.aspects, ASPECTS[virtue], "aspects")
    return verdict


def parse_tasks(text: str, count: int) -> dict[str, Mark]:
    """Reads a reply to `tasks_schema`: a mark for each of `task_keys`, in their order. Raises `MalformedVerdict`."""
    marks = parsed(text, _MARKS, task_keys(count))
    _refuse_other_keys(marks, task_keys(count), "the reply")
    return {key: marks[key] for key in task_keys(count)}


def sound_marks(text: str, count: int) -> dict[str, Mark]:
    """The marks in a reply to `tasks_schema` that were asked for and are well-formed, whatever else it contains.

    Raises `MalformedVerdict` if the reply is no JSON object.
    """
    found = parsed(text, _OBJECT, task_keys(count))
    return {key: mark for key in task_keys(count) if (mark := _mark(found.get(key))) is not None}


def _mark(found: object) -> Mark | None:
    with suppress(ValidationError):
        return Mark.model_validate(found)
    return None


def parsed(text: str, form: TypeAdapter[P], keys: Collection[str] = ()) -> P:
    """A model's reply, with or without a Markdown fence, as `form`. Raises `MalformedVerdict`.

    Where only some `keys` were asked for, other keys are reported before faults in their values.
    """
    most = max(REPLY_CHARS, MARK_CHARS * len(keys))
    if len(text) > most:
        raise MalformedVerdict(f"the reply is longer than {most} characters")
    if not text.strip():
        raise MalformedVerdict("the reply is empty")
    body = unfenced(text)
    try:
        found = form.validate_json(body, strict=True)
    except ValidationError as error:
        raise MalformedVerdict(_other_key(error, keys) or _complaint(error)) from None
    json.loads(body, object_pairs_hook=_refuse_twice)
    return found


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    """Of two values under one key any reader would take another."""
    keys = [key for key, _ in pairs]
    if len({*keys}) < len(keys):
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise MalformedVerdict(f"{clean(twice)[:60]!r} stands twice in one object")


def _complaint(error: ValidationError) -> str:
    """The first three faults in one line."""
    faults = error.errors(include_url=False)[:3]
    lines = (f"{'.'.join(map(str, fault['loc'])) or 'the reply'}: {fault['msg']}" for fault in faults)
    return clean("; ".join(lines)).replace("\n", " ")[:500]


def _other_key(error: ValidationError, keys: Collection[str]) -> str:
    """The complaint of a fault at a key that was not asked for; empty where there is none."""
    found = (str(fault["loc"][0]) for fault in error.errors(include_url=False) if keys and fault["loc"])
    return next((_not_asked_for("the reply", key) for key in found if key not in keys), "")


def _not_asked_for(where: str, key: str) -> str:
    return f"{where}: holds what was not asked for: {clean(key)[:60]!r}"


def _refuse_other_keys(found: Mapping[str, object], expected: Collection[str], where: str) -> None:
    missing = [key for key in expected if key not in found]
    extra = [key for key in found if key not in expected]
    if missing:
        raise MalformedVerdict(f"{where}: missing {', '.join(missing)}")
    if extra:
        raise MalformedVerdict(_not_asked_for(where, extra[0]))


@cache
def virtue_schema(virtue: Virtue) -> Mapping[str, Any]:
    """Strict JSON Schema of a `VirtueVerdict` with the virtue's own aspects."""
    mark = {"example": TEXT_SCHEMA, "assessment": TEXT_SCHEMA, "score": SHARE_SCHEMA}
    aspects = {key: {**object_schema(mark), "description": question} for key, question in ASPECTS[virtue].items()}
    return object_schema(
        {
            "supporting_examples": texts_schema(MOST_EXAMPLES),
            "aspects": object_schema(aspects),
            "reasoning": TEXT_SCHEMA,
            "improvement_suggestions": texts_schema(MOST_SUGGESTIONS),
            "exercised": {"type": "boolean"},
            "score": SHARE_SCHEMA,
            "confidence": SHARE_SCHEMA,
        }
    )


@cache
def tasks_schema(count: int) -> Mapping[str, Any]:
    """Strict JSON Schema with one required property for each of `count` tasks, and `tone`."""
    mark = object_schema({"reason": TEXT_SCHEMA, "score": SHARE_SCHEMA})
    return object_schema(dict.fromkeys(task_keys(count), mark))


def task_keys(count: int) -> tuple[str, ...]:
    """`task_1` to `task_<count>`, then `tone`."""
    return (*(f"task_{number}" for number in range(1, count + 1)), "tone")


TEXT_SCHEMA = {"type": "string"}
SHARE_SCHEMA = {"type": "number", "minimum": 0, "maximum": 1}


def texts_schema(most: int) -> dict[str, Any]:
    """A list of at most `most` texts."""
    return {"type": "array", "items": TEXT_SCHEMA, "maxItems": most}


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """An object with exactly these properties, all of them required."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
