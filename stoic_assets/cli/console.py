"""What a person sees in the terminal: results on stdout, everything else on stderr."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Table
from rich.text import Text

from stoic_assets.core.comparison.paired_jobs import job_key
from stoic_assets.core.conversation.evidence import Trial, Turn
from stoic_assets.core.visible_text import visible

AS_IT_STANDS: dict[str, Any] = {"soft_wrap": True, "markup": False, "emoji": False, "highlight": False}
"""An agent's `[/INST]` or `:smile:`, a path or an IPv6 address means nothing to a terminal; colour comes by `style`."""
READ_NO_FURTHER = 141
"""The exit code of a program whose reader went away (128 + SIGPIPE): 1 would be a gate that says no."""


class Terminal(Console):
    """A console that leaves so when its reader goes away, as `head` does."""

    def on_broken_pipe(self) -> None:
        """Ends the program; what Python still holds for the reader goes nowhere."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(READ_NO_FURTHER)


out = Terminal(**AS_IT_STANDS)
err = Console(stderr=True, **AS_IT_STANDS)


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # None where nobody holds the other end
    text = json.dumps(document, ensure_ascii=not encoding.lower().startswith("utf"), allow_nan=False)
    try:
        print(text, flush=True)  # noqa: T201 - the one unstyled thing; flushed, since servers go on after it
    except BrokenPipeError:
        out.on_broken_pipe()


def print_table(table: Table) -> None:
    """A table on stdout, no cell cut short: a narrow terminal breaks its lines, and a file has no width."""
    needed = out.measure(table, options=out.options.update(max_width=1000)).maximum
    Terminal(**AS_IT_STANDS, width=max(needed, out.width)).print(table)


def foreign(text: str) -> Text:
    """Text of an agent or a model, with what could steer a terminal, or cannot be written to one, made visible."""
    return Text(visible(text))


class TerminalProgress:
    """Progress bars on stderr; with `verbose` also every message, with the events behind it."""

    def __init__(self, bars: Bars, verbose: bool) -> None:
        self._bars, self._verbose = bars, verbose
        self._stages: dict[str, TaskID] = {}
        self._clean: Callable[[Any], Any] = lambda data: data

    def clean_by(self, clean: Callable[[Any], Any]) -> None:
        """Has messages shown without what `clean` takes for secrets, as they are stored."""
        self._clean = clean

    def begin(self, stage: str, total: int) -> None:
        """A stage of `total` steps starts."""
        self._stages[stage] = self._bars.add_task(stage, total=total)
        if self._bars.disable:
            self.note(f"{stage}: {total}")

    def advance(self, stage: str) -> None:
        """One step of a stage is done."""
        self._bars.advance(self._stages[stage])

    def turn(self, trial: Trial, turn: Turn) -> None:
        """A message was made or received."""
        if self._verbose:
            speaker = "user " if turn.speaker == "user" else "agent"
            label = Text(f"{job_key(vars(trial))} {trial.condition} {trial.repeat} {speaker} ", style="dim")
            self._bars.console.print(label + foreign(self._clean(turn.content)))
            for event in self._clean(list(turn.events)):
                self._bars.console.print(foreign(f"    {json.dumps(event, ensure_ascii=False)}"), style="cyan")

    def note(self, message: str) -> None:
        """Something worth knowing that is no result."""
        self._bars.console.print(foreign(message), style="dim")


@contextmanager
def watched(verbose: bool = False) -> Iterator[TerminalProgress]:
    """Progress on stderr while the block runs."""
    columns = (TextColumn("{task.description:>14}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=err, transient=not verbose, disable=not err.is_terminal) as bars:
        yield TerminalProgress(bars, verbose)
