import json
import sys
from collections.abc import Callable
from io import StringIO

import pytest
from rich.progress import Progress as Bars
from rich.table import Table

from stoic_assets.cli import console
from stoic_assets.cli.console import TerminalProgress
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.secrets.redaction import Redactor


def test_messages_are_shown_without_secrets_and_what_steers_a_terminal() -> None:
    shown = StringIO()
    terminal = console.Terminal(file=shown, **console.AS_IT_STANDS)
    with Bars(console=terminal, disable=True) as bars:
        progress = TerminalProgress(bars, terminal, verbose=True)
        progress.clean_by(Redactor(["sk-[a-z]+"]).data)
        call = {"request": {"arguments": {"key": "sk-abc"}}}
        trial = Trial("t", "job", "withheld", 1, "u", "s2")
        progress.turn(trial, Turn(1, "agent", "\x1b[2Jit is sk-abc", events=(call,)))
        progress.query(trial, "RETURN 'sk-abc'\nLIMIT 1\rjob~s2 withheld 2 agent no")
        progress.note("refused: sk-abc")
    lines = shown.getvalue().splitlines()
    assert lines[0] == "job~s2 withheld 1 agent [U+001B][2Jit is [redacted]"
    assert lines[1].strip() == '{"request": {"arguments": {"key": "[redacted]"}}}'
    query = ["job~s2 withheld 1 query RETURN '[redacted]'", "  | LIMIT 1", "  | job~s2 withheld 2 agent no"]
    assert lines[2:] == [*query, "refused: [redacted]"]


def test_without_a_terminal_the_begin_and_the_end_of_a_stage_are_lines() -> None:
    shown = StringIO()
    terminal = console.Terminal(file=shown, width=200)
    with Bars(console=terminal, disable=True) as bars:
        progress = TerminalProgress(bars, terminal, verbose=False)
        progress.begin("conversations", 2)
        for _ in range(2):
            progress.advance("conversations")
    assert shown.getvalue() == "conversations: 2 trials\nconversations: 2 of 2 trials done\n"


def test_json_keeps_what_can_be_read_and_escapes_what_steers_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    said = {"said": "café \x7f\x9b31m\u202e 墨尔本"}
    console.print_json(said)
    printed = capsys.readouterr().out
    assert printed == '{"said": "café \\u007f\\u009b31m\\u202e 墨尔本"}\n'
    assert json.loads(printed) == said


def test_json_that_nobody_can_read_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)  # as Python has it where it is closed: `stoic list --json >&-`
    console.print_json({"said": "café"})
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("text", ["[/INST]", "http://[fe80::1]:8081", "/a[draft]/r.html", "[bold]", ":smile:", "at 12"])
def test_text_means_nothing_to_the_terminal(text: str) -> None:
    shown = StringIO()
    terminal = console.Terminal(file=shown, force_terminal=True, color_system="standard", **console.AS_IT_STANDS)
    terminal.print(text)
    assert shown.getvalue() == f"{text}\n"  # no number, path or address in it has a colour either


def test_a_table_shows_its_cells_as_they_stand(capsys: pytest.CaptureFixture[str]) -> None:
    cells = ["[/INST] :smile:", "http://[fe80::1]:8081/" + "a" * 200]
    table = Table(*cells, title="[draft]")
    table.add_row(*cells)
    console.print_table(table)
    shown = capsys.readouterr().out
    assert "[draft]" in shown
    assert [shown.count(cell) for cell in cells] == [2, 2]


def test_what_steers_a_terminal_is_made_visible_in_every_text(capsys: pytest.CaptureFixture[str]) -> None:
    steering = "a\x1b[2Jb"
    table = console.plain_table()
    table.add_column(steering)
    table.add_row(steering)
    console.print_table(table)
    console.say(steering, label=steering)
    console.out.print(steering)
    assert capsys.readouterr().out.split() == ["a[U+001B][2Jb"] * 2 + ["a[U+001B][2Jb" * 2, "a[U+001B][2Jb"]


@pytest.fixture
def narrow(screen: Callable[[int], None]) -> None:
    """A terminal of 30 columns."""
    screen(30)


LONG = "a sentence of more than thirty columns, which does not end there"


def test_a_terminal_is_given_lines_broken_between_words(narrow: None, capsys: pytest.CaptureFixture[str]) -> None:
    console.say(LONG, indent=2)
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "a sentence of more than", "  thirty columns, which does", "  not end there",
    ]  # fmt: skip


