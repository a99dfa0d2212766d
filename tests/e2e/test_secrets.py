"""A secret at every place where a user may write one: told to whom it is meant for, and kept and shown nowhere."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from agents import EmbabelAgent
from double import Call, Double
from model_server import ModelServer
from starlette.responses import JSONResponse, Response
from stoic_command import Stoic

from stoic_assets.adapters.disk.job_files import load_job

pytestmark = pytest.mark.long
AGENT_KEY, TOKEN, PASSWORD, IN_HEADER = "agent-key-5f3c9a77", "crm-7d1e55b0c2", "hunter2-in-an-address", "literal-4711"
NOBODYS = re.compile(rf"sk-[a-z]+-0123456789abcdef|{AGENT_KEY}|{TOKEN}|{PASSWORD}|{IN_HEADER}")


def secret(place: str) -> str:
    """A key that says where it was written; what `redact` blanks unless told otherwise."""
    return f"sk-{place}-0123456789abcdef"


CHAT: dict[str, Any] = {
    "target": {
        "user": secret("user"), "chatbot": "my-agent",
        "headers": {"X-Plain": secret("header"), "X-Env": "${CRM_TOKEN}", "X-Token": IN_HEADER},
    },
    "tags": [secret("tag")], "evaluator": {"voice": secret("voice")}, "greetings": [secret("greeting")],
    "seeds": [{"text": secret("seed")}, {"conversation": [{"content": secret("earlier")}]}],
    "setups": [
        {"cypher": f"MATCH (k:Kept) DELETE k; CREATE (:Kept {{key: '{secret('setup')}'}})"}, {"file": "s.cypher"},
    ],
    "tasks": [
        {
            "task": secret("task"), "acceptanceCriteria": secret("criteria"), "context": {"model": secret("context")},
            "requirements": {"source": secret("requirement"), "id": [secret("number")]},
        }
    ],
    "facts": [secret("fact"), f"bolt://neo4j:{PASSWORD}@graph:7687"],
    "assertions": [
        {
            "cypher": f"MATCH (k:Kept) WHERE k.key = $key AND k.key <> '{secret('cypher')}' RETURN k.key",
            "parameters": {"key": secret("setup"), "id": secret("parameter")}, "expected": secret("setup"),
        },
        {"cypher": f"RETURN '{secret('broken')}' +", "expected": secret("expected")},
        {"expression": f'evaluation.transcript.any {{ it.content == "{secret("greeting")}" }}'},
    ],
    "prompts": {"wisdom": "wisdom.jinja", "evaluator": "user.jinja"},
}  # fmt: skip
SCENE: dict[str, Any] = {
    "target": {"user": "b", "chatbot": "my-agent"}, "tasks": None,
    "scenarios": [
        {
            "id": "a", "category": secret("category"), "input": secret("input"), "rationale": secret("rationale"),
            "expected": {"source": secret("hidden")},
        }
    ],
}  # fmt: skip


class Careless(EmbabelAgent):
    """Listens below a path, and shows in its events which headers it got."""

    def kind(self, method: str, path: str, body: Any) -> str:
        return super().kind(method, path.removeprefix(f"/{secret('address')}"), body)

    def _message(self, call: Call) -> Any:
        reply = super()._message(call)
        return {**reply, "events": [{"output": json.dumps(call.headers)}]}


@pytest.fixture
def agent(running: Callable[[Double], Any]) -> Careless:
    return running(Careless(key=AGENT_KEY))


@pytest.fixture
def receiver(running: Callable[[Double], Any]) -> Double:
    return running(Double())


def write_project(stoic: Stoic, agent: Careless, receiver: Double) -> None:
    url = f"{agent.url}/{secret('address')}"
    stoic.env |= {
        "AGENT_URL": url, "AGENT_API_KEY": AGENT_KEY, "CRM_TOKEN": TOKEN,
        "EVOLUTION_URL": f"{receiver.url}/{secret('evolution')}",
        "STOIC_WEBHOOK_URL": f"{receiver.url}/{secret('webhook')}",
    }
    stoic.write("eval_jobs/s.cypher", f"CREATE (:Other {{key: '{secret('file')}'}})")
    stoic.write("eval_jobs/wisdom.jinja", f"Judge by {secret('rubric')} and {{{{ facts | join }}}}")
    stoic.write("eval_jobs/user.jinja", f"You are {secret('persona')} and know {{{{ config.facts | join }}}}")
    stoic.job("chat", **CHAT)
    stoic.job("scene", **SCENE)
    stoic.write("releases/a.yml", {"agent": "my-agent", "version": "1", "url": url, "notes": secret("notes")})


def test_secrets_are_told_to_whom_they_are_meant_for_and_kept_nowhere(
    stoic: Stoic, model: ModelServer, agent: Careless, receiver: Double, cypher: Callable[..., list[dict[str, Any]]]
) -> None:
    write_project(stoic, agent, receiver)
    model.lines = (f"It is {secret('fact')}", f"and {TOKEN}, {secret('said')}")
    judged = ("--agent-version", "my-agent@1")
    shown = {
        "the plan": stoic("eval", *judged, "--dry-run"),
        "what is there": stoic("doctor"),
        "the evaluation": stoic("eval", *judged, "--condition", "supplied", "--json", "--verbose"),
        "the regrading": stoic("regrade", "--fresh", "--file", stoic.project / "eval_jobs" / "chat.yml"),
    }
    places = {name: done.out + done.err for name, done in shown.items()}
    places |= {f"request {n} of a judge": call.text for n, call in enumerate(model.of("judge"))}
    places |= {f"message {n} to a receiver": call.text for n, call in enumerate(receiver.calls)}
    places["the stoic graph"] = str(cypher("MATCH (n) RETURN properties(n) AS n", on="STOIC_GRAPH"))
    assert len(model.of("judge")) == 22  # each time five virtues of two trials, and the tasks of one
    assert len(receiver.calls) > 3
    _check_for_leaks(stoic, places)
    assert "[redacted]" in places["request 0 of a judge"] + places["request 1 of a judge"]

    _check_what_was_told(model, agent)
    document = shown["the evaluation"].document
    passed = [assertion["passed"] for trial in document["trials"] for assertion in trial["assertions"]]
    assert passed == [True, False, True]  # the second is no query
    hashes = stoic.sql("SELECT DISTINCT job_hash FROM trials WHERE job = 'chat'")
    assert hashes == [(load_job(stoic.project / "eval_jobs" / "chat.yml").question_hash(),)]

    told = stoic("eval", "--agent-url", f"http://127.0.0.1:1/{secret('address')}", code=2).line
    assert told == "stoic: --agent-url contains a secret; set the address as AGENT_URL"
    resume = ("eval", *judged, "--condition", "supplied", "--resume", document["evaluation_id"])
    stoic(*resume)
    stoic.job("chat", **{**CHAT, "facts": [secret("changed"), *CHAT["facts"][1:]]})
    assert "changed since the evaluation began: a secret in it, or stoic-eval; change" in stoic(*resume, code=2).line


def test_services_that_quote_secrets_in_their_faults(
    stoic: Stoic, model: ModelServer, agent: Careless, receiver: Double
) -> None:
    def quoted(call: Call) -> Response:
        return JSONResponse({"error": {"message": f"what is this: {call.text} {call.headers}"}}, 418)

    def quoted_input(call: Call) -> Response | None:
        return quoted(call) if secret("input") in call.text else None

    write_project(stoic, agent, receiver)
    stoic.job("plain", tasks=None, target=SCENE["target"], scenarios=[{"id": "a", "category": "c", "input": "Hello"}])
    agent.when("message", quoted_input)
    model.when("evaluator", quoted)
    model.when("judge", quoted)
    done = stoic("eval", "--agent-version", "my-agent@1", "--condition", "supplied", "--json", code=3)
    outcomes = {trial["job"]: trial["outcome"] for trial in done.document["trials"]}
    assert outcomes == {"chat": "evaluator_error", "plain": "judge_error", "scene": "agent_error"}
    _check_for_leaks(stoic, {"stdout": done.out, "stderr": done.err})
    assert all("[redacted]" in detail for (detail,) in stoic.sql("SELECT detail FROM trials WHERE detail <> ''"))


def _check_for_leaks(stoic: Stoic, places: dict[str, str]) -> None:
    stored = stoic.everything_stored()
    assert {path.suffix for path in stored} >= {".json", ".jsonl", ".parquet", ".duckdb", ".html", ".db"}
    places |= {str(path.relative_to(stoic.home)): text for path, text in stored.items()}
    leaks = {place: found for place, text in places.items() if (found := set(NOBODYS.findall(text)))}
    assert not leaks


def _check_what_was_told(model: ModelServer, agent: Careless) -> None:
    meant = {secret(each) for each in ("seed", "earlier", "greeting", "input")}
    assert {*meant, *model.lines} == set(agent.told())
    sent = {name: value for call in agent.of("message") for name, value in call.headers.items()}
    assert (sent["x-plain"], sent["x-env"], sent["x-token"]) == (secret("header"), TOKEN, IN_HEADER)
    asked = model.of("evaluator")[0].text
    assert all(each in asked for each in (secret("persona"), secret("fact"), PASSWORD))
