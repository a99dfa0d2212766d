from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from stoic_assets.core.assertions import bindings
from stoic_assets.core.assertions.bindings import object_context
from stoic_assets.core.conversation.evidence import Evidence, Observation, Turn
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.trial import Condition, Trial
from stoic_assets.core.scoring.assertion_results import AssertionResult, decide
from stoic_assets.core.secrets.redaction import BLANK, Redactor

CONTEXT = {
    "context": "", "functions": [],
    "resources": [{"id": "r1", "name": "tea", "labels": ["DomainNode", "Reminder"], "properties": {"hour": 9}}],
}
SEEN = Observation("objectContext", "object_context", "", result=CONTEXT)
CALL = {"request": {"function": {"name": "create_reminder"}, "arguments": {"hour": 9}, "context": ""}}
TURNS = (Turn(0, "user", "Hi"), Turn(1, "agent", "Salve", 12.5, 1, (CALL,)), Turn(2, "user", "Vale"))
Decide = Callable[..., AssertionResult]


def evidence(
    *seen: Observation, outcome: Any = "signed_off", condition: Condition = "withheld", **rest: Any
) -> Evidence:
    """What a trial left; further fields as keyword arguments."""
    trial = Trial("t1", "job", condition, 1, "alice")
    fields: dict[str, Any] = {"session_id": "s1", "failure_count": 2, "evaluator_model": "sage", "turns": TURNS, **rest}
    return Evidence(trial, outcome, observations=seen, started_at="", ended_at="", **fields)


def job_of(*assertions: dict[str, Any]) -> Job:
    tasks = [{"task": "Ask the time", "acceptanceCriteria": "It is told"}]
    target = {"user": "u", "chatbot": "c"}
    return Job.model_validate({"name": "job", "target": target, "tasks": tasks, "assertions": list(assertions)})


def decided(assertion: dict[str, Any], found: Evidence) -> AssertionResult:
    (result,) = all_decided(job_of(assertion), found)
    return result


def all_decided(job: Job, found: Evidence, *patterns: str) -> list[AssertionResult]:
    return decide(job, found, "gpt-x", Redactor(patterns))


def cypher(expected: Any, rows: Any = None, error: str | None = None) -> AssertionResult:
    seen = Observation("1", "cypher", "RETURN 1", {}, rows, error)
    return decided({"cypher": "RETURN 1", "expected": expected, "weight": 3}, evidence(seen))


def test_a_query_that_finds_what_is_expected_passes() -> None:
    assert cypher(1, [{"count": 1}]) == AssertionResult("t1", "1", "cypher", "RETURN 1", 3.0, "1", "1", True, None)


def test_expected_and_found_are_stored_in_letters_that_people_read() -> None:
    result = cypher("墨尔本", [{"place": "Zürich \u202e"}])
    assert (result.expected, result.actual) == ('"墨尔本"', r'"Zürich \u202e"')
    assert result.error == f"expected {result.expected}, got {result.actual}"  # a report then shows it once


@pytest.mark.parametrize(
    ("expected", "found", "passed"),
    [
        (1, 1.0, True), (1.0, 1, True), (1, "1", False), (True, 1, False), (True, True, True),
        ([1, {"a": None}], [1.0, {"a": None}], True),
        ("2026-11-22", {"$type": "date", "value": "2026-11-22"}, True),
        ({"$type": "date", "value": "2026-11-22"}, "2026-11-22", False),
    ],
)
def test_values_are_compared_with_their_types(expected: Any, found: Any, passed: bool) -> None:
    result = cypher(expected, [{"x": found}])
    assert result.passed is passed
    assert (result.error is None) is passed


