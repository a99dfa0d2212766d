"""Agents and model servers that serve nobody for a while: no trial is spoilt, and the run can go on."""

import pytest
from agents import EmbabelAgent
from double import hang, status
from model_server import ModelServer
from stoic_command import Stoic

pytestmark = pytest.mark.long


def test_an_agent_that_turns_everybody_away_is_not_scored_and_the_run_can_go_on(
    stoic: Stoic, model: ModelServer, agent: EmbabelAgent
) -> None:
    stoic.write("stoic.yml", "limits: {agent: {backoff_seconds: 0.01}}\n")
    stoic.job(repeats=4)
    evaluate = ("eval", "--agent-version", "my-agent@1", "--json", "--max-conversations", "1")
    agent.when("message", status(403, body="not this one"), times=1, after=1)
    for kind in ("session", "message"):
        agent.when(kind, status(403, body="expired"), after=3)

    refused = stoic(*evaluate, code=2)
    agent.behave()
    for kind in ("session", "message"):
        agent.when(kind, status(503, body="nobody behind me"), after=2)
    away = stoic(*evaluate, "--resume", code=2)
    agent.behave()
    final = stoic(*evaluate, "--resume").document

    assert "refuses the key (403): expired; check AGENT_API_KEY and target.headers" in refused.line
    assert "answered 503: nobody behind me; get it running again; results so far are stored; continue" in away.line
    assert [trial["outcome"] for trial in final["trials"]] == ["agent_error", *["signed_off"] * 3]
    assert [trial["failure_count"] for trial in final["trials"]] == [1, 0, 0, 0]
    assert final["invalid_trials"] == 0


def test_an_agent_that_refuses_everybody_is_given_up_once_for_all_trials(
    stoic: Stoic, model: ModelServer, agent: EmbabelAgent
) -> None:
    stoic.write("stoic.yml", "{conversations: {turn_timeout_seconds: 4}, limits: {agent: {requests_per_minute: 600}}}")
    stoic.job(repeats=8)
    evaluate = ("eval", "--agent-version", "my-agent@1", "--json")
    agent.when("session", status(429, {"Retry-After": "1"}))

    busy = stoic(*evaluate, code=2)
    refused = len(agent.calls)
    agent.behave()
    stoic.write("stoic.yml", "")
    final = stoic(*evaluate, "--resume").document

    assert "is busy (429); wait, or raise its limit; results so far are stored; continue with `stoic eval" in busy.line
    assert refused < 8, "each of the eight alone would be refused for four seconds"
    assert [(trial["outcome"], trial["failure_count"]) for trial in final["trials"]] == [("signed_off", 0)] * 8


def test_an_agent_that_is_started_anew_while_conversations_are_held_spoils_none(
    stoic: Stoic, agent: EmbabelAgent
) -> None:
    """Its messages break off, and nobody is there after that; what it had in memory is lost."""
    stoic.write("stoic.yml", "limits: {agent: {backoff_seconds: 0.01}}\n")
    stoic.job(repeats=6)
    evaluate = ("eval", "--agent-version", "my-agent@1", "--json")
    agent.when("message", hang, times=5, after=3)
    agent.when("message", agent.die, after=3)
    away = stoic(*evaluate, code=2)
    with EmbabelAgent().running(int(agent.url.rpartition(":")[2])):
        final = stoic(*evaluate, "--resume").document

    assert "cannot be reached" in away.line
    assert "get it running again; results so far are stored; continue with `stoic eval" in away.line
    assert [(trial["outcome"], trial["failure_count"]) for trial in final["trials"]] == [("signed_off", 0)] * 6


def test_a_model_server_that_serves_nobody_spoils_no_trial(
    stoic: Stoic, model: ModelServer, agent: EmbabelAgent
) -> None:
    stoic.write("stoic.yml", "limits: {evaluator: {backoff_seconds: 0.01}}\n")
    stoic.job(repeats=4, facts=["It is for a quiz"])  # who is not told them cannot be played again
    evaluate = ("eval", "--agent-version", "my-agent@1", "--json")
    model.when("evaluator", status(503, body="Loading model"), after=5)

    conversing = stoic(*evaluate, code=2)
    model.behave()
    for kind in ("evaluator", "judge"):
        model.when(kind, status(402, body="Insufficient Balance"), after=12)
    judging = stoic(*evaluate, "--resume", code=2)
    model.behave()
    model.calls.clear()
    final = stoic(*evaluate, "--resume").document

    advice = "get it running again; results so far are stored; continue with `stoic eval"
    assert f"503 - Loading model; {advice}" in conversing.line
    assert "no credit left: Error code: 402 - Insufficient Balance; check its billing" in judging.line
    assert [trial["outcome"] for trial in final["trials"]] == ["signed_off"] * 8
    assert len(model.of("judge")) < 8 * 6, "verdicts that were had are not asked for again"
