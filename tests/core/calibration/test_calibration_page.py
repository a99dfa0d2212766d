"""The report of a calibration: every measure and diagram, self-contained, and dead whatever a judge is called."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.calibration.calibration_page import render_calibration
from stoic_assets.core.calibration.judge_calibration import JudgeComparison, judge_calibration
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.presentation.formatting import score, words
from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.virtues import VIRTUES

Study = Callable[..., tuple[list[dict[str, Any]], list[dict[str, Any]]]]
HOSTILE = "<script>alert(1)</script>\"'"


def compared(study: Study, quick: Resampling, judges: tuple[str, ...] = ("gpt",)) -> list[JudgeComparison]:
    """A judge's wisdom over enough replies for a map; further judges give the same verdicts."""
    verdicts, ratings = study(lambda truth, random: truth + 0.1 * random.normal(), trials=35)
    rows = [row | {"judge_model": judge} for judge in judges for row in verdicts]
    return judge_calibration(rows, ratings, {"helpfulness": "wisdom"}, 0.2, quick)


def test_it_shows_each_measure_and_the_diagrams_with_their_numbers(study: Study, quick: Resampling) -> None:
    found = compared(study, quick)
    page = render_calibration(found)
    [wisdom] = [each for each in found if each.virtue == "wisdom"]
    shown = re.findall(r'<td class="number">([−.\d]+) <', page)
    known = ("spearman", "bias", "brier_self", "brier_uncalibrated_self", "winning_rate", "spearman_helpfulness")
    assert {score(wisdom.measures[measure].estimate or 0) for measure in known} <= {*shown}
    assert ">agree<" in page
    [(_, calibrated)] = wisdom.maps.items()
    assert page.count("<svg") == 1
    numbers = re.findall(r'<th scope="row">(?:un)?calibrated</th><td class="number">', page)
    assert len(numbers) == len(calibrated.before) + len(calibrated.after)


def test_diagrams_of_two_judges_share_no_id(study: Study, quick: Resampling) -> None:
    page = render_calibration(compared(study, quick, ("gpt", "sage")))
    ids = re.findall(r' id="([^"]+)"', page)
    assert page.count("<svg") == 3  # one of them of the panel
    assert len(ids) == len(set(ids))


def test_what_is_not_calibrated_says_why(study: Study, quick: Resampling) -> None:
    page = render_calibration(compared(study, quick))
    assert "30 replies rated by 3 people and with 3 verdicts are needed; there are 0" in page
    assert "no dimension of the ratings is mapped to courage" in page


def test_tables_hold_what_was_compared_and_notes_what_was_not(study: Study, quick: Resampling) -> None:
    page = render_calibration(compared(study, quick))
    assert {*re.findall(r'<tr><th scope="row">([^<]+)</th><td>', page)} == {"Wisdom"}
    noted = re.findall(r'<p class="note">([A-Z][a-z ]{2,20}): ', page)
    assert noted == [words(virtue) for virtue in VIRTUES if virtue != "wisdom"]


@pytest.mark.parametrize(("offline", "said"), [(True, 1), (False, 0)])
def test_scores_of_a_stand_in_are_said_to_mean_nothing(
    study: Study, quick: Resampling, offline: bool, said: int
) -> None:
    assert render_calibration(compared(study, quick), offline).count(OFFLINE_NOTE) == said


@pytest.mark.parametrize("said", ["1 of 2 raters missed attention items: talk to them.", ""])
def test_raters_who_were_inattentive_come_first(study: Study, quick: Resampling, said: str) -> None:
    before, _ = render_calibration(compared(study, quick), inattention=said).split("Do judge and people agree?")
    assert said in before
    assert before.count('class="banner') == bool(said)


def test_without_comparisons_it_says_so() -> None:
    assert "No reply has both ratings and a verdict yet." in render_calibration([])


def test_nothing_is_asked_of_anybody_and_no_name_comes_alive(study: Study, quick: Resampling) -> None:
    page = render_calibration(compared(study, quick, (HOSTILE,)))
    assert "default-src 'none'" in page
    assert page.count("<script") == 1
    assert "alert(1)" in page
    assert all(link.startswith(("#", "data:")) for link in re.findall(r'(?:href|src)="([^"]*)"', page))
