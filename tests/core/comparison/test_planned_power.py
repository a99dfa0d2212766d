"""What a comparison would find before anything is paid: the table in docs/statistics.md."""

import re
from pathlib import Path

import pytest

from stoic_assets.core.comparison.planned_power import planned_detectable

DOCUMENT = Path(__file__).parents[3] / "docs" / "statistics.md"
TABLE = re.findall(r"^\| ([0-9]+) \| ([13]) \| [0-9.]+ \| ([0-9.]+) \| [0-9.]+ \|$", DOCUMENT.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("jobs", "repeats", "found"), TABLE)
def test_it_is_what_the_documents_say_of_middling_noise(jobs: str, repeats: str, found: str) -> None:
    detectable = planned_detectable([2 * int(repeats)] * int(jobs), delta=0.05)
    assert f"{detectable:.2f}" == found


def test_the_documents_have_that_table() -> None:
    assert len(TABLE) == 10


def test_few_jobs_find_nothing() -> None:
    assert planned_detectable([10] * 4, delta=0.05) is None


def test_jobs_may_have_different_numbers_of_trials() -> None:
    one, uneven, three = (planned_detectable(trials, 0.05) or 0.0 for trials in ([1] * 10, [1, *[3] * 9], [3] * 10))
    assert one > uneven > three
