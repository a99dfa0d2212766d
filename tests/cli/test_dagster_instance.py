"""Where the Dagster instance is, which folders it cannot be in, and how it is opened."""

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from typer.testing import CliRunner

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli.dagster_instance import dagster_home, open_instance, refuse_misread_folders
from stoic_assets.cli.evaluate import evaluate
from stoic_assets.cli.regrade import regrade
from stoic_assets.core.errors import ConfigurationError, StoicError

IN_POSTGRESQL = "storage: {postgres: {postgres_db: {hostname: h, username: u, password: p, db_name: d}}}\n"


def test_the_instance_is_made_of_the_projects_own_file(workplace: Workplace, tmp_path: Path) -> None:
    (tmp_path / "dagster.yaml").write_bytes("# für alle\n".encode())
    home = dagster_home(workplace)
    assert (home / "dagster.yaml").read_bytes() == "# für alle\n".encode()


def test_an_instance_file_that_cannot_be_read_is_one_clear_line(workplace: Workplace, tmp_path: Path) -> None:
    (tmp_path / "dagster.yaml").write_bytes("# für alle\n".encode("latin-1"))
    with pytest.raises(ConfigurationError, match=r"dagster\.yaml: cannot be read"):
        dagster_home(workplace)
    (tmp_path / "dagster.yaml").unlink()
    (tmp_path / "dagster.yaml").mkdir()
    with pytest.raises(ConfigurationError, match=r"dagster\.yaml: cannot be read"):
        dagster_home(workplace)


def test_an_instance_that_cannot_be_locked_is_a_storage_error(workplace: Workplace) -> None:
    (dagster_home(workplace) / "opening.lock").mkdir()
    with pytest.raises(StorageError, match="cannot be written"), open_instance(workplace):
        pass


@pytest.mark.parametrize(
    ("original", "told"),
    [
        (sqlite3.OperationalError("disk is full"), "^/.* cannot be written: disk is full; free space$"),
        (OSError("refused\nin detail"), r"^Dagster's database: refused; start it, or correct dagster\.yaml$"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_records_that_cannot_be_used_are_told_with_what_to_do(
    workplace: Workplace, original: Exception, told: str, wrapped: bool
) -> None:
    """Dagster's part for PostgreSQL wraps what it has tried several times."""
    fault, too_often = OperationalError("select", {}, original), RuntimeError("too many retries")
    too_often.__cause__ = fault
    with pytest.raises(StoicError, match=told), open_instance(workplace):
        raise too_often if wrapped else fault


def opened(folder: Path, **env: str) -> Workplace:
    folder.mkdir(parents=True, exist_ok=True)
    tables = str(folder.parent / "tables")
    return open_workplace({"STOIC_LLM": "offline", "STOIC_WAREHOUSE": tables, **env}, start=folder)


@pytest.mark.parametrize(
    "name", ["a%2Fb", "a?b", "a%41b", "%c3%a4", "100%", "a%zz", "a%", "a+b c#d@e:f;g&h=i!", "ä", "a{b}", "[x", "x\n"]
)
def test_a_home_that_dagster_would_take_for_another_is_refused(tmp_path: Path, name: str) -> None:
    """Exactly those: SQLAlchemy is asked which file Dagster would open there."""
    workplace = opened(tmp_path / name)
    file = str(workplace.project.home / "dagster" / "history" / "runs.db")
    if make_url(f"sqlite:///{file}").database == file:
        refuse_misread_folders(workplace)
        return
    told = r"Dagster misreads '(\?|%\w\w)' in the path /.*/dagster; rename that folder, or set DAGSTER_HOME to another"
    with pytest.raises(ConfigurationError, match=told):
        refuse_misread_folders(workplace)
    with pytest.raises(ConfigurationError, match=told), open_instance(workplace):
        pass
    assert not (workplace.project.home / "dagster").exists()


@pytest.mark.parametrize(("name", "misread"), [("a[x]", "[x]"), ("a*b", "*"), ("a?b", "?")])
def test_a_home_that_dagster_would_take_for_a_pattern_is_refused(tmp_path: Path, name: str, misread: str) -> None:
    """It would not find its `dagster.yaml`, or merge those of other folders; so also with records in a database."""
    home = tmp_path / name
    home.mkdir()
    (home / "dagster.yaml").write_text(IN_POSTGRESQL)
    told = f"Dagster misreads '{misread}' in the path {home}; rename that folder, or set DAGSTER_HOME to another one"
    with pytest.raises(ConfigurationError, match=f"^{re.escape(told)}$"):
        refuse_misread_folders(opened(tmp_path, DAGSTER_HOME=str(home)))


def test_records_in_another_folder_or_database_may_have_their_home_in_any(tmp_path: Path) -> None:
    refuse_misread_folders(opened(tmp_path / "a%2Fb", DAGSTER_HOME=str(tmp_path)))
    home = tmp_path / "homes" / "a%2Fb"
    home.mkdir(parents=True)
    (home / "dagster.yaml").write_text(IN_POSTGRESQL)
    refuse_misread_folders(opened(tmp_path, DAGSTER_HOME=str(home)))
    (home / "dagster.yaml").write_text("run_storage: {module: m, class: C}\n")
    with pytest.raises(ConfigurationError, match=r"misreads .* set DAGSTER_HOME to another one"):
        refuse_misread_folders(opened(tmp_path, DAGSTER_HOME=str(home)))


def test_the_projects_own_dagster_yaml_tells_before_it_is_copied(tmp_path: Path) -> None:
    workplace = opened(tmp_path / "a%2Fb")
    (tmp_path / "a%2Fb" / "dagster.yaml").write_text(IN_POSTGRESQL)
    refuse_misread_folders(workplace)
    assert not (workplace.project.home / "dagster").exists()


@pytest.mark.parametrize("character", ["\\", "?"])
def test_a_warehouse_that_duckdb_would_not_find_is_refused(tmp_path: Path, character: str) -> None:
    workplace = opened(tmp_path, STOIC_WAREHOUSE=str(tmp_path / f"a{character}b"))
    told = r"DuckDB misreads '[\\?]' in the path .*set STOIC_WAREHOUSE"
    with pytest.raises(ConfigurationError, match=told):
        refuse_misread_folders(workplace)
    with pytest.raises(ConfigurationError, match=told):
        workplace.warehouse.publish()


@pytest.mark.parametrize("command", [evaluate, regrade])
def test_a_command_that_pays_refuses_such_a_folder_before_it_looks_at_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., None]
) -> None:
    monkeypatch.setenv("STOIC_WAREHOUSE", str(tmp_path / "w?h"))
    monkeypatch.chdir(tmp_path)
    commands = typer.Typer()
    commands.command()(command)
    with pytest.raises(ConfigurationError, match=r"DuckDB misreads '\?'"):
        CliRunner().invoke(commands, [], catch_exceptions=False)


def test_a_dagster_yaml_that_is_no_yaml_is_named_with_the_line(workplace: Workplace) -> None:
    file = dagster_home(workplace) / "dagster.yaml"
    file.write_text("storage:\n  a: [\n")
    with pytest.raises(ConfigurationError, match=rf"^{file}, line 3: .*; correct the file"), open_instance(workplace):
        pass


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"run_storage: {module: nope.nope, class: C}", "Couldn't import module nope.nope when .*"),
        (b"run_storage: {module: dagster, class: Nope}", "Couldn't find class Nope in module .*"),
        (b"- a", "Expected YAML from file .* to parse to dictionary"),
        (b"a: \x01", "unacceptable character #x0001: .*"),
        ("a: ä".encode("latin-1"), "'utf-8' codec can't decode byte 0xe4 .*"),
    ],
)
def test_whatever_is_wrong_with_a_dagster_yaml_is_one_line(workplace: Workplace, text: bytes, problem: str) -> None:
    file = dagster_home(workplace) / "dagster.yaml"
    file.write_bytes(text)
    with pytest.raises(ConfigurationError, match=rf"^{file}: {problem}; correct the file$"), open_instance(workplace):
        pass


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "storage: {postgres: {postgres_db: {hostname: h, username: u, db_name: d, password: 4711471147114711}}}",
            'Invalid scalar at path root:storage:postgres:postgres_db:password. Not a value of expected type "String".',
        ),
        (
            "storage: {postgres: {postgres_url: {env: 'postgresql://u:4711471147114711@h/db'}}}",
            "Post processing at path root:postgres_url;",
        ),
        ("storage: {postgres: {postgres_url: {env: UNSET_URL}}}", "of original value {'env': 'UNSET_URL'};"),
        ("storage: p4711471147114711", "it holds a value that Dagster does not take;"),
        (
            "storage: {postgres: {postgres_url: 'postgresql://u:4711471147114711@h:port/db'}}",
            "a value there cannot be used (ValueError); correct the file",
        ),
        ("storage: {postgres: {postgres_url: p4711471147114711}}", "a value there cannot be used (ArgumentError);"),
    ],
)
def test_no_value_of_a_dagster_yaml_is_shown(workplace: Workplace, text: str, problem: str) -> None:
    file = dagster_home(workplace) / "dagster.yaml"
    file.write_text(text)
    with pytest.raises(ConfigurationError) as refused, open_instance(workplace):
        pass
    assert str(refused.value).startswith(f"{file}: ")
    assert problem in str(refused.value)
    assert "4711" not in str(refused.value)


