"""An agent that no longer does always what it did, in some of the jobs: do single assertions show it?"""

from dataclasses import dataclass

from benchmarks.comparison.simulated_trials import Random
from stoic_assets.core.comparison.measures import minimal_difference
from stoic_assets.core.comparison.paired_assertions import Held, PairedAssertion
from stoic_assets.core.comparison.weaker_assertions import weaker_assertions
from stoic_assets.core.configuration.settings import MinimalDifferences

ASKED = "the reminder is stored"
OTHERS, OTHER_JOBS, OTHERS_HOLD = 5, 12, 0.9
"""Further assertions, the jobs of each, and how often they hold in both versions."""


@dataclass(frozen=True)
class Forgetful:
    """So many jobs ask for what the base does in a share of all trials, and the candidate in another."""

    jobs: int
    repeats: int
    holds: tuple[float, float]


def found_assertions(random: Random, cell: Forgetful, n: int) -> tuple[int, ...]:
    """In how many comparisons that assertion is weaker, it surely broke in a job, any other is weaker."""
    weaker = broke = false = 0
    delta = minimal_difference("assertion", MinimalDifferences())
    for _ in range(n):
        asked = _drawn(random, ASKED, cell.jobs, cell.repeats, cell.holds)
        others = [
            pair for number in range(OTHERS)
            for pair in _drawn(random, f"other {number}", OTHER_JOBS, cell.repeats, (OTHERS_HOLD, OTHERS_HOLD))
        ]  # fmt: skip
        named = {found.what for found in weaker_assertions([*asked, *others], delta)}
        weaker, false = weaker + (ASKED in named), false + bool(named - {ASKED})
        broke += any(pair.broken and pair.repeated for pair in asked)
    return weaker, broke, false


def _drawn(random: Random, name: str, jobs: int, repeats: int, holds: tuple[float, float]) -> list[PairedAssertion]:
    held = random.binomial(repeats, holds, (jobs, 2)).tolist()
    return [
        PairedAssertion(f"job {number}", "withheld", name, Held(name, base, repeats), Held(name, now, repeats))
        for number, (base, now) in enumerate(held)
    ]
