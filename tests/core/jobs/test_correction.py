"""Every part of a job may either be corrected after its conversations, or is refused by its name."""

from typing import Any

import pytest

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.correction import corrected_jobs, refuse_slips
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.secrets.redaction import Redactor

TASK = {"task": "Remind me", "acceptanceCriteria": "It does"}
QUERY: dict[str, Any] = {"cypher": "RETURN $x", "expected": 1, "parameters": {"x": 1}}
HELD: dict[str, Any] = {
    "name": "reminders", "target": {"user": "u", "chatbot": "marcus"}, "tasks": [TASK], "facts": ["It is Monday"],
    "assertions": [QUERY, {"expression": "true"}],
}  # fmt: skip
CORRECTABLE: list[dict[str, Any]] = [
    {"tags": ["nightly"]},
    {"holdout": True},
    {"scorer": {"temperature": 1}},
    {"aspirationalAverage": 10},
    {"virtues": {"justice": 3}},
    {"tasks": [{**TASK, "acceptanceCriteria": "It asks", "difficulty": "hard", "requirements": "r", "context": "c"}]},
    {"prompts": {"wisdom": "Judge.", "tasks": "Judge."}},
    {"assertions": [{**QUERY, "expected": 2, "weight": 5}, {"expression": "false", "condition": "supplied"}]},
    {"assertions": [QUERY]},
]
OTHER_CONVERSATIONS: list[tuple[dict[str, Any], str]] = [
    ({"repeats": 2}, "repeats"),
    ({"evaluator": {"voice": "Curt", "temperature": 1}}, "evaluator.voice, evaluator.temperature"),
    ({"prompts": {"evaluator": "Talk."}}, "prompts.evaluator"),
    ({"target": {"user": "v", "chatbot": "marcus"}}, "target.user"),
    ({"maxTurns": 4}, "maxTurns"),
    ({"trialTimeoutSeconds": 4}, "trialTimeoutSeconds"),
    ({"settleSeconds": 2}, "settleSeconds"),
    ({"greetings": ["Hi"]}, "greetings"),
    ({"seeds": [{"text": "Once"}]}, "seeds"),
    ({"setups": [{"cypher": "CREATE (:A)"}]}, "setups"),
    ({"tasks": [{**TASK, "task": "Remind him"}]}, "tasks[0].task"),
    ({"tasks": [TASK, TASK]}, "tasks"),
    ({"facts": ["It is Tuesday"]}, "facts[0]"),
    ({"tasks": [], "facts": [], "scenarios": [{"id": "s", "category": "c", "input": "Hi"}]}, "tasks, facts, scenarios"),
]


def job(**changes: Any) -> Job:
    return Job.model_validate(HELD | changes)


@pytest.mark.parametrize("changes", CORRECTABLE)
def test_what_judges_assertions_and_scores_go_by_takes_effect(changes: dict[str, Any]) -> None:
    corrected = job(**changes)
    assert corrected_jobs([corrected], [job()]) == {"reminders": corrected}


@pytest.mark.parametrize(("changes", "named"), OTHER_CONVERSATIONS)
def test_what_would_need_other_conversations_is_refused_by_its_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        corrected_jobs([job(**changes)], [job()])
    assert str(refused.value) == (
        f"job reminders: {named} cannot be corrected afterwards: the conversations took place with the old values; "
        "change them back, or run a new evaluation"
    )


@pytest.mark.parametrize(("then", "now"), [(None, ["tea"]), (["tea"], None), (["tea"], ["tea", "milk"]), (1, True)])
def test_another_kind_of_expectation_of_a_scenario_is_refused_by_its_name(then: object, now: object) -> None:
    held, corrected = (
        job(tasks=[], facts=[], scenarios=[{"id": "s", "category": "c", "input": "Hi", "expected": {"drinks": drinks}}])
        for drinks in (then, now)
    )
    with pytest.raises(ConfigurationError, match=r"scenarios\[0\]\.expected\.drinks cannot be corrected afterwards"):
        corrected_jobs([corrected], [held])


def test_no_part_of_a_job_is_left_out_here() -> None:
    tried = {key for changes in [*CORRECTABLE, *(changes for changes, _ in OTHER_CONVERSATIONS)] for key in changes}
    assert tried | {"name"} == {field.alias for field in Job.model_fields.values()}


@pytest.mark.parametrize(
    "changed",
    [
        {**QUERY, "cypher": "RETURN 2"}, {**QUERY, "parameters": {"x": 1.0}}, {**QUERY, "parameters": {}},
        {**QUERY, "name": "another"},
    ],
)  # fmt: skip
def test_a_query_that_was_not_asked_cannot_be_asked_now(changed: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="so it has no rows to check; keep "):
        corrected_jobs([job(assertions=[changed])], [job()])
    held = job(assertions=[{**QUERY, "condition": "supplied"}])
    with pytest.raises(ConfigurationError, match="the query of assertion 1 was not run"):
        corrected_jobs([job()], [held])


SECRETIVE: dict[str, Any] = {
    "facts": ["My KD-4711 and KD-12 here", "KD-9"], "setups": [{"cypher": "CREATE (:KD {number: 'KD-1'})"}],
    "assertions": [{**QUERY, "parameters": {"x": "KD-4711"}, "expected": "KD-4711"}],
}  # fmt: skip


