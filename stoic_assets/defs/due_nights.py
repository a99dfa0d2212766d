"""Whether a night that is due starts: asked by the schedule and, where its tick failed, by `night_watch` afterwards."""

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import dagster as dg
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.scheduler.instigation import InstigatorState, TickStatus
from dagster._core.storage.tags import RUN_KEY_TAG
from dagster._utils.schedules import cron_string_iterator

from stoic_assets.adapters.evaluation.delivery import put_events
from stoic_assets.adapters.evaluation.live_releases import read_releases
from stoic_assets.adapters.evaluation.nights import left_out
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Nightly
from stoic_assets.core.nights.alerts import Failure, manifests_left_out
from stoic_assets.core.stages import PARTITION_TAG
from stoic_assets.defs.night_alarms import CONVERSATIONS

JOB = "night"
SCHEDULE = "nightly"
LATE = timedelta(hours=12)
"""After this time a missed night no longer starts by itself, and scores count as overdue."""


def first_night(settings: Nightly) -> str:
    """The first night; `YYYY-MM-DD`."""
    return date.fromisoformat(settings.since).isoformat()


def due_night(
    instance: dg.DagsterInstance, workplace: Workplace, settings: Nightly, due: datetime
) -> dg.RunRequest | dg.SkipReason:
    """The run of the night that was due at a time, or why it is not started."""
    night = _night_of(due, settings)
    if datetime.now(UTC) - due > LATE:
        return dg.SkipReason(
            f"the nightly run of {night} was missed; to make up for it, materialise {CONVERSATIONS} of that day"
        )
    if night < first_night(settings):
        return dg.SkipReason(f"nightly runs begin on {settings.since}, as nightly.since in stoic.yml says")
    releases = read_releases(workplace)
    if not releases.live:
        return _skipped(workplace, settings, night, releases.complaints)
    if _was_started(instance, night):
        return dg.SkipReason(f"the nightly run of {night} was started already")
    return dg.RunRequest(run_key=night, job_name=JOB, partition_key=night)


def lost_nights(
    context: dg.SensorEvaluationContext, workplace: Workplace, settings: Nightly, nights: dg.PartitionsDefinition,
    held: Collection[str],
) -> tuple[list[dg.RunRequest], list[str]]:
    """Requests for the nights that were due while the schedule failed, for instance for a slip in `stoic.yml`.

    And why some of them are not started now. Dagster itself tries a failed tick of a schedule no second time. A night
    that has a run, however that ended, or is among those `held`, is not lost.
    """
    dues = {_night_of(due, settings): due for due in _failed(context) if _fires(settings, due)}
    lost = [
        due for night, due in dues.items()
        if night not in held and nights.has_partition_key(night) and not _has_run(context.instance, night)
    ]
    found = [due_night(context.instance, workplace, settings, due) for due in lost]
    notes = [each.skip_message for each in found if isinstance(each, dg.SkipReason) and each.skip_message]
    return [each for each in found if isinstance(each, dg.RunRequest)], notes


def _night_of(due: datetime, settings: Nightly) -> str:
    return f"{due.astimezone(ZoneInfo(settings.time_zone)):%Y-%m-%d}"


def _fires(settings: Nightly, due: datetime) -> bool:
    """Whether the schedule fires at a time: `nightly` in `stoic.yml` may have changed since its tick failed."""
    return next(cron_string_iterator(due.timestamp(), settings.cron, settings.time_zone)) == due


def _failed(context: dg.SensorEvaluationContext) -> list[datetime]:
    """When the schedule was due within the last hours and its tick failed for good; never, if it is switched off."""
    instance, since = context.instance, (datetime.now(UTC) - LATE).timestamp()
    schedules = instance.all_instigator_state(instigator_type=InstigatorType.SCHEDULE)
    ticks = [
        tick for schedule in schedules if schedule.is_running and _is_ours(context, schedule)
        for tick in instance.get_ticks(
            schedule.instigator_origin_id, schedule.selector_id, after=since, statuses=[TickStatus.FAILURE]
        )
    ]  # fmt: skip
    # One of which no failure was counted could not be asked about: Dagster goes on trying.
    return [datetime.fromtimestamp(tick.timestamp, UTC) for tick in ticks if tick.failure_count]


def _is_ours(context: dg.SensorEvaluationContext, schedule: InstigatorState) -> bool:
    """Whether it is the schedule of this code location: another one may have one of the same name."""
    here, there = context.code_location_origin, schedule.origin.repository_origin.code_location_origin
    return schedule.name == SCHEDULE and (here is None or here.location_name == there.location_name)


def _has_run(instance: dg.DagsterInstance, night: str) -> bool:
    """Whether its conversations have a run. The same day may be a partition of other jobs."""
    runs = instance.get_runs(dg.RunsFilter(tags={PARTITION_TAG: night}))
    return any(run.job_name == JOB or dg.AssetKey(CONVERSATIONS) in (run.asset_selection or ()) for run in runs)


def _was_started(instance: dg.DagsterInstance, night: str) -> bool:
    """Whether the night has a run: for each time that the schedule fires, Dagster would start one with the same key.

    A run that is not started yet is one that Dagster was stopped over: its tick, which is repeated, is to start it.
    """
    runs = instance.get_runs(dg.RunsFilter(tags={RUN_KEY_TAG: night}))
    return any(run.status is not dg.DagsterRunStatus.NOT_STARTED for run in runs)


def _skipped(workplace: Workplace, settings: Nightly, night: str, complaints: Sequence[str]) -> dg.SkipReason:
    """A night for which no version is live. If manifests are at fault, the webhook is told, as no run would do it.

    Once: the time of the event is the midnight on which the day begins, however often the schedule fires. `night_watch`
    delivers it.
    """
    faults = [left_out(workplace.redactor.text(each)) for each in complaints]
    if faults:
        midnight = datetime.combine(date.fromisoformat(night), time(), ZoneInfo(settings.time_zone)).astimezone(UTC)
        failure = Failure(night, JOB, night, "; ".join(faults), midnight.isoformat())
        put_events(workplace, [manifests_left_out(failure)])
    return dg.SkipReason("; ".join(["no version in releases/ is live", *faults]))
