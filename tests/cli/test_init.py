"""`stoic init`: the project that it begins."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.adapters.disk.job_files import load_job
from stoic_assets.adapters.project import find_project
from stoic_assets.cli.init import init
from stoic_assets.core.errors import ConfigurationError

INIT = typer.Typer()
INIT.command()(init)


def run(*arguments: str) -> str:
    return CliRunner().invoke(INIT, arguments, catch_exceptions=False).stdout


@pytest.mark.parametrize("protocol", ["embabel", "openai"])
def test_a_project_begins_with_a_job_that_loads(tmp_path: Path, protocol: str) -> None:
    said = run(str(tmp_path / "new"), "--protocol", protocol)
    written = {path for path in (tmp_path / "new").rglob("*") if path.is_file()}
    assert {Path(line.removeprefix("wrote ")) for line in said.splitlines()} == written
    job = load_job(tmp_path / "new" / "eval_jobs" / "my_agent.yml")
    assert (job.target.protocol, job.is_isolated()) == (protocol, True)
    assert find_project({}, tmp_path / "new" / "eval_jobs").root == tmp_path / "new"


def test_what_is_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".gitignore").write_text("dist/\n")
    assert f"kept  {Path('.gitignore')}\n" in run()
    assert (tmp_path / ".gitignore").read_text() == "dist/\n"
    with pytest.raises(ConfigurationError, match="there are jobs already, such as my_agent"):
        run()
