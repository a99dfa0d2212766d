"""Human feedback as a row, and the StoicEvaluation that is made from it again."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stoic_assets.core.configuration.settings import Feedback
from stoic_assets.core.evolution.events import completed
from stoic_assets.core.evolution.fitness import fitness_update
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding
from stoic_assets.core.feedback.feedback_file import DimensionFeedback, Metrics
from stoic_assets.core.feedback.human_evaluation import (
    FEEDBACK,
    RATINGS,
    HumanFeedback,
    Kind,
    human_evaluation,
    human_row,
)

VIRTUES = Feedback().virtues
GIVEN = datetime(2026, 3, 1, 10, tzinfo=UTC)
HEAD = EvaluationHead("marcus@1.1.0", "night-7", "2026-03-01T04:00:00Z")


@pytest.fixture
def feedback(metrics: Callable[..., Metrics]) -> HumanFeedback:
    entry = DimensionFeedback(
        dimension="accuracy", score=0.2, confidence=0.9, supporting_quotes=("wrong day",),
        improvement_suggestions=("Read dates back.",),
    )  # fmt: skip
    return HumanFeedback("feedback-1", "metrics", "marcus@1.1.0", "mentor", GIVEN, metrics(entry, ("clarity", 1, 1)))


def judged(trial: str, job: str, score: float) -> StoicEvaluation:
    finding = VirtueFinding(score, "", (), ("judge says",), 0.9)
    return StoicEvaluation(trial, HEAD, job, {"wisdom": finding}, score, 0.9)


def test_a_row_gives_back_the_evaluation(feedback: HumanFeedback) -> None:
    row = human_row(feedback, VIRTUES)
    found = human_evaluation(row)
    assert found is not None
    assert (found.id, found.source, found.task_id, found.holdout) == ("feedback-1", "human", "mentor", False)
    assert (found.overall_score, found.overall_confidence) == (0.6, 0.8)
    assert found.head == EvaluationHead("marcus@1.1.0", FEEDBACK, GIVEN)
    wisdom = found.virtue_scores["wisdom"]
    assert (wisdom.score, wisdom.supporting_examples, wisdom.improvement_suggestions) == (
        0.2, ("wrong day",), ("Read dates back.",),
    )  # fmt: skip
    assert row["unmapped_dimensions"] == ["clarity"]
    assert Metrics.model_validate_json(row["metrics"]) == feedback.metrics


def test_the_event_says_that_people_spoke(feedback: HumanFeedback) -> None:
    found = human_evaluation(human_row(feedback, VIRTUES))
    assert found is not None
    document = json.loads(json.dumps(completed(found).document()))
    assert document["type"] == "agent.evaluation.stoic_completed"
    assert document["id"] == "feedback-1"
    assert document["time"] == "2026-03-01T10:00:00+00:00"
    assert document["data"]["virtue_scores"] == {"wisdom": 0.2}
    assert document["data"]["evaluation"]["source"] == "human"


def test_feedback_without_a_virtue_is_stored_and_goes_no_further(metrics: Callable[..., Metrics]) -> None:
    mute = HumanFeedback("feedback-2", "metrics", "marcus@1.1.0", "mentor", GIVEN, metrics(("clarity", 0.1, 1)))
    row = human_row(mute, VIRTUES)
    assert row["overall_score"] == 0.6
    assert human_evaluation(row) is None


def test_rated_replies_stand_under_an_evaluation_of_their_own(feedback: HumanFeedback) -> None:
    assert human_row(replace(feedback, kind="ratings"), VIRTUES)["evaluation_id"] == RATINGS


@pytest.mark.parametrize(("kind", "calibrated"), [("ratings", {"wisdom"}), ("metrics", set()), ("dialogue", set())])
def test_raters_agreement_is_not_held_against_the_bound_of_an_own_word(
    feedback: HumanFeedback, kind: Kind, calibrated: set[str]
) -> None:
    found = human_evaluation(human_row(replace(feedback, kind=kind), VIRTUES))
    assert found is not None
    assert found.calibrated == calibrated


def test_rated_replies_are_observations_of_their_scenarios(feedback: HumanFeedback) -> None:
    """All under one job they would be one cluster beside many, and make the fitness look far less sure."""
    rated = [replace(feedback, id=f"r{n}", kind="ratings", trial_id=f"t{n}") for n in range(3)]
    found = [human_evaluation(human_row(each, VIRTUES), scenarios={"t0": "grief", "t1": "anger"}) for each in rated]
    assert [each and each.observed for each in found] == ["mentor~grief", "mentor~anger", "mentor"]


def test_people_reach_the_fitness_beside_the_judges(feedback: HumanFeedback) -> None:
    person = human_evaluation(human_row(feedback, VIRTUES))
    assert person is not None
    trials = [judged("t1", "mentor", 0.8), judged("t2", "other", 1.0)]
    together = fitness_update(HEAD, [*trials, person])
    assert together.fitness == pytest.approx((0.8 + 1.0 + 0.6) / 3)
    assert together.objectives["wisdom"]["mean"] == pytest.approx((0.8 + 1.0 + 0.2) / 3)
    assert together.improvement_areas == {"wisdom": ["judge says", "Read dates back."]}
    assert together.idempotency_key != fitness_update(HEAD, trials).idempotency_key


@pytest.mark.parametrize("told", [{}, {"overall_satisfaction": 0.9}, {"interpretation_confidence": 0.3}])
def test_what_was_not_told_of_the_whole_is_what_was_said_of_the_parts(told: dict[str, float]) -> None:
    parts = (
        DimensionFeedback(dimension="accuracy", score=0.2, confidence=0.9),
        DimensionFeedback(dimension="clarity", score=1.0, confidence=0.3),
    )
    said = HumanFeedback("f", "metrics", "marcus@1.1.0", "mentor", GIVEN, Metrics(dimension_feedback=parts, **told))
    row = human_row(said, VIRTUES)
    expected = {"overall_satisfaction": 0.4, "interpretation_confidence": 0.6} | told
    assert (row["overall_score"], row["overall_confidence"]) == pytest.approx(tuple(expected.values()))


def test_marks_that_nobody_is_sure_of_move_nothing(metrics: Callable[..., Metrics]) -> None:
    unsure = metrics(("accuracy", 0.0, 0.0), interpretation_confidence=0.0)
    votes = [HumanFeedback(f"ratings.{n}", "ratings", "marcus@1.1.0", "mentor", GIVEN, unsure) for n in range(80)]
    people = [found for vote in votes if (found := human_evaluation(human_row(vote, VIRTUES)))]
    trials = [judged("t1", "mentor", 0.4), judged("t2", "other", 0.6)]
    assert len(people) == 80
    assert fitness_update(HEAD, [*trials, *people]) == fitness_update(HEAD, trials)
    assert fitness_update(HEAD, trials).weak_virtues == ["wisdom"]


def test_the_parts_count_where_the_whole_is_unsure(metrics: Callable[..., Metrics]) -> None:
    split = metrics(("accuracy", 0.0, 0.9), interpretation_confidence=0.0)
    person = human_evaluation(human_row(HumanFeedback("f", "metrics", "m@1", "mentor", GIVEN, split), VIRTUES))
    assert person is not None
    found = fitness_update(HEAD, [judged("t1", "mentor", 1.0), person])
    assert (found.fitness, found.objectives["wisdom"]["mean"]) == (1.0, 0.5)


def test_holdout_jobs_stay_secret(feedback: HumanFeedback) -> None:
    person = human_evaluation(human_row(feedback, VIRTUES), {"mentor"})
    assert person is not None
    trials = [judged("t1", "mentor", 0.8), judged("t2", "other", 1.0)]
    assert fitness_update(HEAD, [*trials, person]) == fitness_update(HEAD, trials)
