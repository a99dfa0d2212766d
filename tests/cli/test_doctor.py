"""What `stoic doctor` says of a project and its state, and how."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation.job_choice import default_version
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import doctor
from stoic_assets.cli.doctor import FILES, STATE, Finding, show
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.request import EvaluationRequest

Marcus = Callable[..., None]


@pytest.mark.parametrize(("state", "code"), [("ok", 0), ("note", 0), ("missing", 2)])
def test_an_evaluation_can_run_unless_something_is_missing(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], state: str, code: int
) -> None:
    monkeypatch.chdir(workplace.project.root)
    found = {"first": ("ok", "fine"), "last": (state, "seen")}
    for place, subject in (("FILES", "first"), ("SERVICES", ""), ("STATE", "last")):
        looks = {subject: lambda _, subject=subject: found[subject]} if subject else {}
        monkeypatch.setattr(doctor, place, looks)
    with pytest.raises(typer.Exit) if code else nullcontext() as ended:
        doctor.doctor(as_json=True)
    assert code == (ended.value.exit_code if ended else 0)
    assert json.loads(capsys.readouterr().out)["ready"] is (code == 0)
    with pytest.raises(typer.Exit) if code else nullcontext():
        doctor.doctor()
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == ("no evaluation can run yet; correct what is missing" if code else "an evaluation can run")


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


def test_the_fault_of_a_job_is_told_once(workplace: Workplace, marcus: Marcus) -> None:
    marcus(here="http://127.0.0.1:9")
    (workplace.project.jobs / "faulty.yml").write_text("tasksx: []")
    with pytest.raises(ConfigurationError, match="tasksx: unknown key"):
        FILES["jobs"](workplace)
    assert FILES["releases"](workplace) == ("ok", "marcus@here")


def test_a_job_with_more_tasks_than_turns_is_told(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    task = {"task": "Greet", "acceptanceCriteria": "Greeted"}
    job = {"target": {"user": "ada", "chatbot": "marcus"}, "tasks": [task] * 12}
    (workplace.project.jobs / "long.yml").write_text(json.dumps(job))
    found, said = FILES["jobs"](workplace)
    assert (found, "; job long: `maxTurns: 20` lets the user speak 9 times" in said) == ("note", True)


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


@pytest.mark.parametrize("full", ["home", "warehouse"])
def test_home_and_warehouse_may_be_on_different_disks(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, full: str
) -> None:
    project = replace(workplace.project, warehouse=tmp_path / "warehouse")
    for folder in (project.home, project.warehouse):
        folder.mkdir(exist_ok=True)
    room = {getattr(project, name): 0 if name == full else 10**9 for name in ("home", "warehouse")}
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(total=10**9, free=room[Path(folder)]))
    with pytest.raises(StorageError, match=f"are free in {tmp_path / full}, and an evaluation needs 20 MB"):
        FILES["project"](replace(workplace, project=project))


def test_a_job_that_would_change_a_graph_where_that_is_not_allowed_is_refused(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    job = {"target": {"user": "ada", "chatbot": "marcus"}, "tasks": [{"task": "Greet", "acceptanceCriteria": "a"}]}
    (workplace.project.jobs / "chat.yml").write_text(json.dumps({**job, "setups": [{"cypher": "CREATE (:A)"}]}))
    assert FILES["jobs"](workplace)[0] == "ok"
    theirs = replace(workplace, env={**workplace.env, "NEO_URI": "bolt://graphs.example:7687"})
    with pytest.raises(ConfigurationError, match="setups would write to the graph on graphs"):
        FILES["jobs"](theirs)


def test_a_home_that_cannot_be_written_is_told(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(ConfigurationError, match="cannot be written"):
        FILES["project"](workplace)


def test_in_the_wrong_folder_nothing_is_left(tmp_path: Path) -> None:
    elsewhere = open_workplace({"STOIC_LLM": "offline"}, start=tmp_path, to_read=True)
    assert FILES["project"](elsewhere)[0] == "ok"
    assert STATE["graphs"](elsewhere) == ("note", "not looked for, since there are no jobs")
    assert not list(tmp_path.iterdir())
    elsewhere.project.jobs.mkdir()
    (elsewhere.project.jobs / "chat.yml").touch()
    FILES["project"](elsewhere)
    assert elsewhere.project.home.exists()


def test_a_home_that_dagster_would_misread_is_told(workplace: Workplace) -> None:
    elsewhere = replace(workplace, project=replace(workplace.project, home=workplace.project.home / "a%41"))
    with pytest.raises(ConfigurationError, match="Dagster misreads '%41' in the path"):
        FILES["project"](elsewhere)


def test_a_variable_that_nobody_reads_is_told(workplace: Workplace) -> None:
    assert FILES["project"](workplace)[0] == "ok"
    found, said = FILES["project"](replace(workplace, env={**workplace.env, "STOIC_JUGE_MODEL": "x"}))
    assert (found, said.endswith("; did you mean STOIC_JUDGE_MODEL?")) == ("note", True)


def test_a_version_whose_manifest_cannot_be_followed_is_told(workplace: Workplace, marcus: Marcus) -> None:
    marcus(fine="http://127.0.0.1:1", lost="localhost")
    for number, further in ((7, "jobs: [nope]"), (8, "parents: ['7', fin]")):
        text = f"{{agent: marcus, version: '{number}', {further}}}"
        (workplace.project.releases / f"{number}.yml").write_text(text)
    found, said = FILES["releases"](workplace)
    assert (found, "fine.yml" in said) == ("note", False)
    assert "8.yml:1: parents: marcus@fin has neither a manifest nor an evaluation; did you mean marcus@fine?" in said
    assert "lost.yml:1: url: not an http or https address" in said
    assert "7.yml:1: jobs: there is no job 'nope'" in said


def test_a_parent_of_which_nothing_is_known_is_told(workplace: Workplace, marcus: Marcus) -> None:
    marcus(fine="http://127.0.0.1:1")
    child = workplace.project.releases / "child.yml"
    child.write_text('{"agent": "marcus", "version": "7", "parents": ["fine"]}')
    assert FILES["releases"](workplace)[0] == "ok"
    child.write_text('{"agent": "marcus", "version": "7", "parents": ["fin"]}')
    found, said = FILES["releases"](workplace)
    assert found == "note"
    expected = "child.yml:1: parents: marcus@fin has neither a manifest nor an evaluation; did you mean marcus@fine?"
    assert said.endswith(expected)


def test_jobs_are_counted_where_they_lie(workplace: Workplace, marcus: Marcus) -> None:
    marcus()
    classic = workplace.project.root / "data" / "eval"
    classic.mkdir(parents=True)
    (classic / "agent.yml").write_text((workplace.project.jobs / "chat.yml").read_text())
    assert FILES["jobs"](workplace) == ("ok", f"2 in {classic} and {workplace.project.jobs}")


@pytest.mark.parametrize("faulty", ["subject", "stoic", "unfit", ""])
def test_each_graph_is_asked_and_whether_both_are_fit_and_queries_that_are_refused_are_told(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, faulty: str
) -> None:
    async def look(what: str, found: list[str]) -> list[str]:
        if what == faulty:
            raise ConfigurationError(f"{what} is at fault")
        return found

    graphs = SimpleNamespace(
        subject=SimpleNamespace(ping=lambda: look("subject", [])),
        stoic=SimpleNamespace(ping=lambda: look("stoic", [])), embedded=False,
        subject_address=SimpleNamespace(uri="bolt://theirs:7687"),
    )  # fmt: skip
    monkeypatch.setattr(doctor, "refuse_unfit", lambda *_: look("unfit", []))
    monkeypatch.setattr(doctor, "refused_queries", lambda *_: look("queries", ["job chat: no such label"]))
    asked: Any = SimpleNamespace(project=workplace.project, env={}, graphs=lambda: nullcontext(graphs))
    with pytest.raises(ConfigurationError, match=f"^{faulty} is at fault") if faulty else nullcontext():
        assert STATE["graphs"](asked) == ("note", "subject bolt://theirs:7687; configured; job chat: no such label")


def test_a_graph_that_only_we_start_is_told_first(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fine(*_: Any) -> list[str]:
        return []

    @contextmanager
    def opened() -> Iterator[Any]:
        monkeypatch.setattr(doctor, "graph_doubts", lambda *_: [])
        graph, address = SimpleNamespace(ping=fine), SimpleNamespace(uri="bolt://127.0.0.1:9")
        yield SimpleNamespace(subject=graph, stoic=graph, embedded=True, subject_address=address)

    for check in ("refuse_unfit", "refused_queries"):
        monkeypatch.setattr(doctor, check, fine)
    monkeypatch.setattr(doctor, "graph_doubts", lambda *_: ["set NEO_URI"])
    asked: Any = SimpleNamespace(project=workplace.project, env={}, graphs=opened)
    assert STATE["graphs"](asked) == ("note", "subject bolt://127.0.0.1:9; embedded; set NEO_URI")


def test_what_waits_for_an_address_that_is_set_is_told(workplace: Workplace) -> None:
    workplace.outbox.put("events", {"a": {}, "b": {}}, "marcus@1")
    unset = "fitness updates stay in the outbox (EVOLUTION_URL is not set)"
    state, said = STATE["delivery"](workplace)
    assert (state, said) == ("note", f"events stay in the outbox (STOIC_WEBHOOK_URL is not set); {unset}")
    heard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": "http://a:1"})
    waiting = "2 events in the outbox; the next evaluation tries STOIC_WEBHOOK_URL again"
    assert STATE["delivery"](heard) == ("note", f"{waiting}; {unset}")
    workplace.outbox.delete("marcus@1")
    all_heard = replace(heard, env={**heard.env, "EVOLUTION_URL": "http://a:1"})
    assert STATE["delivery"](all_heard) == ("ok", "the outbox is empty")


def test_subjects_stand_in_order_and_one_that_is_missing_ends_with_2(
    workplace: Workplace, marcus: Marcus, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("stoic_assets.cli.doctor.open_workplace", lambda to_read: workplace)
    monkeypatch.setattr("stoic_assets.cli.doctor.STATE", {**STATE, "graphs": lambda _: ("ok", "none asked")})
    marcus(new="http://127.0.0.1:1")  # nobody listens there
    with pytest.raises(typer.Exit) as left:
        doctor.doctor(as_json=True)
    found = {each["subject"]: each["state"] for each in json.loads(capsys.readouterr().out)["findings"]}
    assert left.value.exit_code == 2
    assert found == {
        "installation": "ok", "project": "ok", "jobs": "ok", "releases": "ok", "model": "note", "agent": "missing",
        "knowledge": "ok", "tables": "ok", "dagster": "ok", "judge cache": "ok", "graphs": "ok", "delivery": "note",
    }  # fmt: skip
    assert list(found)[4:7] == ["model", "agent", "knowledge"]


def test_a_file_is_given_each_finding_in_one_line_and_a_terminal_folds_its_detail(
    screen: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    detail = "a path and a hint, both of them as long as they are in the folders of a project"
    show([Finding("project", "ok", detail)])
    assert capsys.readouterr().out == f"ok       project       {detail}\n"
    show([Finding("agent", "missing", "agent: nothing answers")])
    assert capsys.readouterr().out == "missing  agent         nothing answers\n"
    screen(60)
    show([Finding("project", "ok", detail)])
    first, *further = capsys.readouterr().out.splitlines()
    assert first.startswith("ok       project       a path and a hint,")
    assert further
    assert all(line.startswith(" " * len("ok       project       ")) for line in further)
