"""What is said of single assertions between two versions: those that broke, hold less often, or were fixed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from stoic_assets.core.comparison.paired_assertions import PairedAssertion
from stoic_assets.core.comparison.weaker_assertions import WeakerAssertion
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.formatting import listed, p_value, plural

CHANCE = "a single trial may be chance"
SHOWN_ASSERTIONS = 8
"""Lines on assertions, and jobs that a line names."""
Turn = Literal["broken", "weaker", "fixed"]


@dataclass(frozen=True)
class Told:
    """What is said of the assertions that took the same turn; `more` is how many none of the `lines` is about."""

    turn: Turn
    heading: str
    lines: list[str]
    more: int

    @property
    def rest(self) -> list[str]:
        """A line on those of which none is said, for whoever can run commands; empty where there are none."""
        return [f"and {self.more} more, which `stoic compare --json` names"] if self.more else []


def told(
    broke: Sequence[PairedAssertion], fell: Sequence[WeakerAssertion], mended: Sequence[PairedAssertion],
    versions: tuple[str, str], most: int = SHOWN_ASSERTIONS,
) -> list[Told]:
    """What is said of those that broke, hold less often and were fixed between two versions, as far as any did.

    At most so many lines of each, which name at most as many jobs.
    """
    every: tuple[tuple[Turn, str, list[tuple[str, int]]], ...] = (
        ("broken", broken(broke, *versions), _lines(broke, most)),
        ("weaker", weaker(fell, *versions), [(_weaker_line(each, most), 1) for each in fell]),
        ("fixed", fixed(mended, *versions), _lines(mended, most)),
    )
    return [_told(turn, heading, lines, most) for turn, heading, lines in every if lines]


def told_apart(fell: Iterable[WeakerAssertion]) -> list[WeakerAssertion]:
    """Those of which more is to be said than that they broke."""
    return [each for each in fell if not each.broke_wherever_it_fell]


def broken(pairs: Sequence[PairedAssertion], base: str, candidate: str) -> str:
    """How many assertions broke between two versions."""
    return f"{_turned(pairs, f'always held for {base}', 'never hold')} for {candidate}"


def weaker(fell: Sequence[WeakerAssertion], base: str, candidate: str) -> str:
    """How many assertions hold less often in the later of two versions."""
    holds = f"hold{'s' if len(fell) == 1 else ''} significantly less often"
    return f"{plural(len(fell), 'assertion')} {holds} for {candidate} than for {base}"


def fixed(pairs: Sequence[PairedAssertion], base: str, candidate: str) -> str:
    """How many assertions were fixed between two versions."""
    return f"{_turned(pairs, f'never held for {base}', 'always hold')} for {candidate}"


def _turned(pairs: Sequence[PairedAssertion], before: str, now: str) -> str:
    return f"{plural(len(pairs), 'assertion')} that {before} {now}{'s' if len(pairs) == 1 else ''}"


def _told(turn: Turn, heading: str, lines: Sequence[tuple[str, int]], most: int) -> Told:
    """Of `lines`, each with the number of assertions that it is about, the first."""
    return Told(turn, heading, [line for line, _ in lines[:most]], sum(number for _, number in lines[most:]))


def _lines(pairs: Sequence[PairedAssertion], most: int) -> list[tuple[str, int]]:
    """How often assertions held, and how many each line is about: those that check the same in several jobs share one.

    A line names at most so many jobs.
    """
    return [(_line(alike, most), len(alike)) for alike in grouped((pair.what, pair) for pair in pairs).values()]


def _line(alike: Sequence[PairedAssertion], most: int) -> str:
    """`order booked (held 3 of 3 times, now 0 of 3) in a (withheld)`."""
    return f"{alike[0].what} ({how_often(*alike)}) in {_places(alike, most)}"


def _weaker_line(found: WeakerAssertion, most: int) -> str:
    """`order booked (held 24 of 24 times, now 13 of 24; p <0.001), less often in a (withheld), b (withheld)`."""
    return f"{found.what} ({how_often_over_all(found)}), less often in {_places(found.fell, most)}"


def how_often_over_all(found: WeakerAssertion) -> str:
    """`held 24 of 24 times, now 13 of 24; p <0.001`, over all jobs that check it."""
    return f"{how_often(*found.pairs)}; p {p_value(found.p_adjusted)}"


def _places(pairs: Iterable[PairedAssertion], most: int) -> str:
    """`a (supplied, withheld), b (withheld) and 3 more`, which are jobs."""
    conditions = grouped((pair.job, pair.condition) for pair in pairs)
    return listed([f"{job} ({', '.join(found)})" for job, found in conditions.items()], most)


def how_often(*pairs: PairedAssertion) -> str:
    """`held 3 of 3 times, now 0 of 3`, over all these assertions."""
    before, now = [pair.base for pair in pairs], [pair.candidate for pair in pairs]
    decided = sum(each.decided for each in before)
    return (
        f"held {sum(each.passed for each in before)} of {decided} {'time' if decided == 1 else 'times'}, "
        f"now {sum(each.passed for each in now)} of {sum(each.decided for each in now)}"
    )
