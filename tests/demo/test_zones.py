from zoneinfo import available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.demo.zones import extract


@pytest.mark.parametrize(
    ("said", "zone", "rest"),
    [
        ("The user's timezone is Australia/Sydney", "Australia/Sydney", ""),
        ("My time zone is australia/sydney.", "Australia/Sydney", "."),
        ("call Bob tomorrow at 9am Sydney time", "Australia/Sydney", "call Bob tomorrow at 9am"),
        ("I'm in Berlin", "Europe/Berlin", ""),
        ("I am currently based in New York", "America/New_York", ""),
        ("She lives in Oslo", "Europe/Oslo", ""),
        ("at 9am UTC to sing", "UTC", "at 9am to sing"),
        ("GMT-5", "Etc/GMT+5", ""),
        ("UTC+2", "Etc/GMT-2", ""),
        ("on Pacific time", "America/Los_Angeles", ""),
        ("at 9am (Europe/London time)", "Europe/London", "at 9am"),
    ],
)
def test_zones_are_found_and_taken_out(said: str, zone: str, rest: str) -> None:
    assert extract(said) == (zone, rest)


@pytest.mark.parametrize(
    "said", ["book a flight to Paris", "either/or", "I live in central London and/or Bath", "What time is it?", "ten"]
)
def test_what_tells_no_zone_is_left_alone(said: str) -> None:
    assert extract(said) == (None, said)


def test_a_city_alone_counts_only_in_answer_to_the_question() -> None:
    assert extract("Sydney") == (None, "Sydney")
    assert extract("Sydney", asked=True) == ("Australia/Sydney", "")
    request = "Please remind me to collect the parcel in Oslo tomorrow"
    assert extract(request, asked=True) == (None, request)


@given(st.sampled_from(sorted(zone for zone in available_timezones() if "/" in zone)))
def test_every_iana_name_is_known(zone: str) -> None:
    assert extract(f"My timezone is {zone}")[0] == zone
