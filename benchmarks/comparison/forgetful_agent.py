"""An agent that no longer does always what it did, in some of the jobs: do single assertions show it?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.comparison.simulated_comparisons import NIGHTS
from benchmarks.comparison.simulated_trials import Floats, Random
from stoic_assets.core.comparison.measures import minimal_difference
from stoic_assets.core.comparison.paired_assertions import Held, PairedAssertion
from stoic_assets.core.comparison.weaker_assertions import weaker_assertions
from stoic_assets.core.configuration.settings import MinimalDifferences

ASKED = "the reminder is stored"
DELTA = minimal_difference("assertion", MinimalDifferences())
OTHERS, OTHER_JOBS, OTHERS_HOLD = 5, 12, 0.9
"""Further assertions, the jobs of each, and how often they hold in both versions."""


@dataclass(frozen=True)
class Forgetful:
    """So many jobs ask for what the base does in a share of all trials, and the candidate in another.

    Besides, there are so many `others`. `alike` is the correlation, 0–1, of trials that one version has of one job.
    """

    jobs: int
    repeats: int
    holds: tuple[float, float]
    others: int = OTHERS
    alike: float = 0.0


def found_assertions(random: Random, cell: Forgetful, n: int) -> tuple[int, ...]:
    """In how many comparisons that assertion is weaker, it surely broke in a job, any other is weaker."""
    weaker = broke = false = 0
    for _ in range(n):
        pairs = _pairs(cell, [_held(random, cell, *each) for each in _assertions(cell)])
        named = _named(pairs)
        weaker, false = weaker + (ASKED in named), false + bool(named - {ASKED})
        broke += any(pair.broken and pair.repeated for pair in pairs if pair.what == ASKED)
    return weaker, broke, false


def alarmed_histories(random: Random, cell: Forgetful, n: int, stored_base: bool) -> tuple[int]:
    """Histories in which some assertion is weaker in any night and in its second round, too.

    With `stored_base` one evaluation is the base in all nights.
    """
    return (sum(_is_alarmed(random, cell, stored_base) for _ in range(n)),)


def _is_alarmed(random: Random, cell: Forgetful, stored_base: bool) -> bool:
    stored = [_held(random, cell, *each) for each in _assertions(cell)]

    def weaker() -> set[str]:
        held = [_held(random, cell, *each) for each in _assertions(cell)]
        for new, old in zip(held, stored, strict=True):
            new[:, 0] = old[:, 0] if stored_base else new[:, 0]
        return _named(_pairs(cell, held))

    return any((night := weaker()) and night & weaker() for _ in range(NIGHTS))


def _assertions(cell: Forgetful) -> list[tuple[int, tuple[float, float]]]:
    """The number of jobs of each assertion, and how often it holds in either version; `ASKED` is the first."""
    return [(cell.jobs, cell.holds), *[(OTHER_JOBS, (OTHERS_HOLD, OTHERS_HOLD))] * cell.others]


def _held(random: Random, cell: Forgetful, jobs: int, holds: tuple[float, float]) -> Floats:
    """In how many trials of each job an assertion held, in the base and in the candidate."""
    if not cell.alike:
        return random.binomial(cell.repeats, holds, (jobs, 2))
    spread = (1 - cell.alike) / cell.alike
    means = np.array(holds)
    return random.binomial(cell.repeats, random.beta(means * spread, (1 - means) * spread, (jobs, 2)))


def _pairs(cell: Forgetful, held: Sequence[Floats]) -> list[PairedAssertion]:
    return [
        PairedAssertion(f"job {job}", "withheld", name, Held(name, base, cell.repeats), Held(name, now, cell.repeats))
        for name, found in zip((ASKED, *map(str, range(cell.others))), held, strict=True)
        for job, (base, now) in enumerate(found.tolist())
    ]


def _named(pairs: Sequence[PairedAssertion]) -> set[str]:
    return {found.what for found in weaker_assertions(pairs, DELTA)}
