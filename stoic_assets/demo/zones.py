"""Time zones named in free text: by IANA name, by offset from UTC, by common name, or by a city."""

import re
from functools import cache
from zoneinfo import available_timezones

_CONTINENTS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
_COMMON = {
    "pacific": "America/Los_Angeles", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles",
    "mountain": "America/Denver", "central": "America/Chicago", "central european": "Europe/Berlin",
    "eastern": "America/New_York", "est": "America/New_York", "edt": "America/New_York",
    "greenwich mean": "UTC", "bst": "Europe/London", "cet": "Europe/Berlin", "cest": "Europe/Berlin",
    "eet": "Europe/Helsinki", "jst": "Asia/Tokyo", "aest": "Australia/Sydney", "aedt": "Australia/Sydney",
}  # fmt: skip

_SHORT_ANSWER_WORDS = 6

_OWNER = r"(?:\b(?:and |as |since )?(?:my|our|his|her|their|the|user's|the user's)(?: local)? )?"
_LEAD = (
    r"(?P<lead>\btime ?zone(?: is| would be|:)?(?: in)? "
    r"|\b(?:i|we|he|she|they|user)(?: am|'m| are|'re| is|'s)?(?: currently| now| here| based| located| living)*"
    r"(?: live| lives| work| works)?(?: currently| now)? in "
    r"|\b(?:based|located) in |\bmoved to |\bfrom )?(?:\b(?:in|on|for) )?(?:the )?"
)
_TAIL = r"(?P<tail>(?: standard)? time(?: ?zone)?\b)?"
_IANA = r"(?P<iana>[a-z]+(?:/[a-z_+\-0-9]+)+)\b"
_OFFSET = r"(?P<utc>utc|gmt) ?(?:(?P<sign>[+-]) ?(?P<hours>\d{1,2})(?::?00)?)?(?!\w)"


def extract(text: str, asked: bool = False) -> tuple[str | None, str]:
    """The IANA name of the zone that `text` states, if any, and the text without the words that state it.

    A city counts only if the words around it are about somebody's place or time, or if it is most of a short answer to
    the question for the zone (`asked`).
    """
    asked = asked and "?" not in text and len(text.split()) <= _SHORT_ANSWER_WORDS
    for name in (_IANA, _OFFSET, _place_names()):
        for match in _pattern(name).finditer(text):
            if (zone := _zone_of(match, asked)) is not None:
                rest = f"{text[: match.start()].rstrip(' ,;(')} {text[match.end() :].lstrip(' )')}"
                return zone, rest.strip()
    return None, text


def _zone_of(match: re.Match[str], asked: bool) -> str | None:
    found = match.groupdict()
    if "iana" in found:
        return _zones().get(found["iana"].lower())
    if "utc" in found:
        return _offset(found["sign"], int(found["hours"] or 0))
    place, lead = found["place"].lower(), (found["lead"] or "").lower()
    if place in _COMMON:  # "I live in central London" states no zone
        lead = lead if "zone" in lead else ""
    return _places()[place] if lead or found["tail"] or asked else None


def _offset(sign: str | None, hours: int) -> str | None:
    """The zone at a fixed offset from UTC; IANA's Etc names count westwards, so the sign is reversed."""
    if not sign or not hours:
        return "UTC"
    return _zones().get(f"etc/gmt{'-' if sign == '+' else '+'}{hours}")


@cache
def _zones() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones()}


@cache
def _places() -> dict[str, str]:
    """Cities and common names of zones, in lower case, with the zone that they mean."""
    cities = {
        name.rsplit("/", 1)[1].replace("_", " ").lower(): name
        for name in sorted(available_timezones())
        if name.startswith(_CONTINENTS) and "/" in name
    }
    return cities | _COMMON


@cache
def _place_names() -> str:
    names = sorted(_places(), key=len, reverse=True)
    return rf"(?P<place>{'|'.join(map(re.escape, names))})\b"


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"{_OWNER}{_LEAD}\b{name}{_TAIL}", re.IGNORECASE)
