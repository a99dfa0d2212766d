from io import StringIO

from rich.console import Console
from rich.progress import Progress as Bars

from stoic_assets.cli.console import TerminalProgress
from stoic_assets.core.conversation.evidence import Trial, Turn
from stoic_assets.core.redaction import Redactor


def test_messages_are_shown_without_secrets_and_what_steers_a_terminal() -> None:
    shown = StringIO()
    with Bars(console=Console(file=shown, width=200), disable=True) as bars:
        progress = TerminalProgress(bars, verbose=True)
        progress.clean_by(Redactor(["sk-[a-z]+"]).data)
        call = {"request": {"arguments": {"key": "sk-abc"}}}
        progress.turn(Trial("t", "job", "withheld", 1, "u"), Turn(1, "agent", "\x1b[2Jit is sk-abc", events=(call,)))
    lines = shown.getvalue().splitlines()
    assert lines[0] == "job withheld 1 agent \ufffd[2Jit is [redacted]"
    assert lines[1].strip() == '{"request": {"arguments": {"key": "[redacted]"}}}'
