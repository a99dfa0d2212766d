"""The results of `stoic eval` as tables in the terminal: a row for each trial, and one for each virtue."""

from collections.abc import Mapping

from rich.table import Table

from stoic_assets.cli import console
from stoic_assets.core.presentation.confidence import shown_confidence
from stoic_assets.core.presentation.formatting import DASH, dashed, score, words
from stoic_assets.core.table_rows import Row, Rows
from stoic_assets.core.virtues import VIRTUES

PARTS = {
    "timing": "timing", "task": "task", "assertion": "assertion", "failure_penalty": "penalty", "overall": "overall",
}
"""The scores of a trial that are shown, with their headings."""
MOST_TRIALS = 100
"""Rows of a table; thousands would push all that is said before them out of a terminal."""


def worst_trials(trials: Rows) -> Rows:
    """The trials with the lowest totals, in their usual order; one without a total counts as the lowest."""
    ranked = sorted(range(len(trials)), key=lambda number: _total(trials[number]))
    return [trials[number] for number in sorted(ranked[:MOST_TRIALS])]


def _total(trial: Row) -> float:
    total = trial["scores"]["overall"]
    if total is None:
        total = trial["virtue_overall"]["score"]
    return -1.0 if total is None else float(total)


def trials_table(trials: Rows, names: Mapping[str, str]) -> Table:
    """The trials of an evaluation's document; `names` gives their names by id.

    In a terminal, penalties are left out if there are none: the names need the room.
    """
    penalised = any(trial["scores"]["failure_penalty"] for trial in trials)
    parts = [part for part in PARTS if part != "failure_penalty" or penalised or not console.out.is_screen]
    table = console.plain_table()
    table.add_column("trial", min_width=12)
    table.add_column("outcome", min_width=10)
    for heading in (*(PARTS[part] for part in parts), "virtues"):
        table.add_column(heading, justify="right")
    for trial in trials:
        scores = [*(trial["scores"][part] for part in parts), trial["virtue_overall"]["score"]]
        named = map(console.Name, (names[trial["trial_id"]], trial["outcome"]))
        table.add_row(*named, *(dashed(score, value) for value in scores))
    return table


def virtues_table(rows: Rows, intervals: Mapping[str, str]) -> Table:
    """The means of rows of `evaluation_virtues`, with `virtue_intervals`; a virtue that nobody scored has dashes."""
    table = console.plain_table()
    for heading in ("virtue", "mean", "95 % interval", "confidence", "trials"):
        table.add_column(heading, justify="left" if heading == "virtue" else "right")
    by_virtue = {row["virtue"]: row for row in rows}
    for virtue in VIRTUES:
        row = by_virtue.get(virtue, {"score": None, "confidence": None, "trials": 0})
        numbers = dashed(score, row["score"]), intervals.get(virtue, DASH), shown_confidence(row), str(row["trials"])
        table.add_row(words(virtue).lower(), *numbers)
    return table
