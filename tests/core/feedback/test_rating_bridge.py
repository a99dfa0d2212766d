"""From marks to virtues, and how far the raters of one reply agree."""

from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.configuration.settings import Ratings
from stoic_assets.core.feedback.human_evaluation import human_row
from stoic_assets.core.feedback.rating_bridge import agreement, rated_feedback, rated_trials, rated_virtue, scaled
from stoic_assets.core.ratings.blinding import Key
from stoic_assets.core.virtues import VIRTUES

BRIDGE = Ratings().virtues
FIRST = datetime(2026, 3, 1, tzinfo=UTC)


def rating(rater: str, trial: str | None = "t1", **change: Any) -> dict[str, Any]:
    """A row of `human_ratings`, all marks 3 and overall maybe."""
    row = {
        "agent_version": "marcus@1.1.0", "rater_id": rater, "test_id": f"x-{trial}", "trial_id": trial,
        "appropriateness": 3, "helpfulness": 3, "stoic_authenticity": 3, "emotional_intelligence": 3,
        "actionability": 3, "overall": "maybe", "practice": False, "attention": False, "repeat_of": None,
        "rated_at": FIRST,
    }  # fmt: skip
    return {**row, **change}


@pytest.mark.parametrize(("mark", "score"), [(1, 0), (2, 0.25), (3, 0.5), (4, 0.75), (5, 1)])
def test_a_mark_is_a_fifth_of_the_way(mark: int, score: float) -> None:
    assert scaled(mark) == score


def test_each_rater_has_virtues() -> None:
    trials = {"t1": [rating("a", appropriateness=5, helpfulness=1, actionability=4)]}
    assert {virtue: rated_virtue(virtue, trials, BRIDGE) for virtue in VIRTUES} == {
        "wisdom": {"t1": {"a": 0.5}}, "courage": {}, "justice": {"t1": {"a": 0.5}}, "temperance": {"t1": {"a": 1.0}},
        "practical_wisdom": {"t1": {"a": pytest.approx((0 + 0.75) / 2)}},
    }  # fmt: skip


def test_what_does_not_apply_is_missing_and_no_three() -> None:
    rows = [rating("a", helpfulness=5, actionability=None)]
    assert rated_virtue("practical_wisdom", {"t1": rows}, BRIDGE) == {"t1": {"a": 1.0}}
    assert rated_virtue("courage", {"t1": rows}, {"actionability": "courage"}) == {}


@pytest.mark.parametrize(
    "change", [{"practice": True}, {"repeat_of": "x-t0"}, {"attention": True}, {"trial_id": None}]
)
def test_only_ratings_of_our_replies_count(change: dict[str, Any]) -> None:
    assert rated_trials([rating("a", **change)]) == {}
    assert rated_feedback([rating("a", **change)], {"t1": "mentor"}, {}) == []


def test_raters_of_a_reply_are_one_feedback() -> None:
    rows = [
        rating("a", helpfulness=2, overall="no"), rating("b", helpfulness=2, overall="maybe"),
        rating("c", helpfulness=2, overall="maybe", rated_at=FIRST + timedelta(days=1)), rating("a", "t2"),
    ]  # fmt: skip
    [found] = rated_feedback(rows, {"t1": "mentor"}, {})
    assert (found.id, found.task_id, found.trial_id, found.given_at) == (
        "ratings.t1", "mentor", "t1", FIRST + timedelta(days=1),
    )  # fmt: skip
    helpful = next(each for each in found.metrics.dimension_feedback if each.dimension == "helpfulness")
    assert (helpful.score, helpful.confidence) == (0.25, pytest.approx(2 / 3))
    assert found.metrics.overall_satisfaction == pytest.approx(1 / 3)
    assert found.metrics.interpretation_confidence == pytest.approx(1 / 3)  # s² = 1/12, answers at random 1/6
    assert human_row(found, BRIDGE)["unmapped_dimensions"] == []
    assert human_row(found, {"helpfulness": "courage"})["unmapped_dimensions"] == [
        "actionability", "appropriateness", "emotional_intelligence", "stoic_authenticity",
    ]  # fmt: skip


def test_who_rated_a_reply_twice_is_heard_once_by_what_was_said_last() -> None:
    before, later = {"page_id": "p1", "helpfulness": 1}, {"page_id": "p2", "helpfulness": 5}
    rows = [
        rating("a", **later, rated_at=FIRST + timedelta(days=1)), rating("a", **before),
        rating("b", **before), rating("b", **later, test_id="by another rubric", rated_at=FIRST + timedelta(days=1)),
        rating("c", **before), rating("d", **later), rating("d", **before),
    ]  # fmt: skip
    for ordered in (rows, rows[::-1]):
        heard = sorted(rated_trials(ordered)["t1"], key=itemgetter("rater_id"))
        assert [row["helpfulness"] for row in heard] == [5, 5, 1, 5]
    helpful = rated_feedback(rows, {"t1": "mentor"}, {})[0].metrics.dimension_feedback[1]
    assert (helpful.dimension, helpful.score) == ("helpfulness", pytest.approx(3 / 4))


def test_marks_of_a_reply_by_another_rubric_are_not_mixed_in() -> None:
    rows = [
        rating("a", helpfulness=1), rating("b", helpfulness=5, test_id="y", rated_at=FIRST + timedelta(days=1)),
        rating("a", "t2", helpfulness=2),
    ]  # fmt: skip
    keys = {"y": Key(origin="reply", rubric="sharper", words=3)}
    found = rated_feedback(rows, {"t1": "mentor", "t2": "mentor"}, keys)
    assert [each.metrics.dimension_feedback[1].score for each in found] == [1.0, 0.25]


def test_who_goes_back_to_a_former_page_is_still_heard_by_what_was_said_on_the_new_one() -> None:
    day = timedelta(days=1)
    rows = [
        rating("a", helpfulness=5, test_id="y", page_id="p2"),
        rating("a", helpfulness=1, page_id="p1", rated_at=FIRST + day),
        rating("c", helpfulness=5, test_id="y", page_id="p2", rated_at=FIRST + 2 * day),
    ]  # fmt: skip
    keys = {"y": Key(origin="reply", rubric="sharper", words=3)}
    [found] = rated_feedback(rows, {"t1": "mentor"}, keys)
    helpful = found.metrics.dimension_feedback[1]
    assert (helpful.score, helpful.confidence) == (1.0, pytest.approx(0.5)), "by two raters"


def test_without_an_overall_answer_the_marks_stand_in() -> None:
    [found] = rated_feedback([rating("a", overall=None, helpfulness=5)], {"t1": "mentor"}, {})
    assert found.metrics.overall_satisfaction == pytest.approx(0.6)
    assert found.metrics.interpretation_confidence == 0


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.5], 0.0),  # one rater agrees with nobody
        ([0.5, 0.5], 0.5),
        ([0.5, 0.5, 0.5, 0.5], 0.75),
        ([0.5, 0.75], (1 - 0.03125 / 0.125) / 2),  # s² = 1/32, marks at random 1/8
        ([0.0, 1.0], 0.0),
    ],
)
def test_agreement_on_known_marks(scores: list[float], expected: float) -> None:
    assert agreement(scores, 5) == pytest.approx(expected)


@given(st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 1]), min_size=1, max_size=9))
def test_agreement_is_a_share_and_never_sure(scores: list[float]) -> None:
    assert 0 <= agreement(scores, 5) < 1
