"""The `stoic` command as a whole."""

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import typer

from stoic_assets.adapters.process.interrupts import HeardOnce
from stoic_assets.cli.command_line import COMMANDS, command_line, run, with_resume_value
from stoic_assets.cli.run_faults import Interrupted
from stoic_assets.core.errors import AttemptFailed, ServiceUnreachable, StoicError

ONE = """
import sys
from stoic_assets.cli.command_line import command_line
command_line(["report"])
assert "stoic_assets.cli.report" in sys.modules
assert not {"stoic_assets.cli.compare", "stoic_assets.cli.ui", "dagster"} & set(sys.modules)
"""


def test_a_command_imports_what_it_needs():
    ended = subprocess.run([sys.executable, "-c", ONE], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


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


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        (("compare",), "stoic compare [OPTIONS] BASE CANDIDATE"),
        (("eval",), "stoic eval [OPTIONS]"),
        (("release", "add"), "stoic release add [OPTIONS] A@V"),
        (("ratings", "collect"), "stoic ratings collect [OPTIONS] FILE_OR_FOLDER..."),
        (("ratings",), "stoic ratings [OPTIONS] COMMAND [ARGS]..."),
        ((), "stoic [OPTIONS] COMMAND [ARGS]..."),
    ],
)
def test_help_gives_flags_no_value_and_arguments_no_type(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], usage: str
) -> None:
    texts = set()
    for asked in (["-h"], ["--help"], *([[]] if "COMMAND" in usage else [])):
        monkeypatch.setattr(sys, "argv", ["stoic", *command, *asked])
        with pytest.raises(SystemExit):
            run()
        texts.add(capsys.readouterr().out.strip())
    [shown] = texts
    assert f"{usage} " in shown
    assert "--help" in shown
    assert "<bool>" not in shown
    assert "<str>" not in shown
    assert "list[" not in shown


@pytest.mark.parametrize(
    ("command", "name"), [(("eval",), "--max-conversations N "), (("release", "add"), "--released-at TIME"), ((), "ui")]
)
def test_help_cuts_no_name_short_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys, "argv", ["stoic", *command, "--help"])
    with pytest.raises(SystemExit):
        run()
    shown = capsys.readouterr().out
    assert name in shown
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 60


def test_every_command_takes_verbose(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    every = typer.main.get_command(command_line()).commands.values()
    leaves = [leaf for command in every for leaf in getattr(command, "commands", {"": command}).values()]
    assert len(leaves) > len(COMMANDS)
    assert [leaf.name for leaf in leaves if not any("--verbose" in given.opts for given in leaf.params)] == []
    monkeypatch.setattr(sys, "argv", ["stoic", "schema", "--verbose"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 0
    assert "properties" in json.loads(capsys.readouterr().out)


def test_defaults_are_told_in_one_way() -> None:
    every = typer.main.get_command(command_line()).commands.values()
    leaves = [leaf for command in every for leaf in getattr(command, "commands", {"": command}).values()]
    options = [option for leaf in leaves for option in leaf.params if option.param_type_name == "option"]
    shown = [(option.show_envvar and option.envvar) or (option.show_default and option.default) for option in options]
    assert [option.opts for option, by_library in zip(options, shown, strict=True) if by_library] == []
    known = {name for option in options if "(default: " in (option.help or "") for name in option.opts}
    assert {"--judge-samples", "--max-cost", "--port", "--host", "--release", "--api-key"} <= known


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("eval", "--file", "a.yml", "b.yml", "c.yml"), "unexpected argument: b.yml c.yml; repeat --file before"),
        (("eval", "--file=a.yml", "b.yml"), "unexpected argument: b.yml; repeat --file before each further one"),
        (("eval", "--tag", "x", "--repeats", "2", "b.yml"), "unexpected argument: b.yml; did you mean --file b.yml? ("),
        (("report", "a@1"), "unexpected argument: a@1; did you mean --agent-version a@1? (see stoic report"),
        (("eval", "chat", "--json"), "unexpected argument: chat; did you mean --job chat? (see"),
        (("eval", "--agent-version", "a@1", "a@2", "a@3"), "unexpected argument: a@2 a@3 (see"),
        (("list", "marcus"), "unexpected argument: marcus (see"),
        (("compare", "a@1", "a@2", "a@3"), "unexpected argument: a@3 (see"),
        (("regrade", "--file", "."), "Invalid value for '--file': . is a folder; repeat --file for each file"),
        (("eval", "--file", os.devnull), "Invalid value for '--file': /dev/null is a pipe or device, which is"),
        (("eval", "--repeats", "abc"), "--repeats abc: write a whole number from 1 to 10000 (see"),
        (("eval", "--fail-under=80"), "--fail-under 80: write a number from 0 to 1 (see"),
        (("regrade", "--min-passed", "nan"), "--min-passed nan: write a number from 0 to 1 (see"),
        (("eval", "--max-cost", "-1"), "--max-cost -1: write a number of at least 0 (see"),
        (("eval", "--agent-url", "", "--dry-run"), "--agent-url is empty; give it a value or leave it out (see"),
        (("eval", "--file", "a.yml", "--file", ""), "--file is empty; give it a value or leave it out (see"),
        (("report", "--out="), "--out is empty; give it a value or leave it out (see"),
        (("eval", "--resume", ""), "--resume is empty; give it a value or leave it out (see"),
        (("ratings", "collect", "a", ""), "FILE_OR_FOLDER is empty; give it a value (see"),
        (("eval", "--file", "a.yml", "--file", "b\udcff.yml"), "--file b\ufffd.yml is no text in this locale; set one"),
        (("eval", "--model", "m\udcff", "--dry-run"), "--model m\ufffd is no text in this locale; set one with UTF-8"),
        (("release", "add", "a@1", "--notes", "n\udcff"), "--notes n\ufffd is no text in this locale; set one"),
        (("ratings", "collect", "a", "\udcff"), "FILE_OR_FOLDER \ufffd is no text in this locale; set one with UTF-8"),
        (("eval", "--file"), "Option '--file' requires an argument. (see stoic eval --help)"),
        (("ratings", "build", "--json=1"), "Option '--json' does not take a value. (see stoic ratings build --help)"),
    ],
)
def test_arguments_that_cannot_be_meant_so_are_refused_with_how_they_may_be_meant(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["stoic", *arguments])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"stoic: {said}")


