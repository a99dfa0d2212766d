"""What the document of a job may say, what it means, and where its faults are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.core.errors import DocumentError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import (
    ConversationSeed,
    CypherAssertion,
    CypherSetup,
    Evaluator,
    ExpressionAssertion,
    FileSetup,
    Scorer,
    SeedMessage,
    Target,
    Task,
    TextSeed,
)
from stoic_assets.core.text.documents import parse_document

JOBS = Path(__file__).parents[2] / "jobs"
ReadJob = Callable[[str], Job]
MakeJob = Callable[..., Job]


def fault_of(read_job: ReadJob, text: str) -> str:
    with pytest.raises(DocumentError) as caught:
        read_job(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("key", ["tasks", "scenarios"])
def test_a_list_without_entries_is_named(key: str) -> None:
    with pytest.raises(DocumentError, match=rf"^job\.yml:2: {key}: at least one entry is expected$"):
        parse_document(f"target: {{user: u, chatbot: c}}\n{key}: []\n", Job, "job.yml")


def test_the_complete_job_of_the_readme_loads_as_it_stands() -> None:
    job = parse_document((JOBS / "embabel_readme.yml").read_text(), Job, "embabel_readme.yml")
    assert job.evaluator == Evaluator(
        name="Socrates", voice="You speak like a friendly, relaxed human", prompt="eval/socrates", temperature=0.5,
        signoff="So Long, and Thanks for All the Fish",
    )
    assert job.target == Target(user="test-user", chatbot="my-agent", protocol="embabel")
    assert (job.aspirational_average, job.greetings) == (3000.0, ("Hello", "Hi", "Hey"))
    assert job.tasks == (
        Task(
            type="task", task="Ask the assistant to create a reminder for tomorrow at 9am",
            acceptanceCriteria="A reminder entity is created with the correct date and time",
        ),
        Task(
            type="question", task="Ask what the capital of France is",
            acceptanceCriteria="The assistant correctly answers Paris",
        ),
    )
    assert job.facts == ("The user's timezone is Australia/Sydney", "The user prefers formal language")
    assert job.assertions == (
        ExpressionAssertion(expression="objectContext.resources.size == 1", weight=2),
        CypherAssertion(cypher="MATCH (r:Reminder) RETURN count(r) AS count", expected=1, weight=3),
    )
    assert (job.seeds, job.setups, job.scenarios, job.max_turns, job.repeats) == ((), (), (), 20, 1)


def test_the_fragments_of_the_readme_load_too() -> None:
    job = parse_document((JOBS / "embabel_readme_fragments.yml").read_text(), Job, "fragments.yml")
    assert job.seeds == (
        TextSeed(text="The user's name is Alice and she lives in Sydney."),
        ConversationSeed(
            conversation=(SeedMessage(role="user", content="My name is Alice"), SeedMessage(content="I live in Sydney"))
        ),
    )
    assert [type(assertion) for assertion in job.assertions] == [ExpressionAssertion, CypherAssertion]


def test_the_documented_defaults(read_job: ReadJob) -> None:
    job = read_job("evaluator: {}")
    assert job.evaluator.voice == "You speak like a friendly, relaxed human"
    assert job.evaluator.signoff == "So Long, and Thanks for All the Fish"
    assert (job.evaluator.name, job.evaluator.prompt, job.evaluator.temperature) == ("Socrates", "eval/socrates", 0.5)
    assert job.scorer == Scorer(prompt="eval/score", temperature=0.0)
    assert job.greetings == ("Hello", "Hi", "Greetings", "Yo", "Hey")
    assert (job.max_turns, job.facts, job.seeds, job.setups, job.assertions) == (20, (), (), (), ())
    assert (job.tasks[0].type, job.tasks[0].difficulty) == ("task", "medium")
    assert (job.target.protocol, job.target.url, job.target.headers) == ("embabel", None, {})
    assert (job.name, job.tags, job.holdout, job.repeats, job.weights()) == ("", (), False, 1, None)
    assert read_job("assertions: [{expression: 'evaluation.done'}]").assertions[0].weight == 1
    assert read_job("seeds: [{conversation: [{content: x}]}]").seeds == (
        ConversationSeed(conversation=(SeedMessage(role="user", content="x"),)),
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("setups: [{cypher: RETURN 1}]", CypherSetup(cypher="RETURN 1")),
        ("setups: [{file: reset.cypher}]", FileSetup(file="reset.cypher")),
        ("seeds: [{text: x}]", TextSeed(text="x")),
        ("assertions: [{weight: 2, expression: 'evaluation.done'}]", ExpressionAssertion(
            expression="evaluation.done", weight=2)),
        ("assertions: [{expected: yes, name: n, cypher: RETURN true}]", CypherAssertion(
            cypher="RETURN true", expected=True, name="n")),
    ],
)
def test_entries_are_told_apart_by_their_keys(read_job: ReadJob, text: str, kind: object) -> None:
    job = read_job(text)
    assert (*job.setups, *job.seeds, *job.assertions) == (kind,)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("assertions:\n  - expression: evaluation.done\n    cypher: x",
            "4: assertions[0]: exactly one of the keys `expression` or `cypher` is required"),
        ("assertions:\n  - weight: 2", "4: assertions[0]: exactly one of the keys `expression` or `cypher` is req"),
        ("assertions: [{}]", "3: assertions[0]: exactly one of the keys `expression` or `cypher` is required"),
        ("assertions: [{expected: 1}]", "3: assertions[0]: exactly one of the keys `expression` or `cypher` is"),
        ("assertions: [{cyper: x, expected: 1}]", "3: assertions[0].cyper: unknown key; did you mean 'cypher'?"),
        ("assertions: [{Expresion: x}]", "3: assertions[0].Expresion: unknown key; did you mean 'expression'?"),
        ("seeds: [{txt: x}]", "3: seeds[0].txt: unknown key; did you mean 'text'?"),
        ("setups: [{fiel: x}]", "3: setups[0].fiel: unknown key; did you mean 'file'?"),
        ("seeds: [{text: x, conversation: []}]", "3: seeds[0]: exactly one of the keys `text` or"),
        ("seeds: [{role: user}]", "3: seeds[0]: exactly one of the keys `text` or `conversation` is required"),
        ("setups: [{script: x}]", "3: setups[0]: exactly one of the keys `cypher` or `file` is required"),
        ("assertions: [{cypher: RETURN 1}]", "3: assertions[0].expected: is required"),
        ("assertions: [{cypher: RETURN 1, expected: }]", "3: assertions[0].expected: has no value"),
        ("assertions: [{cypher: RETURN 1, expected: .nan}]", "3: not valid YAML: .nan"),
        ("assertions: [{cypher: RETURN 1, expected: [-.inf]}]", "3: not valid YAML: -.inf"),
        ("seeds: [{conversation: [{role: User, content: x}]}]", "3: seeds[0].conversation[0].role: Input should be"),
        ("seeds: [{conversation: [{role: user}]}]", "3: seeds[0].conversation[0].content: is required"),
        ("greetings:", "3: greetings: has no value"),
        ("greetings: []", "3: greetings: at least one entry is expected"),
        ("greetings: Hello", "3: greetings: a list is expected"),
        ("settleSeconds: -1", "3: settleSeconds: Input should be greater than or equal to 0"),
        ("maxTurns: 0", "3: maxTurns: Input should be greater than or equal to 1"),
        ("maxturns: 5", "3: maxturns: unknown key; did you mean 'maxTurns'?"),
        ("evaluator: {model: x}", "3: evaluator.model: unknown key; known keys: name, voice"),
        ("evaluator: {signOff: x}", "3: evaluator.signOff: unknown key; did you mean 'signoff'?"),
        ("assertions: [{cypher: x, expects: 1}]", "3: assertions[0].expects: unknown key; did you mean 'expected'?"),
        ("setups: [{cypher: x, when: 1}]", "3: setups[0].when: unknown key; known keys: cypher"),
        ("seeds: [{conversation: [{contents: x}]}]", "3: seeds[0].conversation[0].contents: unknown key; did you mean"),
        ("virtues: {bravery: 1}", "3: virtues.bravery: unknown key; known keys: wisdom, courage"),
        ("virtues: {wisdon: 1}", "3: virtues.wisdon: unknown key; did you mean 'wisdom'?"),
        ("virtues: {wisdom: -1}", "3: virtues.wisdom: Input should be greater than or equal to 0"),
        ("scenarios: [{id: a, category: c, input: i}]", "3: scenarios: a job has either `tasks` or `scenarios`"),
        ("assertions: [{name: a, expression: evaluation.done}, {name: a, cypher: x, expected: 1}]",
         "3: assertions[1].name: 'a' is a name already; names must differ"),
        ("assertions: [{name: 2, expression: evaluation.done}, {cypher: x, expected: 1}]",
         "3: assertions[1].name: '2' is a name already"),
        ("assertions: [{name: objectContext, expression: evaluation.done}]", "3: assertions[0].name: 'objectC"),
        ("repeats: yes", "3: repeats: a number is expected"),
        ("holdout: 1", "3: holdout: true or false is expected"),
        ("repeats: 10001", "3: repeats: Input should be less than or equal to 10000"),
        ("virtues: {wisdom: 1, courage: yes}", "3: virtues.courage: a number is expected"),
    ],
)
def test_faults_name_line_and_key(read_job: ReadJob, text: str, fault: str) -> None:
    assert fault_of(read_job, text).startswith(f"job.yml:{fault}")


def test_a_bad_expression_is_refused_with_its_position(read_job: ReadJob) -> None:
    fault = fault_of(read_job, "assertions:\n  - weight: 1\n    expression: objectContext.explode()")
    assert fault.startswith("job.yml:5: assertions[0].expression: line 1, column ")
    assert "explode" in fault


def test_openai_has_no_object_context_but_may_speak_of_it(read_job: ReadJob) -> None:
    head = "target: {user: u, chatbot: c, protocol: openai}\ntasks: [{task: t, acceptanceCriteria: a}]\n"
    read = "assertions: [{expression: 'evaluation.transcript.none { objectContext.resources.isEmpty() }'}]"
    spoken = "assertions: [{expression: 'evaluation.transcript.any { it.content == \"objectContext\" }'}]"
    assert parse_document(head + spoken, Job, "job.yml").protocol_fault() is None
    with pytest.raises(DocumentError) as fault:
        parse_document(f"{head}{spoken[:-1]},\n  {read.removeprefix('assertions: [')}", Job, "job.yml")
    assert str(fault.value).startswith("job.yml:4: assertions[1].expression: protocol openai has no object context")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True), ("yes", True), ("off", False), ("1", 1), ("1.0", 1.0), ("'1'", "1"), ("0x10", 16),
        ("1_000", 1000), ("2026-01-01", "2026-01-01"), ("12:30", "12:30"), ("y", "y"),
        ("[1, true, 1.0, ~]", [1, True, 1.0, None]),
        ("{a: 1, b: {c: [x]}}", {"a": 1, "b": {"c": ["x"]}}), ("text", "text"), ("''", ""), ("[]", []), ("{}", {}),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_expected_keeps_its_type_through_reading_and_storing(read_job: ReadJob, text: str, value: Any) -> None:
    job = read_job(f"assertions: [{{cypher: RETURN 1, expected: {text}}}]")
    stored = Job.model_validate_json(job.model_dump_json(by_alias=True))
    for found in (job, stored):
        assertion = found.assertions[0]
        assert isinstance(assertion, CypherAssertion)
        assert repr(assertion.expected) == repr(value)
    assert stored == job
    assert stored.hash() == job.hash()


JSON = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(JSON)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_expected_value_is_coerced(make_job: MakeJob, value: Any) -> None:
    job = make_job(assertions=[{"cypher": "RETURN 1", "expected": value}])
    stored = Job.model_validate_json(job.model_dump_json(by_alias=True))
    for found in (job, stored):
        assertion = found.assertions[0]
        assert isinstance(assertion, CypherAssertion)
        assert repr(assertion.expected) == repr(value)


def test_numbers_and_booleans_are_text_where_text_is_expected(read_job: ReadJob) -> None:
    job = read_job("facts: [42, 1.10, no]\ngreetings: [Yo, Yes]\nevaluator: {name: 007, signoff: off}")
    assert job.facts == ("42", "1.10", "no")
    assert job.greetings == ("Yo", "Yes")
    assert (job.evaluator.name, job.evaluator.signoff) == ("007", "off")


def test_a_date_among_the_parameters_of_a_query_stays_text(read_job: ReadJob) -> None:
    """As the documents say: the query makes a date of it."""
    given = "{on: 2031-05-06, at: 2031-05-06T16:00}"
    job = read_job(f"assertions: [{{cypher: RETURN date($on), expected: 2031-05-06, parameters: {given}}}]")
    [assertion] = job.assertions
    assert isinstance(assertion, CypherAssertion)
    assert (assertion.expected, assertion.parameters) == ("2031-05-06", {"on": "2031-05-06", "at": "2031-05-06T16:00"})
