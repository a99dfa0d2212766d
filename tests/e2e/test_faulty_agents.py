"""Agents that misbehave, and a graph that goes away: whose fault it was is kept apart."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from agents import EmbabelAgent
from contract import quoted
from double import Double, away_for, hang, slow, status
from model_server import ModelServer
from relay import Relay
from stoic_command import Stoic

pytestmark = pytest.mark.long


@pytest.fixture
def agents(running: Callable[[Double], Any]) -> dict[str, EmbabelAgent]:
    """One agent for each kind of trouble."""
    names = (
        "healthy", "dying", "failing", "busy", "mumbling", "closed", "slow", "hanging", "cut-off", "patient",
        "restarted",
    )
    found: dict[str, EmbabelAgent] = {name: running(EmbabelAgent()) for name in names}
    found["dying"].when("message", found["dying"].die, after=1)
    found["failing"].when("message", status(500, body="stack trace"), times=2, after=1)
    found["busy"].when("message", status(429, {"Retry-After": "1"}), times=1, after=1)
    found["mumbling"].when("message", lambda call: {"message": "not an object"}, after=1)
    found["closed"].when("session", status(500))
    found["slow"].when("message", slow(2.5), times=1)
    found["hanging"].when("message", hang, after=1)
    found["patient"].when("message", slow(6.0), times=1)
    away = away_for(0.4)
    found["restarted"].when("message", away, after=1)
    found["restarted"].when("session", away, after=1)
    return found


@pytest.fixture
def relay(stoic: Stoic) -> Iterator[Relay]:
    """The way to the subject graph."""
    with Relay(stoic.env["NEO_URI"]).running() as found:
        stoic.env["NEO_URI"] = found.url
        yield found


WATCHED = ("cut-off", "patient")
"""The graph goes away at the end of the first conversation, and is back before the second ends."""


def test_faults_of_agents_are_theirs_and_those_of_the_graph_are_not(
    stoic: Stoic, model: ModelServer, agents: dict[str, EmbabelAgent], relay: Relay
) -> None:
    stoic.write("stoic.yml", "limits: {agent: {backoff_seconds: 0.01}}\n")
    for name, agent in agents.items():
        seconds = {"timeoutSeconds": 1} if name == "hanging" else {}
        target = {"user": "ada-{trial}", "chatbot": "my-agent", "url": agent.url, **seconds}
        query = {"assertions": [{"cypher": "RETURN $trial <> ''", "expected": True}]} if name in WATCHED else {}
        stoic.job(name, target=target, aspirationalAverage=1000, **query)
    agents["cut-off"].when("message", lambda _: relay.break_for(3), times=1, after=1)

    done = stoic("eval", "--fail-under", "0.9", code=1)

    rows = stoic.sql(
        "select s.job, s.outcome, overall, s.failure_count, failure_penalty, timing, s.average_response_ms, detail "
        "from composite_scores s join trials using (trial_id)"
    )
    trials = {row[0]: Row(*row[1:]) for row in rows}
    errors = {"dying", "mumbling", "closed", "hanging"}
    assert set(trials) == set(agents)
    found = {name: trial.overall for name, trial in trials.items() if trial.outcome == "agent_error"}
    assert found == dict.fromkeys(errors, 0)
    assert {name: t.overall for name, t in trials.items() if t.outcome == "infra_error"} == {"cut-off": None}
    assert trials["patient"].outcome == "signed_off"
    counted = {name: trial.failures for name, trial in trials.items() if trial.failures}
    failed = {"dying": 4, "failing": 2, "mumbling": 4, "hanging": 4, "restarted": 1}
    assert counted == failed  # a closed door: no message failed
    assert {name: trial.penalty for name, trial in trials.items() if trial.penalty} == {
        **dict.fromkeys(counted, 0.5), "restarted": 0.3,
    }
    assert trials["busy"].reply_ms > 500  # one reply of two waited for a second
    assert trials["slow"].timing < 0.81
    for trial in (trials["slow"], trials["healthy"]):
        assert trial.timing == pytest.approx(min(1, 1000 / trial.reply_ms))
    scored = [trial.overall for trial in trials.values() if trial.overall is not None]
    average = quoted(sum(scored) / len(scored))
    assert done.line == f"stoic: the average score {average:.2f} is below 0.9"
    assert len(model.of("judge")) == 36  # six conversations ran their course, and each is judged by itself
    for name in (*errors, "cut-off"):
        start = f"{trials[name].outcome}  {name} withheld 1: "
        [line] = [line for line in done.out.splitlines() if line.startswith(start)]
        assert trials[name].detail
        assert trials[name].detail in line
    assert "invalid trials: 1 of 11" in done.out


class Row(NamedTuple):
    """What became of a trial."""

    outcome: str
    overall: float | None
    failures: int
    penalty: float
    timing: float
    reply_ms: float
    detail: str | None


def test_an_agent_may_take_all_the_time_that_its_job_allows_for_an_attempt(stoic: Stoic, agent: EmbabelAgent) -> None:
    stoic.write("stoic.yml", "conversations: {turn_timeout_seconds: 0.3}\n")
    stoic.job(target={"user": "ada-{trial}", "chatbot": "my-agent", "timeoutSeconds": 100})
    agent.when("message", slow(1.0), times=1)
    [trial] = stoic("eval", "--json").document["trials"]
    assert (trial["outcome"], trial["failure_count"]) == ("signed_off", 0)


def test_trials_that_the_graph_missed_are_played_again_by_other_users(
    stoic: Stoic, agent: EmbabelAgent, relay: Relay
) -> None:
    for name in ("cut-off", "fine"):
        query = [{"cypher": "RETURN $trial <> ''", "expected": True}] if name == "cut-off" else []
        stoic.job(name, greetings=[f"Hello {name}!"], assertions=query)
    agent.when("message", lambda call: relay.break_for(3) if "Hello cut-off!" in call.text else None, times=2)

    held = stoic("eval", code=3)
    assert "1 of 2 trials is invalid, more than the 10 % that stoic.yml allows; the first: infra_error" in held.line
    [(evaluation_id,)] = stoic.sql("select evaluation_id from evaluations")
    again = f"`stoic eval --agent-version my-agent@dev --resume {evaluation_id}`"
    assert f"{again} runs them again" in held.line

    agent.calls.clear()
    relay.await_open()
    stoic("eval", "--resume")
    users = dict(stoic.sql('select job, "user" from trials where outcome = \'signed_off\''))
    trial = f"ada-{evaluation_id}.{{}}.withheld.1"
    assert users == {"cut-off": trial.format("cut-off") + "-2", "fine": trial.format("fine")}
    assert {call.body["user"] for call in agent.calls if call.kind == "session"} == {users["cut-off"]}
