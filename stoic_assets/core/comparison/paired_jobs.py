"""Pairs two versions job by job: repeats have no order, so the mean of a cell's valid trials represents them all.

A cell is one job (of a job with scenarios, one scenario) under one condition.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from types import MappingProxyType
from typing import Literal

from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.table_rows import Row

Scope = Literal["pooled", "withheld", "supplied", "lift"]
Cell = tuple[str, str]
"""A job, or one scenario of it, and a condition."""
Cells = Mapping[str, Mapping[str, float]]
"""Job to condition to the mean of its valid trials, 0–1."""
Measured = Mapping[str, Cells]
"""The cells of each measure."""


@dataclass(frozen=True)
class Noise:
    """The variance that the spread of single trials causes in a difference; unknown without degrees of freedom."""

    variance: float = 0.0
    freedom: int = 0


NO_NOISE = Noise()
NoisyCells = Mapping[str, Mapping[str, Noise]]
"""Job to condition to the noise of the difference between the versions there."""


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


def cells_by_measure(rows: Iterable[Row], jobs: Container[str] | None = None) -> dict[str, dict[str, dict[str, float]]]:
    """Rows of `job_measures` as cells, by measure; of these `jobs`, or of all."""
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row["mean"] is not None and (jobs is None or row["job"] in jobs):
            job, condition = cell_of(row)
            found[row["measure"]][job][condition] = row["mean"]
    return found


def paired(base: Cells, candidate: Cells, scope: Scope, noise: NoisyCells = MappingProxyType({})) -> list[Pair]:
    """The jobs in which both versions were measured, by name.

    `pooled` takes the mean over the conditions that both have; `lift`, supplied less withheld, is what the facts
    contribute, and needs both conditions on both sides.
    """
    both = sorted(base.keys() & candidate.keys())
    pairs = (_pair(job, base[job], candidate[job], scope, noise.get(job, {})) for job in both)
    return [pair for pair in pairs if pair is not None]


def _pair(
    job: str, base: Mapping[str, float], candidate: Mapping[str, float], scope: Scope, noise: Mapping[str, Noise]
) -> Pair | None:
    common = sorted(base.keys() & candidate.keys())
    if scope == "lift":
        return Pair(job, _lift(base), _lift(candidate), _noise(noise, common)) if len(common) == 2 else None
    shared = [name for name in common if scope in ("pooled", name)]
    if not shared:
        return None
    return Pair(job, _mean(base, shared), _mean(candidate, shared), _noise(noise, shared, 1 / len(shared)))


def _noise(cells: Mapping[str, Noise], conditions: Sequence[str], weight: float = 1.0) -> Noise:
    """That of the sum over these conditions, each with this weight; unknown if that of any is."""
    found = [cells.get(name, NO_NOISE) for name in conditions]
    if not all(of.freedom for of in found):
        return NO_NOISE
    return Noise(weight**2 * fsum(of.variance for of in found), sum(of.freedom for of in found))


def _mean(cells: Mapping[str, float], conditions: Sequence[str]) -> float:
    return fsum(cells[name] for name in conditions) / len(conditions)


def _lift(cells: Mapping[str, float]) -> float:
    return cells["supplied"] - cells["withheld"]
