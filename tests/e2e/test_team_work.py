"""A team with an agent of its own: a release, a panel of judges, services that listen, and what is done afterwards."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import stdev
from typing import Any

import dagster as dg
import duckdb
import pytest
from agents import ChatAgent
from connections import Connections
from contract import TABLES, check_document
from double import Call, Double
from model_server import ModelServer
from stoic_command import Stoic

pytestmark = pytest.mark.long
VERSION = "my-agent@2.0"
TENANT = "tenant-4711-secret"
MARKS = {"judge-a": 0.6, "judge-b": 0.9}
JOB = {
    "tags": ["quick"], "repeats": 1,
    "target": {
        "user": "ada-{trial}", "chatbot": "my-agent", "protocol": "openai", "headers": {"X-Tenant": "Bearer ${TENANT}"},
        "url": "http://127.0.0.1:9",
    },
    "tasks": [{"task": "Ask for a reminder at 9", "acceptanceCriteria": "It confirms nine o'clock in the morning"}],
    "assertions": [
        {"expression": 'evaluation.functionCalls.any { it.function == "createReminder" }', "weight": 3},
        {"expression": "evaluation.functionCalls.size > 7"},
    ],
    "virtues": {"wisdom": 2, "courage": 0},
}


class Receiver(Double):
    """A webhook, an evolution service and a knowledge service in one."""

    def kind(self, method: str, path: str, body: Any) -> str:
        return path


@pytest.fixture
def receiver(running: Callable[[Double], Any]) -> Receiver:
    """It, listening."""
    return running(Receiver())


@pytest.fixture
def connections(stoic: Stoic, tmp_path: Path) -> Connections:
    """Whom the commands speak to."""
    (tmp_path / "hook").mkdir()
    noted = Connections(tmp_path / "hook")
    stoic.env |= noted.env
    return noted


def test_from_release_to_deletion(
    stoic: Stoic, model: ModelServer, chat_agent: ChatAgent, receiver: Receiver, cypher: Callable[..., list[Any]],
    connections: Connections,
) -> None:
    stoic.job(**JOB)
    stoic.job("left-out")
    model.lines = ("Please set a reminder for 9.",)
    model.number = Marks(model)
    stoic.env |= {
        "STOIC_JUDGE_MODEL": "judge-a, judge-b", "STOIC_EVALUATOR_MODEL": "player", "TENANT": TENANT,
        "AGENT_API_KEY": chat_agent.key or "", "STOIC_WEBHOOK_URL": f"{receiver.url}/hook",
        "EVOLUTION_URL": f"{receiver.url}/evolution", "BOOGIE_URL": receiver.url,
    }
    added = stoic("release", "add", VERSION, "--url", chat_agent.url, "--parent", "my-agent@1.0", "--json").document
    assert Path(added["path"]) == stoic.project / "releases" / "my-agent-2.0.yml"

    evaluated = stoic(
        "eval", "--agent-version", VERSION, "--tag", "quick", "--repeats", "2", "--judge-samples", "2",
        "--max-conversations", "1", "--model", "gpt-agent", "--json",
    ).document

    check_document(evaluated)
    _check_trials(evaluated["trials"])
    _check_conversations(chat_agent)
    _check_models(model)
    posted = _check_messages(receiver, evaluated)
    _check_nothing_secret_is_stored(stoic, [TENANT, chat_agent.key or "?", model.key or "?"])
    _check_regrading(stoic, model, chat_agent, evaluated)
    heard, later = receiver.calls[: len(posted)], receiver.calls[len(posted) :]
    assert [call.text for call in heard] == [call.text for call in posted]  # said once, heard once
    told = {call.body.get("type", "fitness") for call in later}  # a corrected job is another scale
    assert told == {"fitness", "evolution.stoic_evaluation_applied"}
    _check_exports(stoic, evaluated)
    evaluations = "MATCH (:AgentVersion {id: $v})--(e:StoicEvaluation) RETURN count(e) AS n"
    assert cypher(evaluations, on="STOIC_GRAPH", v=VERSION) == [{"n": 2}]
    origin = "MATCH (:AgentVersion {id: $v})-[:EVOLVED_FROM]->(p) RETURN p.id AS id"
    assert cypher(origin, on="STOIC_GRAPH", v=VERSION) == [{"id": "my-agent@1.0"}]
    _check_deletion(stoic, evaluated["evaluation_id"], cypher)
    configured = [model.url, chat_agent.url, receiver.url, stoic.env["NEO_URI"]]
    assert connections.addresses == {url.rpartition("/")[2] for url in configured}  # the conversations, and nobody else


def test_a_job_whose_user_an_earlier_release_let_pass_can_be_corrected(stoic: Stoic) -> None:
    wrong = {"expression": "evaluation.transcript.size > 100"}
    stoic.job(assertions=[wrong])
    held = stoic("eval", "--json").document
    manifest = stoic.home / "evidence" / held["agent_version"] / held["evaluation_id"] / "manifest.json"
    manifest.write_text(manifest.read_text().replace("ada-{trial}", "ada-{trail}"))  # as that would have stored it
    target = {"user": "ada-{trail}", "chatbot": "my-agent"}
    file = stoic.job(target=target, assertions=[{"expression": "evaluation.transcript.size > 1"}])
    [trial] = stoic("regrade", "--file", file, "--json").document["trials"]
    assert trial["scores"]["assertion"] == 1.0
    refused = stoic("eval", "--file", file, code=2)
    assert "target.user: only {trial} may be in braces" in refused.line


class Marks:
    """Numbers of a verdict by the judge that is asked."""

    def __init__(self, model: ModelServer) -> None:
        self._model = model

    def __call__(self, path: tuple[str, ...]) -> float:
        return MARKS[self._model.of("judge")[-1].body["model"]]


def _check_trials(trials: list[dict[str, Any]]) -> None:
    assert [(t["job"], t["repeat"], t["condition"], t["outcome"]) for t in trials] == [
        ("chat", 1, "withheld", "signed_off"), ("chat", 2, "withheld", "signed_off")
    ]
    for trial in trials:
        assert [assertion["passed"] for assertion in trial["assertions"]] == [True, False]
        assert (trial["scores"]["assertion"], trial["scores"]["task"]) == (0.75, 0.75)
        assert {virtue["confidence_source"] for virtue in trial["virtues"].values()} == {"spread"}
        spread = stdev([0.6, 0.6, 0.9, 0.9])
        assert trial["virtues"]["justice"]["confidence"] == pytest.approx(1 - 2 * spread)
        assert trial["virtue_overall"]["score"] == pytest.approx(0.75)
        assert trial["virtue_overall_weighted"] == pytest.approx(0.75)


def _check_conversations(agent: ChatAgent) -> None:
    calls = agent.of("message")
    assert len(calls) == len(agent.calls) == 4
    assert {call.headers.get("authorization") for call in calls} == {f"Bearer {agent.key}"}
    assert {call.headers.get("x-tenant") for call in calls} == {f"Bearer {TENANT}"}
    assert {call.body["model"] for call in calls} == {"gpt-agent"}
    assert [len(call.body["messages"]) for call in calls] == [1, 3, 1, 3]  # one conversation after the other
    assert [message["role"] for message in calls[1].body["messages"]] == ["user", "assistant", "user"]


def _check_models(model: ModelServer) -> None:
    assert {call.body["model"] for call in model.of("evaluator")} == {"player"}
    asked = [call.body["model"] for call in model.of("judge")]
    # Five virtues twice and the tasks once, for each repeat: word for word the same, they are still judged apart.
    assert {judge: asked.count(judge) for judge in MARKS} == {"judge-a": 22, "judge-b": 22}


def _check_messages(receiver: Receiver, evaluated: dict[str, Any]) -> list[Call]:
    [announced] = receiver.of("/api/v1/graphs")
    assert announced.body["schemaName"] == "personal"
    events = {call.body["id"]: call for call in receiver.of("/hook")}
    trial_ids = {trial["trial_id"] for trial in evaluated["trials"]}
    assert set(events) == trial_ids | {evaluated["evaluation_id"]}
    for event_id, call in events.items():
        assert call.headers["content-type"] == "application/cloudevents+json"
        assert call.headers["idempotency-key"] == event_id
        assert call.body["specversion"] == "1.0"
        assert call.body["source"]
    about_trial = events[evaluated["trials"][0]["trial_id"]].body
    assert about_trial["type"] == "agent.evaluation.stoic_completed"
    assert about_trial["data"]["task_id"] == "chat"
    assert set(about_trial["data"]["virtue_scores"]) == set(evaluated["trials"][0]["virtues"])
    applied = events[evaluated["evaluation_id"]].body
    assert applied["type"] == "evolution.stoic_evaluation_applied"
    assert applied["data"]["fitness_score"] == pytest.approx(evaluated["fitness"])
    assert applied["data"]["task_ids"] == ["chat"]
    assert len(receiver.of("/evolution")) == 1
    return list(receiver.calls)


def _check_nothing_secret_is_stored(stoic: Stoic, secrets: list[str]) -> None:
    for path, text in stoic.everything_stored().items():
        assert not [secret for secret in secrets if secret in text], path


def _check_regrading(stoic: Stoic, model: ModelServer, agent: ChatAgent, evaluated: dict[str, Any]) -> None:
    agent.calls.clear()
    model.calls.clear()
    assert stoic("regrade", "--judge-samples", "2", "--json").document == evaluated
    assert model.calls == []
    fresh = stoic("regrade", "--agent-version", VERSION, "--judge-samples", "2", "--fresh", "--json").document
    assert fresh == evaluated
    assert {call.kind for call in model.calls} == {"judge"}
    assert len(model.calls) == 44
    assert agent.calls == []
    refused = stoic("regrade", "--file", "eval_jobs/left-out.yml", code=2)
    assert "job left-out was not part of the evaluation" in refused.line
    _check_corrections(stoic, evaluated)


def _check_corrections(stoic: Stoic, evaluated: dict[str, Any]) -> None:
    """What scores go by takes effect, stays so until it is taken back, and nothing is left out in silence."""
    before = stoic.sql("select distinct job_hash from trials")
    corrected: dict[str, Any] = JOB | {"aspirationalAverage": 0, "tags": ["slow"]}
    file = str(stoic.job(**corrected))
    regraded = stoic("regrade", "--judge-samples", "2", "--file", file, "--json").document
    assert {trial["scores"]["timing"] for trial in regraded["trials"]} == {0.0}
    assert stoic.sql("select distinct tags, aspirational_ms from trials") == [(["slow"], 0.0)]
    assert stoic.sql("select distinct job_hash from trials") != before
    stoic.job(**corrected | {"maxTurns": 3})
    refused = stoic("regrade", "--file", file, code=2)
    assert "job chat: maxTurns cannot be corrected afterwards" in refused.line
    kept = stoic("regrade", "--judge-samples", "2", "--json")
    assert kept.document == regraded
    assert "using corrected jobs from an earlier regrading: chat; --original discards" in kept.err
    assert "edited since the evaluation, edits not used: chat; add --file FILE" in kept.err
    assert stoic("regrade", "--judge-samples", "2", "--original", "--json").document == evaluated
    assert stoic.sql("select distinct job_hash from trials") == before


def _check_exports(stoic: Stoic, evaluated: dict[str, Any]) -> None:
    stoic("export", "--duckdb", "all.duckdb")
    with duckdb.connect(str(stoic.project / "all.duckdb"), read_only=True) as database:
        tables = {name for (name,) in database.sql("select table_name from duckdb_tables()").fetchall()}
        assert set(TABLES) <= tables
        assert database.sql("select count(*) from virtue_scores").fetchone() == (40,)
        assert database.sql("select count(*), min(trial_id) from trials").fetchone() == (
            2, evaluated["trials"][0]["trial_id"]
        )
    named = ("--agent-version", VERSION, "--evaluation", evaluated["evaluation_id"])
    page = stoic("report", *named, "--out", "out/report.html", "--json").document["path"]
    html = (stoic.project / "out" / "report.html").read_text()
    assert Path(page) == stoic.project / "out" / "report.html"
    assert "Please set a reminder for 9." in html
    assert "createReminder" in html


def _check_deletion(stoic: Stoic, evaluation_id: str, cypher: Callable[..., list[Any]]) -> None:
    refused = stoic("delete", VERSION, code=2)  # nobody is there to say yes
    assert "Delete my-agent@2.0 and its 1 evaluation permanently?" in refused.err
    assert stoic.sql("select count(*) from trials") == [(2,)]
    assert stoic("delete", VERSION, "--yes", "--json").document == {"agent_version": VERSION, "evaluations": 1}
    assert [stoic.sql(f"select count(*) from {table}") for table in TABLES] == [[(0,)]] * len(TABLES)
    assert [path for path in stoic.home.rglob("*") if VERSION in path.name] == []
    stored = stoic.everything_stored()
    waiting = [path for path, text in stored.items() if path.suffix == ".json" and json.dumps(VERSION) in text]
    assert waiting == []
    for owned in (VERSION, evaluation_id):  # other tests may use the same server
        assert cypher("MATCH (n) WHERE n.id CONTAINS $it RETURN n.id AS id", on="STOIC_GRAPH", it=owned) == []
    with dg.DagsterInstance.from_config(str(stoic.home / "dagster")) as instance:
        assert instance.get_dynamic_partitions("agent_version") == []
    assert "my-agent@2.0 was never evaluated" in stoic("regrade", "--agent-version", VERSION, code=2).line
