"""The records of nights on disk: `$STOIC_HOME/nights/<night>.json`."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import read_stored, write_whole
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.nights.night_record import Alarm, Night, Round, RoundName, night_of

WATCHED = timedelta(days=3)
"""How long after its conversations the sensor watches a night."""


class NightStore:
    """The nights of a `STOIC_HOME`."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "nights"

    def read(self, night: str) -> Night:
        """The record of a night, which may be empty. Raises `ConfigurationError` for a damaged file."""
        advice = "is damaged or cannot be read; correct it, or remove it and materialise that night again"
        stored = read_stored(self._folder / f"{night}.json", Night.model_validate_json, advice)
        return stored or Night(night=night)

    def held_with(self, evaluation_id: str, version: str) -> str | None:
        """The evaluation of `version` in the round that `evaluation_id` belongs to, or None if no round has both.

        Raises as `read` does.
        """
        night = night_of(evaluation_id)
        return self.read(night).held_with(evaluation_id, version) if night else None

    def base_of(self, evaluation_id: str) -> str | None:
        """An evaluation's base by a night's record: None if it had none, empty if there is no such record."""
        night = night_of(evaluation_id)
        with suppress(ConfigurationError):
            return self.read(night).base_of(evaluation_id) if night else ""
        return ""

    def recent(self) -> tuple[list[Night], list[ConfigurationError]]:
        """The nights that were held within the last days, backfilled ones included, in the order in which they were
        held; complaints about damaged files.
        """
        since = (datetime.now(UTC) - WATCHED).isoformat()
        nights, complaints = self._all()
        return sorted((night for night in nights if night.last_held > since), key=attrgetter("last_held")), complaints

    def held_before(self, moment: str) -> list[Night]:
        """The nights with a first round that ended before `moment` (ISO 8601, UTC), the last one first.

        Those with a damaged file are missing.
        """
        nights, _ = self._all()
        held = sorted(((each.first.held_at, each) for each in nights if each.first), key=itemgetter(0), reverse=True)
        return [night for held_at, night in held if held_at < moment]

    def _all(self) -> tuple[list[Night], list[ConfigurationError]]:
        """All nights by name, and the complaints about damaged files."""
        nights: list[Night] = []
        complaints: list[ConfigurationError] = []
        for path in sorted(self._folder.glob("*.json")):
            try:
                nights.append(self.read(path.stem))
            except ConfigurationError as error:
                complaints.append(error)
        return nights, complaints

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
        """Reads, changes and writes a night; one process at a time, since runs and the sensor write the same file."""
        with locked(self._folder / "lock"):
            before = self.read(night)
            after = before.model_copy(update=change(before))
            return write_whole(self._folder / f"{night}.json", after.model_dump_json(indent=1))


def _without(night: Night, version: str) -> dict[str, Any]:
    """The fields of a night that change when a version is removed from it."""

    def others(found: Mapping[str, Any]) -> dict[str, Any]:
        return {name: each for name, each in found.items() if name != version}

    def left(held: Round) -> Round:
        evaluations = {
            name: each.model_copy(update={"base": ""}) if each.base == version else each
            for name, each in others(held.evaluations).items()
        }
        return held.model_copy(update={"evaluations": evaluations, "faults": others(held.faults)})

    rounds = {name: left(held) for name, held in (("first", night.first), ("again", night.again)) if held}
    told = {each: run_id for each, run_id in night.told.items() if night.versions.get(each) != version}
    return {**rounds, "alarms": others(night.alarms), "told": told}
