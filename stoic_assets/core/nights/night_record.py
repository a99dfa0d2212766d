"""The record of a night: its rounds with their versions, and what was reported. `nightly` decides what follows."""

import hashlib
import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel

RoundName = Literal["first", "again"]


class HeldVersion(BaseModel, frozen=True):
    """A version with conversations in a night, and the version that it is compared with.

    `base` is None if it has none, and empty if it is not recorded, or was deleted since.
    """

    evaluation_id: str
    base: str | None = ""


class Round(BaseModel, frozen=True):
    """The conversations of a night's first or second round, which ended at `held_at` (ISO 8601, UTC).

    `faults` says why a version has no conversations, or not all.
    """

    run_id: str
    held_at: str
    evaluations: dict[str, HeldVersion] = {}
    faults: dict[str, str] = {}


def of_assertion(name: str) -> str:
    """How a single assertion is told from a measure among what was reported."""
    return f"assertion: {name}"


class Alarm(BaseModel, frozen=True):
    """The measures that regressed and the assertions that were weaker in both rounds of a night, and what shows it.

    `kept` is what was reported besides in a night before, and has been found every night since.
    """

    agent_version: str
    base: str
    measures: tuple[dict[str, Any], ...]
    evaluation_ids: tuple[str, ...]
    assertions: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    @property
    def reported(self) -> set[str]:
        """Every measure, and every assertion as `of_assertion` names it, that was reported in this night or before."""
        return {each["measure"] for each in self.measures} | {*map(of_assertion, self.assertions), *self.kept}


class Night(BaseModel, frozen=True):
    """The record of a night (`YYYY-MM-DD`).

    `alarms`, by version, are those reported in it or before, for as long as they are found every night. `told`
    has the evaluations that were reported to have no verdict, each with the run that had held its conversations then.
    """

    night: str
    first: Round | None = None
    again: Round | None = None
    alarms: dict[str, Alarm] = {}
    told: dict[str, str] = {}

    def round(self, name: RoundName) -> Round | None:
        """The round of that name, if it took place."""
        return self.first if name == "first" else self.again

    @property
    def rounds(self) -> list[Round]:
        """The rounds that took place."""
        return [each for each in (self.first, self.again) if each]

    def held_with(self, evaluation_id: str, version: str) -> str | None:
        """The evaluation of `version` in the same round as `evaluation_id`, if that round has one."""
        for each in self.rounds:
            ids = {name: held.evaluation_id for name, held in each.evaluations.items()}
            if evaluation_id in ids.values():
                return ids.get(version)
        return None

    def base_of(self, evaluation_id: str) -> str | None:
        """The `base` of one of its evaluations, as was recorded when it was held; empty for any other evaluation."""
        held = (each for found in self.rounds for each in found.evaluations.values())
        return next((each.base for each in held if each.evaluation_id == evaluation_id), "")

    @property
    def versions(self) -> dict[str, str]:
        """The version of each of its evaluations, by evaluation id."""
        return {each.evaluation_id: version for held in self.rounds for version, each in held.evaluations.items()}

    @property
    def last_held(self) -> str:
        """When the conversations of the last round ended; ISO 8601, UTC; empty without a round."""
        return max((each.held_at for each in self.rounds), default="")


def night_evaluation_id(night: str, agent_version: str, round_name: RoundName) -> str:
    """The id of an evaluation of a night; always the same, so that a night that is run again pays nothing twice."""
    return f"night-{night.replace('-', '')}-{_digest(agent_version)}" + ("-again" if round_name == "again" else "")


def second_round_key(night: Night, versions: Iterable[str]) -> str:
    """The key of a run that holds a second round of `versions`: one each time that the night is materialised."""
    return f"{night.night}-again:{night.first.run_id if night.first else ''}:{_digest(*sorted(versions))}"


def _digest(*versions: str) -> str:
    return hashlib.sha256(",".join(versions).encode()).hexdigest()[:8]


def night_of(evaluation_id: str) -> str | None:
    """The night of an id that `night_evaluation_id` made; None for any other id."""
    made = re.fullmatch(r"night-([0-9]{4})([0-9]{2})([0-9]{2})-[0-9a-f]{8}(?:-again)?", evaluation_id)
    return "-".join(made.groups()) if made else None