def test_of_a_variable_with_a_wrong_value_the_name_is_shown(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECORDS_HOST", "h:4711port")
    monkeypatch.setenv("RECORDS_USER", "u4711")
    address = "{hostname: {env: RECORDS_HOST}, username: {'env': \"RECORDS_USER\"}, password: 'env: x', db_name: d}"
    (dagster_home(workplace) / "dagster.yaml").write_text(f"storage: {{postgres: {{postgres_db: {address}}}}}")
    with pytest.raises(ConfigurationError) as refused, open_instance(workplace):
        pass
    assert str(refused.value).endswith("; correct the file, or what it takes from RECORDS_HOST, RECORDS_USER")


def test_a_package_that_a_dagster_yaml_needs_is_named(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    file = dagster_home(workplace) / "dagster.yaml"
    file.write_text("storage: {postgres: {postgres_url: 'postgresql://u:hunter2@h/db'}}")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    told = rf"^{file}: it needs the package psycopg, which is not installed; install it, or correct the file$"
    with pytest.raises(ConfigurationError, match=told), open_instance(workplace):
        pass


OPENING = """
import os
import sys
from collections.abc import Callable
from pathlib import Path
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli.dagster_instance import open_instance
with open_instance(open_workplace(start=Path(sys.argv[1]))):
    assert "structlog" in sys.modules and "pygments" not in sys.modules
import rich.syntax
"""


@pytest.mark.long
def test_an_instance_is_opened_without_colours_that_nobody_sees(tmp_path: Path) -> None:
    env = {**os.environ, "STOIC_HOME": str(tmp_path / ".stoic")}
    opened = subprocess.run([sys.executable, "-c", OPENING, tmp_path], env=env, capture_output=True, text=True)
    assert (opened.returncode, opened.stderr) == (0, "")
