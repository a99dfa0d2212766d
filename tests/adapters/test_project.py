from pathlib import Path

import pytest

from stoic_assets.adapters.project import (
    Project,
    dagster_folder,
    find_project,
    make_home,
    refuse_in_warehouse,
    refuse_undecoded_paths,
)
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.core.errors import ConfigurationError


def test_the_project_is_the_nearest_parent_with_jobs(tmp_path: Path) -> None:
    (tmp_path / "eval_jobs").mkdir()
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    project = find_project({}, inner)
    assert project == Project(tmp_path, tmp_path / ".stoic", tmp_path / ".stoic" / "warehouse")
    assert (project.jobs, project.releases, project.settings) == (
        tmp_path / "eval_jobs", tmp_path / "releases", tmp_path / "stoic.yml",
    )
    (tmp_path / "a" / "eval_jobs").mkdir()
    assert find_project({}, inner).root == tmp_path / "a"


def test_without_jobs_it_is_the_folder_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "eval_jobs").touch()
    assert find_project({}, tmp_path).root == tmp_path
    monkeypatch.chdir(tmp_path)
    assert find_project({}).root == tmp_path


def test_a_current_folder_that_was_removed_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(ConfigurationError, match="the current folder was removed; change to one that exists"):
        find_project({})


def test_home_and_warehouse_may_be_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    project = find_project({"STOIC_HOME": "~/state", "STOIC_WAREHOUSE": "/facts"}, tmp_path)
    assert (project.home, project.warehouse) == (tmp_path / "me" / "state", Path("/facts"))
    assert find_project({"STOIC_HOME": "/state"}, tmp_path).warehouse == Path("/state/warehouse")
    assert find_project({"STOIC_HOME": "", "STOIC_WAREHOUSE": ""}, tmp_path).home == tmp_path / ".stoic"


@pytest.mark.parametrize("variable", ["STOIC_HOME", "STOIC_WAREHOUSE", "DAGSTER_HOME"])
def test_a_home_folder_of_nobody_is_named(tmp_path: Path, variable: str) -> None:
    env = {variable: "~nobody-of-that-name/state"}
    told = f"^{variable}=~nobody-of-that-name/state: there is no such home folder; write the whole path$"
    with pytest.raises(ConfigurationError, match=told):
        dagster_folder(find_project(env, tmp_path), env)
    (tmp_path / ".env").write_text(f"{variable}={env[variable]}\n")
    with pytest.raises(ConfigurationError, match=told):
        open_workplace({}, start=tmp_path)


def test_nothing_of_a_user_is_placed_among_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = find_project({}, tmp_path)
    project.warehouse.mkdir(parents=True)
    (tmp_path / "link").symlink_to(project.warehouse)
    monkeypatch.chdir(project.warehouse)
    refuse_in_warehouse(project, None, project.home / "reports" / "mine.html", tmp_path / "warehouse", Path("../x"))
    for place in (project.warehouse, project.warehouse / "stoic.duckdb", tmp_path / "link" / "new", Path("x")):
        with pytest.raises(ConfigurationError, match=f"^{place} is in the warehouse .*; name another place$"):
            refuse_in_warehouse(project, tmp_path, place)


def test_the_home_is_made(tmp_path: Path) -> None:
    project = find_project({"STOIC_WAREHOUSE": str(tmp_path / "facts")}, tmp_path)
    make_home(project)
    assert (project.home / ".gitignore").read_text() == "*\n", "transcripts and keys of ratings stay out of git"
    (project.home / ".gitignore").write_text("")
    make_home(project)
    assert (project.home / ".gitignore").read_text() == "", "it is the user's then"
    assert project.warehouse.is_dir()


def test_a_home_that_cannot_be_made_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match=r"STOIC_HOME .*file cannot be written .*; set STOIC_HOME to"):
        make_home(find_project({"STOIC_HOME": str(tmp_path / "file")}, tmp_path))


def test_a_home_without_the_right_to_write_is_told_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(ConfigurationError, match=r"not writable.*; make it writable, or .* `doctor` read it as it is"):
        make_home(find_project({}, tmp_path))
    make_home(find_project({}, tmp_path), to_read=True)


def test_a_reader_leaves_nothing_where_nothing_was(tmp_path: Path) -> None:
    make_home(find_project({}, tmp_path), to_read=True)
    assert not list(tmp_path.iterdir())


def test_a_file_cannot_be_read_as_a_home(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="set STOIC_HOME to a folder that can"):
        make_home(find_project({"STOIC_HOME": str(tmp_path / "file")}, tmp_path), to_read=True)


def test_a_path_only_has_to_be_text(tmp_path: Path) -> None:
    refuse_undecoded_paths(find_project({}, tmp_path / "a%2Fb\\c"), {})
    advice = r"/\ufffdb is no text in this locale; set one with UTF-8 \(LC_ALL="
    with pytest.raises(ConfigurationError, match=advice) as told:
        refuse_undecoded_paths(find_project({}, tmp_path / "\udce4b"), {})
    str(told.value).encode()
