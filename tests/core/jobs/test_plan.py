from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.plan import Planned, alternated, conditions_of, plan, seeded_random, waves
from stoic_assets.core.jobs.trial import Trial

MakeJob = Callable[..., Job]
SCENARIOS = [{"id": name, "category": "c", "input": "i"} for name in ("a", "b")]


@pytest.mark.parametrize(
    ("keys", "choice", "conditions"),
    [
        ({"facts": ["f"]}, None, ("withheld", "supplied")),
        ({}, None, ("withheld",)),
        ({"facts": ["f"], "scenarios": SCENARIOS}, None, ("withheld",)),
        ({}, "both", ("withheld", "supplied")),
        ({"facts": ["f"]}, "withheld", ("withheld",)),
        ({}, "supplied", ("supplied",)),
        ({"scenarios": SCENARIOS}, "both", ("withheld", "supplied")),
    ],
)
def test_both_conditions_where_facts_make_a_difference_unless_chosen(
    make_job: MakeJob, keys: dict[str, Any], choice: Any, conditions: tuple[str, ...]
) -> None:
    assert conditions_of(make_job(**keys), choice) == conditions


def test_a_plan_holds_every_condition_repeat_and_scenario_in_order(make_job: MakeJob) -> None:
    jobs = [make_job("first", facts=["f"], repeats=2), make_job("second", scenarios=SCENARIOS)]
    assert [planned.trial.trial_id for planned in plan(jobs, "E")] == [
        "E.first.withheld.1", "E.first.withheld.2", "E.first.supplied.1", "E.first.supplied.2",
        "E.second~a.withheld.1", "E.second~b.withheld.1",
    ]
    assert [planned.trial.repeat for planned in plan(jobs, "E", "supplied", 1)] == [1, 1, 1]
    assert plan(jobs, "E")[4].trial == Trial("E.second~a.withheld.1", "second", "withheld", 1, "u", "a")


def test_every_trial_may_have_a_user_of_its_own(make_job: MakeJob) -> None:
    planned = plan([make_job(user="{trial}-x-{trial}", repeats=2)], "E")
    assert [each.trial.user for each in planned] == [f"{i}-x-{i}" for i in ("E.job.withheld.1", "E.job.withheld.2")]


def test_several_evaluations_take_turns_trial_by_trial_within_each_wave(make_job: MakeJob) -> None:
    jobs = [make_job("first", facts=["f"], repeats=2), make_job("second", setups=[{"cypher": "CREATE (:A)"}])]
    together = alternated([plan(jobs, "A"), plan(jobs, "B")])
    found = [[each.trial.trial_id for each in wave.trials] for wave in waves(together)]
    assert found == [
        ["A.first.withheld.1", "B.first.withheld.1", "A.first.withheld.2", "B.first.withheld.2"],
        ["A.second.withheld.1", "B.second.withheld.1"],
        ["A.first.supplied.1", "B.first.supplied.1", "A.first.supplied.2", "B.first.supplied.2"],
    ]
    more = [*jobs, make_job("third")]
    ids = [each.trial.trial_id for each in alternated([plan(jobs, "A"), plan(more, "B")])]
    assert sorted(ids) == sorted(each.trial.trial_id for each in [*plan(jobs, "A"), *plan(more, "B")])
    assert alternated([plan(more, "A")]) == plan(more, "A")


def test_names_with_dots_do_not_make_two_trials_one(make_job: MakeJob) -> None:
    jobs = [make_job("a.b"), make_job("a", scenarios=[{"id": "b", "category": "c", "input": "i"}])]
    ids = [planned.trial.trial_id for planned in plan(jobs, "E")]
    assert len(set(ids)) == 2


def test_isolated_trials_run_together_whatever_their_cypher(make_job: MakeJob) -> None:
    reset = [{"cypher": "MATCH (n {user: $user}) DETACH DELETE n"}]
    job = make_job(user="u-{trial}", facts=["f"], setups=reset, seeds=[{"text": "t"}])
    (wave,) = waves(plan([job], "E"))
    assert (len(wave.trials), wave.alone) == (2, False)


