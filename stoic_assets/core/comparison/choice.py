"""Which stored evaluations to use in comparing two versions; `comparable` decides whether they may be compared."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product

from stoic_assets.core.presentation.formatting import plural

Case = tuple[str, str | None]
"""A job, or one of its scenarios: a pair of a comparison."""


@dataclass(frozen=True)
class Stored:
    """A stored evaluation that could be used for its version.

    It is `conclusive` when few enough of its trials are invalid. `jobs` has the hash of each job's content by its name
    and, if it has scenarios, their ids; `repeated` those of them that have several trials under one condition.
    """

    agent_version: str
    evaluation_id: str
    offline: bool
    conclusive: bool
    jobs: Mapping[Case, str]
    repeated: Set[Case] = frozenset()

    def in_common(self, other: "Stored") -> int:
        """How many jobs of the same name and content both ran, each scenario as one."""
        return len(self.jobs.items() & other.jobs.items())

    def repeated_in(self, other: "Stored") -> int:
        """How many of these have several trials in both."""
        return sum(self.jobs[case] == other.jobs[case] for case in self.repeated & other.repeated)


def most_alike(bases: Sequence[Stored], candidates: Sequence[Stored]) -> tuple[Stored, Stored]:
    """The base's and the candidate's evaluation with most jobs in common; both lists begin with the newest, which wins.

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


def repeated(pair: tuple[Stored, Stored], bases: Sequence[Stored], candidates: Sequence[Stored]) -> str | None:
    """A hint if other evaluations have several trials of the jobs in common, which those of the pair have of none."""
    base, candidate = pair
    if base.repeated_in(candidate):
        return None
    alike = [
        (before, after)
        for after in candidates if after.repeated
        for before in bases if before.repeated_in(after)
        and (before.offline, after.offline) == (base.offline, candidate.offline)
    ]  # fmt: skip
    if not alike:
        return None
    before, after = max(alike, key=lambda found: found[0].repeated_in(found[1]))
    options = " ".join(f"--evaluation {each.evaluation_id}" for each in (before, after))
    return (
        "no job has several trials in both evaluations, so no assertion is certain to be broken; of "
        f"{plural(before.repeated_in(after), 'job')} there are others that have: `{options}`"
    )


def _shortcoming(newest: Stored, taken: Stored, other: Stored) -> str:
    if newest.offline != taken.offline:
        return "was judged offline" if newest.offline else "was not judged offline"
    if not newest.conclusive and taken.conclusive:
        return "has too many invalid trials"
    whose, shared = f"in common with evaluation {other.evaluation_id} of {other.agent_version}", newest.in_common(other)
    if not shared:
        return f"has no job {whose}; the older one has {taken.in_common(other)}"
    return f"has {plural(shared, 'job')} {whose}, not {taken.in_common(other)}"