@pytest.mark.parametrize(
    ("column", "there", "expected", "passed"),
    [
        ("w.password", "hunter22", "hunter22", True), ("w.password", "hunter22", "none", False),
        ("w.password", "none", "hunter22", False), ("passwords", ["hunter22", "a1"], ["hunter22", "a1"], True),
        ("w", {"password": "hunter22"}, {"password": "hunter22"}, True), ("w.pin", 4711, 4711, True),
        ("w.password", {"$type": "date", "value": "2026-11-22"}, "2026-11-22", True),
    ],
)  # fmt: skip
def test_what_is_a_secret_only_below_its_column_equals_what_is_one_there(
    column: str, there: Any, expected: Any, passed: bool
) -> None:
    patterns = [r"passwords?=\w*\d\w*", r"pin=\d+"]
    redactor = Redactor(patterns)
    job = job_of({"cypher": "RETURN 1", "expected": expected}).blanked(redactor)
    row = redactor.row({"result": [{column: there}]})
    [result] = all_decided(job, evidence(Observation("1", "cypher", "RETURN 1", **row)), *patterns)
    assert (result.passed, result.error is None) == (passed, passed)
    assert BLANK not in str(result.actual) or (result.expected == result.actual) is passed


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], "0 rows, not one"), ([{"a": 1}, {"a": 2}], "2 rows"), ([{"a": 1, "b": 2}], "2 columns (a, b)"),
        ([{}], "0 columns"),
    ],
)
def test_a_result_of_another_shape_fails_and_says_why(rows: Any, problem: str) -> None:
    result = cypher(1, rows)
    assert (result.passed, result.actual) == (False, None)
    assert result.error is not None
    assert problem in result.error


def test_a_query_that_failed_has_failed_and_one_that_was_never_run_was_not_observed() -> None:
    failed = cypher(1, None, "syntax error")
    assert (failed.passed, failed.error, failed.actual) == (False, "syntax error", None)
    missing = decided({"cypher": "RETURN 1", "expected": 1}, evidence(outcome="infra_error"))
    assert (missing.passed, missing.error, missing.actual) == (None, None, None)


@pytest.mark.parametrize(
    ("expression", "passed"),
    [
        ('objectContext.entities.any { it.type == "Reminder" && it.hour == 9 }', True),
        ("objectContext.resources.isEmpty()", False),
        ('evaluation.transcript.map { it.role } == evaluation.transcript.map { "user" }', False),
        ('evaluation.transcript.any { it.role == "assistant" && it.timeTakenMillis < 13 }', True),
        ('evaluation.functionCalls.first().function == "create_reminder"', True),
        ("evaluation.functionCalls.first().args.hour == 9", True),
        ("evaluation.failureCount == 2 && evaluation.done", True),
        ("evaluation.secretsTold == 0", True),
        ('evaluation.sessionId == "s1" && evaluation.model == "gpt-x"', True),
        ('evaluation.job.tasks.first().acceptanceCriteria == "It is told"', True),
    ],
)
def test_expressions_see_what_the_trial_left(expression: str, passed: bool) -> None:
    result = decided({"expression": expression, "name": "n", "weight": 3}, evidence(SEEN))
    assert (result.passed, result.error, result.weight) == (passed, None, 3.0)
    assert (result.assertion, result.kind, result.text, result.expected) == ("n", "expression", expression, "true")
    assert result.actual == ("true" if passed else "false")


@pytest.mark.parametrize(("outcome", "done"), [("signed_off", True), ("max_turns", False), ("judge_error", False)])
def test_only_a_conversation_that_was_signed_off_is_done(outcome: str, done: bool) -> None:
    assert decided({"expression": "evaluation.done"}, evidence(outcome=outcome)).passed is done


def test_an_expression_without_a_value_has_failed_with_the_reason() -> None:
    result = decided({"expression": 'objectContext.resources[5].id == "r1"'}, evidence(SEEN))
    assert (result.passed, result.actual) == (False, None)
    assert result.error


def test_an_object_context_that_was_not_to_be_had_fails_only_what_reads_it() -> None:
    seen = Observation("objectContext", "object_context", "", error="the agent is down")
    gone = evidence(seen, outcome="agent_error")
    assert decided({"expression": "objectContext.resources.isEmpty()"}, gone).error == "the agent is down"
    assert decided({"expression": "objectContext.resources.isEmpty()"}, gone).passed is False
    spoken = 'evaluation.transcript.none { it.content == "objectContext" }'
    assert decided({"expression": spoken}, gone).passed is True


def test_of_an_object_context_that_was_never_looked_at_is_told_why() -> None:
    never = evidence(outcome="agent_error", session_id="", turns=())
    result = decided({"expression": "objectContext.resources.isEmpty()"}, never)
    assert (result.passed, result.error) == (None, "no session was opened")
    assert decided({"expression": "evaluation.transcript.isEmpty()"}, never).passed is True


def test_an_agent_that_has_nothing_to_show_has_an_empty_object_context() -> None:
    nothing = evidence(Observation("objectContext", "object_context", "", result=None))
    assert decided({"expression": "objectContext.resources.isEmpty()"}, nothing).passed is True


