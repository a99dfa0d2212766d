"""`stoic export`: what it writes, and what it says."""

import json
import os
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.export import export
from stoic_assets.core.errors import ConfigurationError, StoicError

pytestmark = pytest.mark.usefixtures("in_project")
EXPORT = typer.Typer()
EXPORT.command()(export)


@pytest.fixture
def workplace(workplace: Workplace) -> Workplace:
    """A home with a table of one evaluation."""
    workplace.warehouse.write("turns", "marcus@1.1.0", "E1", [])
    return workplace


def test_everything_is_exported_where_the_options_say(tmp_path: Path) -> None:
    options = ["--duckdb", "all.duckdb", "--csv", "csv", "--parquet", "parquet", "--json"]
    done = CliRunner().invoke(EXPORT, options, catch_exceptions=False)
    assert json.loads(done.stdout) == {
        "path": str(tmp_path / "all.duckdb"), "csv": str(tmp_path / "csv"), "parquet": str(tmp_path / "parquet"),
    }  # fmt: skip
    assert (tmp_path / "all.duckdb").is_file()
    for kind in ("csv", "parquet"):
        assert {path.name for path in (tmp_path / kind).iterdir()} == {f"{table}.{kind}" for table in TABLES}


def test_a_home_that_cannot_be_written_any_more_is_exported_and_where_to_is_said(
    workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != workplace.project.home)
    options = ["--duckdb", "all.duckdb", "--parquet", "parquet"]
    done = CliRunner().invoke(EXPORT, options, catch_exceptions=False)
    assert done.stdout == "wrote all.duckdb, parquet\n"
    assert {path.name for path in tmp_path.iterdir()} == {"home", "all.duckdb", "parquet"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--csv", "csv", "--parquet", "full"], "full is not an empty folder"),
        (["--csv", "csv", "--parquet", "./csv"], "csv is named twice"),
        (["--csv", "csv", "--duckdb", "csv"], "csv would hold another export"),
        (["--csv", "new/csv", "--parquet", "new"], "new would hold another export"),
        (["--csv", "new", "--duckdb", "new/all.duckdb"], "new would hold another export"),
        (["--csv", "csv", "--parquet", "full/file/parquet"], "full/file/parquet cannot be written"),
        (["--csv", "home/warehouse/csv"], "home/warehouse/csv is in the warehouse"),
        (["--csv", "csv", "--parquet", "home/warehouse/new"], "home/warehouse/new is in the warehouse"),
    ],
)
def test_nothing_is_exported_if_not_everything_can_be(tmp_path: Path, options: list[str], said: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(StoicError, match=said):
        CliRunner().invoke(EXPORT, ["--duckdb", "all.duckdb", *options], catch_exceptions=False)
    assert {path.name for path in tmp_path.iterdir()} <= {"home", "full"}


def test_an_export_does_not_take_the_place_of_the_warehouses_own_file(workplace: Workplace) -> None:
    own = workplace.warehouse.publish()
    before = own.read_bytes()
    with pytest.raises(ConfigurationError, match="is in the warehouse"):
        CliRunner().invoke(EXPORT, ["--duckdb", str(own)], catch_exceptions=False)
    assert own.read_bytes() == before


def test_who_exports_where_nothing_was_evaluated_is_told(tmp_path: Path) -> None:
    done = CliRunner().invoke(EXPORT, ["--duckdb", "all.duckdb"], catch_exceptions=False)
    assert done.stderr.split() == f"nothing was evaluated yet in {tmp_path / 'home'}: all tables are empty".split()


@pytest.mark.usefixtures("workplace")
def test_who_exports_what_was_evaluated_is_told_where_to_alone() -> None:
    done = CliRunner().invoke(EXPORT, ["--csv", "csv"], catch_exceptions=False)
    assert (done.stdout, done.stderr) == ("wrote csv\n", "")


def test_nowhere_to_export_to_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="give --duckdb FILE, --csv FOLDER or --parquet FOLDER"):
        CliRunner().invoke(EXPORT, [], catch_exceptions=False)
