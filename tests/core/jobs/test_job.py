"""A job: its hash, its trials, its assertions and scenarios, and how it is stored without secrets."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import ExpressionAssertion, Target
from stoic_assets.core.secrets.redaction import BLANK, Redactor

MakeJob = Callable[..., Job]


class Later(Job):
    """A job of a later release, with one key more."""

    persona: str | None = None


def test_the_hash_covers_what_determines_a_conversation_but_no_header(make_job: MakeJob) -> None:
    job = make_job()
    changes: list[dict[str, Any]] = [
        {"facts": ["f"]}, {"maxTurns": 4}, {"name": "other"}, {"user": "u2"}, {"evaluator": {"voice": "v"}},
        {"settleSeconds": 1},
        {"setups": [{"cypher": "x"}]}, {"seeds": [{"text": "x"}]}, {"prompts": {"wisdom": "{{ tasks }}"}},
        {"assertions": [{"cypher": "x", "expected": 1}]}, {"assertions": [{"cypher": "x", "expected": True}]},
        {"assertions": [{"cypher": "x", "expected": 1.0}]}, {"assertions": [{"cypher": "x", "expected": "1"}]},
    ]
    assert len({job.hash(), *(make_job(**change).hash() for change in changes)}) == len(changes) + 1
    assert make_job().hash() == job.hash()
    written = job.model_dump(mode="json", by_alias=True)
    assert Later.model_validate(written).hash() == job.hash()
    assert Later.model_validate({**written, "persona": "Seneca"}).hash() != job.hash()
    elsewhere = {"user": "u", "chatbot": "c", "url": "http://elsewhere", "protocol": "openai"}
    aside = make_job(repeats=3, tags=["x"], holdout=True, target=elsewhere)
    assert aside.hash() != job.hash()
    assert aside.question_hash() == job.question_hash() != make_job(facts=["f"]).question_hash()
    hasty = make_job(target={"user": "u", "chatbot": "c", "timeoutSeconds": 1})
    assert hasty.question_hash() != job.question_hash(), "the agent fails where it had time to reply"
    as_ever = make_job(maxTurns=20, setups=[], settleSeconds=0)
    assert as_ever.question_hash() == job.question_hash(), "a default asks for nothing new"
    held = [job.model_copy(update={"target": Target(user="u", chatbot="c", headers={"X-Key": key})}) for key in "ab"]
    assert held[0].hash() == held[1].hash() == job.hash()


@pytest.mark.parametrize(
    ("job", "reordered"),
    [
        ({"virtues": {"wisdom": 2, "justice": 1}}, {"virtues": {"justice": 1, "wisdom": 2}}),
        ({"prompts": {"wisdom": "w", "justice": "j"}}, {"prompts": {"justice": "j", "wisdom": "w"}}),
        (
            {"assertions": [{"cypher": "x", "expected": {"a": {"b": 1, "c": 2}}, "parameters": {"p": 4, "q": 5}}]},
            {"assertions": [{"cypher": "x", "expected": {"a": {"c": 2, "b": 1}}, "parameters": {"q": 5, "p": 4}}]},
        ),
    ],
)
def test_the_order_of_keys_does_not_change_a_hash(
    make_job: MakeJob, job: dict[str, Any], reordered: dict[str, Any]
) -> None:
    first, second = make_job(**job), make_job(**reordered)
    assert (first.hash(), first.question_hash()) == (second.hash(), second.question_hash())


def test_the_order_in_which_a_judge_reads_a_task_changes_a_hash(make_job: MakeJob) -> None:
    task = {"task": "t", "acceptanceCriteria": "a"}
    jobs = [make_job(tasks=[task | {"context": context}]) for context in ({"a": 1, "b": 2}, {"b": 2, "a": 1})]
    assert jobs[0].hash() != jobs[1].hash()
    assert jobs[0].question_hash() != jobs[1].question_hash()


def test_header_values_are_never_written_out(make_job: MakeJob) -> None:
    target = {"user": "u", "chatbot": "c", "headers": {"Authorization": "Bearer tr0ub4dor"}}
    job = Job.model_validate({**make_job().model_dump(by_alias=True), "target": target})
    assert job.target.headers == {"Authorization": "Bearer tr0ub4dor"}
    assert "tr0ub4dor" not in job.model_dump_json(by_alias=True)
    assert "tr0ub4dor" not in str(job.model_dump())


@pytest.mark.parametrize(
    ("keys", "isolated"),
    [
        ({}, False),
        ({"user": "u-{trial}"}, True),
        ({"setups": [{"cypher": "CREATE (:A {t: $trial})"}]}, True),
        ({"assertions": [{"cypher": "MATCH (n {s: $session}) RETURN 1", "expected": 1}]}, True),
        ({"setups": [{"cypher": "CREATE (:A {u: $user, v: $agent_version})"}]}, False),
        ({"setups": [{"cypher": "CREATE (:A {t: '$trial'}) // $session"}]}, False),
        ({"seeds": [{"text": "$trial"}]}, False),
    ],
)
def test_a_trial_is_isolated_by_a_user_or_by_cypher_of_its_own(
    make_job: MakeJob, keys: dict[str, Any], isolated: bool
) -> None:
    assert make_job(**keys).is_isolated() is isolated


def test_assertions_are_keyed_by_name_else_number_whatever_the_condition(make_job: MakeJob) -> None:
    job = make_job(
        assertions=[
            {"expression": "evaluation.done"},
            {"cypher": "x", "expected": 1, "condition": "supplied"},
            {"cypher": "y", "expected": 1, "name": "own", "condition": "withheld"},
            {"expression": "evaluation.done"},
        ]
    )
    assert [key for key, _ in job.assertions_of("withheld")] == ["1", "own", "4"]
    assert [key for key, _ in job.assertions_of("supplied")] == ["1", "2", "4"]


def test_a_virtue_without_a_weight_weighs_one(make_job: MakeJob) -> None:
    assert make_job(virtues={"wisdom": 2, "justice": 0}).weights() == {
        "wisdom": 2.0, "courage": 1.0, "justice": 0.0, "temperance": 1.0, "practical_wisdom": 1.0,
    }


def test_a_scenario_is_found_by_its_id_or_missed_by_it(make_job: MakeJob) -> None:
    scenarios = [{"id": each, "category": "c", "input": f"I am {each}"} for each in ("a", "b")]
    job = make_job(scenarios=scenarios)
    assert job.scenario("b").input == "I am b"
    with pytest.raises(ConfigurationError, match="has no scenario 'c'; judge with the job of that evaluation"):
        job.scenario("c")


@pytest.mark.parametrize("identity", ["a b", "../x", "", "a/b", ".hidden", "a~b", "ü", "a" * 101])
def test_the_id_of_a_scenario_must_be_safe_for_files(make_job: MakeJob, identity: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        make_job(scenarios=[{"id": identity, "category": "c", "input": "i"}])
    with pytest.raises(ValueError, match="'a' is a name already"):
        make_job(scenarios=[{"id": "a", "category": "c", "input": "i"}] * 2)


def test_a_blanked_job_is_the_same_job_without_secrets_and_headers() -> None:
    task = {
        "task": "say sk-a", "acceptanceCriteria": "sk-b", "context": {"id": "sk-c"}, "requirements": {"type": ["sk-d"]},
    }
    assertions = [
        {
            "name": "sk-name", "cypher": "RETURN 'sk-e'", "expected": "sk-f", "parameters": {"id": "sk-g"},
            "condition": "withheld",
        },
        {"expression": 'objectContext.entities.any { it.name == "sk-h" }', "weight": 2},
    ]
    job = Job.model_validate(
        {
            "name": "sk-job", "target": {"user": "sk-i", "chatbot": "c", "headers": {"X": "sk-j"}}, "tasks": [task],
            "facts": ["sk-k"], "assertions": assertions, "seeds": [{"text": "sk-l"}], "virtues": {"wisdom": 2},
            "setups": [{"cypher": "sk-m"}], "prompts": {"wisdom": "sk-n"}, "greetings": ["sk-o"], "tags": ["sk-p"],
        }
    )
    blanked = job.blanked(Redactor(["sk-[a-z]+"], ["embabel", "wisdom"]))
    assert (blanked.name, blanked.target.protocol, list(blanked.virtues)) == ("sk-job", "embabel", ["wisdom"])
    assert [key for key, _ in blanked.keyed_assertions()] == ["sk-name", "2"]
    assert blanked.model_dump_json().count("sk-") == 2  # the names alone
    assert blanked.tasks[0].context == {"id": BLANK}
    assert blanked.assertions[1] == ExpressionAssertion(
        expression=f'objectContext.entities.any {{ it.name == "{BLANK}" }}', weight=2
    )
    assert blanked.blanked(Redactor(["sk-[a-z]+"])).facts == (BLANK,)


def test_a_pattern_that_takes_more_than_the_secret_is_told(make_job: MakeJob) -> None:
    job = make_job(assertions=[{"expression": 'objectContext.entities.any { it.name == "sk-a" }'}])
    with pytest.raises(ConfigurationError, match=r"^job job: assertions\.0\.expression: no longer valid once"):
        job.blanked(Redactor(["sk-.*"]))


def test_a_host_may_be_a_secret(make_job: MakeJob) -> None:
    job = make_job(target={"user": "u", "chatbot": "c", "url": "http://marcus.corp.example:8081"})
    stored = job.blanked(Redactor([r"[a-z.]+\.corp\.example"]))
    assert Job.model_validate_json(stored.model_dump_json(by_alias=True)).target.url == "http://[redacted]:8081"