@pytest.mark.parametrize("verbose", [False, True])
def test_a_fault_shows_where_it_came_from_to_whoever_asks(
    verbose: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ValueError("an agent said [/INST] \x1b[2J")

    monkeypatch.setattr("stoic_assets.cli.schema.schema", broken)
    monkeypatch.setattr(sys, "argv", ["stoic", "schema", *(["--verbose"] if verbose else [])])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    *trace, line = capsys.readouterr().err.splitlines()
    assert line.startswith("stoic: unexpected ValueError: an agent said [/INST] [U+001B][2J; ")
    assert ("add --verbose" in line) is not verbose
    assert ("Traceback (most recent call last):" in trace) is verbose
    assert "\x1b" not in "".join(trace)


def test_of_a_name_that_is_too_long_the_beginning_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["stoic", "eval", "--file", "long" * 100])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"stoic: the name of a file is too long: {'long' * 15} \N{HORIZONTAL ELLIPSIS}\n"


def test_a_fault_that_was_taken_out_of_another_is_told_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        fault = ValueError("inner")
        try:
            raise LookupError("outer") from fault
        except LookupError:
            raise fault from fault.__cause__

    monkeypatch.setattr("stoic_assets.cli.schema.schema", broken)
    monkeypatch.setattr(sys, "argv", ["stoic", "schema"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("stoic: unexpected ValueError: inner; ")


def test_which_version_this_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["stoic", "--version"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert (ended.value.code, capsys.readouterr().out) == (0, f"stoic-eval {version('stoic-eval')}\n")


def test_the_notes_of_a_fault_stand_in_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing() -> None:
        fault = ServiceUnreachable("the agent is gone")
        fault.add_note("continue with `stoic eval`")
        raise fault

    monkeypatch.setattr("stoic_assets.cli.schema.schema", failing)
    monkeypatch.setattr(sys, "argv", ["stoic", "schema"])
    with pytest.raises(SystemExit):
        run()
    assert capsys.readouterr().err == "stoic: the agent is gone; continue with `stoic eval`\n"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (None, ""), (RuntimeError("Query interrupted"), ""),
        (ServiceUnreachable("the agent is gone"), "stoic: the agent is gone\n"),
    ],
)
def test_after_an_interrupt_no_fault_counts(
    fault: Exception | None, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:  # libraries take it for a fault of theirs
            raise fault or KeyboardInterrupt from None

    monkeypatch.setattr("stoic_assets.cli.schema.schema", interrupted)
    monkeypatch.setattr(sys, "argv", ["stoic", "schema"])
    before = signal.signal(signal.SIGINT, HeardOnce(signal.default_int_handler))
    try:
        with pytest.raises(SystemExit) as ended:
            run()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (ended.value.code, capsys.readouterr().err) == (130, told)


def noted(fault: StoicError) -> StoicError:
    fault.add_note("continue with `stoic eval`")
    return fault


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        (Interrupted("continue with `stoic eval`"), 130, "stoic: interrupted; continue with `stoic eval`\n"),
        (noted(ServiceUnreachable("the graph is gone")), 2, "stoic: the graph is gone; continue with `stoic eval`\n"),
        (AttemptFailed("status 503"), 130, ""),
    ],
)
def test_a_late_ctrl_c_does_not_hide_how_to_go_on(
    fault: StoicError, code: int, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the way out a server that hangs may be waited for; of what is only tried again nothing is told."""

    def interrupted() -> None:
        try:
            raise fault
        finally:
            raise KeyboardInterrupt

    monkeypatch.setattr("stoic_assets.cli.schema.schema", interrupted)
    monkeypatch.setattr(sys, "argv", ["stoic", "schema"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert (ended.value.code, capsys.readouterr().err) == (code, told)


@pytest.mark.parametrize("command", [["report"], ["ratings", "build"], ["schema"]])
def test_a_file_cannot_be_written_over_a_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "argv", ["stoic", *command, "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "--out" in told
    assert "is a directory" in told


def test_only_where_an_empty_value_means_something_it_is_taken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["stoic", "release", "add", "nobody", "--notes", ""])
    with pytest.raises(SystemExit):
        run()
    assert "nobody" in capsys.readouterr().err
