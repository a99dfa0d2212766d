"""A night: the conversations of all live versions, held in turn."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from stoic_assets.adapters.evaluation.beginning import Wanted
from stoic_assets.adapters.evaluation.conversations import HeldEvaluation, hold_evaluations
from stoic_assets.adapters.evaluation.live_releases import Releases, read_releases
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import Busy, ConfigurationError, StoicError
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.status import INCOMPLETE
from stoic_assets.core.nights.night_record import HeldVersion, Round, RoundName, night_evaluation_id
from stoic_assets.core.scoring.validity import ceiling_reached

Results = dict[str, HeldEvaluation | StoicError]
"""What became of each version that was wanted: its conversations, or its error."""


@dataclass(frozen=True)
class HeldNight:
    """One round of a night: its record, and the result of each version that conversed.

    `unread` are notes on what was left out: named versions that are not live, and manifests with a fault. A first round
    for named versions has no notes on manifests. `missed` are versions without a part in this round since they were
    not evaluated in the first one, each with the reason.
    """

    record: Round
    held: dict[str, HeldEvaluation]
    unread: tuple[str, ...] = ()
    missed: Mapping[str, str] = field(default_factory=dict)

    @property
    def problems(self) -> list[str]:
        """Why versions have no conversations, or not all, and what was left out."""
        faults = {**self.missed, **self.record.faults}
        return [*(f"{version}: {fault}" for version, fault in faults.items()), *self.unread]


async def hold_night(
    workplace: Workplace, night: str, name: RoundName, run_id: str, versions: Collection[str] = ()
) -> HeldNight:
    """Holds the conversations of all live versions in turn, or of those among `versions`, and records the round.

    Raises `ConfigurationError` when none of them is live, and `Busy` when others work on all of them: the round is
    theirs to record.
    """
    releases = read_releases(workplace)
    live = _live(releases, versions)
    absent = [version for version in versions if version not in live]
    results = await _converse(workplace, {each: night_evaluation_id(night, each, name) for each in live}, run_id)
    if name == "again":  # what is asked for there was worse in the first round, or is the base of what was
        results |= {version: ConfigurationError(_why_absent(releases, version)) for version in absent}
    first = workplace.nights.read(night).first
    record = _round(workplace, run_id, results, _bases(releases, first))
    workplace.nights.record_round(night, name, record)
    by_hand = bool(versions) and name == "first"
    notes = _not_live(releases, absent) if by_hand else releases.complaints
    unread = tuple(left_out(workplace.redactor.text(each)) for each in notes)
    return HeldNight(record, _held(results), unread, _missed(first, results) if name == "again" else {})


def _live(releases: Releases, versions: Collection[str]) -> list[str]:
    """The live versions, or those among `versions` if any are named. Raises `ConfigurationError` if there is none."""
    all_live = [each.agent_version for each in releases.live]
    live = [version for version in all_live if not versions or version in versions]
    if not live:
        asked = f"not live: {', '.join(versions)}; live: {', '.join(all_live)}" if all_live else "no version is live"
        said = f"{asked}; give the version a `url` in releases/*.yml"
        raise ConfigurationError("; ".join([said, *map(left_out, releases.complaints)]))
    return live


async def _converse(workplace: Workplace, ids: Mapping[str, str], run_id: str) -> Results:
    """Holds the evaluations with these ids, by version. Raises `Busy` when others work on all of them."""
    # They are judged by whichever judges are set then, and a night whose judge is gone cannot be begun anew.
    wanted = [Wanted(*key, EvaluationRequest(), judged_by_others=True) for key in ids.items()]
    outcomes = await hold_evaluations(workplace, wanted, run_id)
    busy = [each for each in outcomes.values() if isinstance(each, Busy)]
    if len(busy) == len(outcomes):
        raise busy[0]
    return {version: outcomes[each] for version, each in ids.items()}


def _held(results: Results) -> dict[str, HeldEvaluation]:
    return {version: result for version, result in results.items() if isinstance(result, HeldEvaluation)}


def _bases(releases: Releases, first: Round | None) -> dict[str, str | None]:
    """The base of each version: as the first round has recorded it, else as the manifests say now."""
    recorded = first.evaluations if first else {}
    return releases.bases() | {version: each.base for version, each in recorded.items() if each.base != ""}


def _round(workplace: Workplace, run_id: str, results: Results, bases: Mapping[str, str | None]) -> Round:
    """The record of a round that ends now."""
    evaluations = {
        version: HeldVersion(evaluation_id=each.manifest.evaluation_id, base=bases[version])
        for version, each in _held(results).items()
    }
    clean = workplace.redactor.text
    faults = {version: clean(fault) for version, result in results.items() if (fault := _fault(result))}
    return Round(run_id=run_id, held_at=now(), evaluations=evaluations, faults=faults)


def _not_live(releases: Releases, absent: Collection[str]) -> list[str]:
    """Why named versions are not live."""
    return [releases.elsewhere.get(each, f"{each} is not live") for each in absent]


def _why_absent(releases: Releases, version: str) -> str:
    """Why a version has no part in a second round: it is not live, and what its manifest has to do with that."""
    if version in releases.elsewhere:
        causes = [releases.elsewhere[version]]
    else:
        found = map(left_out, releases.complaints_about(version))
        causes = [*found] or ["no manifest in releases/ names it any more"]
    return "; ".join(["it is not live", *causes, "once it is live again, materialise the night again"])


def _missed(first: Round | None, results: Results) -> dict[str, str]:
    """The faults of versions in the first round, of those without a part in the second one."""
    return {version: why for version, why in (first.faults if first else {}).items() if version not in results}


def left_out(complaint: str) -> str:
    """The note that a version is left out of a night because of a fault in its manifest, or in the jobs it selects."""
    return f"left out: {complaint}"


def _fault(result: HeldEvaluation | StoicError) -> str | None:
    """Why a version did not finish its conversations."""
    if isinstance(result, StoicError):
        return str(result)
    if len(result.trials) == result.planned:
        return None
    return ceiling_reached(*result.manifest.key, INCOMPLETE, len(result.trials), result.planned)
