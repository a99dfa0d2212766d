"""Nights held with real agents over HTTP and the embedded graph."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation.conversations import hold_evaluation
from stoic_assets.adapters.evaluation.nights import HeldNight, hold_night
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.adapters.models.offline_model import OFFLINE, OfflineModel
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.chat import ChatReply, ChatRequest
from stoic_assets.core.conversation import journal as entries
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import EvaluationRequest
from stoic_assets.core.night_record import night_evaluation_id
from stoic_assets.core.table_repair import EVIDENCE

NIGHT = "2026-11-21"
JOB = """
target: {user: "u-{trial}", chatbot: marcus}
tasks: [{task: Say hello, acceptanceCriteria: It greets}]
greetings: [Hello]
maxTurns: 2
repeats: 3
"""
SECRET = "sk-0123456789abcdefghijklmn"
Agent = Callable[..., str]


@pytest.fixture
def workplace(embedded_home: Path, embedded: GraphServer, tmp_path: Path) -> Workplace:
    """A project that shares the running graph; one conversation at a time, so that their order can be seen."""
    (tmp_path / "eval_jobs").mkdir()
    (tmp_path / "releases").mkdir()
    (tmp_path / "eval_jobs" / "hello.yml").write_text(JOB)
    (tmp_path / "stoic.yml").write_text("conversations: {at_once: 1}\n")
    subject, stoic = embedded.address("subject"), embedded.address("stoic")
    env = {
        "STOIC_HOME": str(tmp_path / "home"), "STOIC_LLM": "offline",
        "NEO_URI": subject.uri, "NEO_USERNAME": subject.username or "", "NEO_PASSWORD": subject.password or "",
        "NEO_DATABASE": subject.database or "", "STOIC_GRAPH_URI": stoic.uri,
        "STOIC_GRAPH_USERNAME": stoic.username or "", "STOIC_GRAPH_PASSWORD": stoic.password or "",
        "STOIC_GRAPH_DATABASE": stoic.database or "",
    }
    return open_workplace(env, start=tmp_path)


@pytest.fixture
def said() -> list[str]:
    """The versions that were talked to, message by message."""
    return []


@pytest.fixture
def agent(workplace: Workplace, said: list[str]) -> Iterator[Agent]:
    """Starts an agent and releases it; gives its version. One with `refuses` wants a key that nobody has."""
    servers: list[ThreadingHTTPServer] = []

    def start(version: str, refuses: bool = False, reachable: bool = True) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler(version, refuses, said))
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        url = f"http://127.0.0.1:{server.server_address[1] if reachable else 9}/{SECRET}"
        released = f"2026-11-0{len(servers)}T09:00:00Z"
        manifest = {"agent": "marcus", "version": version, "url": url, "releasedAt": released}
        (workplace.project.releases / f"{version}.yml").write_text(json.dumps(manifest))
        return f"marcus@{version}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def handler(version: str, refuses: bool, said: list[str]) -> type[BaseHTTPRequestHandler]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({"context": "", "resources": [], "functions": []})

        def do_PUT(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "message" in body:
                said.append(version)
            self._answer({"sessionId": "s", "message": {"role": "assistant", "content": "Hello"}, "events": []})

        def _answer(self, document: dict[str, Any]) -> None:
            content = json.dumps(document).encode()
            self.send_response(401 if refuses else 200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None: ...

    return Answers


def hold(workplace: Workplace, name: Any = "first", versions: tuple[str, ...] = ()) -> HeldNight:
    return asyncio.run(hold_night(workplace, NIGHT, name, "run-1", versions))


def test_live_versions_converse_in_turn_and_nothing_is_held_twice(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    versions = [agent("1.0.0"), agent("1.1.0")]
    found = hold(workplace)
    assert said == ["1.0.0", "1.1.0"] * 3
    assert [len(found.held[version].trials) for version in versions] == [3, 3]
    ids = {version: night_evaluation_id(NIGHT, version, "first") for version in versions}
    assert all(workplace.warehouse.has("turns", *key) for key in ids.items())
    record = workplace.nights.read(NIGHT).first
    assert record == found.record
    assert {version: each.evaluation_id for version, each in record.evaluations.items()} == ids
    assert [each.base for each in record.evaluations.values()] == [None, versions[0]]

    hold(workplace)
    assert len(said) == 6
    hold(workplace, "again", (versions[1],))
    assert said[6:] == ["1.1.0"] * 3
    again = workplace.nights.read(NIGHT).again
    assert again is not None
    assert list(again.evaluations) == [versions[1]]


def test_what_is_judged_stays_judged_until_a_trial_is_held_again(
    workplace: Workplace, agent: Agent, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    version = agent("1.0.0")
    found = hold(workplace).held[version]
    assert found.files.keys() >= {"evaluations", "trials", "turns", "observations"}
    store = EvaluationTables(workplace, found.manifest)
    store.write_head("finished", planned_trials=3, scored_trials=3, invalid_trials=0)
    found = hold(workplace).held[version]
    assert (found.files.keys(), len(found.trials)) == ({"llm_calls"}, 3)
    assert store.read("evaluations")[0]["status"] == "finished"


@pytest.mark.parametrize("table", ["llm_calls", "evaluations", "turns", "trials"])
def test_what_is_held_again_is_stored_whole_however_often_that_is_cut_off(
    workplace: Workplace, agent: Agent, said: list[str], monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    version = agent("1.0.0")
    found = hold(workplace).held[version]
    store = EvaluationTables(workplace, found.manifest)
    store.write_head("finished", planned_trials=3, scored_trials=2, invalid_trials=1)
    missed = entries.ended(now(), "infra_error", "no graph", 0, [])
    asyncio.run(workplace.evidence.journals(found.manifest).of(found.trials[0]["trial_id"]).append(missed))
    write = EvaluationTables.write

    def full_disk(self: EvaluationTables, name: str, rows: Any) -> Path:
        if name == table:
            raise StorageError("the disk is full")
        return write(self, name, rows)

    with monkeypatch.context() as patch:
        patch.setattr(EvaluationTables, "write", full_disk)
        assert hold(workplace).record.faults == {version: "the disk is full"}
    again = hold(workplace).held[version]
    assert len(said) == 4, "what was invalid was held once more"
    assert store.read("evaluations")[0]["status"] == "conversed", "what is judged is not what was held"
    trials, turns = store.read("trials"), store.read("turns")
    assert {row["ended_at"].isoformat() for row in trials} == {row["ended_at"] for row in again.trials}
    assert len(turns) == sum(row["turns"] for row in trials)
    assert f"{found.trials[0]['trial_id']}-2" in {row["user"].removeprefix("u-") for row in trials}


@pytest.mark.parametrize("table", EVIDENCE)
def test_a_table_that_was_lost_is_made_again_without_a_conversation(
    workplace: Workplace, agent: Agent, said: list[str], table: str
) -> None:
    version = agent("1.0.0")
    store = EvaluationTables(workplace, hold(workplace).held[version].manifest)
    rows, columns = store.read(table), {"evaluated_at": None}
    [file] = (workplace.warehouse.root / table / f"agent_version={version}").iterdir()
    file.unlink()
    with pytest.raises(ConfigurationError, match="are not complete; continue with `stoic eval "):
        store.evidence()
    hold(workplace)
    assert [row | columns for row in store.read(table)] == [row | columns for row in rows]
    assert (len(said), len(store.evidence())) == (3, 3)


def test_a_version_that_cannot_be_talked_to_stops_no_other(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    good, gone, locked = agent("1.0.0"), agent("1.1.0", reachable=False), agent("1.2.0", refuses=True)
    (workplace.project.releases / "odd.yml").write_text("agent: marcus\nversion: 2\nurl: http://[\n")
    found = hold(workplace)
    assert list(found.held) == [good]
    assert said == ["1.0.0"] * 3
    assert "/[redacted] refuses the key" in found.record.faults[locked]
    assert "1.1.0" in gone
    assert set(found.record.faults) == {gone, locked}
    [night], _ = workplace.nights.recent()
    assert night.first is not None
    assert list(night.first.evaluations) == [good]


def test_a_version_at_its_cost_ceiling_stops_no_other_and_is_named(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    (workplace.project.root / "eval_jobs" / "hello.yml").write_text(JOB.replace("maxTurns: 2", "maxTurns: 4"))
    spent, other = agent("1.0.0"), agent("1.1.0")
    held = hold(capped(workplace, 0), versions=(spent,)).held[spent]
    ledger = Ledger(OfflineModel(), workplace.evidence.journal_file(held.manifest), {})
    ledger.note(ChatRequest("evaluator", OFFLINE, (), 0.0), ChatReply("", cost_usd=9.0))

    found = hold(capped(workplace, 1))
    assert {version: len(each.trials) for version, each in found.held.items()} == {spent: 0, other: 3}
    assert found.record.faults == {
        spent: "0 of 3 trials were run before the cost ceiling was reached; continue with `stoic eval --agent-version "
        f"marcus@1.0.0 --resume {held.manifest.evaluation_id}` and a higher --max-cost"
    }
    assert said.count("1.0.0") == 1  # the greeting, before any model was asked
    assert hold(workplace).record.faults == {}


def test_what_was_held_below_the_ceiling_stays_though_some_of_it_was_to_be_held_again(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    (workplace.project.root / "eval_jobs" / "hello.yml").write_text(JOB.replace("maxTurns: 2", "maxTurns: 4"))
    version = agent("1.0.0")
    found = hold(workplace).held[version]
    journals, missed = workplace.evidence.journals(found.manifest), entries.ended(now(), "infra_error", "", 0, [])
    for trial in found.trials[:2]:
        asyncio.run(journals.of(trial["trial_id"]).append(missed))
    said.clear()
    key, request = (version, found.manifest.evaluation_id), EvaluationRequest()
    again = asyncio.run(hold_evaluation(workplace, *key, "run-2", request, max_cost=0.0))
    outcomes = [row["outcome"] for row in workplace.warehouse.read("trials", *key)]
    assert outcomes == ["infra_error", "infra_error", found.trials[2]["outcome"]]
    assert len(again.trials) == 3
    assert len(said) == 1  # the greeting, before any model was asked


def test_a_finished_evaluation_that_is_resumed_is_unfinished_until_its_verdicts_are_there(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    """A kill in between is to be gone on from with `--resume`."""
    version = agent("1.0.0")
    found = hold(workplace).held[version]
    tables = EvaluationTables(workplace, found.manifest)
    tables.write_head("finished", planned_trials=3, scored_trials=3, invalid_trials=0)
    said.clear()
    key, request = (version, found.manifest.evaluation_id), EvaluationRequest()
    again = asyncio.run(hold_evaluation(workplace, *key, "run-2", request))
    assert (said, again.files["evaluations"].exists()) == ([], True)
    assert tables.read("evaluations")[0]["status"] == "conversed"


def capped(workplace: Workplace, dollars: float) -> Workplace:
    """The same, with a cost ceiling in stoic.yml."""
    return replace(workplace, settings=workplace.settings.model_copy(update={"max_cost": dollars}))


def test_the_second_round_remembers_whom_the_first_one_missed(workplace: Workplace, agent: Agent) -> None:
    version = agent("1.0.0")
    (workplace.project.releases / "gone.yml").write_text("agent: marcus\nversion: 1.2.0\nurl: http://127.0.0.1:9\n")
    first = hold(workplace)
    assert (list(first.record.faults), first.missed) == (["marcus@1.2.0"], {})
    again = hold(workplace, "again", (version,))
    assert (again.record.faults, again.missed) == ({}, first.record.faults)


def test_without_a_live_version_there_is_no_night(workplace: Workplace) -> None:
    with pytest.raises(ConfigurationError, match=r"releases/\*\.yml"):
        hold(workplace)


def test_a_night_of_a_version_that_is_not_live_names_it(workplace: Workplace, agent: Agent, said: list[str]) -> None:
    agent("1.0.0")
    with pytest.raises(ConfigurationError, match=r"^not live: marcus@8; live: marcus@1\.0\.0; give the version a"):
        hold(workplace, versions=("marcus@8",))
    assert said == []


def test_a_manifest_that_cannot_be_read_is_left_out_of_the_night_and_named(workplace: Workplace, agent: Agent) -> None:
    version = agent("1.0.0")
    broken = workplace.project.releases / "broken.yml"
    broken.write_text("agent: marcus\nversion: 1.1.0\nurl: nowhere\n")
    night = hold(workplace)
    assert list(night.held) == [version]
    [line] = night.unread
    assert line.startswith("left out: ")
    assert "broken.yml:3" in line
    assert hold(workplace, "first", (version,)).unread == (), "by hand, for this version alone"
    assert hold(workplace, "again", (version,)).unread == night.unread
    (workplace.project.releases / "1.0.0.yml").unlink()
    with pytest.raises(ConfigurationError, match=r"^no version is live; .*; left out: .*broken\.yml:3"):
        hold(workplace)
