"""Weak virtues: what is wrong, in the transcript's own words, and what judges advise; for the page and as Markdown."""

import base64
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stoic_assets.core.markdown import plain
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE, UNCALIBRATED, weak_above
from stoic_assets.core.presentation.formatting import DASH, is_missing, score, words
from stoic_assets.core.reports.data import Row
from stoic_assets.core.reports.trial_view import AspectView, TrialView
from stoic_assets.core.reports.virtue_chart import virtue_chart_svg

MOST_EXHIBITS = 4
_TABLE_HEAD = """\
| virtue | score | confidence | severity | trials | suggestions |
| --- | ---: | ---: | ---: | ---: | --- |"""


@dataclass(frozen=True)
class Exhibit:
    """An aspect that was marked down, with words of the transcript that a judge gave for it."""

    trial: TrialView
    aspect: AspectView


@dataclass(frozen=True)
class WeakVirtue:
    """A row of `weak_virtues` with its lowest marks that rest on words really said."""

    row: Row
    exhibits: list[Exhibit]


def weak_virtues(rows: Iterable[Row], trials: Sequence[TrialView]) -> list[WeakVirtue]:
    """The weak virtues, the most severe first."""
    return [WeakVirtue(row, _exhibits(row["virtue"], trials)) for row in sorted(rows, key=lambda row: -row["severity"])]


def _exhibits(virtue: str, trials: Sequence[TrialView]) -> list[Exhibit]:
    """The lowest grounded aspects, no two with the same quote."""
    found: dict[str, Exhibit] = {}
    for trial, aspect in sorted(_aspects(virtue, trials), key=lambda pair: pair[1].row["score"]):
        if aspect.quote and aspect.quote.said:
            found.setdefault(aspect.quote.text, Exhibit(trial, aspect))
    return list(found.values())[:MOST_EXHIBITS]


def _aspects(virtue: str, trials: Iterable[TrialView]) -> Iterable[tuple[TrialView, AspectView]]:
    for trial in trials:
        for view in trial.virtues:
            if trial.valid and view.name == virtue:
                given = itertools.chain.from_iterable(verdict.aspects for verdict in view.verdicts)
                yield from ((trial, aspect) for aspect in given if aspect.row["score"] is not None)


def weak_virtue_markdown(
    virtues: Sequence[Row], weak: Sequence[Row], offline: bool = False, whose: str = UNCALIBRATED
) -> str:
    """The weak-virtue report for Dagster's metadata: a small chart and a table.

    `virtues` are rows of `evaluation_virtues`, `weak` of `weak_virtues`; `whose` says where the confidences come from.
    No text of a judge becomes a link or picture.
    """
    chart = virtue_chart_svg(virtues, {row["virtue"] for row in weak})
    picture = base64.b64encode(chart.encode()).decode()
    parts = [f"**{OFFLINE_NOTE}**"] if offline else []
    parts.append(f"{whose} {weak_above(virtues)}".rstrip())
    parts += [f"![the five virtues](data:image/svg+xml;base64,{picture})", _table(weak)]
    return "\n\n".join(parts) + "\n"


def _table(weak: Sequence[Row]) -> str:
    if not weak:
        return "No virtue is weak."
    lines = [_TABLE_HEAD]
    for row in sorted(weak, key=lambda row: -row["severity"]):
        numbers = (DASH if is_missing(row[name]) else score(row[name]) for name in ("score", "confidence", "severity"))
        advice = " • ".join(plain(text) for text in row["suggestions"] or ())
        lines.append(f"| {plain(words(row['virtue']))} | {' | '.join(numbers)} | {row['trials']} | {advice or DASH} |")
    return "\n".join(lines)