def test_trials_with_cypher_that_are_not_isolated_run_alone_between_the_conditions(make_job: MakeJob) -> None:
    plain, graph = make_job("plain", facts=["f"]), make_job("graph", facts=["f"], setups=[{"cypher": "CREATE (:A)"}])
    found = [(wave.alone, [each.trial.trial_id for each in wave.trials]) for wave in waves(plan([graph, plain], "E"))]
    assert found == [
        (False, ["E.plain.withheld.1"]), (True, ["E.graph.withheld.1"]),
        (False, ["E.plain.supplied.1"]), (True, ["E.graph.supplied.1"]),
    ]


KEYS = st.fixed_dictionaries(
    {},
    optional={
        "user": st.sampled_from(["u", "v", "w-{trial}"]),
        "facts": st.just(["f"]),
        "repeats": st.integers(1, 3),
        "setups": st.sampled_from([[{"cypher": "CREATE (:A)"}], [{"cypher": "CREATE (:A {t: $trial})"}]]),
        "seeds": st.just([{"text": "t"}]),
        "assertions": st.sampled_from([
            [{"expression": "evaluation.done"}], [{"cypher": "RETURN 1", "expected": 1}],
            [{"cypher": "RETURN $session", "expected": 1}],
        ]),
        "scenarios": st.just(SCENARIOS),
    },
)


def jobs_of(keys: Sequence[dict[str, Any]]) -> list[Job]:
    tasks = [{"task": "t", "acceptanceCriteria": "a"}]
    return [
        Job.model_validate(
            {
                "name": f"job{number}", "target": {"user": each.get("user", "u"), "chatbot": "c"},
                **({} if "scenarios" in each else {"tasks": tasks}),
                **{key: value for key, value in each.items() if key != "user"},
            }
        )
        for number, each in enumerate(keys)
    ]


@given(st.lists(KEYS, min_size=1, max_size=5), st.sampled_from([None, "both", "withheld", "supplied"]))
def test_the_waves_disturb_no_trial(keys: list[dict[str, Any]], choice: Any) -> None:
    planned = plan(jobs_of(keys), "E", choice)
    ordered = waves(planned)
    when = {item.trial.trial_id: number for number, wave in enumerate(ordered) for item in wave.trials}

    assert sorted(when) == sorted(item.trial.trial_id for item in planned), "each trial once"
    assert len(when) == len(planned) == sum(len(wave.trials) for wave in ordered)
    assert all(wave.trials for wave in ordered)
    for wave in ordered:
        for item in wave.trials:
            assert wave.alone is (not item.job.is_isolated() and bool(item.job.cypher() or item.job.seeds))
    for late in planned:
        for early in planned:
            same_user = late.trial.user == early.trial.user
            if same_user and late.trial.condition == "supplied" and early.trial.condition == "withheld":
                assert when[early.trial.trial_id] < when[late.trial.trial_id]


@given(st.lists(KEYS, min_size=1, max_size=4))
def test_a_plan_is_stable_and_its_ids_differ(keys: list[dict[str, Any]]) -> None:
    def ids(planned: list[Planned]) -> list[str]:
        return [item.trial.trial_id for item in planned]

    once = plan(jobs_of(keys), "E")
    assert ids(once) == ids(plan(jobs_of(keys), "E"))
    assert len({trial_id.casefold() for trial_id in ids(once)}) == len(once)


def test_dice_fall_the_same_in_every_evaluation_and_differ_between_trials() -> None:
    def rolled(evaluation: str, *own: Any) -> int:
        return seeded_random(Trial(f"{evaluation}.{own}", own[0], own[1], own[2], "u", own[3])).randrange(10**9)

    trials = [("job", "withheld", 1, None), ("job", "supplied", 1, None), ("job", "withheld", 2, None),
              ("job", "withheld", 1, "a"), ("other", "withheld", 1, None)]  # fmt: skip
    assert [rolled("E1", *own) for own in trials] == [rolled("E2", *own) for own in trials]
    assert len({rolled("E", *own) for own in trials}) == len(trials)
    assert rolled("E", *trials[0]) == 305183210
