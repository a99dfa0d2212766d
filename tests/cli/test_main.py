"""The `stoic` command as a whole."""

import json
import subprocess
import sys

import pytest
import typer

from stoic_assets.cli import main
from stoic_assets.cli.main import COMMANDS, command_line, with_resume_value

ONE = """
import sys
from stoic_assets.cli.main import command_line
command_line(["report"])
assert "stoic_assets.cli.reports" in sys.modules
assert not {"stoic_assets.cli.compare", "stoic_assets.cli.servers", "dagster"} & set(sys.modules)
"""


def test_a_command_imports_what_it_needs():
    run = subprocess.run([sys.executable, "-c", ONE], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_one_command_alone_is_the_same_as_among_all():
    every = typer.main.get_command(command_line())
    assert list(every.commands) == list(COMMANDS)
    for name in ("schema", "release"):
        alone = typer.main.get_command(command_line([name]))
        assert list(alone.commands) == [name]
        assert alone.commands[name].get_short_help_str() == every.commands[name].get_short_help_str()


def test_resume_without_a_value_means_the_newest():
    assert with_resume_value(["eval", "--resume"]) == ["eval", "--resume", "newest"]
    assert with_resume_value(["eval", "--resume", "--json"]) == ["eval", "--resume", "newest", "--json"]
    assert with_resume_value(["eval", "--resume", "e1"]) == ["eval", "--resume", "e1"]


def test_every_command_takes_verbose(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    every = typer.main.get_command(command_line()).commands.values()
    leaves = [leaf for command in every for leaf in getattr(command, "commands", {"": command}).values()]
    assert len(leaves) > len(COMMANDS)
    assert [leaf.name for leaf in leaves if not any("--verbose" in given.opts for given in leaf.params)] == []
    monkeypatch.setattr(sys, "argv", ["stoic", "schema", "--verbose"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 0
    assert "properties" in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("verbose", [False, True])
def test_a_fault_shows_where_it_came_from_to_whoever_asks(
    verbose: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ValueError("an agent said [/INST]")

    monkeypatch.setattr("stoic_assets.cli.maintenance.schema", broken)
    monkeypatch.setattr(sys, "argv", ["stoic", "schema", *(["--verbose"] if verbose else [])])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 2
    *trace, line = capsys.readouterr().err.splitlines()
    assert line.startswith("stoic: unexpected ValueError: an agent said [/INST]; ")
    assert ("add --verbose" in line) is not verbose
    assert ("Traceback (most recent call last):" in trace) is verbose
