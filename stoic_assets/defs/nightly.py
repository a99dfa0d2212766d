"""Nights: an asset of the conversations with all live versions, and the schedule that starts it.

`night_watch` completes a night.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import dagster as dg

from stoic_assets.adapters.evaluation.conversations import HeldEvaluation
from stoic_assets.adapters.evaluation.delivery import announce
from stoic_assets.adapters.evaluation.nights import HeldNight, hold_night
from stoic_assets.adapters.messages.outbox import Delivered, errors_of
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Nightly
from stoic_assets.core.conversation.evidence import SCORED
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.nights.alerts import Failure, manifests_left_out, run_failed
from stoic_assets.core.nights.night_record import RoundName, night_evaluation_id
from stoic_assets.core.presentation.markdown import bulleted
from stoic_assets.defs.asset_metadata import OWNERS, shown
from stoic_assets.defs.due_nights import JOB, LATE, SCHEDULE, due_night, first_night
from stoic_assets.defs.failures import RETRIES, delivery_faults, reported
from stoic_assets.defs.night_alarms import CONVERSATIONS
from stoic_assets.defs.night_watch import build_watch

SCORES = {"evaluations", "composite_scores"}


class NightConfig(dg.Config):
    """`again` runs the second round of the night. `versions` are those to run; if empty, all live ones."""

    again: bool = False
    versions: list[str] = []


def nights_of(settings: Nightly) -> dg.TimeWindowPartitionsDefinition:
    """The days on which the schedule fires, each from its midnight on: the partition exists when its night begins."""
    days = " ".join(settings.cron.split()[2:])
    return dg.TimeWindowPartitionsDefinition(
        start=first_night(settings), fmt="%Y-%m-%d", cron_schedule=f"0 0 {days}", timezone=settings.time_zone,
        end_offset=1,
    )  # fmt: skip


def freshness_of(settings: Nightly) -> dg.FreshnessPolicy:
    """Scores are overdue half a day after the longest time that the schedule leaves between two nights."""
    years = dg.TimeWindowPartitionsDefinition(
        start="2024-01-01", end="2026-01-01", fmt="%Y-%m-%d", cron_schedule=nights_of(settings).cron_schedule
    )
    days = [date.fromisoformat(key) for key in years.get_partition_keys()]
    of_leap_years = timedelta(days=4 * 365 + 1)  # the only nights of which two years have fewer than two
    longest = max((after - before for before, after in pairwise(days)), default=of_leap_years)
    return dg.FreshnessPolicy.time_window(fail_window=longest + LATE)


def with_freshness(assets: Sequence[dg.AssetsDefinition], settings: Nightly) -> list[dg.AssetsDefinition]:
    """The same assets, the scores among them with the freshness policy for these settings."""
    policy = freshness_of(settings)
    watched = {dg.AssetKey(name) for name in SCORES}

    def expected(spec: dg.AssetSpec) -> dg.AssetSpec:
        return spec.replace_attributes(freshness_policy=policy) if spec.key in watched else spec

    return [each.map_asset_specs(expected) if watched & each.keys else each for each in assets]


def build_nightly(settings: Nightly) -> dg.Definitions:
    """Asset, job, schedule and sensor of the nights for these settings."""
    nights = nights_of(settings)
    job = dg.define_asset_job(
        JOB,
        selection=dg.AssetSelection.assets(CONVERSATIONS, "judge_drift"),
        description="The conversations of all live versions, and whether the judge has changed.",
    )
    return dg.Definitions(
        assets=[_conversations(nights)], jobs=[job], schedules=[_schedule(settings, job)],
        sensors=[build_watch(settings, job, nights)],
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
        """Conversations with every live version, trial by trial in turn, so that a slow hour affects all alike.

        Trials that are stored are not run again: to continue an interrupted night, materialise it again.
        """
        night = context.partition_key
        name: RoundName = "again" if config.again else "first"
        with reported(workplace):
            held = run_async(hold_night(workplace, night, name, context.run.run_id, config.versions))
            deliveries = _announce_faults(workplace, night, name, held)
            # A night that fails has no metadata.
            for problem in (*held.problems, *errors_of(deliveries)):
                context.log.warning(problem)
            if not held.held:
                raise ConfigurationError("; ".join(held.problems))
        return dg.MaterializeResult(metadata={**_metadata(held), **delivery_faults(deliveries)})

    return converse


def _announce_faults(workplace: Workplace, night: str, name: RoundName, held: HeldNight) -> list[Delivered]:
    record = held.record
    failures = [
        Failure(record.run_id, JOB, night, fault, record.held_at, _begun(workplace, night, name, version), version)
        for version, fault in record.faults.items()
    ]
    events = [run_failed(failure) for failure in failures]
    # A night without conversations fails, and says it in its error. The second round repeats what the first one told.
    if held.held and held.unread and name == "first":
        events.append(manifests_left_out(Failure(record.run_id, JOB, night, "; ".join(held.unread), record.held_at)))
    return [announce(workplace, events)] if events else []


def _begun(workplace: Workplace, night: str, name: RoundName, version: str) -> str | None:
    """The id of the version's evaluation in this round; None if it was not begun."""
    found = night_evaluation_id(night, version, name)
    return found if found in workplace.evidence.evaluation_ids(version) else None


def _metadata(held: HeldNight) -> dict[str, Any]:
    return {
        "dagster/row_count": sum(len(each.trials) for each in held.held.values()),
        "versions": shown(_row(version, each) for version, each in held.held.items()),
        "not_reached": len((held.record.faults.keys() | held.missed.keys()) - held.held.keys()),
        "left_out": len(held.unread),
        **({"faults": dg.MetadataValue.md(bulleted(held.problems))} if held.problems else {}),
    }


def _row(version: str, held: HeldEvaluation) -> dict[str, str | int]:
    invalid = sum(1 for trial in held.trials if trial["outcome"] not in SCORED)
    return {
        "agent_version": version, "evaluation_id": held.manifest.evaluation_id, "planned": held.planned,
        "held": len(held.trials), "invalid": invalid,
    }


def _schedule(settings: Nightly, job: Any) -> dg.ScheduleDefinition:
    @dg.schedule(
        name=SCHEDULE,
        job=job,
        description="Starts the conversations of all live versions, once a day however often the schedule fires.",
        cron_schedule=settings.cron,
        execution_timezone=settings.time_zone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
    def nightly(
        context: dg.ScheduleEvaluationContext, workplace: dg.ResourceParam[Workplace]
    ) -> dg.RunRequest | dg.SkipReason:
        return due_night(context.instance, workplace, settings, context.scheduled_execution_time)

    return nightly
