"""What `stoic doctor` says of single subjects."""

import asyncio
import json
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace

import pytest
import typer

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation.job_choice import default_version
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.console import Terminal
from stoic_assets.cli.project_status import ASKED, FILES, STATE, Finding, doctor, show
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable
from stoic_assets.core.evaluation import EvaluationRequest


def test_without_jobs_no_agent_was_asked(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    assert asyncio.run(ASKED["agent"](workplace)) == ("note", "not looked for, since there are no jobs")


@pytest.mark.parametrize(
    ("chatbots", "state", "advice"),
    [
        (["marcus"], "ok", ""),
        (["marcus", "seneca"], "note", "the jobs are for several agents (marcus, seneca); choose one with"),
        (["marcus aurelius"], "note", "name the version with"),
    ],
)
def test_jobs_that_leave_open_which_version_is_meant_are_told_as_eval_tells_them(
    workplace: Workplace, chatbots: list[str], state: str, advice: str
) -> None:
    workplace.project.jobs.mkdir()
    for number, chatbot in enumerate(chatbots):
        job = {
            "name": f"chat-{number}", "target": {"user": "ada", "chatbot": chatbot},
            "tasks": [{"task": "Greet", "acceptanceCriteria": "Greeted"}],
        }  # fmt: skip
        (workplace.project.jobs / f"{number}.yml").write_text(json.dumps(job))
    found, said = FILES["jobs"](workplace)
    assert found == state
    assert said.startswith(f"{len(chatbots)} in {workplace.project.jobs}")
    assert advice in said
    if advice:
        with pytest.raises(ConfigurationError) as refusal:
            default_version(EvaluationRequest(), workplace.project)
        assert said.endswith(f"; {refusal.value}")


def test_files_that_are_not_read_are_told(workplace: Workplace) -> None:
    folder = workplace.project.jobs / "sales"
    folder.mkdir(parents=True)
    for name in ("a.yml", "b.yaml", "c.cypher"):
        (folder / name).touch()
    told = f"not read: 2 files in subfolders, such as {folder / 'a.yml'}"
    with pytest.raises(ConfigurationError, match=f"no jobs in .*; {told}"):
        FILES["jobs"](workplace)
    target, task = {"user": "ada", "chatbot": "marcus"}, {"task": "Greet", "acceptanceCriteria": "Greeted"}
    (workplace.project.jobs / "read.yml").write_text(json.dumps({"target": target, "tasks": [task]}))
    assert FILES["jobs"](workplace) == ("note", f"1 in {workplace.project.jobs}; {told}")


def test_a_job_with_more_tasks_than_turns_is_told(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    task = {"task": "Greet", "acceptanceCriteria": "Greeted"}
    job = {"target": {"user": "ada", "chatbot": "marcus"}, "tasks": [task] * 12}
    (workplace.project.jobs / "long.yml").write_text(json.dumps(job))
    found, said = FILES["jobs"](workplace)
    assert found == "note"
    assert "; job long: `maxTurns: 20` lets the user speak 9 times" in said


def test_a_disk_without_room_for_an_evaluation_is_told(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def looked_at(total: int, free: int) -> str:
        disk = SimpleNamespace(total=total, free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: disk)
        return FILES["project"](workplace)[0]

    workplace.project.home.mkdir(exist_ok=True)
    assert looked_at(10**9, 20_000_000) == "ok"
    assert looked_at(0, 0) == "ok", "nothing is known of such a disk"
    with pytest.raises(StorageError, match=r"^19\.9 MB are free in /.*; free space, or set STOIC_HOME"):
        looked_at(10**9, 19_900_000)


def test_a_home_that_cannot_be_written_is_told(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(ConfigurationError, match="cannot be written"):
        FILES["project"](workplace)


def test_a_home_that_dagster_would_misread_is_told(workplace: Workplace) -> None:
    elsewhere = replace(workplace, project=replace(workplace.project, home=workplace.project.home / "a%41"))
    with pytest.raises(ConfigurationError, match="Dagster misreads '%41' in the path"):
        FILES["project"](elsewhere)


@contextmanager
def answering(status: int, seen: list[str] | None = None) -> Iterator[str]:
    """The address of a service that answers every GET and POST so, and takes nothing else; `seen` are their paths."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if seen is not None:
                seen.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_GET  # noqa: N815 - the name is that of the standard library

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:  # else a test that fails leaves a thread that spins
            server.shutdown()
            thread.join()


@pytest.fixture
def place() -> Iterator[str]:
    """An address where an agent listens."""
    with answering(405) as url:
        yield url


@pytest.fixture
def nowhere() -> str:
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def write(workplace: Workplace, **urls: str) -> None:
    """A job for Marcus, and releases of his by their names."""
    job = {"target": {"user": "u", "chatbot": "marcus"}, "tasks": [{"task": "t", "acceptanceCriteria": "a"}]}
    workplace.project.jobs.mkdir()
    (workplace.project.jobs / "chat.yml").write_text(json.dumps(job))
    workplace.project.releases.mkdir()
    for name, url in urls.items():
        manifest = {"agent": "marcus", "version": name, "url": url}
        (workplace.project.releases / f"{name}.yml").write_text(json.dumps(manifest))


def test_a_variable_that_nobody_reads_is_told(workplace: Workplace) -> None:
    assert FILES["project"](workplace)[0] == "ok"
    found, said = FILES["project"](replace(workplace, env={**workplace.env, "STOIC_JUGE_MODEL": "x"}))
    assert (found, said.endswith("; did you mean STOIC_JUDGE_MODEL?")) == ("note", True)


def test_a_version_whose_manifest_cannot_be_followed_is_told(workplace: Workplace) -> None:
    write(workplace, fine="http://127.0.0.1:1", lost="localhost")
    (workplace.project.releases / "jobless.yml").write_text('{"agent": "marcus", "version": "7", "jobs": ["nope"]}')
    found, said = FILES["releases"](workplace)
    assert found == "note"
    assert "lost.yml:1: url: not an http or https address" in said
    assert "jobless.yml:1: jobs: there is no job 'nope'" in said
    assert "fine" not in said


def test_an_agent_is_looked_for_where_its_releases_listen(workplace: Workplace, place: str, nowhere: str) -> None:
    write(workplace, new=place)
    assert asyncio.run(ASKED["agent"](workplace)) == ("ok", place)
    gone = {"agent": "marcus", "version": "old", "url": nowhere}
    (workplace.project.releases / "old.yml").write_text(json.dumps(gone))
    silence = f"agent: nothing answers at {nowhere.removeprefix('http://')}"
    assert asyncio.run(ASKED["agent"](workplace)) == ("note", f"{place}; {silence}"), "an earlier release may be gone"
    (workplace.project.releases / "new.yml").unlink()
    with pytest.raises(ServiceUnreachable, match=silence):
        asyncio.run(ASKED["agent"](workplace))


def test_jobs_are_counted_where_they_lie(workplace: Workplace) -> None:
    write(workplace)
    classic = workplace.project.root / "data" / "eval"
    classic.mkdir(parents=True)
    (classic / "agent.yml").write_text((workplace.project.jobs / "chat.yml").read_text())
    assert FILES["jobs"](workplace) == ("ok", f"2 in {classic} and {workplace.project.jobs}")


def test_what_waits_for_an_address_that_is_set_is_told(workplace: Workplace, place: str) -> None:
    workplace.outbox.put("events", {"a": {}, "b": {}}, "marcus@1")
    unset = "fitness updates stay in the outbox (EVOLUTION_URL is not set)"
    state, said = STATE["delivery"](workplace)
    assert (state, said) == ("note", f"events stay in the outbox (STOIC_WEBHOOK_URL is not set); {unset}")
    heard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": place})
    waiting = "2 events in the outbox; the next evaluation tries STOIC_WEBHOOK_URL again"
    assert STATE["delivery"](heard) == ("note", f"{waiting}; {unset}")
    workplace.outbox.delete("marcus@1")
    all_heard = replace(heard, env={**heard.env, "EVOLUTION_URL": place})
    assert STATE["delivery"](all_heard) == ("ok", "the outbox is empty")


def test_an_agent_that_refuses_the_key_is_missing_unless_it_listens_elsewhere_too(
    workplace: Workplace, place: str
) -> None:
    with answering(401) as locked:
        write(workplace, new=locked)
        with pytest.raises(ConfigurationError, match=r"refuses the key \(401\); check AGENT_API_KEY"):
            asyncio.run(ASKED["agent"](workplace))
        known = replace(workplace, env={**workplace.env, "AGENT_URL": place})
        said = f"{place}; the agent at {locked} refuses the key (401)"
        assert asyncio.run(ASKED["agent"](known)) == ("note", said)


def test_jobs_that_speak_alike_to_an_agent_have_it_asked_once(workplace: Workplace) -> None:
    seen: list[str] = []
    with answering(404, seen) as url:
        write(workplace, new=url)
        jobs = workplace.project.jobs
        (jobs / "again.yml").write_text((jobs / "chat.yml").read_text())
        assert asyncio.run(ASKED["agent"](workplace)) == ("ok", url)
    assert seen == ["/api/v1/chat/sessions"]


def test_a_model_server_that_refuses_the_key_is_missing(workplace: Workplace, place: str) -> None:
    env = {name: value for name, value in workplace.env.items() if name != "STOIC_LLM"}
    served = replace(workplace, env={**env, "OPENAI_BASE_URL": f"{place}/v1"})
    assert asyncio.run(ASKED["model"](served)) == ("ok", "simulated user gpt-4.1-mini, judges gpt-4.1-mini")
    elsewhere = replace(served, env={**served.env, "STOIC_JUDGE_BASE_URL": f"{place}/court"})
    judges = f"judges gpt-4.1-mini of the model server at {place}/court"
    assert asyncio.run(ASKED["model"](elsewhere)) == ("ok", f"simulated user gpt-4.1-mini, {judges}")
    with answering(401) as locked, pytest.raises(ConfigurationError, match="refuses the key"):
        asyncio.run(ASKED["model"](replace(workplace, env={**env, "OPENAI_BASE_URL": f"{locked}/v1"})))


def test_subjects_stand_in_order_and_one_that_is_missing_ends_with_2(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("stoic_assets.cli.project_status.open_workplace", lambda to_read: workplace)
    monkeypatch.setattr("stoic_assets.cli.project_status.STATE", {**STATE, "graphs": lambda _: ("ok", "none asked")})
    with answering(401) as locked:
        write(workplace, new=locked)
        with pytest.raises(typer.Exit) as left:
            doctor(as_json=True)
    found = {each["subject"]: each["state"] for each in json.loads(capsys.readouterr().out)["findings"]}
    assert left.value.exit_code == 2
    assert found == {
        "installation": "ok", "project": "ok", "jobs": "ok", "releases": "ok", "model": "note", "agent": "missing",
        "tables": "ok", "dagster": "ok", "judge cache": "ok", "graphs": "ok", "delivery": "note",
    }  # fmt: skip
    assert list(found)[4:6] == ["model", "agent"]


def test_a_file_is_given_each_finding_in_one_line_and_a_terminal_folds_its_detail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    detail = "a path and a hint, both of them as long as they are in the folders of a project"
    show([Finding("project", "ok", detail)])
    assert capsys.readouterr().out == f"ok       project       {detail}\n"
    show([Finding("agent", "missing", "agent: nothing answers")])
    assert capsys.readouterr().out == "missing  agent         nothing answers\n"
    monkeypatch.setattr("stoic_assets.cli.console.out", Terminal(force_terminal=True, width=60, no_color=True))
    show([Finding("project", "ok", detail)])
    first, *further = capsys.readouterr().out.splitlines()
    assert first.startswith("ok       project       a path and a hint,")
    assert further
    assert all(line.startswith(" " * len("ok       project       ")) for line in further)
