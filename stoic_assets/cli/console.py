"""What a person sees in the terminal: results on stdout, everything else on stderr."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Table
from rich.text import Text

from stoic_assets.core.conversation.evidence import Trial, Turn

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(document, ensure_ascii=False, allow_nan=False))  # noqa: T201 - the one thing that is not styled


def print_table(table: Table) -> None:
    """A table on stdout, no cell cut short: a narrow terminal breaks its lines, and a file has no width."""
    needed = out.measure(table, options=out.options.update(max_width=1000)).maximum
    Console(soft_wrap=True, highlight=False, width=max(needed, out.width)).print(table)


def foreign(text: str) -> Text:
    """Text of an agent or a model, with what could steer a terminal made visible."""
    return Text(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))


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
            label = Text(f"{trial.job} {trial.condition} {trial.repeat} {speaker} ", style="dim")
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
