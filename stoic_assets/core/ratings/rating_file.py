"""Files of ratings: the form of the Marcus rating system, an array of ratings or a single one.

    {"test_id", "rater_id", "timestamp", "ratings": {five dimensions}, "overall", "comments", "meta": {…}}

A file is accepted or refused as a whole. `meta` is what Stoic Eval's page adds; files made elsewhere need not have it.
Reading from disk and the warehouse do not belong here.
"""

import json
from datetime import datetime, timedelta
from typing import Annotated, Any
from unicodedata import normalize

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError, ValidationInfo

from stoic_assets.core.errors import DocumentError
from stoic_assets.core.moments import checked_moment, in_utc
from stoic_assets.core.presentation.formatting import utc
from stoic_assets.core.ratings.rubric import Overall
from stoic_assets.core.text.documents import dotted, first_fault
from stoic_assets.core.text.foreign_text import well_formed
from stoic_assets.core.text.json_text import json_text, why_not_json

AHEAD = timedelta(days=1)
"""How far a rater's clock may be ahead. A later rating would be the newest for good, whatever its rater corrects."""


def _moment(value: Any, info: ValidationInfo) -> datetime:
    """ISO 8601; a time without a zone is taken as UTC. It may be no more than `AHEAD` after the context's `now`."""
    if not isinstance(value, str):
        raise ValueError("a time as text is expected, such as 2026-11-25T09:30:00Z")
    moment, now = in_utc(checked_moment(value)), (info.context or {}).get("now")
    if now and moment - now > AHEAD:
        raise ValueError(f"{value[:60]!r} is in the future: it is {utc(now)} here; correct it in the file")
    return moment


def _unpointed(value: Any) -> Any:
    """A whole number that is written `4.0`, as tables with gaps write it, is that number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_JOINERS = "\u200c\u200d"
"""They join or part letters, as Persian spelling and many emoji need; at an end they would only hide."""


def _name(value: str) -> str:
    for character in value:
        if not character.isprintable() and character not in _JOINERS:
            raise ValueError(f"must not contain U+{ord(character):04X}, which cannot be shown")
    if value != value.strip(f" {_JOINERS}"):
        raise ValueError("must not begin or end with a space or with U+200C or U+200D, which cannot be seen there")
    return value


def _rater_name(rater_id: str) -> str:
    """The one spelling of a rater's id, which the page writes: small letters, accents joined to theirs (NFC)."""
    return normalize("NFC", normalize("NFC", rater_id).lower())


def _comments(value: Any) -> Any:
    """None is none. Half an emoji becomes what a table makes of it, else the rating would differ from its row."""
    return "" if value is None else well_formed(value) if isinstance(value, str) else value


Mark = Annotated[int, BeforeValidator(_unpointed), Field(ge=1, le=5)]
Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_name)]
Count = Annotated[int, BeforeValidator(_unpointed), Field(ge=0, lt=2**31)]


class _Part(BaseModel, frozen=True, strict=True, extra="forbid", allow_inf_nan=False):
    """A part of a rating: no other keys, and no value converted."""


class DimensionMarks(_Part):
    """The five marks. None in `actionability` means that the question did not apply: a missing value."""

    appropriateness: Mark
    helpfulness: Mark
    stoic_authenticity: Mark
    emotional_intelligence: Mark
    actionability: Mark | None


class RatingMeta(_Part, extra="ignore"):
    """What Stoic Eval's page also records. `seconds` is active time; `order_index` counts from 0 in the rater's order.

    `edits` counts answers that were changed after they had been given. Other keys are ignored.
    """

    page_id: Name | None = None
    seconds: Annotated[float, Field(ge=0, strict=False)] | None = None
    order_index: Count | None = None
    practice: bool = False
    repeat_of: Name | None = None
    edits: Count | None = None


class Rating(_Part):
    """What one person thinks of one reply; the newest `timestamp` of the same rater, test id and page counts."""

    test_id: Name
    rater_id: Annotated[Name, AfterValidator(_rater_name)]
    timestamp: Annotated[datetime, BeforeValidator(_moment)]
    ratings: DimensionMarks
    overall: Overall
    comments: Annotated[str, BeforeValidator(_comments)] = ""
    meta: RatingMeta = RatingMeta()


def parse_ratings(content: bytes, source: str, now: datetime | None = None) -> list[Rating]:
    """The ratings of a file. Raises `DocumentError`, which names file, item and field, for the first fault.

    With `now`, a rating that was given more than a day later is one.
    """
    data = _json(content, source)
    entries = data if isinstance(data, list) else [data]
    return [_rating(entry, number, source, now) for number, entry in enumerate(entries, 1)]


def _json(content: bytes, source: str) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError:
        raise DocumentError(source, None, "", "is not UTF-8; save it again as UTF-8") from None
    except (ValueError, RecursionError) as error:
        problem = f"is not valid JSON: {why_not_json(error)}; save it again on the page"
        raise DocumentError(source, getattr(error, "lineno", None), "", problem) from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


def _rating(entry: Any, number: int, source: str, now: datetime | None) -> Rating:
    try:
        return Rating.model_validate(entry, context={"now": now})
    except ValidationError as error:
        fault = first_fault(error)
        raise DocumentError(f"{source}: {_item(entry, number)}", None, dotted(fault["loc"]), _problem(fault)) from None


def _item(entry: Any, number: int) -> str:
    """An entry by its number and, where it has one, its test id."""
    match entry:
        case {"test_id": str(test_id)}:
            return f"item {number} (test_id {test_id[:60]!r})"
    return f"item {number}"


def _problem(fault: Any) -> str:
    """The error message, in words for somebody who does not know the file's schema."""
    match fault["type"]:
        case "missing":
            return "is required"
        case "extra_forbidden":
            return "is not a field of a rating; put what is your own under `meta`"
        case "model_type" | "model_attributes_type":
            return "an object in braces is expected"
        case "int_type" | "int_from_float" | "greater_than_equal" | "less_than_equal" if "ratings" in fault["loc"]:
            hint = " (or null for not applicable)" if "actionability" in fault["loc"] else ""
            return f"a whole number from 1 to 5 is expected{hint}, not {json_text(fault['input'])[:40]}"
    return str(fault["msg"]).removeprefix("Value error, ")
