"""The complete job of Embabel's README, as it stands, on somebody else's agent and somebody else's model server."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from agents import EmbabelAgent
from contract import VIRTUES, check_document, overall, quoted
from double import Double
from model_server import ModelServer
from stoic_command import Stoic

JOB = Path(__file__).parents[1] / "jobs" / "embabel_readme.yml"
FACTS = ("The user's timezone is Australia/Sydney", "The user prefers formal language")
CRITERIA = ("A reminder entity is created with the correct date and time", "The assistant correctly answers Paris")
AGENT_KEY, TOKEN, PASSWORD = "agent-key-5f3c9a77", "crm-7d1e55b0c2", "hunter2-in-an-address"
ACCOUNT, PATTERNS = "acct-904417", [r"acct-\d{6}", r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"]
MARKS = {"task_1": 0.9, "task_2": 0.6, "tone": 0.3, "wisdom_verdict": 0.9, "courage_verdict": 0.3}


@pytest.fixture
def reminding(running: Callable[[Double], Any], cypher: Callable[..., list[dict[str, Any]]]) -> EmbabelAgent:
    """An agent that keeps reminders in the subject graph, asks for a key, and is so careless as to repeat it."""

    def remember(user: str, text: str) -> dict[str, Any] | None:
        if "9am" not in text:
            return None
        cypher("MERGE (:Reminder {user: $user})", user=user)
        name = f"reminder {AGENT_KEY}, {TOKEN}, {ACCOUNT}, bolt://neo4j:{PASSWORD}@graph:7687"
        return {"id": "r1", "name": name, "labels": ["DomainNode", "Reminder"], "properties": {}}

    cypher("MATCH (n) DETACH DELETE n")
    return running(EmbabelAgent(AGENT_KEY, remember))


@pytest.mark.long
def test_the_readme_job_runs_as_it_stands(stoic: Stoic, model: ModelServer, reminding: EmbabelAgent) -> None:
    model.lines = ("Could you set a reminder for tomorrow at 9am?", "What is the capital of France?")
    model.number = lambda path: next((MARKS[key] for key in path if key in MARKS), 0.8)

    stoic.env |= {"AGENT_API_KEY": AGENT_KEY, "CRM_TOKEN": TOKEN}
    stoic.write("stoic.yml", {"redact": PATTERNS})
    done = stoic("eval", "--file", JOB, "--agent-url", reminding.url, "--json", "--fail-under", "1", code=1)

    document = done.document
    check_document(document)
    assert "conversations" in done.err
    assert done.line == f"stoic: the average score {document['average_score']:.2f} is below 1"
    assert (document["agent_version"], document["offline"], document["invalid_trials"]) == ("my-agent@dev", False, 0)
    assert [(trial["condition"], trial["outcome"], trial["turns"]) for trial in document["trials"]] == [
        ("withheld", "signed_off", 7), ("supplied", "signed_off", 7)
    ]
    for trial in document["trials"]:
        _check_scores(trial)
    assert document["average_score"] == quoted(sum(t["scores"]["overall"] for t in document["trials"]) / 2)
    assert document["fitness"] == pytest.approx(sum(t["virtue_overall"]["score"] for t in document["trials"]) / 2)
    _check_what_the_user_knew(model)
    _check_what_the_agent_got(reminding)
    stoic("report")
    secrets = [AGENT_KEY, TOKEN, PASSWORD, ACCOUNT, model.key or "?", stoic.env["NEO_PASSWORD"]]
    stored = stoic.everything_stored()
    kinds = {path.suffix for path in stored}
    assert kinds >= {".jsonl", ".parquet", ".sqlite", ".duckdb", ".html", ".db"}, kinds  # the last are Dagster's
    _check_that_keys_are_nowhere(secrets, stored)
    asked = {call.text for call in model.of("judge")}
    assert any("[redacted]" in text for text in asked)  # the careless agent's function call
    _check_that_keys_are_nowhere(secrets, {"a judge": str(asked), "stdout": done.out, "stderr": done.err})


def _check_scores(trial: dict[str, Any]) -> None:
    assert [task["score"] for task in trial["tasks"]] == [0.9, 0.6]
    assert trial["scores"]["tone"] == 0.3
    assert [(a["kind"], a["weight"], a["passed"]) for a in trial["assertions"]] == [
        ("expression", 2, True), ("cypher", 3, True)
    ]
    assert (trial["assertions"][1]["expected"], trial["assertions"][1]["actual"]) == (1, 1)
    assert trial["scores"]["overall"] == pytest.approx(overall(trial, 3000))
    virtues = trial["virtues"]
    assert [virtues[name]["score"] for name in VIRTUES] == [0.9, 0.3, 0.8, 0.8, 0.8]
    weight = sum(virtue["confidence"] for virtue in virtues.values())
    weighted = sum(virtue["score"] * virtue["confidence"] for virtue in virtues.values())
    assert trial["virtue_overall"]["score"] == pytest.approx(weighted / weight)


def _check_what_the_user_knew(model: ModelServer) -> None:
    asked = [call.text for call in model.of("evaluator")]
    assert len(asked) == 6  # of each trial three: two tasks and the sign-off
    assert not any(fact in text for fact in FACTS for text in asked[:3])
    assert all(fact in text for fact in FACTS for text in asked[3:])
    assert not any(criterion in text for criterion in CRITERIA for text in asked)
    judged = [call.text for call in model.of("judge")]
    assert len(judged) == 12
    assert all(any(criterion in text for text in judged) for criterion in CRITERIA)
    assert {call.body["model"] for call in model.asked} == {"gpt-4.1-mini"}


def _check_what_the_agent_got(agent: EmbabelAgent) -> None:
    assert {call.headers.get("x-api-key") for call in agent.calls} == {AGENT_KEY}
    assert [call.kind for call in agent.calls] == ["session", "message", "message", "message", "context"] * 2
    assert agent.of("session")[0].body == {"user": "test-user", "chatbot": "my-agent"}
    assert agent.of("message")[0].body["model"] == "gpt-4.1-mini"
    assert agent.of("message")[0].body["message"]["content"] in ("Hello", "Hi", "Hey")


def _check_that_keys_are_nowhere(secrets: list[str], shown: Mapping[Any, str]) -> None:
    assert any("[redacted]" in text for text in shown.values())  # the agent's careless answer is there
    for place, text in shown.items():
        assert not [secret for secret in secrets if secret in text], place
