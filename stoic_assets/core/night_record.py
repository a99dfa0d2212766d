"""What is recorded of a night: its rounds, whom they held, and what was told of it. What follows from it: `nightly`."""

import hashlib
import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

RoundName = Literal["first", "again"]


class HeldVersion(BaseModel):
    """A version that conversed in a night, and the one it is compared with."""

    model_config = ConfigDict(frozen=True)

    evaluation_id: str
    base: str | None = None


class Round(BaseModel):
    """The conversations of a night, or of its re-run, which ended at `held_at` (ISO 8601, UTC).

    `faults` says why a version did not converse, or not to the end.
    """

    model_config = ConfigDict(frozen=True)

    run_id: str
    held_at: str
    evaluations: dict[str, HeldVersion] = {}
    faults: dict[str, str] = {}


class Alarm(BaseModel):
    """What fell in both rounds of a night, by measure, and the evaluations that say so."""

    model_config = ConfigDict(frozen=True)

    agent_version: str
    base: str
    measures: tuple[dict[str, Any], ...]
    evaluation_ids: tuple[str, ...]


class Night(BaseModel):
    """What is recorded of a night (`YYYY-MM-DD`).

    `alarms`, by version, are those that were told in it or before, for as long as the version falls every night;
    `told` has the run that had held an evaluation when it was told that it came to no verdict, by evaluation id.
    """

    model_config = ConfigDict(frozen=True)

    night: str
    first: Round | None = None
    again: Round | None = None
    alarms: dict[str, Alarm] = {}
    told: dict[str, str] = {}

    def round(self, name: RoundName) -> Round | None:
        """The round of that name, if it was held."""
        return self.first if name == "first" else self.again

    @property
    def rounds(self) -> list[Round]:
        """The rounds that were held."""
        return [each for each in (self.first, self.again) if each]

    def held_with(self, evaluation_id: str, version: str) -> str | None:
        """The evaluation of `version` in the same round as another evaluation, if both were held in one."""
        for each in self.rounds:
            ids = {name: held.evaluation_id for name, held in each.evaluations.items()}
            if evaluation_id in ids.values():
                return ids.get(version)
        return None

    @property
    def versions(self) -> dict[str, str]:
        """Of which version each of its evaluations is."""
        return {each.evaluation_id: version for held in self.rounds for version, each in held.evaluations.items()}

    @property
    def last_held(self) -> str:
        """When the last round was held; ISO 8601, UTC."""
        return max((each.held_at for each in self.rounds), default="")


def evaluation_id(night: str, agent_version: str, round_name: RoundName) -> str:
    """The same for the same night, version and round, so that a night that is run again pays nothing twice."""
    digest = hashlib.sha256(agent_version.encode()).hexdigest()[:8]
    return f"night-{night.replace('-', '')}-{digest}" + ("-again" if round_name == "again" else "")


def night_of(evaluation_id: str) -> str | None:
    """The night for which an id was made by `evaluation_id`; None where it was not."""
    made = re.fullmatch(r"night-([0-9]{4})([0-9]{2})([0-9]{2})-[0-9a-f]{8}(?:-again)?", evaluation_id)
    return "-".join(made.groups()) if made else None
