"""Killed, interrupted, run twice at once, out of money: nothing paid for is lost or paid again."""

import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from agents import EmbabelAgent
from double import Double, slow
from model_server import ModelServer
from stoic_command import TASKS, Done, Stoic
from stopping import end, ended, stopped_at
from undisturbed import COLUMNS, check_turns_sent, rows

pytestmark = pytest.mark.long
JOBS = ("first", "second", "third")
LINES = ("What is the capital of France?", "A poem, please.")
GREETINGS = {name: f"Hello from the {name} job" for name in JOBS}


def test_killed_and_resumed_it_ends_with_the_rows_of_an_undisturbed_run(
    stoic: Stoic, model: ModelServer, agent: EmbabelAgent, running: Callable[[Double], Any]
) -> None:
    assertion = {"cypher": "RETURN $trial STARTS WITH $trial AS x", "expected": True}
    job = {"tasks": TASKS, "assertions": [assertion], "maxTurns": 20, "aspirationalAverage": 60000}
    for name in JOBS:
        stoic.job(name, greetings=[GREETINGS[name]], **job)
    stoic.write("stoic.yml", "limits: {judge: {in_flight: 2}}\n")
    model.lines = LINES
    hook, other_agent = running(Double()), running(EmbabelAgent())
    evaluate = ("eval", "--agent-version", "my-agent@cut")

    whole = stoic.start("eval", "--agent-version", "my-agent@whole", "--agent-url", other_agent.url, "--verbose")
    stopped = stopped_at(agent, "message", 2, stoic, *evaluate)  # another version in the same new home meanwhile
    _check_undisturbed(stoic.checked(ended(whole), 0, verbose=True))
    model.calls.clear()
    _others_meanwhile(stoic, evaluate)
    end(stopped, signal.SIGKILL)
    stopped = stopped_at(model, "judge", 5, stoic, *evaluate, "--resume")
    _check_interrupted(stoic, end(stopped, signal.SIGINT, times=5))
    stoic.job("first", greetings=["Good evening"])
    changed = stoic(*evaluate, "--resume", code=2)
    assert "cannot resume, because this changed since the evaluation began: jobs (first)" in changed.line
    stoic.job("first", greetings=[GREETINGS["first"]], **job)
    stoic.env["STOIC_WEBHOOK_URL"] = hook.url
    [cut] = (stoic.home / "evidence" / "my-agent@cut").iterdir()
    end(stopped_at(hook, "POST /", 1, stoic, "eval", "--resume", cut.name), signal.SIGKILL)
    with _held_for_writing(stoic):
        final = stoic(*evaluate, "--resume", "--json").document

    assert [trial["outcome"] for trial in final["trials"]] == ["signed_off"] * 3
    assert final["invalid_trials"] == 0
    for table, columns in COLUMNS.items():
        undisturbed, cut = (rows(stoic, f"my-agent@{name}", table, columns) for name in ("whole", "cut"))
        assert undisturbed, table
        assert cut == undisturbed, table
    check_turns_sent(agent, len(JOBS), _planned, repeated=1)  # one kill
    # Three trials of six verdicts; at the end two were on their way, and two had come but were not written yet.
    assert 18 <= len(model.of("judge")) <= 18 + 4
    told = Counter(call.body["id"] for call in hook.calls)
    assert set(told) >= {trial["trial_id"] for trial in final["trials"]} | {final["evaluation_id"]}
    # Of both versions; what was on its way at the kill goes again, and so does what was accepted and not yet recorded.
    assert sorted(told.values()) in ([1] * 7 + [2], [1] * 6 + [2, 2])
    assert "there is no unfinished evaluation" in stoic(*evaluate, "--resume", code=2).line


def _check_undisturbed(done: Done) -> None:
    assert f"agent I heard: {LINES[0]}" in done.err
    assert "You are a helpful bot" in done.err  # the system prompt among the agent's events


def _check_interrupted(stoic: Stoic, done: Done) -> None:
    [cut] = (stoic.home / "evidence" / "my-agent@cut").iterdir()
    again = f"`stoic eval --agent-version my-agent@cut --resume {cut.name}`"
    assert stoic.checked(done, 130).line == f"stoic: interrupted; results so far are stored; continue with {again}"


def _others_meanwhile(stoic: Stoic, evaluate: tuple[str, ...]) -> None:
    """While a run goes on, people may look at the tables, and nobody may run the same evaluation."""
    with duckdb.connect(str(stoic.home / "warehouse" / "stoic.duckdb"), read_only=True) as database:
        assert database.sql("select count(*) from trials").fetchone() == (3,)
    refused = stoic(*evaluate, "--resume", code=2)
    assert re.search(r"evaluation \S+ of my-agent@cut is running in another process", refused.line)


