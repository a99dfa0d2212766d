"""Cron expressions of five fields, in the form that Dagster reads."""

import re


def _number(numbers: range) -> str:
    return rf"0*(?:{'|'.join(map(str, numbers))})"


def _listed(entry: str) -> str:
    return rf"(?:{entry})(?:,(?:{entry}))*"


def _span(value: str, end: str) -> str:
    """One value, a range from one to an `end`, or all, with or without steps."""
    return rf"(?:\*|(?:{value})(?:-(?:{end}))?)(?:/0*[1-9][0-9]*)?"


_MINUTE, _HOUR, _DAY = _number(range(60)), _number(range(24)), _number(range(1, 32))
_MONTH = f"{_number(range(1, 13))}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
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
_SHORT_MONTH = "0*(?:2|4|6|9|11)|feb|apr|jun|sep|nov"
_UNMATCHED = "|".join(
    [
        rf"{_listed('0*3[01]')} (?:0*2|feb) .+",
        rf"{_listed('0*31')} {_listed(_SHORT_MONTH)} .+",
        rf"[^*?].* {_listed(_NTH)}",  # Dagster requires both, and rarely finds such a day
    ]
)
"""Combinations of day, month and weekday that no night has, or hardly any."""


def check_cron(text: str) -> str:
    """`text`. Raises `ValueError`, which says what to write, unless it is a schedule that can fire."""
    fields = text.lower().split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"write five fields: {' '.join(_FIELDS)}")
    for (name, (values, pattern)), field in zip(_FIELDS.items(), fields, strict=True):
        if not re.fullmatch(pattern, field):
            raise ValueError(f"{name} {field!r}: write {values}; in lists (1,3), ranges (1-3), steps (*/2); or *")
    day, month, weekday = fields[2:]
    if re.fullmatch(_UNMATCHED, f"{day} {month} {weekday}"):
        raise ValueError(f"day {day}, month {month} and weekday {weekday} do not go together; write * for one")
    return text
