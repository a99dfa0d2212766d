"""`stoic delete`: who must say yes, what goes with a version, and what is refused."""

import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import pytest
import typer
from delete_command import DELETE, VERSION
from typer.testing import CliRunner

from stoic_assets.adapters.evaluation import deletion
from stoic_assets.adapters.ratings.rating_keys import read_keys, write_keys
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import delete
from stoic_assets.cli.dagster_instance import dagster_home, open_instance
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.nights.night_record import Alarm, HeldVersion, Round
from stoic_assets.core.ratings.blinding import Key
from stoic_assets.core.releases import ALL_VERSIONS
from stoic_assets.core.stages import PARTITIONS


@pytest.mark.parametrize(("answer", "is_deleted"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_nothing_is_deleted_but_by_who_says_yes(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, answer: str, is_deleted: bool
) -> None:
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    done = CliRunner().invoke(DELETE, [VERSION], input=answer, catch_exceptions=False)
    assert "Delete marcus@1.1.0 and its 1 evaluation permanently?" in done.stderr
    told = "deleted marcus@1.1.0 with 1 evaluation\n" if is_deleted else ""
    assert (done.exit_code, done.stdout) == (0 if is_deleted else 1, told)
    assert done.stderr.endswith("nothing was deleted\n") is not is_deleted
    assert (VERSION in workplace.warehouse.agent_versions() & workplace.evidence.agent_versions()) != is_deleted


@pytest.mark.parametrize("options", [[], ["--yes"]])
def test_a_manifest_by_which_the_version_comes_back_is_named(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    workplace.project.releases.mkdir()
    for number in ("1.0.0", "1.1.0"):
        (workplace.project.releases / f"{number}.yml").write_text(f"agent: marcus\nversion: {number}\n")
    done = CliRunner().invoke(DELETE, [VERSION, *options], input="y\n", catch_exceptions=False)
    first = " ".join(done.stderr.split()).partition(" Delete ")[0]
    file = workplace.project.releases / "1.1.0.yml"
    assert first == f"{file} stays, and by it `stoic ui` evaluates {VERSION} again; delete that file first"
    assert done.stdout == f"deleted {VERSION} with 1 evaluation\n"


@pytest.mark.parametrize(("answer", "agreed"), [("y\n", True), ("n\n", False), ("n", False)])
def test_an_answer_from_a_pipe_leaves_stdout_empty_and_lines_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str, agreed: bool
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(answer))
    assert delete._agreed("Delete it?") is agreed
    assert capsys.readouterr() == ("", "Delete it? [y/N]: \n")


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_where_nobody_can_be_asked_there_is_no_answer(monkeypatch: pytest.MonkeyPatch, stream: str) -> None:
    monkeypatch.setattr(sys, stream, None)
    with pytest.raises(ConfigurationError, match="no answer; add --yes to delete without a question"):
        delete._agreed("Delete it?")


def test_the_end_of_the_input_is_no_answer(workplace: Workplace) -> None:
    with pytest.raises(ConfigurationError, match="no answer; add --yes to delete without a question"):
        CliRunner().invoke(DELETE, [VERSION], input="", catch_exceptions=False)
    assert workplace.evidence.evaluation_ids(VERSION) == ["E1"]


def test_in_a_home_that_would_be_misread_nothing_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_manifest: Callable[..., Manifest]
) -> None:
    """As a pattern, its path would name other folders."""
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home[1]"))
    evidence = open_workplace().evidence
    evidence.begin(make_manifest(agent_version=VERSION))
    with pytest.raises(ConfigurationError, match=r"misreads '\[1\]' in the path .*; rename that folder"):
        CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    assert not evidence.is_being_deleted(VERSION)


def test_ctrl_c_at_the_question_is_an_interrupt_and_ends_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a terminal it reaches the prompt as the end of the input does."""

    def ended(*_: object, **__: object) -> bool:
        raise typer.Abort

    monkeypatch.setattr(typer, "confirm", ended)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    with pytest.raises(KeyboardInterrupt):
        delete._agreed("Delete it?")
    assert capsys.readouterr().err == "\n"


def test_with_a_version_go_the_keys_to_its_rated_replies_and_the_pages_that_show_them(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    home, pages = workplace.project.home, workplace.reports / "ratings"
    versions = {"x-1": VERSION, "x-2": "mentor@2"}
    keys = {test_id: Key(origin=test_id, rubric="r", agent_version=each, words=5) for test_id, each in versions.items()}
    write_keys(home, keys)
    pages.mkdir(parents=True)
    for test_id in keys:
        (pages / f"{test_id}.html").write_text(f"<p>{test_id}</p>")
    CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    assert read_keys(home) == {"x-2": keys["x-2"]}
    assert [page.name for page in pages.iterdir()] == ["x-2.html"]


def test_dagster_and_nights_forget_a_deleted_version_and_no_other(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    runs = {version: begin_run(workplace, version) for version in (VERSION, "marcus@1.0.0")}
    nights = workplace.nights
    held = {version: HeldVersion(evaluation_id="E1") for version in runs}
    faults = {VERSION: "it fell silent"}
    alarm = Alarm(agent_version=VERSION, base="marcus@1.0.0", measures=(), evaluation_ids=())
    for name in ("first", "again"):
        nights.record_round("2026-11-21", name, Round(run_id="r", held_at="t", evaluations=held, faults=faults))
    nights.record_alarm("2026-11-21", alarm)
    damaged = workplace.project.home / "nights" / "2026-11-22.json"
    damaged.write_text("{")

    done = CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    assert done.stderr == f"stoic: {damaged} is damaged and may still name {VERSION}; correct or remove the file\n"
    with open_instance(workplace) as instance:
        assert [run.run_id for run in instance.get_runs()] == [runs["marcus@1.0.0"]]
        assert instance.get_dynamic_partitions(PARTITIONS) == ["marcus@1.0.0"]
        assert instance.get_materialized_partitions(dg.AssetKey("step")) == {"marcus@1.0.0"}
    files = (dagster_home(workplace) / "history" / "runs").glob("*.db")
    assert {path.stem for path in files} & set(runs.values()) == {runs["marcus@1.0.0"]}
    left = nights.read("2026-11-21")
    assert [(list(each.evaluations), each.faults) for each in left.rounds] == [(["marcus@1.0.0"], {})] * 2
    assert left.alarms == {}
    assert damaged.read_text() == "{"


@dg.asset(partitions_def=dg.DynamicPartitionsDefinition(name=PARTITIONS))
def step() -> None: ...


def begin_run(workplace: Workplace, version: str) -> str:
    """A run that materialised `step` of a version."""
    with open_instance(workplace) as instance:
        instance.add_dynamic_partitions(PARTITIONS, [version])
        return dg.materialize([step], instance=instance, partition_key=version).run_id


def test_a_partition_that_is_no_version_is_deleted_as_such(workplace: Workplace) -> None:
    with pytest.raises(ConfigurationError, match="is not an agent version"):
        CliRunner().invoke(DELETE, ["../x", "--yes"], catch_exceptions=False)
    with open_instance(workplace) as instance:
        instance.add_dynamic_partitions(PARTITIONS, ["../x", VERSION])
    done = CliRunner().invoke(DELETE, ["../x", "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted ../x with 0 evaluations\n"
    with open_instance(workplace) as instance:
        assert instance.get_dynamic_partitions(PARTITIONS) == [VERSION]
    assert len(workplace.evidence.manifests(VERSION)) == 1


@pytest.mark.parametrize(
    ("version", "named"),
    [
        ("typo@9", "known: marcus@1.1.0, mentor@2"),
        (ALL_VERSIONS, "known: marcus@1.1.0, mentor@2"),
        ("other@1.1.0", "known: marcus@1.1.0, mentor@2"),
        ("marcus@1.1", "did you mean marcus@1.1.0?"),
    ],
)
def test_a_version_that_is_not_there_is_refused_with_those_that_may_be_meant(
    workplace: Workplace, version: str, named: str
) -> None:
    """None of another agent is proposed, and ratings of nobody are no version."""
    workplace.warehouse.write("turns", ALL_VERSIONS, "ratings", [])
    workplace.warehouse.write("human_ratings", "unknown@unknown", "elsewhere", [])
    workplace.warehouse.write("turns", "mentor@2", "E9", [])
    with pytest.raises(ConfigurationError) as refused:
        CliRunner().invoke(DELETE, [version, "--yes"], catch_exceptions=False)
    assert str(refused.value) == f"nothing is stored for {version}; {named}"
    assert workplace.warehouse.has("turns", ALL_VERSIONS, "ratings")
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("left", ["table", "folder", "report", "partition"])
def test_what_is_left_of_a_version_without_evaluations_can_be_deleted(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    if left == "table":
        workplace.warehouse.write("turns", "mentor@2", "E9", [])
    elif left == "folder":
        workplace.evidence.folder("mentor@2", "E9").mkdir(parents=True)
    elif left == "report":
        workplace.report_file("mentor@2", "E9").parent.mkdir()
    else:
        with open_instance(workplace) as instance:
            instance.add_dynamic_partitions(PARTITIONS, ["mentor@2"])
    done = CliRunner().invoke(DELETE, ["mentor@2", "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted mentor@2 with 0 evaluations\n"
    with pytest.raises(ConfigurationError, match="nothing is stored for mentor@2"):
        CliRunner().invoke(DELETE, ["mentor@2", "--yes"], catch_exceptions=False)
