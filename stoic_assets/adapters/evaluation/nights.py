"""Nights on disk, `$STOIC_HOME/nights/<night>.json`, and how to hold one."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import read_stored, write_whole
from stoic_assets.adapters.evaluation.conversations import Held, Wanted, hold_evaluations
from stoic_assets.adapters.evaluation.live_releases import read_releases
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError, StoicError
from stoic_assets.core.evaluation import EvaluationRequest, way_to_finish
from stoic_assets.core.night_record import Alarm, HeldVersion, Night, Round, RoundName, evaluation_id, night_of
from stoic_assets.core.scoring.validity import cut_short

WATCHED = timedelta(days=3)
"""How long after its conversations the sensor watches a night."""


@dataclass(frozen=True)
class HeldNight:
    """One round of a night: its record, and the result of each version that conversed."""

    record: Round
    held: dict[str, Held]


class Nights:
    """The nights of a `STOIC_HOME`."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "nights"

    def read(self, night: str) -> Night:
        """The record of a night, which may be empty. Raises `ConfigurationError` for a damaged file."""
        advice = "is damaged or cannot be read; correct it, or remove it and materialise that night again"
        stored = read_stored(self._folder / f"{night}.json", Night.model_validate_json, advice)
        return stored or Night(night=night)

    def held_with(self, evaluation_id: str, version: str) -> str | None:
        """The evaluation of `version` in the round that `evaluation_id` belongs to; None where either is in none.

        Raises as `read` does.
        """
        night = night_of(evaluation_id)
        return self.read(night).held_with(evaluation_id, version) if night else None

    def recent(self) -> tuple[list[Night], list[ConfigurationError]]:
        """The nights that were held within the last days, backfilled ones included; complaints about damaged files."""
        since = (datetime.now(UTC) - WATCHED).isoformat()
        nights: list[Night] = []
        complaints: list[ConfigurationError] = []
        for path in sorted(self._folder.glob("*.json")):
            try:
                nights.append(self.read(path.stem))
            except ConfigurationError as error:
                complaints.append(error)
        return [night for night in nights if night.last_held > since], complaints

    def record_round(self, night: str, name: RoundName, held: Round) -> Path:
        """Stores a round. Evaluations of an earlier attempt at it that this one lacks are kept.

        Raises as `read` does, and `StorageError`.
        """

        def merged(before: Night) -> dict[str, Any]:
            earlier = before.round(name)
            evaluations = {**(earlier.evaluations if earlier else {}), **held.evaluations}
            return {name: held.model_copy(update={"evaluations": evaluations})}

        return self._change(night, merged)

    def record_alarm(self, night: str, alarm: Alarm) -> Path:
        """Stores that an alarm was raised. Raises as `read` does, and `StorageError`."""
        return self._change(night, lambda before: {"alarms": {**before.alarms, alarm.agent_version: alarm}})

    def alarms_before(self, night: str) -> dict[str, Alarm]:
        """The alarms recorded for the last earlier night, by version; none if its file is damaged."""
        earlier = [path.stem for path in self._folder.glob("*.json") if path.stem < night]
        with suppress(ConfigurationError):
            return self.read(max(earlier)).alarms if earlier else {}
        return {}

    def record_told(self, night: str, evaluations: Mapping[str, str]) -> Path:
        """Records evaluations as reported, with the runs that held them. Raises as `read` does, and `StorageError`."""
        return self._change(night, lambda before: {"told": {**before.told, **evaluations}})

    def forget(self, version: str) -> list[Path]:
        """Removes a version from all nights, so that none waits for its verdict.

        Returns the damaged files, which may still name it. Raises `StorageError`.
        """
        damaged = []
        for path in sorted(self._folder.glob("*.json")):
            try:
                self._change(path.stem, lambda before: _without(before, version))
            except ConfigurationError:
                damaged.append(path)
        return damaged

    def _change(self, night: str, change: Callable[[Night], dict[str, Any]]) -> Path:
        """Runs and the sensor write the same file, so only one process at a time reads and writes it."""
        with locked(self._folder / "lock"):
            before = self.read(night)
            after = before.model_copy(update=change(before))
            return write_whole(self._folder / f"{night}.json", after.model_dump_json(indent=1))


def _without(night: Night, version: str) -> dict[str, Any]:
    """The fields of a night that change when a version is removed from it."""

    def others(found: Mapping[str, Any]) -> dict[str, Any]:
        return {name: each for name, each in found.items() if name != version}

    def left(held: Round) -> Round:
        return held.model_copy(update={"evaluations": others(held.evaluations), "faults": others(held.faults)})

    rounds = {name: left(held) for name, held in (("first", night.first), ("again", night.again)) if held}
    told = {each: run_id for each, run_id in night.told.items() if night.versions.get(each) != version}
    return {**rounds, "alarms": others(night.alarms), "told": told}


async def hold_night(
    workplace: Workplace, night: str, name: RoundName, run_id: str, versions: Collection[str] = ()
) -> HeldNight:
    """Holds the conversations of all live versions in turn, or of those among `versions`, and records the round.

    Raises `ConfigurationError` when none of them is live.
    """
    releases = read_releases(workplace)
    all_live = [each.agent_version for each in releases.live]
    live = [version for version in all_live if not versions or version in versions]
    if not live:
        asked = f"not live: {', '.join(versions)}; live: {', '.join(all_live)}" if all_live else "no version is live"
        raise ConfigurationError(f"{asked}; give the version a `url` in releases/*.yml")
    wanted = [Wanted(version, evaluation_id(night, version, name), EvaluationRequest()) for version in live]
    outcomes = await hold_evaluations(workplace, wanted, run_id)
    results = {each.agent_version: outcomes[each.evaluation_id] for each in wanted}
    held = {version: result for version, result in results.items() if isinstance(result, Held)}
    bases, clean = releases.bases(), workplace.redactor.text
    record = Round(
        run_id=run_id, held_at=now(),
        evaluations={
            version: HeldVersion(evaluation_id=each.manifest.evaluation_id, base=bases[version])
            for version, each in held.items()
        },
        faults={version: clean(fault) for version, result in results.items() if (fault := _fault(result))},
    )
    Nights(workplace.project.home).record_round(night, name, record)
    return HeldNight(record, held)


def _fault(result: Held | StoicError) -> str | None:
    """Why a version did not finish its conversations."""
    if isinstance(result, StoicError):
        return str(result)
    if len(result.trials) == result.planned:
        return None
    again = way_to_finish(result.manifest.agent_version, result.manifest.evaluation_id, "conversed")
    return f"{cut_short(len(result.trials), result.planned)}; continue with {again} and a higher --max-cost"
