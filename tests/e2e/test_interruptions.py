"""Killed, interrupted, run twice at once, out of money, out of disk: nothing paid for is lost or paid again."""

import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from agents import EmbabelAgent
from double import Double, hang, status
from model_server import ModelServer
from stoic_command import Done, Stoic
from stopping import end, ended, stopped_at
from undisturbed import COLUMNS, check_turns_sent, rows

pytestmark = pytest.mark.long
JOBS = ("first", "second", "third")
TASKS = [
    {"task": "Ask what the capital of France is", "acceptanceCriteria": "It answers with Paris"},
    {"task": "Ask for a poem", "acceptanceCriteria": "It rhymes"},
]
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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own for STOIC_HOME."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


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

    assert "refuses the key (403); check AGENT_API_KEY and target.headers" in refused.line
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

    assert "is busy (429); get it running again; results so far are stored; continue with `stoic eval" in busy.line
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


def test_a_disk_that_fills_loses_nothing(
    stoic: Stoic, model: ModelServer, agent: EmbabelAgent, small_disk: Path
) -> None:
    stoic.env["STOIC_HOME"] = str(small_disk)
    stoic.job(tasks=TASKS, maxTurns=20)
    model.lines = ("What is the capital of France? " * 500, "A poem, please.")  # more than the rest of a page holds
    agent.when("message", lambda _: _fill(small_disk / "filler"), times=1, after=1)  # before it answers

    full = stoic("eval", code=2)
    assert f"stoic: {small_disk}" in full.line
    assert "cannot be written: " in full.line
    assert "free space" in full.line
    (small_disk / "filler").unlink()
    agent.calls.clear()

    [trial] = stoic("eval", "--resume", "--json").document["trials"]

    assert (trial["outcome"], trial["turns"]) == ("signed_off", 7)
    sent = [text.strip() for text in agent.told()]
    assert sent == [line.strip() for line in model.lines]  # what was answered is kept, the message in flight goes again


def _fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filler:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while filler.write(b"0" * size):
                    pass
            except OSError:
                continue


def test_a_home_that_cannot_be_written_is_said_at_once(stoic: Stoic, small_disk: Path, agent: EmbabelAgent) -> None:
    stoic.job()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    done = stoic("eval", code=2, STOIC_HOME=str(small_disk / "home"))
    assert done.line.endswith("cannot be written (Read-only file system); set STOIC_HOME to a folder that can")
    done = stoic("eval", code=2, STOIC_HOME=str(small_disk))
    assert "cannot be written" in done.line
    assert "nothing was evaluated yet" in stoic("list", STOIC_HOME=str(small_disk)).out
    assert agent.calls == []
    assert list(small_disk.iterdir()) == []
