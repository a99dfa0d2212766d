"""The interval around a fitness, or the reason why there is none."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from short_evaluations import SCORE, Judged, made

from stoic_assets.core.evolution.fitness import fitness_update
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead


def test_each_scenario_of_a_job_is_an_observation_of_its_own(head: EvaluationHead, judged: Judged) -> None:
    update = fitness_update(head, [judged(f"t{i}", "advice", i / 9, scenario=f"s{i}") for i in range(9)])
    assert update.task_ids == ("advice",)
    assert update.fitness_low is not None
    assert update.objectives["wisdom"]["low"] is not None


def test_with_equally_many_trials_the_interval_is_the_t_interval_over_job_means(
    head: EvaluationHead, judged: Judged
) -> None:
    scores = {"a": [0.2, 0.4], "b": [0.5, 0.5], "c": [0.9, 0.6]}
    trials = [judged(f"{job}{i}", job, score) for job, each in scores.items() for i, score in enumerate(each)]
    means = [sum(each) / 2 for each in scores.values()]
    low, high = stats.t.interval(0.95, 2, stats.tmean(means), stats.sem(means))
    update = fitness_update(head, trials)
    assert update.fitness_low == pytest.approx(max(0.0, low))
    assert update.fitness_high == pytest.approx(min(1.0, high))
    assert update.fitness_why is None


@given(st.lists(st.tuples(st.sampled_from("abcd"), SCORE), min_size=1, max_size=12))
def test_an_interval_holds_the_fitness_or_says_why_there_is_none(trials: list[tuple[str, float]]) -> None:
    evaluations = [made(f"t{i:02}", job, score) for i, (job, score) in enumerate(trials)]
    update = fitness_update(evaluations[0].head, evaluations)
    if update.fitness_why is None:
        assert update.fitness_low is not None
        assert update.fitness is not None
        assert update.fitness_high is not None
        assert 0 <= update.fitness_low <= update.fitness <= update.fitness_high <= 1
    else:
        assert (update.fitness_low, update.fitness_high) == (None, None)


@pytest.mark.parametrize(
    ("trials", "why"),
    [
        ([], "no trial was scored"),
        ([("t1", "a", 0.2), ("t2", "a", 0.9)], "all scored trials are of one job; an interval needs two"),
        ([("t1", "a", 0.1), ("t2", "b", 0.1)], "all jobs have the same mean, which says nothing about the spread"),
    ],
)
def test_no_interval_has_a_reason(
    head: EvaluationHead, judged: Judged, trials: list[tuple[str, str, float]], why: str
) -> None:
    update = fitness_update(head, [judged(*trial) for trial in trials])
    assert (update.fitness_low, update.fitness_high, update.fitness_why) == (None, None, why)


def test_that_the_agent_failed_in_every_trial_is_no_reason_where_people_found_a_fitness(
    head: EvaluationHead, judged: Judged
) -> None:
    failed = replace(judged("t1", "a", 0.0, virtues={}), overall_score=None, failed=True)
    assert fitness_update(head, [failed]).fitness_why == "the agent failed in every trial"
    assert fitness_update(head, [judged("p", "a", 0.9, source="human")]).deliverable
    update = fitness_update(head, [failed, judged("p", "a", 0.9, source="human")])
    assert (update.fitness, update.fitness_why) == (0.9, "all scored trials are of one job; an interval needs two")
