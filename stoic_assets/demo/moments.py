"""Moments named in free text, such as "tomorrow at 9am", "on Friday at noon" or "in two hours".

This module only finds and resolves them. The dialogue decides whose clock and which zone count.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TypeVar

T = TypeVar("T")
Match = re.Match[str]
Rules = tuple[tuple[str, Callable[[Match], T | None]], ...]
Day = Callable[[date], date]

MORNING = time(9)
"""The hour that is used when only a day was named."""

_NUMBERS = {
    "half an": 0.5, "an": 1, "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
}  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_PARTS = {"morning": MORNING, "afternoon": time(15), "evening": time(19), "tonight": time(20), "night": time(21)}

_LEAD = r"(?:\b(?:on|for|by|due|this|next|coming|the|from|starting) )*\b"
_N = rf"(?P<n>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_HOUR = r"(?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_PART = r"(?P<part>morning|afternoon|evening|night)"
_DATE_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATE_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_DATE_YEAR = r"(?:,? (?P<year>\d{4}))?\b"
_AT = r"(?:\b(?:(?P<at>at|by|around|about)|for|from) )?"
_CLOCK = (
    rf"{_AT}\b{_HOUR}(?:(?<=\d)[:.](?P<minute>[0-5]\d))?"
    r"(?: ?(?P<half>[ap])\.?m\b\.?)?(?P<clock> o.?clock)?(?P<part>(?= in the | at night))?(?![\w:/%])"
)


@dataclass(frozen=True)
class Clock:
    """An hour as it was said; `half` is "a" (am) or "p" (pm) where that was named."""

    hour: int
    minute: int | None
    half: str | None


@dataclass(frozen=True)
class When:
    """A moment as it was said: a day, an hour of the day, or a delay from now."""

    day: Day | None = None
    hour: time | None = None
    delay: timedelta | None = None

    def resolve(self, now: datetime) -> datetime:
        """The wall-clock time meant, without zone, to the minute; `now` carries the zone in which it was said.

        A day without an hour means 09:00; an hour without a day means the next time the clock shows it.
        """
        if self.delay is not None:
            later = now.astimezone(UTC) + self.delay
            return later.astimezone(now.tzinfo).replace(tzinfo=None, second=0, microsecond=0)
        wall = now.replace(tzinfo=None)
        due = datetime.combine(self.day(wall.date()) if self.day else wall.date(), self.hour or MORNING)
        return due if self.day or due > wall else due + timedelta(days=1)

    def shift(self, due: datetime | None, now: datetime) -> datetime:
        """The new moment for one that is already set (`due`): what was not said stays as it was."""
        if due is None or self.delay is not None:
            return self.resolve(now)
        return datetime.combine(self.day(now.date()) if self.day else due.date(), self.hour or due.time())


def extract(text: str) -> tuple[When | None, str]:
    """The moment that `text` names, if any, and the text without the words that named it."""
    delay, delay_span = _first(_DELAYS, text)
    day, day_span = _first(_DAYS, text)
    clock, clock_span = _first(_CLOCKS, text)
    part, part_span = _first(_DAY_PARTS, text)
    hour = _hour(clock, part)
    if delay is None and day is None and hour is None:
        return None, text
    return When(day, hour, delay), _without(text, delay_span + day_span + clock_span + part_span)


def _first(rules: Rules[T], text: str) -> tuple[T | None, list[tuple[int, int]]]:
    """The result of the first rule that applies to the text, and where it applies."""
    for pattern, read in rules:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            if (value := read(match)) is not None:
                return value, [match.span()]
    return None, []


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    kept = (" " if any(start <= at < end for start, end in spans) else letter for at, letter in enumerate(text))
    return " ".join("".join(kept).split())


def _number(match: Match) -> float:
    said = match["n"].lower()
    return _NUMBERS[said] if said in _NUMBERS else int(said)


def _days(count: float) -> Day:
    return lambda today: today + timedelta(days=int(count))


def _delay(match: Match) -> timedelta:
    unit = "hours" if match["unit"].lower().startswith("h") else "minutes"
    return timedelta(**{unit: _number(match)})


def _weekday(match: Match) -> Day:
    wanted = _WEEKDAYS.index(match["weekday"].lower())
    return lambda today: today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)


def _iso_day(match: Match) -> Day | None:
    try:
        fixed = date.fromisoformat(match["iso"])
    except ValueError:
        return None
    return lambda _: fixed


def _calendar_day(match: Match) -> Day | None:
    """A day and month in its year, without one the next such day."""
    day, month = int(match["day"]), _MONTHS.index(match["month"].lower()) + 1
    try:
        fixed = date(int(match["year"] or 2000), month, day)  # 2000 was a leap year
    except ValueError:
        return None
    return (lambda _: fixed) if match["year"] else lambda today: _next(today, month, day)


def _next(today: date, month: int, day: int) -> date:
    following = (today + timedelta(days=ahead) for ahead in range(8 * 366))
    return next(found for found in following if (found.month, found.day) == (month, day))


def _clock(match: Match) -> Clock | None:
    """An hour that is marked as one: by a preposition, minutes, am or pm, "o'clock" or a part of the day."""
    said, minute, half = match["hour"].lower(), match["minute"], match["half"]
    hour = int(_NUMBERS[said]) if said in _NUMBERS else int(said)
    marked = match["at"] or minute or half or match["clock"] or match["part"] is not None
    if not marked or hour > 23 or (half and not 1 <= hour <= 12):
        return None
    return Clock(hour, int(minute) if minute else None, half and half.lower())


def _hour(clock: Clock | None, part: str | None) -> time | None:
    """The time of day that clock and part of the day mean together; a bare 1 to 6 means the afternoon."""
    if clock is None:
        return _PARTS[part] if part else None
    hour = clock.hour
    if clock.half:
        hour = hour % 12 + (12 if clock.half == "p" else 0)
    elif (part and part != "morning" and hour < 12) or (not part and clock.minute is None and 1 <= hour <= 6):
        hour += 12
    return time(hour, clock.minute or 0)


_DELAYS: Rules[timedelta] = (
    (rf"\bin {_N} (?P<unit>min(?:ute)?s?|h(?:ou)?rs?)\b(?: from now)?", _delay),
    (rf"\b{_N} (?P<unit>min(?:ute)?s?|h(?:ou)?rs?) from now\b", _delay),
)
_DAYS: Rules[Day] = (
    (rf"{_LEAD}day after tomorrow\b", lambda _: _days(2)),
    (rf"{_LEAD}tomorrow\b", lambda _: _days(1)),
    (rf"{_LEAD}today\b|\btonight\b|\bthis (?={_PART})", lambda _: _days(0)),
    (rf"\bin {_N} (?P<unit>day|week)s?\b", lambda m: _days(_number(m) * (7 if m["unit"].lower() == "week" else 1))),
    (r"\bnext week\b", lambda _: _days(7)),
    (rf"{_LEAD}(?P<iso>\d{{4}}-\d\d-\d\d)\b", _iso_day),
    (rf"{_LEAD}{_DATE_DAY}(?: of)? {_DATE_MONTH}{_DATE_YEAR}", _calendar_day),
    (rf"{_LEAD}{_DATE_MONTH} {_DATE_DAY}{_DATE_YEAR}", _calendar_day),
    (rf"{_LEAD}(?P<weekday>{'|'.join(_WEEKDAYS)})\b", _weekday),
)
_CLOCKS: Rules[Clock] = (
    (_CLOCK, _clock),
    (rf"{_AT}\b(?:noon|midday)\b", lambda _: Clock(12, 0, "p")),
    (rf"{_AT}\bmidnight\b", lambda _: Clock(12, 0, "a")),
)
_DAY_PARTS: Rules[str] = (
    (r"\b(?P<part>tonight)\b", lambda match: match["part"].lower()),
    (rf"(?:\b(?:in the|this|at|tomorrow)|(?<=day)) {_PART}\b", lambda match: match["part"].lower()),
)
