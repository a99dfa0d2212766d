"""Nights that were due while the tick of the schedule failed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest
from dagster._core.scheduler.instigation import InstigatorStatus, TickStatus
from dagster_shared.record import copy
from schedules import Schedules
from watched_nights import BASE, Told, Watch

from stoic_assets.adapters.messages.outbox import Outbox
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Nightly
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.stages import PARTITION_TAG
from stoic_assets.defs.night_alarms import CONVERSATIONS
from stoic_assets.defs.nightly import build_nightly

RUNS = [("etl", "", True), ("assets", "sales", True), ("night", "", False), ("assets", CONVERSATIONS, False)]


@pytest.fixture(scope="module")
def definitions(definitions_of_no_night: dg.Definitions) -> dg.Definitions:
    """Nights that are due every minute."""
    return dg.Definitions.merge(definitions_of_no_night, nightly("* * * * *", "Europe/Berlin"))


def nightly(cron: str, time_zone: str) -> dg.Definitions:
    return build_nightly(Nightly(cron=cron, time_zone=time_zone, since="2026-11-01"))


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
    return datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=1)


@pytest.fixture
def night(due: datetime, watch: Watch) -> str:
    return watch.night_of(due)


def test_a_night_whose_tick_failed_starts_once_it_can(
    watch: Watch, schedule: Schedules, due: datetime, night: str, instance: dg.DagsterInstance
) -> None:
    schedule.tick(due)
    schedule.tick(due)
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
    watch: Watch, schedule: Schedules, due: datetime, ago: int, tick: dict[str, Any]
) -> None:
    schedule.tick(due - timedelta(minutes=ago), **tick)
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


@pytest.mark.parametrize(("job", "asset", "starts"), RUNS)
def test_only_a_run_of_the_night_counts_as_one(
    watch: Watch, schedule: Schedules, due: datetime, night: str, instance: dg.DagsterInstance, job: str, asset: str,
    starts: bool,
) -> None:  # fmt: skip
    """The same day may be a partition of other jobs; a night may also be materialised by hand."""
    @dg.job(name=job)
    def work() -> None: ...

    schedule.tick(due)
    selected = frozenset([dg.AssetKey(asset)]) if asset else None
    run = instance.create_run_for_job(work, tags={PARTITION_TAG: night})
    instance.delete_run(run.run_id)
    instance.add_run(copy(run, asset_selection=selected))
    assert bool(watch.tick()) is starts


@pytest.mark.parametrize(
    ("cron", "starts"), [("{0.minute} {0.hour} * * *", True), ("{1.minute} * * * *", False)],
)
def test_a_time_at_which_the_schedule_no_longer_fires_is_no_lost_night(
    watch: Watch, schedule: Schedules, due: datetime, definitions_of_no_night: dg.Definitions, cron: str,
    starts: bool,
) -> None:  # fmt: skip
    """`nightly` in `stoic.yml` may have changed since the tick failed."""
    schedule.tick(due)
    changed = nightly(cron.format(due, due + timedelta(minutes=9)), "UTC")
    watch.definitions = dg.Definitions.merge(definitions_of_no_night, changed)
    assert bool(watch.tick()) is starts


def test_a_tick_that_asks_for_runs_waits_for_no_webhook_because_of_a_lost_night(
    watch: Watch, schedule: Schedules, due: datetime, workplace: Workplace, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Outbox, "deliver", None)  # which may take ten seconds
    schedule.tick(due)
    release(workplace, urk="no")
    watch.held("first", BASE)
    assert watch.asked() == [BASE]
    assert len(told()) == 1


def test_a_lost_night_that_cannot_be_told_holds_up_no_other_and_fails_the_tick_after(
    watch: Watch, schedule: Schedules, due: datetime, workplace: Workplace
) -> None:
    schedule.tick(due)
    release(workplace, urk="no")
    outbox = workplace.project.home / "outbox" / "messages.sqlite"
    outbox.parent.mkdir(parents=True)
    outbox.write_bytes(b"damaged" * 100)
    watch.held("first", BASE)
    assert watch.asked() == [BASE]
    with pytest.raises(ConfigurationError, match=r"messages\.sqlite"):
        watch.tick()


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
