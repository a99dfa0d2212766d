"""The fitness: a mean over trials and people, which of them count, and whether there is anything to deliver."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from short_evaluations import SCORE, Finding, Judged, made, silent

from stoic_assets.core.evolution.fitness import FitnessUpdate, fitness_update
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, VirtueFinding
from stoic_assets.core.virtues import VIRTUES, Virtue


def test_fitness_is_the_mean_over_trials(head: EvaluationHead, judged: Judged) -> None:
    update = fitness_update(head, [judged("t1", "a", 0.2), judged("t2", "a", 0.4), judged("t3", "b", 0.9)])
    assert update.fitness == pytest.approx(0.5)
    assert update.trial_ids == ("t1", "t2", "t3")
    assert update.task_ids == ("a", "b")


def test_a_trial_without_a_virtue_score_counts_only_among_trials_and_jobs(head: EvaluationHead, judged: Judged) -> None:
    unheard = silent(judged("t2", "b", 0.0))
    alone = fitness_update(head, [judged("t1", "a", 0.2)])
    assert fitness_update(head, [judged("t1", "a", 0.2), unheard]) == replace(
        alone, scored_trials=2, task_ids=("a", "b")
    )


def test_failing_where_it_did_badly_makes_no_version_fitter_unseen(head: EvaluationHead, judged: Judged) -> None:
    """The fitness is the mean over what is left, so the number of failures must stand beside it."""
    def update(*failed: str) -> FitnessUpdate:
        trials = [judged(job, job, score) for job, score in (("a", 0.2), ("b", 0.3), ("c", 0.9), ("secret", 0.1))]
        told = [silent(each, failed=True) if each.id in failed else each for each in trials]
        person = replace(trials[0], id="person", source="human")
        return fitness_update(head, [person, *(replace(each, holdout=each.id == "secret") for each in told)])

    sound, failing = update(), update("a", "b", "secret")
    assert failing.fitness > sound.fitness
    assert (sound.failed_trials, sound.scored_trials) == (0, 3)
    for told in (failing.payload(), failing.row()):
        assert (told["failed_trials"], told["scored_trials"]) == (2, 3)
    assert failing.idempotency_key == update("a", "b").idempotency_key != sound.idempotency_key


@given(
    st.lists(st.tuples(st.sampled_from(VIRTUES), SCORE, SCORE), max_size=6),
    st.sampled_from(["secret job", "a"]),
)
def test_trials_of_holdout_jobs_leave_no_trace(verdicts: list[tuple[Virtue, float, float]], job: str) -> None:
    """Neither a number nor a word, also where a trial of an open job was given the same advice."""
    open_trials = [replace(made(f"t{i}", each, i / 9), holdout=False) for i, each in enumerate("aabbc")]
    head = open_trials[0].head
    secrets = [
        replace(
            made(f"secret trial {number}", job, score),
            holdout=True,
            virtue_scores={virtue: VirtueFinding(score, "secret reason", ("secret quote",), ("ask",), confidence)},
        )
        for number, (virtue, score, confidence) in enumerate(verdicts)
    ]
    with_secrets, without = fitness_update(head, [*secrets, *open_trials]), fitness_update(head, open_trials)
    assert with_secrets == without
    assert with_secrets.payload() == without.payload()
    assert "secret" not in json.dumps([with_secrets.payload(), with_secrets.row()])


def test_without_a_scored_trial_there_is_nothing_to_deliver(head: EvaluationHead, judged: Judged) -> None:
    nothing = fitness_update(head, [judged("t1", "a", 0.5, holdout=True)])
    assert (nothing.fitness, nothing.fitness_why) == (None, "only holdout jobs were scored")
    assert not nothing.deliverable
    assert nothing.row()["fitness"] is None
    assert fitness_update(head, [judged("t1", "a", 0.0)]).deliverable


def test_where_only_holdout_jobs_were_scored_people_make_no_fitness(head: EvaluationHead, judged: Judged) -> None:
    people = [judged("p1", "a", 0.9, source="human"), judged("p2", "b", 0.8, source="human", holdout=True)]
    nothing = fitness_update(head, [judged("t1", "secret", 0.5, holdout=True), *people])
    assert (nothing.fitness_why, nothing.deliverable) == ("only holdout jobs were scored", False)
    assert (nothing.human_evaluations, nothing.task_ids) == (0, ())
    assert fitness_update(head, people).fitness == 0.9


def test_that_the_agent_failed_throughout_is_told(head: EvaluationHead, judged: Judged) -> None:
    failed = [silent(judged(name, name, 0.0), failed=True) for name in ("t1", "t2")]
    update = fitness_update(head, failed)
    assert update.deliverable
    told = {
        "fitness_score": None, "fitness_why": "the agent failed in every trial", "failed_trials": 2,
        "task_ids": ["t1", "t2"],
    }  # fmt: skip
    assert update.payload().items() >= (told | {"scored_trials": 2, "conclusive": True}).items()
    assert not update.void("too many are invalid").deliverable


@pytest.mark.parametrize("failed", [0, 1])
def test_where_no_conversation_gave_an_occasion_that_is_the_reason(
    head: EvaluationHead, judged: Judged, failed: int
) -> None:
    trials = [silent(judged(f"t{number}", f"job {number}", 0.0), failed=number < failed) for number in range(2)]
    update = fitness_update(head, trials)
    assert update.deliverable
    told = {"fitness_score": None, "fitness_why": "no virtue was scored", "task_ids": ["job 0", "job 1"]}
    assert update.payload().items() >= (told | {"scored_trials": 2, "failed_trials": failed}).items()
    assert update.idempotency_key == fitness_update(head, trials[::-1]).idempotency_key
    withdrawn = update.void("too many are invalid").after(update.payload())
    assert (withdrawn.deliverable, withdrawn.revision, withdrawn.fitness_why) == (True, 2, "too many are invalid")


def test_people_are_counted_apart_from_trials_and_only_where_they_are_sure_of_something(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    trials = [judged("t1", "a", 0.5), judged("t2", "b", 0.6)]
    person = judged("p", "a", 0.9, source="human")
    update = fitness_update(head, [*trials, person])
    assert (update.human_evaluations, update.scored_trials, update.trial_ids) == (1, 2, ("p", "t1", "t2"))
    unsure = replace(judged("p", "a", 0.9, source="human", virtues={"wisdom": finding(0.9, 0.0)}), overall_confidence=0)
    assert fitness_update(head, [*trials, unsure]) == fitness_update(head, trials)


def test_people_advise_like_judges(head: EvaluationHead, judged: Judged, finding: Finding) -> None:
    person = judged("p", "a", 0.5, source="human", virtues={"wisdom": finding(0.5, 0.9, "listen")})
    assert fitness_update(head, [judged("t1", "a", 0.5), person]).improvement_areas == {"wisdom": ["listen"]}


def test_a_person_who_is_sure_of_the_whole_alone_counts_for_the_fitness(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    unsure_of_virtues = judged("p", "a", 0.9, source="human", virtues={"wisdom": finding(0.9, 0.0)})
    update = fitness_update(head, [judged("t1", "a", 0.5), unsure_of_virtues])
    assert (update.human_evaluations, update.fitness, update.fitness_of_trials) == (1, pytest.approx(0.7), 0.5)
    assert update.objectives["wisdom"]["mean"] == 0.5


def test_a_person_who_is_sure_of_a_virtue_alone_counts_for_that_virtue(head: EvaluationHead, judged: Judged) -> None:
    unsure_of_the_whole = replace(judged("p", "b", 0.9, source="human"), overall_confidence=0.0)
    update = fitness_update(head, [judged("t1", "a", 0.5), unsure_of_the_whole])
    assert (update.human_evaluations, update.fitness, update.trial_ids) == (1, 0.5, ("p", "t1"))
    assert update.objectives["wisdom"]["mean"] == pytest.approx(0.7)