def test_of_a_protocol_without_object_context_an_assertion_about_it_stays_undecided_without_a_problem() -> None:
    result = decided({"expression": "objectContext.resources.isEmpty()"}, evidence())
    assert (result.passed, result.error) == (None, None)


def test_a_trial_that_lost_its_graph_is_not_decided() -> None:
    assert decided({"expression": "evaluation.failureCount == 2"}, evidence(SEEN, outcome="infra_error")).passed is None
    unopened = evidence(outcome="infra_error", session_id="")
    result = decided({"expression": "objectContext.resources.isEmpty()"}, unopened)
    assert (result.passed, result.error) == (None, None), "no session is not the cause"


def test_only_assertions_of_the_condition_are_decided_each_by_its_key() -> None:
    job = job_of(
        {"expression": "evaluation.done"}, {"expression": "evaluation.done", "condition": "supplied"},
        {"cypher": "x", "expected": 1, "condition": "withheld"}, {"cypher": "y", "expected": 2, "name": "own"},
    )  # fmt: skip
    seen = [Observation(key, "cypher", "", result=[{"n": n}]) for key, n in (("3", 1), ("own", 2))]
    results = all_decided(job, evidence(*seen))
    assert [(r.assertion, r.passed) for r in results] == [("1", True), ("3", True), ("own", True)]
    assert [r.assertion for r in all_decided(job, evidence(*seen, condition="supplied"))] == ["1", "2", "own"]


def test_odd_data_of_the_agent_fails_only_what_reads_it() -> None:
    turns = (Turn(0, "user", "Hi"), Turn(1, "agent", "x", 1.0, 1, ({"request": "GET /x"},)))
    odd = evidence(Observation("objectContext", "object_context", "", result={"resources": "none"}), turns=turns)
    assert decided({"expression": "evaluation.transcript.size > 1"}, odd).passed is True
    assert decided({"expression": "evaluation.functionCalls.isEmpty()"}, odd).passed is True
    failed = decided({"expression": "objectContext.functions.isEmpty()"}, odd)
    assert (failed.passed, failed.error) == (False, "the agent sent `resources` as str; it must be a list")


def test_a_trial_s_object_context_is_made_visible_once_and_only_if_an_expression_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[object] = []

    def counted(raw: dict[str, Any]) -> dict[str, object]:
        made.append(raw)
        return object_context(raw)

    monkeypatch.setattr(bindings, "object_context", counted)
    many = job_of(*({"expression": f"objectContext.resources.size > {least}"} for least in range(5)))
    assert [result.passed for result in all_decided(many, evidence(SEEN))] == [True, False, False, False, False]
    assert len(made) == 1
    decided({"expression": "evaluation.done"}, evidence(SEEN))
    assert len(made) == 1


def test_expressions_that_share_what_they_see_leave_it_as_it_was() -> None:
    seen, resources = deepcopy(SEEN), "objectContext.resources"
    expressions = [
        f'{resources}.distinct().filter {{ it.hour > 0 }}.map {{ it.labels }}.last().containsAll(listOf("Reminder"))',
        f'{resources}.lastOrNull {{ it.name.uppercase() == "TEA" }} != null && {resources}.sumOf {{ it.hour }} == 9',
        f"{resources}.map {{ it.hour }}.maxOf {{ it }} == 9 && {resources}.single().properties.containsValue(9)",
        f'{resources}.first().labels.joinToString() == "DomainNode, Reminder"',
        f"evaluation.functionCalls.map {{ it.args }} == listOf({resources}.first().properties)",
    ]
    twice = [{"expression": each} for each in (*expressions, *expressions)]
    assert [(r.passed, r.error) for r in all_decided(job_of(*twice), evidence(seen))] == [(True, None)] * len(twice)
    assert seen == SEEN


def test_what_cannot_be_made_visible_fails_each_expression_that_reads_it() -> None:
    odd = evidence(Observation("objectContext", "object_context", "", result={"resources": "none"}))
    reading = {"expression": "objectContext.functions.isEmpty()"}
    results = all_decided(job_of(reading, {"expression": "evaluation.done"}, reading), odd)
    problem = "the agent sent `resources` as str; it must be a list"
    assert [(r.passed, r.error) for r in results] == [(False, problem), (True, None), (False, problem)]