@contextmanager
def _held_for_writing(stoic: Stoic) -> Iterator[None]:
    """Somebody has the file of tables open and made one of their own, which is theirs to keep elsewhere."""
    with duckdb.connect(str(stoic.home / "warehouse" / "stoic.duckdb")) as database:
        database.execute("create table mine as select 1 as one")
        yield
        assert database.sql("select one from mine").fetchone() == (1,)


def _planned(user: str) -> list[str]:
    return [GREETINGS[next(name for name in JOBS if f".{name}." in user)], *LINES]


def test_a_run_that_is_stopped_for_a_while_charges_no_agent(
    stoic: Stoic, model: ModelServer, agent: EmbabelAgent
) -> None:
    """As by Ctrl-Z, or `docker pause`: replies that come meanwhile are in time, and are not asked for again."""
    stoic.job("chat", greetings=["Hello"], repeats=4, maxTurns=20)
    limits = {endpoint: {"timeout_seconds": 4} for endpoint in ("agent", "evaluator", "judge")}
    conversations = {"turn_timeout_seconds": 5, "trial_timeout_seconds": 30}
    stoic.write("stoic.yml", {"limits": limits, "conversations": conversations})
    model.lines = LINES
    agent.when("message", slow(1.0))
    running = stoic.start("eval", "--json")
    agent.await_calls("message", 4, running)
    running.send_signal(signal.SIGSTOP)
    time.sleep(8)
    running.send_signal(signal.SIGCONT)

    trials = stoic.checked(ended(running), 0).document["trials"]
    assert [(trial["outcome"], trial["failure_count"]) for trial in trials] == [("signed_off", 0)] * 4
    assert all(1000 <= trial["average_response_ms"] < 4000 for trial in trials)
    assert len(agent.of("message")) == 4 * len(["Hello", *LINES])


AT_ONCE_UNDER_CEILING = 8
PRICED = "prices: {gpt-4.1-mini: {input: 1000, output: 0}}\n"
"""A request of the model server's thousand tokens costs a dollar."""


def test_the_cost_ceiling_stops_cleanly_and_a_higher_one_goes_on(stoic: Stoic, model: ModelServer) -> None:
    stoic.job("one", greetings=["Hello one"])
    stoic.job("two", greetings=["Hello two"])
    stoic.write("stoic.yml", f"{PRICED}max_cost: 0\n")
    stoic.env |= {"AGENT_API_KEY": "agent", "OLD_PASSWORD": "withheld"}  # words that ids and kinds are made of

    poorest = stoic("eval", "--json", code=3)
    assert (model.asked, poorest.document["trials"]) == ([], [])
    assert "0 of 2 trials were run before the cost ceiling was reached" in poorest.line

    poor = stoic("eval", "--max-cost", "5", "--resume", "--json", "--fail-under", "0.9", code=3)
    assert len(model.of("evaluator")) == 4
    assert 1 <= len(model.of("judge")) <= AT_ONCE_UNDER_CEILING  # what was asked at once, and no more
    assert poor.line.startswith(
        "stoic: no verdict: the cost ceiling was reached before all verdicts were given; continue"
    )
    assert stoic.sql("select count(*) from events where type = 'evolution.stoic_evaluation_applied'") == [(0,)]

    rich = stoic("eval", "--max-cost", "50", "--resume", "--json").document
    assert (len(model.of("evaluator")), len(model.of("judge"))) == (4, 12)
    assert [trial["outcome"] for trial in rich["trials"]] == ["signed_off", "signed_off"]
    assert poor.document["evaluation_id"] == rich["evaluation_id"]
    head = stoic.sql("select status, cost_usd, planned_trials, scored_trials from evaluations")
    assert head == [("finished", 16.0, 2, 2)]
    of_trials = stoic.sql("select sum(cost_usd) from llm_calls join trials using (trial_id) group by trial_id")
    assert of_trials == [(8.0,), (8.0,)]
    _judged_again_below_what_was_spent(stoic, model, rich)


def _judged_again_below_what_was_spent(stoic: Stoic, model: ModelServer, before: dict[str, Any]) -> None:
    """Kept replies cost nothing; where new ones are needed, nothing that is stored gives way."""

    def tables() -> set[Path]:
        files = (stoic.home / "warehouse").rglob("*.parquet")
        return {file for file in files if "llm_calls" not in file.parts}

    model.calls.clear()
    assert stoic("regrade", "--max-cost", "16", "--json").document == before
    corrected = stoic.job("one", greetings=["Hello one"], aspirationalAverage=10)
    stored = tables()
    told = stoic.write("told.xml", "")
    refused = stoic("regrade", "--fresh", "--file", corrected, "--max-cost", "16", "--junit", told, code=3)
    assert "the earlier ones are kept; judge again with a higher --max-cost" in refused.line
    assert "the earlier ones are kept" in told.read_text()
    assert tables() == stored
    assert model.calls == []
    assert "there is no unfinished evaluation" in stoic("eval", "--max-cost", "50", "--resume", code=2).line
