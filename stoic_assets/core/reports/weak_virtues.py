"""Weak virtues: what is wrong, in the transcript's own words, and what judges advise; for the page and as Markdown."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stoic_assets.core.presentation.confidence import OFFLINE_NOTE, shown_confidence, weak_above
from stoic_assets.core.presentation.formatting import DASH, as_set, dashed, score, short_of, words
from stoic_assets.core.presentation.markdown import bulleted, plain
from stoic_assets.core.reports.data import values
from stoic_assets.core.reports.trial_view import AspectView, TrialView
from stoic_assets.core.rounding import falls_short
from stoic_assets.core.table_rows import Row, Rows

MOST_EXHIBITS = 4
_TABLE_HEAD = """\
| virtue | score | 95 % interval | confidence | severity | trials |
| --- | ---: | ---: | ---: | ---: | ---: |"""
"""Only weak virtues have a severity."""


@dataclass(frozen=True)
class Exhibit:
    """An aspect with a low mark, with the words of the transcript that a judge quoted for it."""

    trial: TrialView
    aspect: AspectView


@dataclass(frozen=True)
class WeakVirtue:
    """A row of `weak_virtues` with its lowest marks, of those that are based on words really said."""

    row: Row
    exhibits: list[Exhibit]


def weak_virtues(rows: Iterable[Row], trials: Sequence[TrialView]) -> list[WeakVirtue]:
    """The weak virtues, the most severe first."""
    return [WeakVirtue(row, _exhibits(row["virtue"], trials)) for row in sorted(rows, key=lambda row: -row["severity"])]


def none_weak(virtues: Iterable[Row], below: float) -> str:
    """The text where no virtue is weak; `virtues` are rows of `evaluation_virtues`, `below` the score that is low."""
    if not (scores := values(virtues, "score")):
        return "No virtue was scored."
    if not (low := sum(falls_short(each, below) for each in scores)):
        return "No virtue is weak."
    found = f"{low} of {len(scores)} {'is' if low == 1 else 'are'} below {as_set(below)}"
    return f"No virtue is surely weak: {found}, with too little confidence."


def _exhibits(virtue: str, trials: Sequence[TrialView]) -> list[Exhibit]:
    """The lowest grounded aspects, no two with the same quote."""
    found: dict[str, Exhibit] = {}
    for trial, aspect in sorted(_aspects(virtue, trials), key=lambda pair: pair[1].row["score"]):
        if aspect.quote and aspect.quote.said:
            found.setdefault(aspect.quote.text, Exhibit(trial, aspect))
    return list(found.values())[:MOST_EXHIBITS]


def _aspects(virtue: str, trials: Iterable[TrialView]) -> Iterator[tuple[TrialView, AspectView]]:
    """All that have a score, of scored trials."""
    for trial in trials:
        for view in trial.virtues:
            if trial.valid and view.name == virtue:
                given = (aspect for verdict in view.verdicts for aspect in verdict.aspects)
                yield from ((trial, aspect) for aspect in given if aspect.row["score"] is not None)


def title(agent_version: str, evaluation_id: str) -> str:
    """The heading of the Markdown: which version, and which of its evaluations."""
    return f"# Weak virtues of {plain(agent_version)}, evaluation {plain(evaluation_id)}"


def weak_virtue_markdown(
    virtues: Rows, weak: Rows, offline: bool, whose: str, below: float, intervals: Mapping[str, str]
) -> str:
    """The virtues, the weakest first, and what judges advise on those that are weak; readable as plain text, too.

    `virtues` are rows of `evaluation_virtues`, `weak` of `weak_virtues`; `whose` says where the confidences come from,
    `below` is the score, 0–1, below which a virtue is weak, `intervals` are the texts of `virtue_intervals`. No text of
    a judge becomes a link or picture.
    """
    parts = [f"**{OFFLINE_NOTE}**"] if offline else []
    parts += filter(None, [f"{whose} {weak_above(virtues)}".strip()])
    severities = {row["virtue"]: row["severity"] for row in weak}
    if virtues:
        ordered = sorted(virtues, key=lambda row: -severities.get(row["virtue"], 0))
        lines = (
            _line(row, severities.get(name := row["virtue"]), below, intervals.get(name, DASH)) for row in ordered
        )
        parts.append("\n".join([_TABLE_HEAD, *lines]))
    if not weak:
        parts.append(none_weak(virtues, below))
    parts += [_advice(row) for row in sorted(weak, key=lambda row: -row["severity"]) if row["suggestions"]]
    return "\n\n".join(parts) + "\n"


def _line(virtue: Row, severity: float | None, below: float, interval: str) -> str:
    shown = dashed(lambda value: short_of(value, below), virtue["score"])
    numbers = f"{shown} | {interval} | {shown_confidence(virtue)} | {dashed(score, severity)}"
    return f"| {plain(words(virtue['virtue']))} | {numbers} | {virtue['trials']} |"


def _advice(weak: Row) -> str:
    return f"{plain(words(weak['virtue']))}:\n\n{bulleted(weak['suggestions'])}"
