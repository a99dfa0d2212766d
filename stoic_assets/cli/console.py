"""Output in the terminal: results on stdout, everything else on stderr."""

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Table
from rich.text import Text

from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.jobs.names import played
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.progress import Progress, StageLines
from stoic_assets.core.text.foreign_text import visible
from stoic_assets.core.text.json_text import json_text

AS_IT_STANDS: dict[str, Any] = {"soft_wrap": True, "markup": False, "emoji": False, "highlight": False}
"""Nothing in text is markup, such as an agent's `[/INST]` or `:smile:`, a path or an IPv6 address; `style` colours."""
FURTHER = "\n  | "
"""Begins the further lines of a message, so that none of them passes for a message of its own."""
LEAST_WIDTH = 20
"""Columns in which a text can be read."""


class Terminal(Console):
    """A console that knows whether a person looks at it.

    Any text may quote a foreign one, as of an agent: characters that steer a terminal, or cannot be printed, are made
    visible.
    """

    def render_str(self, text: str, **how: Any) -> Text:
        """The text as it is shown, in a line or in a table; what is a `Text` already is not made visible here."""
        return super().render_str(visible(text), **how)

    @property
    def is_screen(self) -> bool:
        """Whether there is a width. `is_terminal` says whether there are colours, which FORCE_COLOR gives files too."""
        return self.file.isatty()


out = Terminal(**AS_IT_STANDS)
err = Terminal(stderr=True, **AS_IT_STANDS)


def print_json(document: Any) -> None:
    """Prints one JSON document on stdout."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # None if stdout is closed
    written = json_text if encoding.lower().startswith("utf") else json.dumps
    text = written(document, allow_nan=False)
    print(text, flush=True)  # noqa: T201 - the only unstyled output; flushed, since servers keep running after it


class Name:
    """A name in a table: it folds after the characters that join its words; a number stays with the word before it.

    An agent version that does not fit folds after its agent first.
    """

    def __init__(self, text: str) -> None:
        self._parts = re.split(r"(?<=[_.~/:@-])|(?<= )(?!\d+$)", visible(text))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(max(map(cell_len, self._parts)), cell_len("".join(self._parts)))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        lines = [""]
        folds = cell_len("".join(self._parts)) > options.max_width
        for part in self._parts:
            is_full = cell_len(f"{lines[-1]}{part}".rstrip()) > options.max_width
            if lines[-1] and (is_full or (folds and lines[-1].endswith("@"))):
                lines.append("")
            lines[-1] += part
        yield Text("\n".join(line.rstrip() for line in lines), overflow="fold")


def say(text: str | Text, style: str = "", indent: int = 0, label: str | Text = "") -> None:
    """Prints text on stdout after a label: one line in a file; in a terminal it breaks between words, and all lines but
    the first are indented where that leaves them `LEAST_WIDTH`."""
    words, label = (Text(visible(each)) if isinstance(each, str) else each for each in (text, label))
    if out.is_screen and out.width - indent < LEAST_WIDTH:
        words, indent, label = Text.assemble(label, words), 0, Text()
    lines = words.wrap(out, max(1, out.width - indent)) if out.is_screen else [words]
    for number, line in enumerate(lines):
        out.print(Text.assemble(" " * indent if number else label, line), style=style)


def plain_table() -> Table:
    """A table without lines, for `print_table`."""
    return Table(box=None, pad_edge=False, header_style="dim")


def print_table(table: Table) -> None:
    """Prints a table on stdout and cuts no cell short: if a terminal is too narrow, columns with a `min_width` fold.

    A file is never too narrow.
    """
    for column in table.columns:
        column.no_wrap, column.overflow = column.min_width is None, "fold"
    if not fits(table):
        table.collapse_padding = True
        _fold(table, max(0, _width(table) - out.width))
    Terminal(**AS_IT_STANDS, width=max(_width(table), out.width)).print(table)


def fits(table: Table) -> bool:
    """Whether a table need not fold; in a file none need."""
    return not out.is_screen or _width(table) <= out.width


def _width(shown: RenderableType) -> int:
    """The width of what is shown, without folding."""
    return out.measure(shown, options=out.options.update(max_width=1000)).maximum


def _fold(table: Table, excess: int) -> None:
    """Takes `excess` from the widths of columns that fold, starting with the last."""
    for column in reversed(table.columns):
        if column.min_width is not None:
            width = max(map(_width, (column.header, *column.cells)))
            column.width = max(min(column.min_width, width), width - excess)
            excess -= width - column.width


def complain(text: str) -> None:
    """Prints a line on stderr that says what is wrong."""
    err.print(f"stoic: {text}")


class Notes(Progress):
    """Shows what is worth knowing on stderr, but no progress."""

    def __init__(self, shown_on: Terminal = err) -> None:
        self._shown_on = shown_on

    def note(self, message: str) -> None:
        """Shows something worth knowing that is not a result."""
        self._shown_on.print(self._clean(message), style="dim")


class TerminalProgress(Notes):
    """Progress bars on stderr, or lines where that is no terminal.

    With `verbose` also every message with its events, and every query.
    """

    def __init__(self, bars: Bars, shown_on: Terminal, verbose: bool) -> None:
        super().__init__(shown_on)
        self._bars, self._verbose = bars, verbose
        self._stages: dict[str, TaskID] = {}
        self._lines = StageLines(self.note, time.monotonic)

    def begin(self, stage: str, total: int) -> None:
        """A stage of `total` trials starts."""
        self._stages[stage] = self._bars.add_task(stage, total=total)
        if self._bars.disable:
            self._lines.begin(stage, total)

    def advance(self, stage: str) -> None:
        """One trial of a stage is done."""
        self._bars.advance(self._stages[stage])
        if self._bars.disable:
            self._lines.advance(stage)

    def turn(self, trial: Trial, turn: Turn) -> None:
        """A message was sent or received."""
        if self._verbose:
            self._print(trial, "user " if turn.speaker == "user" else "agent", turn.content)
            for event in self._clean(list(turn.events)):
                self._shown_on.print(f"    {json.dumps(event, ensure_ascii=False)}", style="cyan")

    def query(self, trial: Trial, cypher: str) -> None:
        """A query or a setup runs in the graph."""
        if self._verbose:
            self._print(trial, "query", cypher)

    def _print(self, trial: Trial, kind: str, text: str) -> None:
        label = Text(f"{played(trial.job, trial.scenario)} {trial.condition} {trial.repeat} {kind} ", style="dim")
        shown = visible(self._clean(text)).replace("\n", FURTHER)
        self._shown_on.print(label + Text(shown))


@contextmanager
def watched(verbose: bool) -> Iterator[TerminalProgress]:
    """Shows progress on stderr while the block runs."""
    columns = (TextColumn("{task.description:>15}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    animated = err.is_screen and err.is_interactive  # a dumb terminal is not
    with Bars(*columns, console=err, transient=not verbose, disable=not animated) as bars:
        yield TerminalProgress(bars, err, verbose)
