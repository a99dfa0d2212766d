from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.demo.moments import When, extract

NOW = datetime(2026, 11, 21, 22, 6, 41, tzinfo=UTC)  # a Saturday


@pytest.mark.parametrize(
    ("said", "due", "rest"),
    [
        ("call Bob tomorrow at 9am", "2026-11-22T09:00", "call Bob"),
        ("the day after tomorrow at 14:30 leave", "2026-11-23T14:30", "leave"),
        ("on Friday at noon", "2026-11-27T12:00", ""),
        ("by next Saturday", "2026-11-28T09:00", ""),
        ("in two hours, check the oven", "2026-11-22T00:06", ", check the oven"),
        ("in half an hour", "2026-11-21T22:36", ""),
        ("in a week", "2026-11-28T09:00", ""),
        ("3 March at 7.30pm", "2027-03-03T19:30", ""),
        ("March 3rd, 2028 at 9", "2028-03-03T09:00", ""),
        ("on 29 February at 8 in the morning", "2028-02-29T08:00", ""),
        ("2027-01-02 at 10:15", "2027-01-02T10:15", ""),
        ("tomorrow morning walk the dog", "2026-11-22T09:00", "walk the dog"),
        ("by tomorrow evening", "2026-11-22T19:00", ""),
        ("tomorrow evening around 7", "2026-11-22T19:00", ""),
        ("Friday morning at 6", "2026-11-27T06:00", ""),
        ("midnight on Friday", "2026-11-27T00:00", ""),
        ("tonight read", "2026-11-21T20:00", "read"),
        ("at nine o'clock", "2026-11-22T09:00", ""),
        ("at 5 fetch the children", "2026-11-22T17:00", "fetch the children"),
        ("on Sunday at 12 am", "2026-11-22T00:00", ""),
        ("tomorrow at 9 p.m.", "2026-11-22T21:00", ""),
        ("drink 2 litres at 8am", "2026-11-22T08:00", "drink 2 litres"),
    ],
)
def test_moments_are_found_and_taken_out(said: str, due: str, rest: str) -> None:
    when, remaining = extract(said)
    assert when is not None
    assert when.resolve(NOW).isoformat(timespec="minutes") == due
    assert remaining == rest


@pytest.mark.parametrize("said", ["buy 3 eggs", "31 February", "seat 13", "the ratio is 4:75", "maybe", "2026-13-40"])
def test_what_names_no_moment_is_left_alone(said: str) -> None:
    assert extract(said) == (None, said)


@given(st.times(), st.sampled_from(["at {:%H:%M}", "by {:%H:%M}", "{:%I:%M %p}", "at {:%I:%M%p}"]))
def test_every_time_of_the_day_is_read_in_every_notation(hour: time, notation: str) -> None:
    when, rest = extract(f"sing {notation.format(hour)}")
    assert when is not None
    assert when.hour == hour.replace(second=0, microsecond=0)
    assert rest == "sing"


@given(
    st.dates(date(2026, 11, 22), date(2034, 1, 1)),
    st.sampled_from(["{0:%Y-%m-%d}", "{0.day} {0:%B %Y}", "{0:%B} {0.day}, {0.year}"]),
)
def test_every_date_is_read_in_every_notation(day: date, notation: str) -> None:
    when, rest = extract(f"on {notation.format(day)} sing")
    assert when is not None
    assert when.resolve(NOW).date() == day
    assert rest == "sing"


@given(
    st.sampled_from(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]),
    st.dates(date(2020, 1, 1), date(2040, 1, 1)),
)
def test_a_weekday_is_the_next_of_its_name(name: str, today: date) -> None:
    when, _ = extract(f"next {name}")
    assert when is not None
    due = when.resolve(datetime.combine(today, time(10), UTC))
    assert due.strftime("%A").lower() == name
    assert timedelta(0) < due.date() - today <= timedelta(days=7)


@given(st.integers(1, 999), st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]))
def test_a_delay_is_counted_in_real_time_across_clock_changes(hours: int, zone: str) -> None:
    when, _ = extract(f"in {hours} hours")
    assert when is not None
    now = datetime(2026, 10, 24, 12, tzinfo=ZoneInfo(zone))
    due = when.resolve(now).replace(tzinfo=ZoneInfo(zone), fold=0)
    assert abs(due.astimezone(UTC) - now.astimezone(UTC) - timedelta(hours=hours)) <= timedelta(hours=1)  # fold
    assert when.resolve(now.astimezone(UTC)) == (now.astimezone(UTC) + timedelta(hours=hours)).replace(tzinfo=None)


def test_an_hour_alone_means_the_next_time_the_clock_shows_it() -> None:
    assert When(hour=time(23)).resolve(NOW) == datetime(2026, 11, 21, 23)
    assert When(hour=time(22)).resolve(NOW) == datetime(2026, 11, 22, 22)


def test_moving_keeps_what_is_not_named_anew() -> None:
    due = datetime(2031, 5, 6, 10)
    hour, _ = extract("to 4pm")
    day, _ = extract("to tomorrow")
    assert hour is not None
    assert day is not None
    assert hour.shift(due, NOW) == datetime(2031, 5, 6, 16)
    assert day.shift(due, NOW) == datetime(2026, 11, 22, 10)
    assert day.shift(None, NOW) == datetime(2026, 11, 22, 9)
