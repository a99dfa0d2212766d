"""How long an answer asks to wait, in seconds or until a date."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from stoic_assets.adapters.http.refusals import retry_after_seconds


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("", None), ("soon", None), ("inf", None), ("nan", None)],
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert retry_after_seconds({"Retry-After": value}) == seconds


def test_an_answer_without_retry_after_asks_for_no_wait() -> None:
    assert retry_after_seconds({"Date": "Wed, 21 Oct 2015 07:28:00 GMT"}) is None


def test_retry_after_as_a_date() -> None:
    moment = datetime.now(UTC) + timedelta(seconds=30)
    seconds = retry_after_seconds({"Retry-After": format_datetime(moment, usegmt=True)})
    assert seconds is not None
    assert 28 <= seconds <= 30


@pytest.mark.parametrize(
    "date",
    [
        "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00 -0000", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ],
)  # fmt: skip
def test_a_retry_after_that_is_over_asks_for_no_wait(date: str) -> None:
    assert retry_after_seconds({"Retry-After": date}) == 0.0


@pytest.mark.parametrize(
    "date",
    [
        "Thu, 99 Foo 2094",
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2030 00:00:00 +99999999999999",
    ],
)
def test_a_retry_after_that_is_no_date_is_left_alone(date: str) -> None:
    assert retry_after_seconds({"Retry-After": date}) is None


@pytest.mark.parametrize(
    ("date", "seconds"),
    [("Wed, 21 Oct 2015 07:28:00 GMT", 30.0), ("Wed, 21 Oct 2015 07:29:00 GMT", 0.0), ("soon", 0.0)],
)
def test_a_date_is_reckoned_from_that_of_the_answer(date: str, seconds: float) -> None:
    assert retry_after_seconds({"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT", "Date": date}) == seconds


@pytest.fixture
def east_of_greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clock shows the time of Tokyo."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "JST-9")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("east_of_greenwich")
def test_a_date_without_a_zone_is_in_utc_wherever_we_are() -> None:
    answer = {"Retry-After": "Wed, 21 Oct 2015 07:28:30 -0000", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}
    assert retry_after_seconds(answer) == 30.0
