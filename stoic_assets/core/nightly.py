"""A night: what was held, and what follows from what is known of it by now. Pure; who looks and who acts is elsewhere.

Live versions converse in a first round. Where a version then compares worse than its base, the night is held again, and
only what fell in both rounds is an alarm: by chance alone some measure may fall in one night of twenty.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from stoic_assets.core.evaluation_order import ready

RoundName = Literal["first", "again"]
Row = Mapping[str, Any]
"""A row of table `version_comparisons`."""


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
    """What is recorded of a night (`YYYY-MM-DD`)."""

    model_config = ConfigDict(frozen=True)

    night: str
    first: Round | None = None
    again: Round | None = None
    alarms: dict[str, Alarm] = {}

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
    def last_held(self) -> str:
        """When the last round was held; ISO 8601, UTC."""
        return max((each.held_at for each in self.rounds), default="")


@dataclass(frozen=True)
class Facts:
    """What is known of the evaluations of a night, by evaluation id: stored comparisons, and how their runs stand.

    `ended` are those with a run that came to an end, well or not.
    """

    comparisons: Mapping[str, Sequence[Row]]
    running: Set[str] = frozenset()
    ended: Set[str] = frozenset()

    def is_settled(self, evaluation_id: str) -> bool:
        """Whether nothing more is to be expected of an evaluation."""
        return evaluation_id not in self.running and (evaluation_id in self.comparisons or evaluation_id in self.ended)


@dataclass(frozen=True)
class Steps:
    """What is to be done next: versions to be evaluated with the id to do it under, to be held again, to be told of."""

    evaluate: dict[str, str]
    again: tuple[str, ...]
    alarms: tuple[Alarm, ...]


def evaluation_id(night: str, agent_version: str, round_name: RoundName) -> str:
    """The same for the same night, version and round, so that a night that is run again pays nothing twice."""
    digest = hashlib.sha256(agent_version.encode()).hexdigest()[:8]
    return f"night-{night.replace('-', '')}-{digest}" + ("-again" if round_name == "again" else "")


def night_of(evaluation_id: str) -> str | None:
    """The night for which an id was made by `evaluation_id`; None where it was not."""
    made = re.fullmatch(r"night-([0-9]{4})([0-9]{2})([0-9]{2})-[0-9a-f]{8}(?:-again)?", evaluation_id)
    return "-".join(made.groups()) if made else None


def next_steps(night: Night, facts: Facts) -> Steps:
    """The steps that a night is ripe for."""
    evaluate = {version: wanted for each in night.rounds for version, wanted in _to_evaluate(each, facts).items()}
    return Steps(evaluate, _to_hold_again(night, facts), _new_alarms(night, facts))


def is_over(night: Night, facts: Facts) -> bool:
    """Whether every version of a night has its verdict, or never will, and no second round is due."""
    held = [each for held in night.rounds for each in held.evaluations.values()]
    return all(facts.is_settled(each.evaluation_id) for each in held) and not _to_hold_again(night, facts)


def fallen(rows: Sequence[Row]) -> dict[str, Row]:
    """The gating measures that regressed, by name."""
    return {row["measure"]: row for row in rows if row["gating"] and row["verdict"] == "regressed"}


def fallen_twice(first: Sequence[Row], again: Sequence[Row]) -> list[dict[str, Any]]:
    """The measures that regressed in both rounds against the same base, with what either round found."""
    before = fallen(first)
    return [
        {
            "measure": measure, "difference": row["difference"], "p_adjusted": row["p_adjusted"],
            "first_difference": before[measure]["difference"], "first_p_adjusted": before[measure]["p_adjusted"],
        }
        for measure, row in fallen(again).items()
        if measure in before and before[measure]["base"] == row["base"]
    ]


def _to_evaluate(held: Round, facts: Facts) -> dict[str, str]:
    ids = {version: each.evaluation_id for version, each in held.evaluations.items()}
    running = {version for version, each in ids.items() if each in facts.running}
    wanted = [version for version, each in ids.items() if version not in running and not facts.is_settled(each)]
    bases = {version: each.base for version, each in held.evaluations.items()}
    return {version: ids[version] for version in ready(wanted, bases, running)}


def _to_hold_again(night: Night, facts: Facts) -> tuple[str, ...]:
    """Once the whole first round is settled: the versions that fell, and their bases if they were held."""
    if night.first is None or night.again is not None:
        return ()
    held = night.first.evaluations
    if not all(facts.is_settled(each.evaluation_id) for each in held.values()):
        return ()
    suspects = [version for version, each in held.items() if fallen(facts.comparisons.get(each.evaluation_id, ()))]
    bases = {held[version].base for version in suspects}
    return tuple(version for version in held if version in suspects or version in bases)


def _new_alarms(night: Night, facts: Facts) -> tuple[Alarm, ...]:
    if night.first is None or night.again is None:
        return ()
    alarms = []
    for version, again in night.again.evaluations.items():
        first = night.first.evaluations.get(version)
        if first is None or version in night.alarms:
            continue
        rounds = [facts.comparisons.get(each.evaluation_id, ()) for each in (first, again)]
        if measures := fallen_twice(*rounds):
            base = str(rounds[1][0]["base"])
            ids = (first.evaluation_id, again.evaluation_id)
            alarms.append(Alarm(agent_version=version, base=base, measures=tuple(measures), evaluation_ids=ids))
    return tuple(alarms)
