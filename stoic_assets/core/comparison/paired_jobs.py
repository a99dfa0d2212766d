"""Pairs two versions job by job: repeats have no order, so the mean of a cell's valid trials represents them all.

A cell is one job (of a job with scenarios, one scenario) under one condition.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from types import MappingProxyType
from typing import Literal

from stoic_assets.core.grouping import grouped
from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.table_rows import Row

Scope = Literal["pooled", "withheld", "supplied", "lift"]
Cell = tuple[str, str]
"""A job, or one scenario of it, and a condition."""
Cells = Mapping[Cell, float]
"""The mean of the valid trials of each cell, 0–1."""
Measured = Mapping[str, Cells]
"""The cells of each measure."""


@dataclass(frozen=True)
class Noise:
    """The variance that the spread of single trials causes in a difference; unknown without degrees of freedom."""

    variance: float = 0.0
    freedom: int = 0


NO_NOISE = Noise()
NoisyCells = Mapping[Cell, Noise]
"""The noise of the difference between the versions in each cell."""


@dataclass(frozen=True)
class Pair:
    """The means of one job in both versions: 0–1, or for the lift −1 to 1; `noise` is what is known of it."""

    job: str
    base: float
    candidate: float
    noise: Noise = NO_NOISE

    @property
    def difference(self) -> float:
        """Candidate less base."""
        return self.candidate - self.base


def cell_of(row: Row) -> Cell:
    """The cell of a row of `trials`, `composite_scores` or `job_measures`."""
    return job_key(row), row["condition"]


def cells_by_measure(rows: Iterable[Row], jobs: Container[str] | None = None) -> dict[str, dict[Cell, float]]:
    """Rows of `job_measures` as cells, by measure; of these `jobs`, or of all."""
    found: dict[str, dict[Cell, float]] = defaultdict(dict)
    for row in rows:
        if row["mean"] is not None and (jobs is None or row["job"] in jobs):
            found[row["measure"]][cell_of(row)] = row["mean"]
    return found


def paired(base: Cells, candidate: Cells, scope: Scope, noise: NoisyCells = MappingProxyType({})) -> list[Pair]:
    """The jobs in which both versions were measured, by name.

    `pooled` takes the mean over the conditions that both have; `lift`, supplied less withheld, is what the facts
    contribute, and needs both conditions on both sides.
    """
    both = sorted(base.keys() & candidate.keys())
    pairs = []
    for job, common in grouped((cell[0], cell) for cell in both).items():
        if scope == "lift":
            if len(common) == 2:
                pairs.append(Pair(job, _lift(base, job), _lift(candidate, job), _noise(noise, common)))
        elif cells := [cell for cell in common if scope in ("pooled", cell[1])]:
            pairs.append(Pair(job, _mean(base, cells), _mean(candidate, cells), _noise(noise, cells, 1 / len(cells))))
    return pairs


def _noise(noise: NoisyCells, cells: Sequence[Cell], weight: float = 1.0) -> Noise:
    """That of the sum over these cells, each with this weight; unknown if that of any is."""
    found = [noise.get(cell, NO_NOISE) for cell in cells]
    if not all(of.freedom for of in found):
        return NO_NOISE
    return Noise(weight**2 * fsum(of.variance for of in found), sum(of.freedom for of in found))


def _mean(means: Cells, cells: Sequence[Cell]) -> float:
    return fsum(means[cell] for cell in cells) / len(cells)


def _lift(means: Cells, job: str) -> float:
    return means[job, "supplied"] - means[job, "withheld"]
