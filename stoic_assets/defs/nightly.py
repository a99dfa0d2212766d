"""Nights: a schedule that has all live versions converse, and a sensor that sees each night through to a verdict.

What is to be done next is decided in `core/nightly`; here facts are gathered and steps become runs and alerts.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import dagster as dg

from stoic_assets.adapters.alerts import announce
from stoic_assets.adapters.evaluation_conversations import Held
from stoic_assets.adapters.live_releases import read_releases
from stoic_assets.adapters.nights import HeldNight, Nights, hold_night
from stoic_assets.adapters.outbox import Delivered
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.alerts import Failure, regression_confirmed, run_failed
from stoic_assets.core.conversation.evidence import SCORED
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import EVALUATION_TAG
from stoic_assets.core.markdown import bulleted
from stoic_assets.core.nightly import Alarm, Facts, Night, RoundName, Steps, is_over, next_steps
from stoic_assets.core.settings import Nightly
from stoic_assets.defs.evaluation_run import run_async
from stoic_assets.defs.failures import RETRIES, delivery_faults, reported
from stoic_assets.defs.maintenance import compaction
from stoic_assets.defs.ownership import OWNERS
from stoic_assets.defs.releases import ENDED, release_evaluation
from stoic_assets.defs.shown_rows import shown

CONVERSATIONS = "nightly_conversations"
JOB = "night"
SCORES = {"evaluations", "composite_scores"}
COMPARISONS = "version_comparisons"
RUN_KEY_TAG = "dagster/run_key"
LATE = timedelta(hours=12)
"""So much later a missed night does not begin by itself, and scores count as overdue."""


class NightConfig(dg.Config):
    """Which round of a night is held; `versions` are those to hold, all live ones if empty."""

    again: bool = False
    versions: list[str] = []


def nights_of(settings: Nightly) -> dg.TimeWindowPartitionsDefinition:
    """The days on which the schedule fires, each from its midnight on: the partition is there when its night begins."""
    days = " ".join(settings.cron.split()[2:])
    return dg.TimeWindowPartitionsDefinition(
        start=first_night(settings), fmt="%Y-%m-%d", cron_schedule=f"0 0 {days}", timezone=settings.time_zone,
        end_offset=1,
    )  # fmt: skip


def first_night(settings: Nightly) -> str:
    """The first night there is; `YYYY-MM-DD`."""
    return date.fromisoformat(settings.since).isoformat()


def freshness_of(settings: Nightly) -> dg.FreshnessPolicy:
    """Scores are overdue half a day after the longest time that the schedule lets pass between two nights."""
    year = dg.TimeWindowPartitionsDefinition(
        start="2024-01-01", end="2026-01-01", fmt="%Y-%m-%d", cron_schedule=nights_of(settings).cron_schedule
    )
    days = [date.fromisoformat(key) for key in year.get_partition_keys()]
    longest = max((after - before for before, after in pairwise(days)), default=timedelta(days=366))
    return dg.FreshnessPolicy.time_window(fail_window=longest + LATE)


def with_freshness(assets: Sequence[dg.AssetsDefinition], settings: Nightly) -> list[dg.AssetsDefinition]:
    """The same assets, the scores among them with the freshness that these settings let people expect."""
    policy = freshness_of(settings)
    watched = {dg.AssetKey(name) for name in SCORES}

    def expected(spec: dg.AssetSpec) -> dg.AssetSpec:
        return spec.replace_attributes(freshness_policy=policy) if spec.key in watched else spec

    return [each.map_asset_specs(expected) if watched & each.keys else each for each in assets]


def build_nightly(settings: Nightly) -> dg.Definitions:
    """Asset, job, schedule and sensor of the nights that these settings ask for."""
    conversations = _conversations(nights_of(settings))
    job = dg.define_asset_job(
        JOB,
        selection=dg.AssetSelection.assets(CONVERSATIONS, "judge_drift"),
        description="The conversations of all live versions in turn, and whether the judge has moved.",
    )
    return dg.Definitions(
        assets=[conversations], jobs=[job], schedules=[_schedule(settings, job)], sensors=[_watch(job)]
    )


def _conversations(nights: dg.TimeWindowPartitionsDefinition) -> dg.AssetsDefinition:
    @dg.asset(
        name=CONVERSATIONS,
        group_name="conversations",
        kinds={"python", "parquet"},
        owners=OWNERS,
        partitions_def=nights,
        retry_policy=RETRIES,
    )
    def converse(
        context: dg.AssetExecutionContext, config: NightConfig, workplace: dg.ResourceParam[Workplace]
    ) -> dg.MaterializeResult:
        """Conversations with every live version, their trials in turn, so that a slow hour is slow for all of them.

        What is held already is not held again: a night that was cut off is simply materialised again.
        """
        night, name = context.partition_key, _round_name(config)
        with reported(workplace):
            held = run_async(hold_night(workplace, night, name, context.run.run_id, config.versions))
            deliveries = _announce_faults(workplace, night, held)
            for problem in (each for delivery in deliveries for each in delivery.errors):
                context.log.warning(problem)  # a night that fails has no metadata
            if not held.held:
                raise ConfigurationError("; ".join(f"{each}: {fault}" for each, fault in held.record.faults.items()))
        return dg.MaterializeResult(metadata={**_metadata(held), **delivery_faults(deliveries)})

    return converse


def _round_name(config: NightConfig) -> RoundName:
    return "again" if config.again else "first"


def _announce_faults(workplace: Workplace, night: str, held: HeldNight) -> list[Delivered]:
    record = held.record
    failures = [
        Failure(record.run_id, JOB, night, fault, record.held_at, agent_version=version)
        for version, fault in record.faults.items()
    ]
    return [announce(workplace, [run_failed(failure) for failure in failures])] if failures else []


def _metadata(held: HeldNight) -> dict[str, Any]:
    faults = bulleted(f"{version}: {fault}" for version, fault in held.record.faults.items())
    return {
        "dagster/row_count": sum(len(each.trials) for each in held.held.values()),
        "versions": shown(_row(version, each) for version, each in held.held.items()),
        "not_reached": len(held.record.faults.keys() - held.held),
        **({"faults": dg.MetadataValue.md(faults)} if faults else {}),
    }


def _row(version: str, held: Held) -> dict[str, str | int]:
    invalid = sum(1 for trial in held.trials if trial["outcome"] not in SCORED)
    return {
        "agent_version": version, "evaluation_id": held.manifest.evaluation_id, "planned": held.planned,
        "held": len(held.trials), "invalid": invalid,
    }


def _schedule(settings: Nightly, job: Any) -> dg.ScheduleDefinition:
    @dg.schedule(
        name="nightly",
        job=job,
        cron_schedule=settings.cron,
        execution_timezone=settings.time_zone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
    def nightly(
        context: dg.ScheduleEvaluationContext, workplace: dg.ResourceParam[Workplace]
    ) -> dg.RunRequest | dg.SkipReason:
        """Has every live version converse; a day has one night, however often the schedule fires."""
        due = context.scheduled_execution_time.astimezone(ZoneInfo(settings.time_zone))
        night = f"{due:%Y-%m-%d}"
        if datetime.now(UTC) - due > LATE:
            return dg.SkipReason(f"the night of {night} was missed; materialise {CONVERSATIONS} of that night by hand")
        if night < first_night(settings):
            return dg.SkipReason(f"nights begin on {settings.since}: nightly.since in stoic.yml")
        releases = read_releases(workplace)
        if not releases.live:
            return dg.SkipReason("; ".join(["no version in releases/ is live", *releases.complaints]))
        return dg.RunRequest(run_key=night, partition_key=night)

    return nightly


def _watch(job: Any) -> dg.SensorDefinition:
    @dg.sensor(
        name="night_watch",
        jobs=[release_evaluation, job, compaction],
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def night_watch(
        context: dg.SensorEvaluationContext, workplace: dg.ResourceParam[Workplace]
    ) -> dg.SensorResult:
        """Sees nights through: verdicts, bases first; a second round where a version fell; an alarm if it did twice.

        Once the last night is over, the warehouse is compacted. A night whose file is damaged holds up no other.
        """
        requests: list[dg.RunRequest] = []
        over: list[str] = []
        observations: list[dg.AssetObservation] = []
        nights, complaints = Nights(workplace.project.home).recent()
        for night in nights:
            if any(_is_under_way(context.instance, held.run_id) for held in night.rounds):
                continue
            facts = _facts(context.instance, workplace, night)
            steps = next_steps(night, facts)
            requests += _runs(steps, night.night, context.instance)
            observations += [_raise_alarm(context, workplace, night, alarm) for alarm in steps.alarms]
            over += [night.night] if is_over(night, facts) else []
        requests += _compaction_after(over, context.instance)
        if complaints and not requests and not observations:
            # The tick fails, for all to see, once no other night waits for anything.
            raise ConfigurationError("; ".join(map(str, complaints)))
        reason = None if requests else "no night waits for anything"
        return dg.SensorResult(run_requests=requests, skip_reason=reason, asset_events=observations)

    return night_watch


def _is_under_way(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Whether the run that held a round goes on: the judge is looked at in it before verdicts are drawn."""
    run = instance.get_run_by_id(run_id)
    return run is not None and run.status not in ENDED


