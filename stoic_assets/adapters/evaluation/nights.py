"""A night: the conversations of all live versions, held in turn."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from stoic_assets.adapters.evaluation.beginning import Wanted
from stoic_assets.adapters.evaluation.conversations import HeldEvaluation, hold_evaluations
from stoic_assets.adapters.evaluation.live_releases import read_releases
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import Busy, ConfigurationError, StoicError
from stoic_assets.core.evaluation import INCOMPLETE, EvaluationRequest
from stoic_assets.core.nights.night_record import HeldVersion, Round, RoundName, night_evaluation_id
from stoic_assets.core.scoring.validity import ceiling_reached


@dataclass(frozen=True)
class HeldNight:
    """One round of a night: its record, and the result of each version that conversed.

    `unread` says which named versions were left out, as they are not live, and why manifests were; of these it says
    nothing in a first round for named versions. `missed` says why versions were not evaluated in the first round; these
    have no part in this one.
    """

    record: Round
    held: dict[str, HeldEvaluation]
    unread: tuple[str, ...] = ()
    missed: Mapping[str, str] = field(default_factory=dict)


async def hold_night(
    workplace: Workplace, night: str, name: RoundName, run_id: str, versions: Collection[str] = ()
) -> HeldNight:
    """Holds the conversations of all live versions in turn, or of those among `versions`, and records the round.

    Raises `ConfigurationError` when none of them is live, and `Busy` when others work on all of them: the round is
    theirs to record.
    """
    releases = read_releases(workplace)
    all_live = [each.agent_version for each in releases.live]
    live = [version for version in all_live if not versions or version in versions]
    if not live:
        asked = f"not live: {', '.join(versions)}; live: {', '.join(all_live)}" if all_live else "no version is live"
        said = f"{asked}; give the version a `url` in releases/*.yml"
        raise ConfigurationError("; ".join([said, *map(left_out, releases.complaints)]))
    wanted = [Wanted(version, night_evaluation_id(night, version, name), EvaluationRequest()) for version in live]
    outcomes = await hold_evaluations(workplace, wanted, run_id)
    busy = [each for each in outcomes.values() if isinstance(each, Busy)]
    if len(busy) == len(wanted):
        raise busy[0]
    results = {each.agent_version: outcomes[each.evaluation_id] for each in wanted}
    held = {version: result for version, result in results.items() if isinstance(result, HeldEvaluation)}
    bases, clean = releases.bases(), workplace.redactor.text
    record = Round(
        run_id=run_id, held_at=now(),
        evaluations={
            version: HeldVersion(evaluation_id=each.manifest.evaluation_id, base=bases[version])
            for version, each in held.items()
        },
        faults={version: clean(fault) for version, result in results.items() if (fault := _fault(result))},
    )
    workplace.nights.record_round(night, name, record)
    first = workplace.nights.read(night).first
    missed = {version: why for version, why in (first.faults if first else {}).items() if version not in results}
    asked_for = versions and name == "first"  # by hand; in the second round they are those that regressed
    not_live = [releases.elsewhere.get(each, f"{each} is not live") for each in versions if each not in all_live]
    unread = [*(() if asked_for else releases.complaints), *not_live]
    return HeldNight(record, held, tuple(left_out(clean(each)) for each in unread), missed)


def left_out(complaint: str) -> str:
    """The note that a version is left out of a night because of a fault in its manifest, or in the jobs it selects."""
    return f"left out: {complaint}"


def _fault(result: HeldEvaluation | StoicError) -> str | None:
    """Why a version did not finish its conversations."""
    if isinstance(result, StoicError):
        return str(result)
    if len(result.trials) == result.planned:
        return None
    key = (result.manifest.agent_version, result.manifest.evaluation_id)
    return ceiling_reached(*key, INCOMPLETE, len(result.trials), result.planned)
