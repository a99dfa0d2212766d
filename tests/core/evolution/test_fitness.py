"""The fitness update: means, interval, weak virtues, and when it counts as a new one."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stoic_assets.core.evolution.checks import Checks, FailedAssertion
from stoic_assets.core.evolution.fitness import FitnessUpdate, fitness_update
from stoic_assets.core.evolution.fitness_comparison import Scale
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding
from stoic_assets.core.settings import Evolution, Weakness
from stoic_assets.core.virtues import VIRTUES, Virtue

Judged = Callable[..., StoicEvaluation]
Finding = Callable[..., VirtueFinding]
SCORE = st.floats(0, 1)


def made(trial_id: str, job: str, overall: float) -> StoicEvaluation:
    """For properties, which cannot take fixtures."""
    head = EvaluationHead("marcus@1.1.0", "night-7", "2026-03-01T04:00:00Z")
    return StoicEvaluation(trial_id, head, job, {"wisdom": VirtueFinding(overall, "", (), (), 0.9)}, overall, 0.9)


def silent(evaluation: StoicEvaluation, **rest: Any) -> StoicEvaluation:
    """The same trial without a score of any virtue."""
    return replace(evaluation, virtue_scores={}, overall_score=None, overall_confidence=None, **rest)


def test_fitness_is_the_mean_over_trials(head: EvaluationHead, judged: Judged) -> None:
    update = fitness_update(head, [judged("t1", "a", 0.2), judged("t2", "a", 0.4), judged("t3", "b", 0.9)])
    assert update.fitness == pytest.approx(0.5)
    assert update.trial_ids == ("t1", "t2", "t3")
    assert update.task_ids == ("a", "b")


@pytest.mark.parametrize(("score", "confidences"), [(0.7, (0.7, 0.7, 0.8)), (0.5, (0.7,) * 6)])
def test_at_the_line_no_virtue_is_weak_whatever_floating_point_makes_of_the_mean(
    head: EvaluationHead, judged: Judged, finding: Finding, score: float, confidences: tuple[float, ...]
) -> None:
    trials = [
        judged(f"t{number}", f"job {number}", score, virtues={"wisdom": finding(score, confidence)})
        for number, confidence in enumerate(confidences)
    ]
    assert fitness_update(head, trials).weak_virtues == []


def test_each_scenario_of_a_job_is_an_observation_of_its_own(head: EvaluationHead, judged: Judged) -> None:
    update = fitness_update(head, [judged(f"t{i}", "advice", i / 9, scenario=f"s{i}") for i in range(9)])
    assert update.task_ids == ("advice",)
    assert update.fitness_low is not None
    assert update.objectives["wisdom"]["low"] is not None


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


def test_without_a_scored_trial_there_is_nothing_to_deliver(head: EvaluationHead, judged: Judged) -> None:
    nothing = fitness_update(head, [judged("t1", "a", 0.5, holdout=True)])
    assert (nothing.fitness, nothing.fitness_why) == (None, "only holdout jobs were scored")
    assert not nothing.deliverable
    assert nothing.row()["fitness"] is None
    assert fitness_update(head, [judged("t1", "a", 0.0)]).deliverable


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


def test_a_virtue_is_the_mean_weighted_by_confidence(head: EvaluationHead, judged: Judged, finding: Finding) -> None:
    update = fitness_update(
        head,
        [
            judged("t1", "a", 0.5, virtues={"wisdom": finding(0.2, 0.9), "justice": finding(1.0, 0.0)}),
            judged("t2", "a", 0.5, virtues={"wisdom": finding(0.8, 0.3), "justice": finding(0.5, 0.0)}),
        ],
    )
    assert update.objectives["wisdom"] == {
        "mean": pytest.approx(0.35), "confidence": pytest.approx(0.6), "calibrated": 0, "trials": 2, "low": None,
        "high": None, "lower_bound": None, "why": "all scored trials are of one job; an interval needs two",
        "floor": {"at": 0.5, "violated": True, "certain": False},
    }  # fmt: skip
    assert update.objectives["justice"]["mean"] == pytest.approx(0.75)
    assert "courage" not in update.objectives


@pytest.mark.parametrize(
    ("score", "confidence", "weak"), [(0.69, 0.71, True), (0.7, 0.9, False), (0.1, 0.7, False), (0.0, 1.0, True)]
)
def test_a_virtue_is_weak_when_it_is_low_and_that_is_sure(
    head: EvaluationHead, judged: Judged, finding: Finding, score: float, confidence: float, weak: bool
) -> None:
    update = fitness_update(head, [judged("t1", "a", 0.5, virtues={"courage": finding(score, confidence, "dare")})])
    assert update.improvement_areas == ({"courage": ["dare"]} if weak else {})
    assert update.severity == ({"courage": pytest.approx((1 - score) * confidence)} if weak else {})


@pytest.mark.parametrize(("confidences", "sure"), [((0.51, 0.51), True), ((0.5, 0.5), False), ((0.55, 0.66), True)])
def test_a_calibrated_confidence_has_a_bound_of_its_own(
    head: EvaluationHead, judged: Judged, finding: Finding, confidences: tuple[float, float], sure: bool
) -> None:
    # The second trial's is the judge's own word in the last case: the mean 0.605 is held against (0.5 + 0.7)/2.
    known = [frozenset(["wisdom"]), frozenset(["wisdom"] if confidences[0] == confidences[1] else [])]
    trials = [
        judged(f"t{n}", f"job {n}", 0.5, virtues={"wisdom": finding(0.3 + n / 100, confidence)}, calibrated=known[n])
        for n, confidence in enumerate(confidences)
    ]
    update = fitness_update(head, trials, evolution=Evolution(uncertain_width=1))
    assert update.weak_virtues == (["wisdom"] if sure else [])
    assert ("wisdom" in update.uncertain_virtues) is not sure
    assert update.objectives["wisdom"]["calibrated"] == (1 if len(set(known)) == 1 else 0.5)


def test_the_severest_virtue_and_the_most_frequent_advice_come_first(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    first = {"wisdom": finding(0.5, 0.9, "read", "ask"), "justice": finding(0.2, 0.9)}
    second = {"wisdom": finding(0.5, 0.9, "check", "ask"), "justice": finding(0.2, 0.9)}
    update = fitness_update(head, [judged("t1", "a", 0.5, virtues=first), judged("t2", "a", 0.5, virtues=second)])
    assert update.weak_virtues == ["justice", "wisdom"]
    assert update.improvement_areas == {"justice": [], "wisdom": ["ask", "check", "read"]}


def test_every_suggestion_for_a_weak_virtue_names_what_it_rests_on(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    weak, strong = {"wisdom": finding(0.5, 0.9, "ask")}, {"courage": finding(0.9, 0.9, "go on")}
    update = fitness_update(head, [judged("t1", "a", 0.5, virtues=weak | strong), judged("t2", "b", 0.5, virtues=weak)])
    expected = {
        "virtue": "wisdom", "suggestion": "ask", "task_ids": ["a", "b"], "trial_ids": ["t1", "t2"],
        "quotes": ["a quote"],
    }  # fmt: skip
    assert update.payload()["improvements"] == [expected]
    stored = json.loads(update.row()["objectives"])
    assert stored["wisdom"]["improvements"] == [expected]
    assert stored["courage"]["improvements"] == []


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


def test_that_the_agent_failed_in_every_trial_is_no_reason_where_people_found_a_fitness(
    head: EvaluationHead, judged: Judged
) -> None:
    failed = replace(judged("t1", "a", 0.0, virtues={}), overall_score=None, failed=True)
    assert fitness_update(head, [failed]).fitness_why == "the agent failed in every trial"
    assert fitness_update(head, [judged("p", "a", 0.9, source="human")]).deliverable
    update = fitness_update(head, [failed, judged("p", "a", 0.9, source="human")])
    assert (update.fitness, update.fitness_why) == (0.9, "all scored trials are of one job; an interval needs two")


def test_of_several_weak_virtues_the_worst_of_which_judges_are_sure_comes_first(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    virtues: Any = {"courage": finding(0.6), "justice": finding(0.5), "wisdom": finding(0.3, 0.8)}
    update = fitness_update(head, [judged("t1", "a", 0.5, virtues=virtues)])
    assert update.severity == pytest.approx({"wisdom": 0.56, "justice": 0.45, "courage": 0.36})
    assert update.weak_virtues == ["wisdom", "justice", "courage"]
    floors = Evolution(floors={"courage": 0.8, "justice": 0.9, "wisdom": 0.75})
    assert fitness_update(head, [judged("t1", "a", 0.5, virtues=virtues)], evolution=floors).floor_violations == [
        "wisdom", "justice", "courage",
    ]  # fmt: skip


def test_a_withdrawn_update_tells_of_the_trials_and_nothing_that_was_found_in_them(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    scores = (0.4, 0.45, 0.5)
    trials = [judged(f"t{each}", f"job {each}", each, virtues={"wisdom": finding(each, 0.9, "ask")}) for each in scores]
    told = fitness_update(head, trials, comparison=[
        {"gating": True, "base": "marcus@1.0.0", "base_evaluation_id": "n6", "measure": "assertion", "verdict": "same",
         "effect": 0.0, "difference": 0.0},
    ])  # fmt: skip
    broken = FailedAssertion(task_id="job 0.4", assertion="order", text="it was placed", trial_ids=["t0.4"])
    told = replace(told, checks=Checks(2, [broken]))
    assert all((told.fitness, told.fitness_low, told.fitness_high, told.comparison))
    document = told.void("too many are invalid").payload()
    empty = {name: value for name, value in document.items() if not value and name != "offline"}
    assert set(empty) == {
        "fitness_score", "fitness_low", "fitness_high", "balanced_fitness", "objectives", "floor_violations",
        "weak_virtues", "severity", "uncertain_virtues", "improvement_areas", "improvements", "parents", "comparison",
        "conclusive", "failed_trials", "human_evaluations", "judge_models", "conditions", "scale", "passed_trials",
        "fitness_of_trials", "failed_assertions",
    }  # fmt: skip
    assert (document["fitness_why"], document["scored_trials"]) == ("too many are invalid", 3)
    of = {"agent_id": "marcus", "agent_version": "marcus@1.1.0", "evaluation_id": "night-7"}
    assert document.items() >= (of | {"timestamp": "2026-03-01T02:00:00+00:00", "offline": False}).items()
    assert told.row().items() >= (of | {"idempotency_key": told.idempotency_key}).items()


def test_a_strong_virtue_does_not_buy_a_weak_one(head: EvaluationHead, finding: Finding, judged: Judged) -> None:
    def update(courage: float, rest: float) -> Any:
        virtues = dict.fromkeys(VIRTUES, finding(rest)) | {"courage": finding(courage)}
        return fitness_update(head, [judged("t1", "a", (courage + 4 * rest) / 5, virtues=virtues)]).payload()

    even, uneven = update(0.6, 0.6), update(0.4, 0.9)
    assert uneven["fitness_score"] > even["fitness_score"]
    assert uneven["balanced_fitness"] == 0.4 < even["balanced_fitness"]
    assert (even["floor_violations"], uneven["floor_violations"]) == ([], ["courage"])


def test_lineage_and_verdict_are_carried_and_count_as_content(head: EvaluationHead, judged: Judged) -> None:
    row = {
        "base": "marcus@1.0.0", "base_evaluation_id": "night-6", "measure": "wisdom", "verdict": "regressed",
        "difference": -0.2, "gating": True,
    }  # fmt: skip
    trials = [judged("t1", "a", 0.5)]
    plain = fitness_update(head, trials)
    told = fitness_update(head, trials, parents=["marcus@1.0.0"], comparison=[row])
    assert (plain.payload()["parents"], plain.payload()["comparison"]) == ([], None)
    assert told.row()["parents"] == told.payload()["parents"] == ["marcus@1.0.0"]
    assert told.payload()["comparison"]["regressed"] == ["wisdom"]
    assert len({plain.idempotency_key, told.idempotency_key}) == 2


def test_thresholds_can_be_set(head: EvaluationHead, judged: Judged) -> None:
    strict = fitness_update(head, [judged("t1", "a", 0.8)], Weakness(score_below=0.9))
    assert strict.weak_virtues == ["wisdom"]
    usual = fitness_update(head, [judged("t1", "a", 0.8)])
    high = fitness_update(head, [judged("t1", "a", 0.8)], evolution=Evolution(floors={"wisdom": 0.9}))
    assert (usual.floor_violations, high.floor_violations) == ([], ["wisdom"])
    assert len({strict.idempotency_key, usual.idempotency_key, high.idempotency_key}) == 3


@given(st.permutations([("t1", "a", 0.1), ("t2", "b", 0.3), ("t3", "c", 0.7)]))
def test_a_repeat_is_the_same_update_whatever_the_order_of_rows(trials: list[tuple[str, str, float]]) -> None:
    evaluations = [made(*trial) for trial in trials]
    usual = [made("t1", "a", 0.1), made("t2", "b", 0.3), made("t3", "c", 0.7 + 1e-15)]
    assert (
        fitness_update(usual[0].head, evaluations).idempotency_key
        == fitness_update(usual[0].head, usual).idempotency_key
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda each, found: replace(each, overall_score=0.2001),
        lambda each, found: replace(each, virtue_scores={"wisdom": found(0.2, 0.8)}),
        lambda each, found: replace(each, virtue_scores={"wisdom": found(0.2, 0.9, "new advice")}),
        lambda each, found: replace(each, virtue_scores={}),
        lambda each, found: replace(each, id="t9"),
    ],
)
def test_another_judgement_is_another_update(
    head: EvaluationHead, judged: Judged, finding: Finding, change: Callable[..., StoicEvaluation]
) -> None:
    former = judged("t1", "a", 0.2)
    again = fitness_update(head, [change(former, finding)])
    assert again.idempotency_key != fitness_update(head, [former]).idempotency_key


def test_a_revision_is_new_only_once(head: EvaluationHead, judged: Judged) -> None:
    former, present = (fitness_update(head, [judged("t1", "a", score)]) for score in (0.2, 0.3))
    corrected = present.after(former.payload())
    assert (former.revision, corrected.revision) == (1, 2)
    assert present.after(corrected.payload()) == corrected
    assert former.after(corrected.payload()).revision == 3


def test_another_version_or_evaluation_is_another_update(head: EvaluationHead, judged: Judged) -> None:
    heads = [head, replace(head, evaluation_id="night-8"), replace(head, agent_version="marcus@1.2.0")]
    assert len({fitness_update(each, [judged("t1", "a", 0.2)]).idempotency_key for each in heads}) == 3


def test_row_and_payload_tell_the_same(head: EvaluationHead, judged: Judged, finding: Finding) -> None:
    trial = judged("t1", "a", 0.5, virtues={"wisdom": finding(0.5, 0.9, "ask")})
    scale = Scale(("judge",), ("supplied", "withheld"), "f00d")
    update = replace(fitness_update(replace(head, offline=True), [trial], scale=scale), checks=Checks(1))
    assert update.payload()["scale"] == "f00d"
    row, payload = update.row("2026-03-01T05:00:00+00:00"), update.payload()
    assert json.loads(json.dumps(payload)) == payload
    assert (row["agent_id"], row["agent_version"], row["evaluation_id"]) == ("marcus", "marcus@1.1.0", "night-7")
    assert (row["delivered_at"], row["trial_ids"]) == ("2026-03-01T05:00:00+00:00", ["t1"])
    assert (payload["offline"], payload["timestamp"]) == (True, "2026-03-01T02:00:00+00:00")
    assert payload["improvement_areas"] == {"wisdom": ["ask"]}
    assert payload["fitness_score"] == row["fitness"] == 0.5
    unpacked = {name: json.loads(row[name]) for name in ("floors", "improvement_areas", "severity")}
    assert unpacked.items() <= payload.items()
    assert payload["objectives"]["wisdom"].items() <= json.loads(row["objectives"])["wisdom"].items()
    names = (
        "floor_violations", "uncertain_virtues", "parents", "weak_virtues", "scored_trials", "failed_trials",
        "conclusive", "human_evaluations", "judge_models", "conditions", "scale", "passed_trials", "fitness_of_trials",
    )  # fmt: skip
    assert (row["passed_trials"], row["fitness_of_trials"]) == (1, 0.5)
    assert all(row[name] == payload[name] for name in names)
    assert (row["weak_virtues"], row["uncertain_virtues"]) == (["wisdom"], list(VIRTUES))
