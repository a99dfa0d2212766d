"""`stoic release add`: a manifest is written only when it could be used."""

import json
import shutil
from pathlib import Path
from threading import Thread

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.adapters.disk.configuration_files import read_document
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import release
from stoic_assets.cli.release import add
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.releases import Release
from stoic_assets.defs.releases import digest_of

pytestmark = pytest.mark.usefixtures("in_project")
COMMANDS = typer.Typer()
COMMANDS.command()(add)


def test_a_release_may_be_dated_back(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"^--released-at: 'yesterday' is not a time"):
        CliRunner().invoke(COMMANDS, ["mentor@2", "--released-at", "yesterday"], catch_exceptions=False)
    CliRunner().invoke(COMMANDS, ["mentor@2", "--released-at", "2025-03-01"], catch_exceptions=False)
    assert "releasedAt: '2025-03-01'\n" in (tmp_path / "releases" / "mentor-2.yml").read_text()


def test_a_git_id_that_looks_like_a_number_is_a_version(tmp_path: Path) -> None:
    for _ in range(2):
        CliRunner().invoke(COMMANDS, ["marcus@5e92512", "--parent", "1e3"], catch_exceptions=False)
    manifest = read_document(tmp_path / "releases" / "marcus-5e92512.yml", Release)
    assert (manifest.version, manifest.parents) == ("5e92512", ("1e3",))


def test_a_release_that_listens_at_no_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="--url: not an http or https address such as"):
        CliRunner().invoke(COMMANDS, ["mentor@2", "--url", "localhost"], catch_exceptions=False)
    assert not (tmp_path / "releases").exists()
    CliRunner().invoke(COMMANDS, ["mentor@2", "--url", "http://localhost:1"], catch_exceptions=False)
    assert "url: http://localhost:1" in (tmp_path / "releases" / "mentor-2.yml").read_text()


def test_a_manifest_that_is_replaced_keeps_its_date(tmp_path: Path) -> None:
    file = tmp_path / "releases" / "mentor-2.yml"
    CliRunner().invoke(COMMANDS, ["mentor@2", "--released-at", "2025-03-01T10:00:00+00:00"], catch_exceptions=False)
    first = digest_of(read_document(file, Release))
    CliRunner().invoke(COMMANDS, ["mentor@2"], catch_exceptions=False)
    assert digest_of(read_document(file, Release)) == first
    CliRunner().invoke(COMMANDS, ["mentor@2", "--released-at", "2025-04-01", "--notes", "n"], catch_exceptions=False)
    assert "releasedAt: '2025-04-01'\nnotes: n\n" in file.read_text()
    file.write_text("agent: mentor\nversion: '2'\n")
    CliRunner().invoke(COMMANDS, ["mentor@2", "--notes", "undated before"], catch_exceptions=False)
    assert "releasedAt" not in file.read_text()


def test_releases_of_one_plain_name_have_a_file_each(tmp_path: Path) -> None:
    for version in ("a-b@c", "a@b-c", "a@b-c"):
        CliRunner().invoke(COMMANDS, [version, "--notes", version], catch_exceptions=False)
    folder = tmp_path / "releases"
    found = {file.name: read_document(file, Release).notes for file in folder.iterdir()}
    assert found == {"a-b-c.yml": "a-b@c", "a@b-c.yml": "a@b-c"}
    (folder / "a-b-c.yml").unlink()
    CliRunner().invoke(COMMANDS, ["a@b-c", "--notes", "again"], catch_exceptions=False)
    assert [file.name for file in folder.iterdir()] == ["a@b-c.yml"]
    for name in ("a-b-c.yml", "a@b-c.yml"):
        (folder / name).write_text("agent: other\nversion: '1'\n")
    with pytest.raises(ConfigurationError, match=r"a@b-c\.yml is the manifest of other@1; rename one"):
        CliRunner().invoke(COMMANDS, ["a@b-c"], catch_exceptions=False)


def test_of_two_at_once_whose_plain_names_are_one_neither_replaces_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second, write = Thread(target=add, args=("a@b-c",)), release.write_whole

    def write_late(path: Path, text: str) -> Path:
        """The first has chosen its file; the second is given time to choose the same."""
        if second.ident is None:
            second.start()
            second.join(1)
        return write(path, text)

    monkeypatch.setattr(release, "write_whole", write_late)
    add("a-b@c")
    second.join()
    assert sorted(file.name for file in (tmp_path / "releases").iterdir()) == ["a-b-c.yml", "a@b-c.yml"]


def test_an_agent_that_begins_with_a_dot_has_a_file_that_counts(tmp_path: Path) -> None:
    for _ in range(2):
        written = CliRunner().invoke(COMMANDS, [".net@8"], catch_exceptions=False)
    assert " ".join(written.stdout.split()).endswith("net-8.yml (replaced)")
    assert [file.name for file in (tmp_path / "releases").iterdir()] == ["net-8.yml"]


