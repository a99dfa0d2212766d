"""Assertions that hold significantly less often than before, each over all the jobs that check it.

The measures are means over all jobs. An agent that forgets every third reminder moves them little where few jobs ask
for one, and none of these assertions breaks: with repeats, some trial of each job still holds.

No judge decides an assertion, so its trials can be counted. If a release changed nothing about it, then of the trials
of one cell (a job under one condition) any were as likely as others to be those that held, in whichever version. How
many of them are the candidate's is then hypergeometric in each cell, and over all cells the sum of these: the exact
form of the test for several 2×2 tables of Birch (1964), The detection of partial association I, JRSS B 26. It needs no
number of jobs, and repeats may differ. What it says, it says of these very jobs, and only if nothing but the version
differs between the trials (neither the model behind the agent nor what stands in its graph) and trials of a version do
not depend on each other, as those of one user with one memory do.

Where a release breaks much, many assertions fall together, often as far as they can. Holm's correction would then name
none of forty that held in 5 of 5 trials and now hold in 0 of 5; Hochberg's names all whose p is at most 5 % as soon as
all are.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import comb, prod
from statistics import fmean
from typing import Any

from stoic_assets.core.comparison.correction import hochberg
from stoic_assets.core.comparison.effect import ALPHA
from stoic_assets.core.comparison.paired_assertions import PairedAssertion, greatest_loss_first
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.names import natural
from stoic_assets.core.rounding import ROUNDING
from stoic_assets.core.table_rows import Row, Rows

_LEVEL = ALPHA + ROUNDING
"""Five times 1/100 is 0.05, also where a sum of quotients is a little more."""
ENOUGH_TRIALS = 3
"""Of one job under one condition, in both versions: with three and three, 1 of C(6, 3) = 20 ways is the worst."""


@dataclass(frozen=True)
class WeakerAssertion:
    """An assertion that holds significantly less often; `pairs` are its cells, the greatest loss first.

    `p` is one-sided, 0–1, and `p_adjusted` the same after Hochberg over all assertions that could be significant.
    """

    pairs: tuple[PairedAssertion, ...]
    p: float
    p_adjusted: float

    @property
    def what(self) -> str:
        """Its name, else its text on one line and what it expects."""
        what, expected = self.pairs[0].what, self.pairs[0].candidate.expected
        return what if expected is None else f"{what} (expects {expected})"

    @property
    def change(self) -> float:
        """The mean over its cells of how much more often it holds than in the base, −1 to 1."""
        return _change(self.pairs)

    @property
    def fell(self) -> tuple[PairedAssertion, ...]:
        """The cells in which it holds less often."""
        return tuple(pair for pair in self.pairs if pair.change < 0)

    @property
    def broke_wherever_it_fell(self) -> bool:
        """Whether it surely broke in each of them: then that says it all."""
        return all(pair.broken and pair.repeated for pair in self.fell)

    def row(self) -> dict[str, Any]:
        """An entry of `weaker_assertions`, as commands print it with --json."""
        found = {"assertion": self.what, "change": self.change, "p": self.p, "p_adjusted": self.p_adjusted}
        return found | {"cells": [pair.row() for pair in self.pairs]}


def weaker_assertions(pairs: Iterable[PairedAssertion], delta: float) -> tuple[WeakerAssertion, ...]:
    """Those that hold less often, significantly and by `delta` (0–1) or more, the greatest loss first.

    The chance that any of them is named although a release changed nothing is at most `ALPHA`.
    """
    # Which can be significant at all depends on how many trials held, not on whose they were. So leaving the others
    # out of the family keeps the promise: those that hold in every trial would only weaken the rest.
    family = [(cells, p) for cells, p, least in _tested(pairs) if least <= _LEVEL]
    adjusted = hochberg([p for _, p in family])
    weaker = (
        WeakerAssertion(tuple(cells), p, p_adjusted)
        for (cells, p), p_adjusted in zip(family, adjusted, strict=True)
        if p_adjusted <= _LEVEL and _change(cells) <= -delta + ROUNDING
    )
    return tuple(sorted(weaker, key=lambda found: (found.change, natural(found.what))))


def weaker_since(pairs: Iterable[PairedAssertion], gating: Iterable[Row]) -> tuple[WeakerAssertion, ...]:
    """The weaker assertions by the δ that `gating` has, the rows of `version_comparisons` that decide."""
    return weaker_assertions(pairs, next(row["delta"] for row in gating if row["measure"] == "assertion"))


def stored_as_weaker(rows: Rows) -> list[str]:
    """What was stored of the weaker assertions with rows of `version_comparisons`; nothing by older releases."""
    return list(rows[0].get("weaker_assertions") or ()) if rows else []


def can_weaken(pairs: Iterable[PairedAssertion]) -> bool:
    """Whether any assertion was checked in enough trials to be named, had it always held and now never."""
    return any(prod(1 / _ways(pair, pair.base.decided) for pair in cells) <= _LEVEL for cells in _checks(pairs))


def _tested(pairs: Iterable[PairedAssertion]) -> Iterator[tuple[list[PairedAssertion], float, float]]:
    """Each assertion with its p, and with the least p that it could have had."""
    for cells in _checks(pairs):
        fewest, chances = _candidates_share(cells)
        held = sum(pair.candidate.passed for pair in cells)
        yield cells, min(1.0, sum(chances[: held - fewest + 1])), chances[0]


def _checks(pairs: Iterable[PairedAssertion]) -> list[list[PairedAssertion]]:
    """The cells of each assertion. One that a cell checks twice is two: their trials are the same."""
    seen: Counter[tuple[str | None, ...]] = Counter()

    def check(pair: PairedAssertion) -> tuple[str | int | None, ...]:
        seen[cell := (pair.what, pair.candidate.expected, pair.job, pair.condition)] += 1
        return pair.what, pair.candidate.expected, seen[cell]

    in_order = sorted(pairs, key=lambda pair: natural(pair.candidate.assertion))
    return [sorted(cells, key=greatest_loss_first) for cells in grouped((check(p), p) for p in in_order).values()]


def _candidates_share(cells: Sequence[PairedAssertion]) -> tuple[int, list[float]]:
    """The fewest of the trials that held which can be the candidate's, and the chances of that many, one more, …"""
    import numpy as np

    fewest, chances = 0, np.ones(1)
    for pair in cells:
        held = pair.base.passed + pair.candidate.passed
        least, most = max(0, held - pair.base.decided), min(held, pair.candidate.decided)
        all_ways = _ways(pair, held)
        ways = accumulate(range(least, most), partial(_one_more, pair, held), initial=_ways_of(pair, held, least))
        fewest, chances = fewest + least, np.convolve(chances, [each / all_ways for each in ways])
    return fewest, chances.tolist()


def _ways_of(pair: PairedAssertion, held: int, candidates: int) -> int:
    """In how many ways so many of those that held are the candidate's."""
    return comb(pair.candidate.decided, candidates) * comb(pair.base.decided, held - candidates)


def _one_more(pair: PairedAssertion, held: int, ways: int, candidates: int) -> int:
    """The same for one more: thousands of trials would take minutes with each from the beginning."""
    more = ways * (pair.candidate.decided - candidates) * (held - candidates)
    return more // ((candidates + 1) * (pair.base.decided - held + candidates + 1))


def _ways(pair: PairedAssertion, held: int) -> int:
    """In how many ways so many of all its trials can be those that held."""
    return comb(pair.base.decided + pair.candidate.decided, held)


def _change(cells: Iterable[PairedAssertion]) -> float:
    return fmean(pair.change for pair in cells)
