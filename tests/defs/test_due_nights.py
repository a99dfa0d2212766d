"""Nights that were due while the tick of the schedule failed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest
from dagster._core.scheduler.instigation import InstigatorStatus, TickStatus
from schedules import Schedules
from watched_nights import BASE, Told, Watch

from stoic_assets.adapters.workplace import Workplace


@pytest.fixture
def schedule(schedules: Schedules, workplace: Workplace) -> Schedules:
    """It is on, and one version is live."""
    workplace.project.releases.mkdir()
    release(workplace)
    schedules.add()
    return schedules


def release(workplace: Workplace, **keys: Any) -> None:
    content = {"agent": "marcus", "version": "1.0.0", "url": "http://localhost:1"} | keys
    text = "".join(f"{key}: {value}\n" for key, value in content.items())
    (workplace.project.releases / "a.yml").write_text(text)


@pytest.fixture
def due() -> datetime:
    return datetime.now(UTC) - timedelta(minutes=1)


@pytest.fixture
def night(due: datetime, watch: Watch) -> str:
    return watch.night_of(due)


def test_a_night_whose_tick_failed_starts_once_it_can(
    watch: Watch, schedule: Schedules, due: datetime, night: str, instance: dg.DagsterInstance
) -> None:
    schedule.tick(due)
    schedule.tick(due + timedelta(seconds=1))
    [request] = watch.tick()
    assert (request.job_name, request.run_key, request.partition_key) == ("night", night, night)
    assert watch.tick() == []
    [run] = instance.get_runs()
    instance.report_run_failed(run, "it does not matter how it ends")
    assert watch.tick() == [], "a person decides"


@pytest.mark.parametrize(
    ("ago", "tick"),
    [
        (1, {"status": TickStatus.SKIPPED}), (1, {"status": TickStatus.STARTED}),
        (1, {"failures": 0}), (13 * 60, {}),
    ],
    ids=["skipped", "is not over", "is tried again by Dagster", "too late"],
)
def test_no_other_night_starts_afterwards(
    watch: Watch, schedule: Schedules, ago: int, tick: dict[str, Any]
) -> None:
    schedule.tick(datetime.now(UTC) - timedelta(minutes=ago), **tick)
    assert watch.tick() == []


def test_no_night_starts_while_the_schedule_is_off(watch: Watch, schedule: Schedules, due: datetime) -> None:
    schedule.tick(due)
    schedule.switch(InstigatorStatus.STOPPED)
    assert watch.tick() == []
    schedule.switch(InstigatorStatus.RUNNING)
    assert len(watch.tick()) == 1


def test_no_night_starts_for_another_schedule(watch: Watch, schedule: Schedules, due: datetime) -> None:
    schedule.add("weekly")
    schedule.tick(due)
    assert watch.tick() == []


def test_a_night_that_was_held_meanwhile_does_not_start(
    watch: Watch, schedule: Schedules, due: datetime, night: str
) -> None:
    schedule.tick(due)
    watch.held("first", BASE, night=night)
    assert [each.job_name for each in watch.tick()] == ["release_evaluation"]


def test_a_lost_night_without_a_live_version_waits_for_one(
    watch: Watch, schedule: Schedules, due: datetime, workplace: Workplace, told: Told
) -> None:
    schedule.tick(due)
    release(workplace, urk="no")
    for _ in range(2):
        assert watch.tick() == []
    assert "no version in releases/ is live; left out: " in watch.found.skip_reason.skip_message
    assert len(told()) == 1
    release(workplace)
    assert len(watch.tick()) == 1
