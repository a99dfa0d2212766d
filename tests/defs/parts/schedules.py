"""The schedule `nightly` as Dagster's daemon records it; ephemeral instances have no storage for schedules."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

import dagster as dg
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.remote_origin import InProcessCodeLocationOrigin, RemoteInstigatorOrigin, RemoteRepositoryOrigin
from dagster._core.scheduler.instigation import (
    InstigatorState,
    InstigatorStatus,
    InstigatorTick,
    ScheduleInstigatorData,
    TickData,
    TickStatus,
)
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster_shared.error import SerializableErrorInfo

KIND = InstigatorType.SCHEDULE


class Schedules:
    """What a storage for schedules holds, and how it is asked."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self.states = list[InstigatorState]()
        self.ticks = list[InstigatorTick]()
        instance._schedule_storage = self  # type: ignore[assignment]

    def add(self, name: str = "nightly", location: str = "stoic") -> InstigatorState:
        """A schedule that is on."""
        code = InProcessCodeLocationOrigin(LoadableTargetOrigin(module_name="stoic_assets"), location_name=location)
        origin = RemoteInstigatorOrigin(RemoteRepositoryOrigin(code, "__repository__"), name)
        found = ScheduleInstigatorData("0 2 * * *", 0.0)
        self.states.append(InstigatorState(origin, KIND, InstigatorStatus.DECLARED_IN_CODE, found))
        return self.states[-1]

    def switch(self, status: InstigatorStatus) -> None:
        self.states = [each.with_status(status) for each in self.states]

    def tick(self, due: datetime, status: TickStatus = TickStatus.FAILURE, failures: int = 1) -> None:
        """The last of the schedules was due."""
        of = self.states[-1]
        ids: Any = {"selector_id": of.selector_id, "failure_count": failures}
        if status is TickStatus.FAILURE:
            ids["error"] = SerializableErrorInfo("stoic.yml:2: jugde: unknown key", [], None)
        data = TickData(of.instigator_origin_id, of.name, KIND, status, due.timestamp(), **ids)
        self.ticks.append(InstigatorTick(len(self.ticks), data))

    def all_instigator_state(self, **_: Any) -> list[InstigatorState]:
        return self.states

    def get_ticks(
        self, origin: str, selector: str, after: float, statuses: Collection[TickStatus], **_: Any
    ) -> list[InstigatorTick]:
        ours = [each for each in self.ticks if (each.instigator_origin_id, each.selector_id) == (origin, selector)]
        return [each for each in ours if each.timestamp > after and each.status in statuses]

    def dispose(self) -> None: ...
