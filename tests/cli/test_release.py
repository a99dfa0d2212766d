"""`stoic release add`: a manifest is written only when it could be used."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.cli.release import add
from stoic_assets.core.errors import ConfigurationError

COMMANDS = typer.Typer()
COMMANDS.command()(add)


def test_a_release_that_listens_at_no_address_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match="--url: not an http or https address such as"):
        CliRunner().invoke(COMMANDS, ["mentor@2", "--url", "localhost"], catch_exceptions=False)
    assert not (tmp_path / "releases").exists()
    CliRunner().invoke(COMMANDS, ["mentor@2", "--url", "http://localhost:1"], catch_exceptions=False)
    assert "url: http://localhost:1" in (tmp_path / "releases" / "mentor-2.yml").read_text()
