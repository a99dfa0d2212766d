"""Which stored evaluations to use in comparing two versions; `comparable` decides whether they may be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from stoic_assets.core.presentation.formatting import plural


@dataclass(frozen=True)
class Stored:
    """A stored evaluation that could be used for its version; `jobs` as in `Side`.

    It is `conclusive` when few enough of its trials are invalid.
    """

    agent_version: str
    evaluation_id: str
    offline: bool
    conclusive: bool
    jobs: Mapping[str, str]

    def in_common(self, other: "Stored") -> int:
        """How many jobs of the same name and content both ran."""
        return len(self.jobs.items() & other.jobs.items())


def most_alike(bases: Sequence[Stored], candidates: Sequence[Stored]) -> tuple[Stored, Stored]:
    """The base's and the candidate's evaluation with most jobs in common; of equals the newest, which are given first.

    Preferred, in this order: both offline or both not; not offline; a base with few enough invalid trials. None of the
    candidate's is skipped for invalid trials: an older evaluation must not hide that this one allows no verdict.
    """

    def rank(pair: tuple[Stored, Stored]) -> tuple[bool, bool, bool, int]:
        candidate, base = pair
        return base.offline == candidate.offline, not candidate.offline, base.conclusive, base.in_common(candidate)

    candidate, base = max(product(candidates, bases), key=rank)
    return base, candidate


def passed_over(newest: Stored, taken: Stored, other: Stored) -> str | None:
    """Why the newest evaluation of a version was not taken to compare with the `other` version's; None if it was."""
    if newest == taken:
        return None
    why = f"{newest.evaluation_id} is newer, but {_shortcoming(newest, taken, other)}"
    return f"{taken.agent_version} is compared by its evaluation {taken.evaluation_id}; {why}"


def fuller(pair: tuple[Stored, Stored], best: tuple[Stored, Stored]) -> str | None:
    """A hint if another evaluation of the candidate has more than twice as many jobs in common as the newest."""
    (base, newest), (other_base, older) = pair, best
    now, then = base.in_common(newest), other_base.in_common(older)
    if then <= 2 * now:
        return None
    return (
        f"{newest.agent_version} has no release manifest and is compared by its newest evaluation, with "
        f"{plural(now, 'job')} in common; an older one has {then}: `--evaluation {older.evaluation_id}`"
    )


def _shortcoming(newest: Stored, taken: Stored, other: Stored) -> str:
    if newest.offline != taken.offline:
        return "was judged offline" if newest.offline else "was not judged offline"
    if not newest.conclusive and taken.conclusive:
        return "has too many invalid trials"
    common = f"{plural(newest.in_common(other), 'job')} in common with {other.agent_version}"
    return f"has {common}, not {taken.in_common(other)}"
