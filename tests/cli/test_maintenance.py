"""`stoic export` as a command: where to, and what it says."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.adapters.table_schemas import TABLES
from stoic_assets.cli.maintenance import export
from stoic_assets.core.errors import ConfigurationError

COMMAND = typer.Typer()
COMMAND.command()(export)


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_everything_is_exported_where_the_options_say(tmp_path: Path) -> None:
    options = ["--duckdb", "all.duckdb", "--csv", "csv", "--parquet", "parquet", "--json"]
    done = CliRunner().invoke(COMMAND, options, catch_exceptions=False)
    assert json.loads(done.stdout) == {
        "path": str(tmp_path / "all.duckdb"), "csv": str(tmp_path / "csv"), "parquet": str(tmp_path / "parquet"),
    }  # fmt: skip
    assert (tmp_path / "all.duckdb").is_file()
    for kind in ("csv", "parquet"):
        assert {path.name for path in (tmp_path / kind).iterdir()} == {f"{table}.{kind}" for table in TABLES}


def test_nowhere_to_export_to_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="give --duckdb FILE, --csv FOLDER or --parquet FOLDER"):
        CliRunner().invoke(COMMAND, [], catch_exceptions=False)
