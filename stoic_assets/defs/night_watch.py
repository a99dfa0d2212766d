"""The sensor that sees each night through to a verdict.

What is to be done next is decided in `core/nightly`; here facts are gathered and steps become runs and alerts.
"""

from collections.abc import Sequence
from typing import Any

import dagster as dg

from stoic_assets.adapters.alerts import announce
from stoic_assets.adapters.nights import Nights
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.alerts import regression_confirmed
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import EVALUATION_TAG
from stoic_assets.core.nightly import Alarm, Facts, Night, Steps, is_over, next_steps
from stoic_assets.defs.failures import delivery_faults
from stoic_assets.defs.maintenance import compaction
from stoic_assets.defs.releases import ENDED, release_evaluation

CONVERSATIONS = "nightly_conversations"
JOB = "night"
COMPARISONS = "version_comparisons"
RUN_KEY_TAG = "dagster/run_key"


def build_watch(job: Any) -> dg.SensorDefinition:
    """The sensor; `job` holds the conversations of a night."""

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