def _facts(instance: dg.DagsterInstance, workplace: Workplace, night: Night) -> Facts:
    keys = [(version, each.evaluation_id) for held in night.rounds for version, each in held.evaluations.items()]
    warehouse = workplace.warehouse
    stored = {key[1]: warehouse.read(COMPARISONS, *key) for key in keys if warehouse.has(COMPARISONS, *key)}
    filters = dg.RunsFilter(job_name=release_evaluation.name, tags={EVALUATION_TAG: [each for _, each in keys]})
    runs = instance.get_runs(filters) if keys else []
    running = {run.tags[EVALUATION_TAG] for run in runs if run.status not in ENDED}
    return Facts(stored, running, {run.tags[EVALUATION_TAG] for run in runs} - running)


def _runs(steps: Steps, night: str, instance: dg.DagsterInstance) -> list[dg.RunRequest]:
    """The verdicts to be had now, and the second round unless it was asked for already."""
    verdicts = [_evaluation(version, wanted) for version, wanted in steps.evaluate.items()]
    again = steps.again and not _was_requested(instance, f"{night}-again")
    return [*verdicts, _again(night, steps.again)] if again else verdicts


def _evaluation(version: str, evaluation_id: str) -> dg.RunRequest:
    tags = {EVALUATION_TAG: evaluation_id}
    return dg.RunRequest(evaluation_id, job_name=release_evaluation.name, partition_key=version, tags=tags)


