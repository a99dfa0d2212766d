"""When two ISO 8601 texts mean the same time of day, moment or duration, as Cypher would compare them."""

import re
from fractions import Fraction

_CLOCK = re.compile(
    r"(?P<head>(?:[\d-]+[T ])?\d\d:\d\d)(?::(?P<seconds>\d\d(?:\.\d+)?))?(?P<offset>Z|[+-][\d:]+)?(?P<zone>\[.+\])?"
)
_AMOUNT = r"[+-]?\d+(?:\.\d+)?"
_DURATION = re.compile(rf"P(?P<days>(?:{_AMOUNT}[YMWD])*)(?:T(?P<clock>(?:{_AMOUNT}[HMS])+))?")


def same_clock(one: str, other: str) -> bool:
    """Whether two texts name the same time of day or moment in the same offset.

    Left-out seconds and trailing zeros do not matter, `Z` is `+00:00`, and a named zone counts where both have one.
    """
    left, right = _CLOCK.fullmatch(one), _CLOCK.fullmatch(other)
    if not left or not right:
        return one == other
    zones = {left["zone"], right["zone"]} - {None}
    return _clock_parts(left) == _clock_parts(right) and len(zones) < 2


def same_duration(one: str, other: str) -> bool:
    """Whether two texts have the same months, days and seconds; a day is not 24 hours, a month not 30 days."""
    left, right = _DURATION.fullmatch(one), _DURATION.fullmatch(other)
    return _duration_parts(left) == _duration_parts(right) if left and right else one == other


def _clock_parts(clock: re.Match[str]) -> tuple[str, Fraction, str]:
    offset = "+00:00" if clock["offset"] == "Z" else clock["offset"] or ""
    return clock["head"].replace(" ", "T"), Fraction(clock["seconds"] or 0), offset


def _duration_parts(duration: re.Match[str]) -> tuple[Fraction, Fraction, Fraction]:
    date, clock = _amounts(duration["days"]), _amounts(duration["clock"] or "")
    months = 12 * date.get("Y", Fraction()) + date.get("M", Fraction())
    days = 7 * date.get("W", Fraction()) + date.get("D", Fraction())
    seconds = 3600 * clock.get("H", Fraction()) + 60 * clock.get("M", Fraction()) + clock.get("S", Fraction())
    return months, days, seconds


def _amounts(text: str) -> dict[str, Fraction]:
    return {unit: Fraction(number) for number, unit in re.findall(rf"({_AMOUNT})([A-Z])", text)}
