"""The `stoic` command as a whole."""

import subprocess
import sys

import typer

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