def _was_requested(instance: dg.DagsterInstance, run_key: str) -> bool:
    return bool(instance.get_runs(dg.RunsFilter(tags={RUN_KEY_TAG: run_key}), limit=1))


def _again(night: str, versions: Sequence[str]) -> dg.RunRequest:
    config = {"ops": {CONVERSATIONS: {"config": {"again": True, "versions": list(versions)}}}}
    return dg.RunRequest(
        f"{night}-again", config, job_name=JOB, partition_key=night, asset_selection=[dg.AssetKey(CONVERSATIONS)]
    )


def _compaction_after(nights: Sequence[str], instance: dg.DagsterInstance) -> list[dg.RunRequest]:
    """One after the newest of the nights that are over: two at a time would be in each other's way."""
    keys = [f"{night}-compaction" for night in nights[-1:]]
    return [dg.RunRequest(key, job_name=compaction.name) for key in keys if not _was_requested(instance, key)]


def _raise_alarm(
    context: dg.SensorEvaluationContext, workplace: Workplace, night: Night, alarm: Alarm
) -> dg.AssetObservation:
    """Told before it is recorded as told: a tick that is cut off in between tells it again, as the same event."""
    measures = ", ".join(each["measure"] for each in alarm.measures)
    context.log.warning(f"{night.night}: {alarm.agent_version} is worse than {alarm.base} in both rounds: {measures}")
    delivery = announce(workplace, [regression_confirmed(alarm, night.night, night.last_held)])
    Nights(workplace.project.home).record_alarm(night.night, alarm)
    return dg.AssetObservation(
        CONVERSATIONS,
        partition=night.night,
        metadata={
            "alarm": alarm.agent_version, "base": alarm.base, "measures": measures, "waiting": delivery.pending,
            **delivery_faults([delivery]),
        },
    )
