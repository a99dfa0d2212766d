"""What a check says about a rater: something to talk about, never a verdict. Nobody is excluded because of a flag."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class RaterFlag:
    """One rater, the name of the check, and what was seen, in one sentence."""

    rater_id: str
    check: str
    detail: str


@dataclass(frozen=True)
class RaterChecks:
    """The flags, and the checks that could not be made at all, with the reason."""

    flags: Sequence[RaterFlag]
    not_made: Mapping[str, str]
