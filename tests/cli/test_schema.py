"""`stoic schema`: what it writes."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.cli.schema import schema

SCHEMA = typer.Typer()
SCHEMA.command()(schema)


def test_the_schema_of_jobs_is_written_whole_or_the_fault_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(SCHEMA, [], catch_exceptions=False).stdout
    done = CliRunner().invoke(SCHEMA, ["--out", "deep/job.schema.json"], catch_exceptions=False)
    assert done.stdout == f"wrote {Path('deep/job.schema.json')}\n"
    assert (tmp_path / "deep" / "job.schema.json").read_text() == shown
    assert "properties" in json.loads(shown)
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot be written"):
        CliRunner().invoke(SCHEMA, ["--out", "file/job.schema.json"], catch_exceptions=False)
