"""The plain differences between two versions: means side by side, and the assertions whose results changed.

No statistics: whether a difference is more than chance is the comparison's business.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.presentation.ordering import natural
from stoic_assets.core.reports.data import BaseVersion, ReportData, Row
from stoic_assets.core.reports.summary import measures
from stoic_assets.core.reports.trend_chart import releases


@dataclass(frozen=True)
class Difference:
    """One measure of both versions; `change` is this version's mean less the base's."""

    measure: str
    base: float | None
    this: float | None

    @property
    def change(self) -> float | None:
        """None where one of the two is missing."""
        return None if self.base is None or self.this is None else self.this - self.base


@dataclass(frozen=True)
class Held:
    """How often an assertion held: `passed` of `decided` trials."""

    passed: int = 0
    decided: int = 0

    @property
    def share(self) -> float:
        """0–1."""
        return self.passed / self.decided


@dataclass(frozen=True)
class Flip:
    """An assertion that holds more or less often than it did; `job` names the scenario too, where there is one."""

    job: str
    condition: str
    text: str
    base: Held
    this: Held


@dataclass(frozen=True)
class Differences:
    """This version against the base; `only_base` and `only_this` are jobs that the other one did not run.

    `assertions` counts those that were checked in both, of which `flips` are some.
    """

    base: Row
    measures: list[Difference]
    assertions: int
    flips: list[Flip]
    only_base: list[str]
    only_this: list[str]


def uncompared_with(data: ReportData) -> str | None:
    """The stored version before this one where the report compares with none; None where it does, or is the first."""
    versions, this = releases(data.virtue_trends), data.evaluation["agent_version"]
    earlier = versions[: versions.index(this)] if this in versions else versions
    return earlier[-1] if earlier and data.base is None else None


def differences(data: ReportData) -> Differences | None:
    """What changed since the base version; None where there is none to compare with."""
    if data.base is None:
        return None
    old = {row["job"] for row in data.base.composite_scores}
    new = {row["job"] for row in data.composite_scores}
    before, after = held(data.base), held(data)
    return Differences(
        base=data.base.evaluation,
        measures=_of_scores(data, data.base) + _of_virtues(data.evaluation_virtues, data.base.evaluation_virtues),
        assertions=len(before.keys() & after.keys()),
        flips=_flips(before, after),
        only_base=sorted(old - new, key=natural),
        only_this=sorted(new - old, key=natural),
    )


def _of_scores(data: ReportData, base: BaseVersion) -> list[Difference]:
    pairs = zip(measures(base.composite_scores), measures(data.composite_scores), strict=True)
    return [Difference(before.name, before.mean, after.mean) for before, after in pairs]


def _of_virtues(this: Iterable[Row], base: Iterable[Row]) -> list[Difference]:
    after, before = ({row["virtue"]: row["score"] for row in rows} for rows in (this, base))
    return [Difference(virtue, before.get(virtue), after.get(virtue)) for virtue in VIRTUES]


Key = tuple[str, str, str]


def held(version: ReportData | BaseVersion) -> dict[Key, Held]:
    """By job (or scenario of it), condition and text of the assertion: in how many scored trials it held."""
    places = {row["trial_id"]: row for row in version.composite_scores if row["valid"]}
    found: dict[Key, Held] = {}
    for row in version.assertion_results:
        place = places.get(row["trial_id"])
        if place is None or row["passed"] is None:
            continue
        key = (job_key(place), place["condition"], row["text"])
        before = found.get(key, Held())
        found[key] = Held(before.passed + row["passed"], before.decided + 1)
    return found


def _flips(base: dict[Key, Held], this: dict[Key, Held]) -> list[Flip]:
    """The assertions of both versions whose share changed, the greatest loss first."""
    flips = (Flip(*key, base[key], this[key]) for key in base.keys() & this.keys())
    return sorted((flip for flip in flips if flip.base.share != flip.this.share), key=_greatest_loss_first)


def _greatest_loss_first(flip: Flip) -> tuple[float, Sequence[str]]:
    return flip.this.share - flip.base.share, (natural(flip.job), flip.condition, flip.text)
