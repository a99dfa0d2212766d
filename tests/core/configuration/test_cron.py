"""What is refused of a schedule, and how that is said; whether Dagster takes the rest is tested beside the nights."""

import re

import pytest

from stoic_assets.core.configuration.cron import check_cron


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("0 2 * *", "write five fields: minute hour day month weekday"),
        ("0 2 * * * *", "write five fields"),
        ("60 2 * * *", "minute '60': write 0-59; in lists (1,3), ranges (1-3), steps (*/2); or *"),
        ("0 25 * * *", "hour '25': write 0-23;"),
        ("0 2 1,32 * *", "day '1,32': write 1-31 or L for the last;"),
        ("0 2 * 0 *", "month '0': write 1-12 or JAN-DEC;"),
        ("0 2 * * Sunday", "weekday 'sunday': write 0-7 or SUN-SAT;"),
        ("0 2 31 2 *", "day 31, month 2 and weekday * do not go together; write * for one"),
        ("0 2 30-31 2 *", "day 30-31, month 2 and weekday * do not go together"),
        ("0 2 30-L feb *", "day 30-l, month feb and weekday * do not go together"),
        ("0 2 31 4-6/2,9 *", "day 31, month 4-6/2,9 and weekday * do not go together"),
        ("0 2 1 * MON#2", "day 1, month * and weekday mon#2 do not go together"),
    ],
)
def test_a_wrong_field_is_named_with_what_to_write(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}"):
        check_cron(text)


def test_a_schedule_stays_as_it_is_written() -> None:
    assert check_cron("0 2 * * Mon-FRI") == "0 2 * * Mon-FRI"
