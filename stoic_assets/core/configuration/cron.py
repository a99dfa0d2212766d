"""Cron expressions of five fields, in the form that Dagster reads."""

import re
from calendar import monthrange
from collections.abc import Iterator


def _number(numbers: range) -> str:
    return rf"0*(?:{'|'.join(map(str, numbers))})"


def _listed(entry: str) -> str:
    return rf"(?:{entry})(?:,(?:{entry}))*"


def _span(value: str, end: str) -> str:
    """One value, a range from one to an `end`, or all, with or without steps."""
    return rf"(?:\*|(?:{value})(?:-(?:{end}))?)(?:/0*[1-9][0-9]*)?"


_MINUTE, _HOUR, _DAY = _number(range(60)), _number(range(24)), _number(range(1, 32))
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = f"{_number(range(1, 13))}|{'|'.join(_MONTH_NAMES)}"
_VALUES = {"l": 31, **{name: month for month, name in enumerate(_MONTH_NAMES, 1)}}
_DAY_NAME = "sun|mon|tue|wed|thu|fri|sat"
_WEEKDAY = f"{_number(range(8))}|{_DAY_NAME}"
_NTH = f"(?:{_WEEKDAY}|(?:{_DAY_NAME})-(?:{_DAY_NAME}))#0*[1-5]|l{_number(range(8))}"
"""`MON#1` is the first Monday, `L5` the last Friday; they cannot be combined with plain weekdays."""
_FIELDS = {
    "minute": ("0-59", _listed(_span(_MINUTE, _MINUTE))),
    "hour": ("0-23", _listed(_span(_HOUR, _HOUR))),
    "day": ("1-31 or L for the last", rf"\?|{_listed(_span(_DAY, f'{_DAY}|l') + '|l')}"),
    "month": ("1-12 or JAN-DEC", _listed(_span(_MONTH, _MONTH))),
    "weekday": ("0-7 or SUN-SAT", rf"\?|{_listed(_span(_WEEKDAY, _WEEKDAY))}|{_listed(_NTH)}"),
}


def check_cron(text: str) -> str:
    """`text`. Raises `ValueError`, which says what to write, unless it is a schedule that can fire."""
    fields = text.lower().split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"write five fields: {' '.join(_FIELDS)}")
    for (name, (values, pattern)), field in zip(_FIELDS.items(), fields, strict=True):
        if not re.fullmatch(pattern, field):
            raise ValueError(f"{name} {field!r}: write {values}; in lists (1,3), ranges (1-3), steps (*/2); or *")
    day, month, weekday = fields[2:]
    is_nth = day[0] not in "*?" and re.fullmatch(_listed(_NTH), weekday)  # Dagster wants both, and rarely finds them
    if is_nth or not _have_in_common(day, month):
        raise ValueError(f"day {day}, month {month} and weekday {weekday} do not go together; write * for one")
    return text


def _have_in_common(day: str, month: str) -> bool:
    """Whether one of the months has one of the days, in leap years at least; all have a last day."""
    longest = max(monthrange(2024, each)[1] for each in _values(month, 12))
    return "l" in day.split(",") or min(_values(day, 31)) <= longest


def _values(field: str, most: int) -> Iterator[int]:
    """The numbers from 1 to `most` that a valid field stands for.

    Ranges that go round, such as `11-2`, are taken for all: they have a long month and an early day. So does Dagster
    take `5-5`.
    """
    for entry in re.sub(r"[*?]", f"1-{most}", field).split(","):
        span, _, step = entry.partition("/")
        low, _, high = span.partition("-")
        first = _value(low)
        last = _value(high) if high else most if step else first
        goes_round = (high or step) and last <= first
        yield from range(1, most + 1) if goes_round else range(first, last + 1, int(step or 1))


def _value(text: str) -> int:
    return _VALUES.get(text) or int(text)