@pytest.mark.parametrize("columns", [1, 12, 23, 24, 42])
def test_a_terminal_too_narrow_to_indent_in_shows_every_word_all_the_same(
    screen: Callable[[int], None], capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    screen(columns)
    label = f"{'ok':<9}{'installation':<14}"
    console.say(LONG, indent=len(label), label=label)
    lines = capsys.readouterr().out.splitlines()
    assert "".join("".join(lines).split()) == "".join(f"{label}{LONG}".split())
    assert max(len(line.rstrip()) for line in lines) <= columns
    assert len(lines) <= len(f"{label}{LONG}") / columns * 2


def test_a_file_is_given_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    console.say(f"{LONG}, {LONG}", indent=2)
    assert capsys.readouterr().out == f"{LONG}, {LONG}\n"


def test_colours_that_are_forced_into_a_file_give_it_no_width(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(console, "out", console.Terminal(**console.AS_IT_STANDS))
    console.say(f"{LONG}, {LONG}")
    assert f"{LONG}, {LONG}" in capsys.readouterr().out


@pytest.mark.parametrize(("variable", "value", "is_screen"), [("FORCE_COLOR", "1", False), ("TERM", "dumb", True)])
def test_only_a_terminal_that_can_move_its_cursor_has_bars(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str, value: str, is_screen: bool
) -> None:
    monkeypatch.setenv(variable, value)
    monkeypatch.setattr(console.Terminal, "is_screen", is_screen)
    monkeypatch.setattr(console, "err", console.Terminal(stderr=True, force_terminal=True, **console.AS_IT_STANDS))
    with console.watched(verbose=False) as progress:
        progress.begin("conversations", 2)
    shown = capsys.readouterr().err
    assert "conversations: 2 trials" in shown
    assert "\N{BOX DRAWINGS HEAVY HORIZONTAL}" not in shown


def scores(name: str) -> Table:
    """A name that may fold beside a number that may not."""
    table = Table(box=None, pad_edge=False)
    table.add_column("trial", min_width=8)
    table.add_column("what came of it", justify="right")
    table.add_row(console.Name(name), "0.75")
    return table


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("short 1", ["short 1"]),
        ("memory_of_places withheld 1", ["memory_of_", "places", "withheld 1"]),
        ("area.component.case-0001", ["area.", "component.", "case-0001"]),
        ("incomprehensibilities", ["incomprehensib", "ilities"]),
    ],
)
def test_a_long_name_folds_in_its_own_column(
    narrow: None, capsys: pytest.CaptureFixture[str], name: str, lines: list[str]
) -> None:
    console.print_table(scores(name))
    shown = capsys.readouterr().out.splitlines()
    assert max(map(len, shown)) <= 30
    assert [line.removesuffix("0.75").strip() for line in shown[1:]] == lines


def test_no_more_folds_than_has_to(narrow: None, capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("trial", "outcome"):
        table.add_column(heading, min_width=8)
    table.add_row(console.Name("memory_of_places"), console.Name("withheld and supplied"))
    console.print_table(table)
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["memory_of_places", "withheld", "and"], ["supplied"],
    ]  # fmt: skip


def test_a_file_has_names_whole(capsys: pytest.CaptureFixture[str]) -> None:
    name = "area.component." * 20
    console.print_table(scores(name))
    assert name in capsys.readouterr().out


def test_numbers_are_not_cut_whatever_the_terminal(narrow: None, capsys: pytest.CaptureFixture[str]) -> None:
    table = scores("a_name_that_is_long")
    table.add_column("and another of those that may not fold")
    console.print_table(table)
    assert "what came of it and another of those that may not fold" in capsys.readouterr().out


def test_what_no_terminal_can_be_sent_is_shown_by_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    console.err.print("\ud800")
    console.say("\ud801")
    assert capsys.readouterr() == ("[U+D801]\n", "[U+D800]\n")


def test_a_complaint_begins_with_the_command_and_shows_what_steers_a_terminal(
    capsys: pytest.CaptureFixture[str]
) -> None:
    console.complain("marcus@\x1b[2J1: the verdict is regressed")
    assert capsys.readouterr() == ("", "stoic: marcus@[U+001B][2J1: the verdict is regressed\n")
