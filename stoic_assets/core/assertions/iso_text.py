"""Whether two ISO 8601 texts mean the same time of day, moment or duration, as Cypher would compare them."""

import re
from collections import defaultdict
from fractions import Fraction

_CLOCK = re.compile(
    r"(?P<head>(?:[\d-]+[T ])?\d\d:\d\d)(?::(?P<seconds>\d\d(?:\.\d+)?))?"
    r"(?P<offset>Z|[+-]\d\d(?::?\d\d){0,2})?(?P<zone>\[.+\])?"
)
_AMOUNT = r"[+-]?\d+(?:\.\d+)?"
_DAYS_OF_MONTH = Fraction("30.436875")
"""The mean month of the Gregorian calendar, with which Cypher computes fractions of a month."""
_DURATION = re.compile(rf"(?P<sign>[+-])?P(?P<days>(?:{_AMOUNT}[YMWD])*)(?:T(?P<clock>(?:{_AMOUNT}[HMS])+))?")


def same_clock(one: str, other: str) -> bool:
    """Whether two texts name the same time of day or moment in the same offset.

    Omitted seconds and trailing zeros do not matter, `Z`, `+00`, `+0000` are `+00:00`, and a named zone is compared
    only where both have one.
    """
    left, right = _CLOCK.fullmatch(one), _CLOCK.fullmatch(other)
    if not left or not right:
        return one == other
    zones = {left["zone"], right["zone"]} - {None}
    return _clock_parts(left) == _clock_parts(right) and len(zones) < 2


def same_duration(one: str, other: str) -> bool:
    """Whether two texts have the same months, days and seconds; a day is not 24 hours, a month not 30 days.

    But fractions of a day are hours, and fractions of a month days, as in Cypher. A leading sign is for all amounts.
    """
    left, right = _DURATION.fullmatch(one), _DURATION.fullmatch(other)
    return _duration_parts(left) == _duration_parts(right) if left and right else one == other


def _clock_parts(clock: re.Match[str]) -> tuple[str, Fraction, Fraction | None]:
    return clock["head"].replace(" ", "T"), Fraction(clock["seconds"] or 0), _offset(clock["offset"])


def _offset(text: str | None) -> Fraction | None:
    """The offset in seconds east of Greenwich; None where none is given."""
    if text is None:
        return None
    pairs = re.findall(r"\d\d", text)
    seconds = sum((Fraction(3600 * int(pair), 60**place) for place, pair in enumerate(pairs)), Fraction())
    return -seconds if text.startswith("-") else seconds


def _duration_parts(duration: re.Match[str]) -> tuple[int, int, Fraction]:
    date, clock = _amounts(duration["days"]), _amounts(duration["clock"] or "")
    sign = -1 if duration["sign"] == "-" else 1
    months = sign * (12 * date["Y"] + date["M"])
    days = sign * (7 * date["W"] + date["D"]) + (months - int(months)) * _DAYS_OF_MONTH
    seconds = sign * (3600 * clock["H"] + 60 * clock["M"] + clock["S"]) + (days - int(days)) * 86_400
    return int(months), int(days), seconds


def _amounts(text: str) -> defaultdict[str, Fraction]:
    found = {unit: Fraction(number) for number, unit in re.findall(rf"({_AMOUNT})([A-Z])", text)}
    return defaultdict(Fraction, found)
