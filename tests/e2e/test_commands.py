"""Plans without a call, the doctor, and the commands that serve until they are stopped."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import neo4j
import pytest
from agents import EmbabelAgent
from model_server import ModelServer
from stoic_command import Done, Stoic

pytestmark = pytest.mark.long
FACTS = ["The user lives in Lyon"]


@pytest.fixture
def planner(bare: Stoic) -> Stoic:
    """A project with three jobs whose services do not exist."""
    bare.job("facts", facts=FACTS, tags=["slow", "night"])
    bare.job("plain", tags=["quick"], repeats=3, assertions=[{"expression": "1 < 2"}])
    bare.job("moods", tasks=None, scenarios=[{"id": f"s{n}", "category": "calm", "input": "Hm."} for n in (1, 2)])
    bare.env |= {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "AGENT_URL": "http://127.0.0.1:9", "NEO_URI": "bolt://127.0.0.1:9"}
    return bare


PLANS: dict[tuple[str, ...], dict[str, int]] = {
    (): {"facts": 2, "moods": 2, "plain": 3},
    ("--repeats", "2"): {"facts": 4, "moods": 4, "plain": 2},
    ("--condition", "supplied", "--tag", "slow", "--tag", "quick"): {"facts": 1, "plain": 3},
    ("--condition", "both", "--job", "plain", "--job", "moods"): {"moods": 4, "plain": 6},
}


@pytest.mark.parametrize("options", PLANS)
def test_a_dry_run_says_what_would_run_and_contacts_nothing(planner: Stoic, options: tuple[str, ...]) -> None:
    done = planner("eval", "--dry-run", "--json", "--judge-samples", "2", *options, STOIC_JUDGE_MODEL="a,b")
    plan = done.document
    assert {job["job"]: job["trials"] for job in plan["jobs"]} == PLANS[options]
    with_tasks = plan["trials"] - PLANS[options].get("moods", 0)  # of a scenario no tasks are judged
    assert plan["calls"]["judge"] == 2 * (5 * 2 * plan["trials"] + with_tasks)
    assert plan["estimated_cost_usd"] is None
    assert done.err == ""
    assert not list(planner.home.rglob("manifest.json"))


def test_a_dry_run_counts_the_messages_of_seeds(planner: Stoic) -> None:
    said = [{"role": role, "content": "x"} for role in ("user", "assistant", "user")]
    for name, seeds in {"seeded": [{"text": "I am Ada"}, {"conversation": said}], "bare": []}.items():
        planner.job(name, seeds=seeds, maxTurns=6, repeats=2)
    plain, seeded = (planner("eval", "--dry-run", "--json", "--job", name).document for name in ("bare", "seeded"))
    assert plain["calls"]["agent"] == 2 * 3
    assert seeded["calls"] == plain["calls"] | {"agent": 2 * 3 + 2 * 3}


def test_a_dry_run_tells_of_tasks_that_no_turn_is_left_for(planner: Stoic) -> None:
    planner.job("long", tasks=[{"task": "Ask", "acceptanceCriteria": "Told"}] * 12, maxTurns=20)
    done = planner("eval", "--dry-run", "--json", "--job", "long")
    assert "job long: `maxTurns: 20` lets the user speak 9 times after the greeting, too few for 12 tasks" in done.err
    assert done.document["calls"]["evaluator"] == 9


def test_a_dry_run_for_people_shows_costs_and_cuts_no_word(planner: Stoic) -> None:
    planner.write("stoic.yml", "prices: {gpt-4.1-mini: {input: 10, output: 10}}\n")
    planner.job("a-job-with-a-name-that-is-rather-long-for-a-table", facts=FACTS)
    shown = planner("eval", "--dry-run", COLUMNS="60").out
    assert "my-agent@dev at http://127.0.0.1:9: 9 trials, nothing was run" in shown
    assert "a-job-with-a-name-that-is-rather-long-for-a-table" in shown
    assert "…" not in shown
    assert "about $1." in shown


def test_a_dry_run_for_people_tells_what_jobs_of_others_would_reach(planner: Stoic) -> None:
    planner.write("../rubric.jinja", "Judge.")
    headers = {"X-Note": "${OPENAI_API_KEY}"}
    target = {"user": "ada", "chatbot": "my-agent", "url": "http://127.0.0.1:9/theirs", "headers": headers}
    planner.job("theirs", target=target, prompts={"tasks": "../../rubric.jinja"})
    keys = {"AGENT_API_KEY": "key-of-ours", "OPENAI_API_KEY": "sk-of-ours-of-ours-of-ours"}
    shown = planner("eval", "--dry-run", **keys).out
    assert "http://127.0.0.1:9/theirs is sent the values of AGENT_API_KEY, OPENAI_API_KEY\n" in shown
    assert "http://127.0.0.1:9 is sent the value of AGENT_API_KEY\n" in shown
    outside = (planner.project / "../rubric.jinja").resolve()
    assert f"job theirs reads outside of the project: {outside}\n" in shown
    assert "of-ours" not in shown


def test_the_doctor_knows_whether_an_evaluation_could_run(stoic: Stoic, bare: Stoic) -> None:
    stoic.job()
    ready = stoic("doctor", "--json").document
    assert ready["ready"] is True
    states = {finding["subject"]: finding["state"] for finding in ready["findings"]}
    assert (states["model"], states["agent"], states["graphs"], states["delivery"]) == ("ok", "ok", "ok", "note")
    stoic.job("typo", assertions=[{"cypher": "MATCH (r:Reminder {user: $user} RETURN count(r) AS c", "expected": 1}])
    [graphs] = [each for each in stoic("doctor", "--json").document["findings"] if each["subject"] == "graphs"]
    assert graphs["state"] == "note"
    assert "job typo: assertions[0].cypher: " in graphs["detail"]
    ill = stoic("doctor", AGENT_URL="http://127.0.0.1:9", COLUMNS="60", code=2)
    assert "…" not in ill.out  # a long path is broken, not cut
    assert "127.0.0.1:9" in ill.out
    assert "no evaluation can run yet" in ill.out
    assert "EVOLUTION_URL: not an http" in stoic("doctor", code=2, EVOLUTION_URL="evolution").out
    assert "OPENAI_API_KEY" in stoic("doctor", code=2, STOIC_LLM="openai", OPENAI_API_KEY="", OPENAI_BASE_URL="").out


@contextmanager
def serving(stoic: Stoic, *command: str, **env: str) -> Iterator[tuple[dict[str, Any], "subprocess.Popen[str]"]]:
    """A server and what it announced; it ends well on SIGTERM."""
    process = stoic.start(*command, **env)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline()), process
        process.terminate()
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def test_the_demo_agent_serves_whoever_has_the_key(stoic: Stoic) -> None:
    with serving(stoic, "agent", "--release", "1.1.0", "--port", "0", AGENT_API_KEY="k-demo") as (told, _):
        sessions = f"{told['url']}/api/v1/chat/sessions"
        body = {"user": "ada", "chatbot": "marcus"}
        assert httpx.put(sessions, json=body).status_code == 401
        opened = httpx.put(sessions, json=body, headers={"X-API-KEY": "k-demo"}).json()
        message = {"sessionId": opened["sessionId"], "message": {"role": "user", "content": "Hello"}, "model": "m"}
        reply = httpx.put(f"{told['url']}/api/v1/chat/messages", json=message, headers={"X-API-KEY": "k-demo"}).json()
        assert reply["message"]["role"] == "assistant"
        assert reply["message"]["content"]


def test_the_demo_agent_finds_a_graph_again_that_was_stopped(bare: Stoic) -> None:
    with serving(bare, "agent", "--port", "0") as (told, _):
        sessions, body = f"{told['url']}/api/v1/chat/sessions", {"user": "ada", "chatbot": "marcus"}
        assert httpx.put(sessions, json=body).status_code == 200
        assert bare("graph", "--stop", "--json").document == {"stopped": True}
        assert httpx.put(sessions, json=body, timeout=60).status_code == 200


def test_the_graph_is_shared_by_all_commands_of_a_home(bare: Stoic, model: ModelServer, agent: EmbabelAgent) -> None:
    bare.env |= {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": model.key or "", "AGENT_URL": agent.url}
    bare.job()
    with serving(bare, "graph", "--json") as (told, process):
        assert set(told) == {"uri", "username", "password", "databases"}
        assert told["databases"] == {"subject": "subject", "stoic": "stoic"}
        server = json.loads((bare.home / "graph" / "server.json").read_text())
        assert server["uri"] == told["uri"]
        assert bare("doctor", "--json").document["ready"]
        assert json.loads((bare.home / "graph" / "server.json").read_text()) == server
        auth = (told["username"], told["password"])
        with neo4j.GraphDatabase.driver(told["uri"], auth=auth) as driver:
            for database in told["databases"].values():
                assert driver.execute_query("RETURN 1 AS x", database_=database).records[0]["x"] == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert not (bare.home / "graph" / "server.json").exists()
    assert bare("graph", "--stop", "--json").document == {"stopped": False}
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(told["uri"].rpartition(":")[2])))


def test_whoever_serves_a_graph_ends_when_another_stops_it(bare: Stoic) -> None:
    with serving(bare, "graph", "--json") as (_, process):
        assert bare("graph", "--stop", "--json").document == {"stopped": True}
        assert process.wait(60) == 0


def test_several_commands_may_be_the_first_of_a_home(stoic: Stoic) -> None:
    versions = [f"my-agent@{number}" for number in range(3)]
    for version in versions:
        (stoic.home / "evidence" / version).mkdir(parents=True)
    started = [stoic.start("delete", version, "--yes") for version in versions]
    for process in started:
        out, err = process.communicate(timeout=200)
        stoic.checked(Done(process.returncode, out, err), 0)
    assert not any((stoic.home / "evidence" / version).exists() for version in versions)
