"""Sides with twelve jobs, and assertions that broke, were mended or held between them."""

from datetime import UTC, datetime

from stoic_assets.core.comparison.paired_assertions import Held, PairedAssertion
from stoic_assets.core.comparison.side import Side

JOBS = [f"job{number:02}" for number in range(12)]
NOISE = [(number % 5 - 2) / 100 for number in range(12)]


def side(version: str, levels: dict[str, float], noisy: bool = False) -> Side:
    """Twelve jobs in one condition at those levels, with a small spread where `noisy`."""
    rows = [
        {"job": job, "scenario": None, "condition": "withheld", "measure": measure, "mean": level + noise * noisy}
        for measure, level in levels.items()
        for job, noise in zip(JOBS, NOISE, strict=True)
    ]
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    return Side(
        f"marcus@{version}", f"evaluation-{version}", moment, moment, "finished", False, 12, 0, "gpt-4.1-mini",
        frozenset({"judge"}), {}, dict.fromkeys(JOBS, "hash"), rows,
    )


def assertion(name: str, before: tuple[int, int], now: tuple[int, int]) -> PairedAssertion:
    text = "MATCH (r:Refund)\n  RETURN count(r)"
    return PairedAssertion("order", "withheld", text, Held(name, *before), Held(name, *now))


def reminders(*kept: tuple[int, int]) -> list[PairedAssertion]:
    """One assertion in as many jobs: of five reminders each how many were stored before, and how many are now."""
    name = "reminder stored"
    return [
        PairedAssertion(job, "withheld", f"RETURN '{job}'", Held(name, before, 5), Held(name, now, 5))
        for job, (before, now) in zip(JOBS, kept, strict=False)
    ]


BROKEN, ONCE = assertion("refund booked", (3, 3), (0, 2)), assertion("2", (1, 1), (0, 1))
MENDED, LESS, KEPT = (
    assertion("m|a", (0, 2), (2, 2)), assertion("4", (3, 3), (1, 3)), assertion("5", (2, 2), (2, 2))
)
"""Of `ONCE` one trial alone says that it broke; `LESS` holds less often."""