def test_a_manifest_that_somebody_named_is_the_one_that_is_replaced(tmp_path: Path) -> None:
    """Two manifests of one version would both not count."""
    folder = tmp_path / "releases"
    folder.mkdir()
    (folder / "broken.yml").write_text("agent: [")
    own = folder / "our newest.yaml"
    own.write_text("agent: mentor\nversion: '2'\nreleasedAt: '2025-03-01'\n")
    CliRunner().invoke(COMMANDS, ["mentor@2", "--notes", "again"], catch_exceptions=False)
    assert sorted(file.name for file in folder.iterdir()) == ["broken.yml", "our newest.yaml"]
    assert "releasedAt: '2025-03-01T00:00:00+00:00'\nnotes: again\n" in own.read_text()
    (folder / "again.yml").write_text(own.read_text())
    with pytest.raises(ConfigurationError, match=r"mentor@2 is in .*again\.yml and .*our newest\.yaml; delete"):
        CliRunner().invoke(COMMANDS, ["mentor@2"], catch_exceptions=False)
    (folder / "mentor-3.yml").write_text("agent: [")
    with pytest.raises(DocumentError, match="mentor-3"):
        CliRunner().invoke(COMMANDS, ["mentor@3"], catch_exceptions=False)


def test_what_a_replaced_manifest_loses_is_said(tmp_path: Path) -> None:
    (tmp_path / "eval_jobs").mkdir()
    shutil.copy(Path(__file__).parents[2] / "eval_jobs" / "marcus_patterns.yml", tmp_path / "eval_jobs")
    CliRunner().invoke(COMMANDS, ["mentor@1"], catch_exceptions=False)
    first = ["mentor@2", "--parent", "1", "--job", "marcus_patterns", "--job", "marcus_patern", "--notes", "n"]
    written = CliRunner().invoke(COMMANDS, first, catch_exceptions=False)
    assert written.stdout.split() == ["wrote", str(tmp_path / "releases" / "mentor-2.yml")]
    warning = "--job: no job is called marcus_patern; did you mean marcus_patterns?"
    assert " ".join(written.stderr.split()) == warning
    again = CliRunner().invoke(COMMANDS, ["mentor@2", "--notes", "m"], catch_exceptions=False)
    assert " ".join(again.stdout.split()).endswith("mentor-2.yml (replaced; dropped: parents, jobs)")
    as_json = CliRunner().invoke(COMMANDS, ["mentor@2", "--json"], catch_exceptions=False)
    assert json.loads(as_json.stdout)["dropped"] == ["notes"]
    assert as_json.stderr == ""


def test_a_parent_that_nobody_knows_is_told_and_written(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "open_workplace", lambda: workplace)

    def told(*options: str) -> str:
        said = CliRunner().invoke(COMMANDS, options, catch_exceptions=False)
        return " ".join(said.stderr.split())

    unknown = "--parent: mentor@1.2.O has neither a manifest nor an evaluation"
    assert told("mentor@1.3.0", "--parent", "1.2.O") == f"{unknown}; known: none"
    assert told("mentor@1.2.0", "--released-at", "2025-01-01") == ""  # else it is told to be dated after 1.3.0
    assert told("mentor@1.3.0", "--parent", "mentor@1.2.O") == f"{unknown}; did you mean mentor@1.2.0?"
    workplace.warehouse.write("evaluations", "mentor@1.2.O", "E", [])
    assert told("mentor@1.3.0", "--parent", "1.2.O") == ""


def test_an_older_release_that_is_written_later_is_told_to_count_as_the_newer(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "open_workplace", lambda: workplace)

    def told(*options: str) -> str:
        return " ".join(CliRunner().invoke(COMMANDS, options, catch_exceptions=False).stderr.split())

    assert told("mentor@1.9.0", "--released-at", "2025-03-01") == ""
    assert told("mentor@1.10.0", "--released-at", "2025-04-01") == ""
    warning = "dated after mentor@1.10.0, which has a higher number; --released-at changes that"
    assert [told(version) for version in ("sage@1.0.0", "mentor@1.8.0", "mentor@2")] == ["", warning, ""]
    assert told("mentor@1.8.0", "--notes", "its date stays") == ""
    assert told("mentor@1.7.0", "--released-at", "2025-01-01") == ""


def test_whatever_is_said_of_a_release_is_in_its_manifest(tmp_path: Path) -> None:
    said = {
        "url": "http://a:1", "parent": "1", "released-at": "2025-03-01", "protocol": "openai", "model": "m2",
        "job": "chat", "notes": "Größer",
    }  # fmt: skip
    options = [word for name, value in said.items() for word in (f"--{name}", value)]
    written = CliRunner().invoke(COMMANDS, ["mentor@2", *options, "--json"], catch_exceptions=False)
    file = tmp_path / "releases" / "mentor-2.yml"
    assert json.loads(written.stdout) == {"agent_version": "mentor@2", "path": str(file), "dropped": []}
    assert file.read_text(encoding="utf-8").splitlines() == [
        "agent: mentor", "version: '2'", "url: http://a:1", "protocol: openai", "model: m2",
        "releasedAt: '2025-03-01'", "parents:", "- '1'", "jobs:", "- chat", "notes: Größer",
    ]  # fmt: skip
    with pytest.raises(ConfigurationError, match=r"^--protocol: "):
        CliRunner().invoke(COMMANDS, ["mentor@2", "--protocol", "openapi"], catch_exceptions=False)
    with pytest.raises(ConfigurationError, match=r"^--parent: "):
        CliRunner().invoke(COMMANDS, ["mentor@2", "--parent", "1", "--parent", "1 1"], catch_exceptions=False)