def test_what_was_blanked_then_stays_blanked_though_nothing_blanks_it_now() -> None:
    held, new = job(**SECRETIVE).blanked(Redactor(["KD-[0-9]+"])), {"expression": "true"}
    corrected = job(**SECRETIVE | {"holdout": True, "assertions": [*SECRETIVE["assertions"], new]})
    [found] = corrected_jobs([corrected], [held]).values()
    assert found.facts == ("My [redacted] and [redacted] here", "[redacted]")
    assert [assertion.model_dump()["parameters"] for assertion in found.assertions[:1]] == [{"x": "[redacted]"}]
    assert (found.holdout, len(found.assertions)) == (True, 2)


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"facts": ["My KD-4711 and KD-12 there", "KD-9"]}, r"facts\[0\] cannot be corrected"),
        ({"facts": ["My KD-4711, KD-12 here", "KD-9"]}, r"facts\[0\] cannot be corrected"),
        ({"setups": [{"cypher": "CREATE (:Other {number: 'KD-1'})"}]}, r"setups\[0\].cypher cannot be corrected"),
        ({"assertions": [{**QUERY, "parameters": {"y": "KD-4711"}}]}, "the query of assertion 1 was not run"),
    ],
)
def test_around_what_was_blanked_nothing_may_change(changes: dict[str, Any], refused: str) -> None:
    held = job(**SECRETIVE).blanked(Redactor(["KD-[0-9]+"]))
    with pytest.raises(ConfigurationError, match=refused):
        corrected_jobs([job(**SECRETIVE | changes)], [held])


def test_a_correction_of_a_text_that_still_holds_its_secret_is_taken() -> None:
    redactor = Redactor(["KD-[0-9]+"])
    held, corrected = (
        job(tasks=[{"task": "t", "acceptanceCriteria": f"Never tells KD-1{more}"}]).blanked(redactor)
        for more in ("", ", and is kind")
    )
    [found] = corrected_jobs([corrected], [held]).values()
    assert found.tasks[0].acceptance_criteria == "Never tells [redacted], and is kind"


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("It tells KD-4711", "It tells that it may not tell"), ("KD-4711 is told", "No number is told"),
        ("KD-4711", "It is silent"), ("KD-4711 and KD-12", "a and b"),
    ],
)  # fmt: skip
def test_a_correction_by_which_the_secret_goes_is_taken(then: str, now: str) -> None:
    held, corrected = (
        job(
            tasks=[{"task": "Tell KD-4711", **dict.fromkeys(["acceptanceCriteria", "requirements", "context"], text)}],
            prompts={"wisdom": text},
            assertions=[
                {**QUERY, "parameters": {"x": "KD-4711"}, "expected": text}, {"expression": f'"{text}".isBlank()'},
            ],
        )
        for text in (then, now)
    )  # fmt: skip
    redactor = Redactor(["KD-[0-9]+"])
    [found] = corrected_jobs([corrected.blanked(redactor)], [held.blanked(redactor)]).values()
    assert found == corrected.blanked(redactor)


def test_many_blanks_do_not_take_for_ever() -> None:
    told = " ".join(f"KD-{number}" for number in range(2000)) + " in all"
    held = job(facts=[told]).blanked(Redactor(["KD-[0-9]+"]))
    with pytest.raises(ConfigurationError, match=r"facts\[0\] cannot be corrected"):
        corrected_jobs([job(facts=[f"{told}?"])], [held])


def test_a_job_that_was_not_held_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="job left-out was not part of the evaluation; its jobs are reminders"):
        corrected_jobs([job(name="left-out")], [job()])


def test_how_the_agent_is_reached_does_not_matter_any_more_but_what_it_can_show_does() -> None:
    held = job(target={**HELD["target"], "protocol": "openai"})  # as its release said
    moved = job(target={**HELD["target"], "url": "http://elsewhere", "timeoutSeconds": 3}, holdout=True)
    assert corrected_jobs([moved], [held])["reminders"] == held.model_copy(update={"holdout": True})
    looks = job(assertions=[QUERY, {"expression": "objectContext.resources.isEmpty()"}])
    with pytest.raises(ConfigurationError, match=r"job reminders: assertions\[1\]\.expression: protocol openai has no"):
        corrected_jobs([looks], [held])


def test_many_differences_are_cut_and_other_jobs_stay() -> None:
    held, other = job(facts=[f"fact {number}" for number in range(8)]), job(name="other")
    assert corrected_jobs([], [held, other]) == {"reminders": held, "other": other}
    with pytest.raises(ConfigurationError, match=r"facts\[3\], facts\[4\] and 3 more cannot"):
        corrected_jobs([job(facts=[f"other {number}" for number in range(8)])], [held])


SLIP = {"expression": "evaluation.functionCalls.size"}


def test_an_expression_that_is_new_and_can_never_be_true_is_refused_at_its_place() -> None:
    corrected = job(assertions=[QUERY, SLIP | {"weight": 2}])
    told = r"job reminders: assertions\[1\]\.expression: what must be true or false here is always a Number; compare it"
    with pytest.raises(ConfigurationError, match=told):
        refuse_slips([corrected], [job(), job(name="other", assertions=[SLIP])])
    refuse_slips([corrected], [job(assertions=[SLIP])])
    refuse_slips([job(assertions=[{"expression": "evaluation.functionCalls.size > 1"}])], [job()])
