"""Moments with and without a zone."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from stoic_assets.core.moments import checked_moment, in_utc, utc_text

TWO_O_CLOCK = datetime(2026, 3, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    "moment",
    [
        "2026-03-01T04:00:00+02:00",
        "2026-03-01T02:00:00Z",
        "2026-03-01T02:00:00",
        TWO_O_CLOCK,
        TWO_O_CLOCK.replace(tzinfo=None),
        datetime(2026, 3, 1, 4, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_times_are_told_in_utc(moment: datetime | str) -> None:
    assert in_utc(moment) == TWO_O_CLOCK
    assert in_utc(moment).tzinfo is UTC
    assert utc_text(moment) == "2026-03-01T02:00:00+00:00"


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="tomorrow"):
        in_utc("tomorrow")


def test_a_checked_time_stays_as_it_is_written() -> None:
    assert checked_moment("2026-03-01T04:00:00+02:00") == "2026-03-01T04:00:00+02:00"


@pytest.mark.parametrize("text", ["tomorrow", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-01:00"])
def test_what_is_no_time_in_utc_is_told_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is not a time; write it as 2026-11-25T09:30:00Z")):
        checked_moment(text)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00", "0001-01-01T23:59:59Z", "9999-12-31"])
def test_a_time_that_no_table_can_hold_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is not a time")):
        checked_moment(text)
    assert checked_moment("0001-01-02") == "0001-01-02"
    assert checked_moment("9999-12-30") == "9999-12-30"
