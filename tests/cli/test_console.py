from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress as Bars
from rich.table import Table

from stoic_assets.cli import console
from stoic_assets.cli.console import TerminalProgress
from stoic_assets.core.conversation.evidence import Trial, Turn
from stoic_assets.core.redaction import Redactor


def test_messages_are_shown_without_secrets_and_what_steers_a_terminal() -> None:
    shown = StringIO()
    with Bars(console=Console(file=shown, width=200), disable=True) as bars:
        progress = TerminalProgress(bars, verbose=True)
        progress.clean_by(Redactor(["sk-[a-z]+"]).data)
        call = {"request": {"arguments": {"key": "sk-abc"}}}
        trial = Trial("t", "job", "withheld", 1, "u", "s2")
        progress.turn(trial, Turn(1, "agent", "\x1b[2Jit is sk-abc", events=(call,)))
    lines = shown.getvalue().splitlines()
    assert lines[0] == "job~s2 withheld 1 agent [U+001B][2Jit is [redacted]"
    assert lines[1].strip() == '{"request": {"arguments": {"key": "[redacted]"}}}'


@pytest.mark.parametrize("text", ["[/INST]", "http://[fe80::1]:8081", "/a[draft]/r.html", "[bold]", ":smile:", "at 12"])
def test_text_means_nothing_to_the_terminal(text: str) -> None:
    shown = StringIO()
    terminal = Console(file=shown, force_terminal=True, color_system="standard", **console.AS_IT_STANDS)
    terminal.print(text)
    terminal.print(console.foreign(text))
    assert shown.getvalue() == f"{text}\n{text}\n"  # no number, path or address in it has a colour either


def test_a_table_shows_its_cells_as_they_stand(capsys: pytest.CaptureFixture[str]) -> None:
    cells = ["[/INST] :smile:", "http://[fe80::1]:8081/" + "a" * 200]
    table = Table(*cells, title="[draft]")
    table.add_row(*cells)
    console.print_table(table)
    shown = capsys.readouterr().out
    assert "[draft]" in shown
    assert [shown.count(cell) for cell in cells] == [2, 2]


def test_what_no_terminal_can_be_sent_is_shown_by_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    console.err.print(console.foreign("\ud800"))
    assert capsys.readouterr().err == "[U+D800]\n"
