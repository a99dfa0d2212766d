import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.iso_text import same_clock, same_duration


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10:00", "10:00:00.000"),
        ("10:00:00.5Z", "10:00:00.500000000+00:00"),
        ("2026-11-22T10:00:00", "2026-11-22 10:00"),
        ("2026-11-22T10:00:00+01:00[Europe/Berlin]", "2026-11-22T10:00+01:00"),
        ("2026-11-22T10:00+02:00", "2026-11-22T10:00+02"),
        ("2026-11-22T10:00-03:30", "2026-11-22T10:00-0330"),
        ("10:00+00:00", "10:00-00"),
    ],
)
def test_the_same_clock_in_other_words(one, other):
    assert same_clock(one, other)
    assert same_clock(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10:00:00.000000001", "10:00"),
        ("10:00", "10:00Z"),
        ("2026-11-22T10:00Z", "2026-11-22T11:00+01:00"),  # one moment, but not equal in Cypher either
        ("2026-11-22T10:00+01:00[Europe/Berlin]", "2026-11-22T10:00+01:00[Europe/Paris]"),
        ("2026-11-22T10:00", "2026-11-23T10:00"),
        ("10:00+02", "10:00-02"),
        ("10:00+1:00", "10:00Z"),
        ("10:00+1:00", "10:00+2:00"),
        ("10:00", "ten o'clock"),
    ],
)
def test_other_clocks(one, other):
    assert not same_clock(one, other)
    assert not same_clock(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("P1Y2M", "P14M"),
        ("P1W", "P7D"),
        ("PT90M", "PT1H30M"),
        ("PT-0.5S", "PT-0.500S"),
        ("PT1.25S", "PT1.250000000S"),
        ("PT0S", "P0D"),
        ("-PT1H", "PT-1H"),
        ("-P1Y2DT3S", "P-12M-2DT-3S"),
        ("P1.5D", "P1DT12H"),
        ("P0.5W", "P3DT12H"),
        ("P0.5Y", "P6M"),
        ("P0.5M", "P15DT5H14M33S"),  # as Neo4j answers to RETURN duration('P0.5M')
    ],
)
def test_the_same_duration_in_other_words(one, other):
    assert same_duration(one, other)


@pytest.mark.parametrize(("one", "other"), [("P1D", "PT24H"), ("P1M", "P30D"), ("PT1S", "PT-1S"), ("P1D", "a day")])
def test_other_durations(one, other):
    assert not same_duration(one, other)


@given(st.integers(-99, 99), st.integers(-99, 99), st.integers(-9999, 9999))
def test_hours_minutes_and_seconds_add_up(hours, minutes, seconds):
    assert same_duration(f"PT{hours}H{minutes}M{seconds}S", f"PT{hours * 3600 + minutes * 60 + seconds}S")
