"""The sensor that follows each night until it has a verdict.

`core/nights/nightly` decides the next steps; this module collects the facts and turns steps into runs and alerts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import dagster as dg
from dagster._core.storage.tags import AUTO_RETRY_RUN_ID_TAG, RUN_KEY_TAG

from stoic_assets.adapters.disk.night_store import WATCHED
from stoic_assets.adapters.evaluation.delivery import deliver_alerts, put_events
from stoic_assets.adapters.evaluation.known_alarms import known_alarms
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Nightly
from stoic_assets.core.errors import ConfigurationError, StoicError
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.nights.alerts import Failure, run_failed
from stoic_assets.core.nights.night_record import Night, Round, second_round_key
from stoic_assets.core.nights.nightly import Facts, Steps, has_verdict, is_over, next_steps, no_verdict
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.stages import VERDICTS
from stoic_assets.core.table_rows import Row
from stoic_assets.defs.due_nights import JOB, lost_nights
from stoic_assets.defs.failures import has_ended
from stoic_assets.defs.maintenance import compaction
from stoic_assets.defs.night_alarms import CONVERSATIONS, raise_alarms
from stoic_assets.defs.releases import missing_partitions, release_evaluation

HEADS = "evaluations"
COMPARISONS = "version_comparisons"


def build_watch(settings: Nightly, job: Any, nights_due: dg.PartitionsDefinition) -> dg.SensorDefinition:
    """The sensor; `job` holds the conversations of a night, one of `nights_due`, which the `settings` say."""

    @dg.sensor(
        name="night_watch",
        jobs=[release_evaluation, job, compaction],
        description="Completes each nightly run: evaluates the stored conversations, requests a second round where a "
        "version is worse than its base, and raises an alarm if it is worse in both. Then it reports versions without "
        "a verdict and starts compaction. It also starts a nightly run for which the schedule's tick failed.",
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def night_watch(
        context: dg.SensorEvaluationContext, workplace: dg.ResourceParam[Workplace]
    ) -> dg.SensorResult:
        """Takes the next step of each night; one whose file is damaged does not hold up the others."""
        tried = _second_rounds_tried(context.instance)  # first: a round is recorded before its run ends
        nights, complaints = workplace.nights.recent()
        steps = {
            night.night: _step(context, workplace, night, tried, nights_due)
            for night in nights if not _is_under_way(context.instance, night)
        }  # fmt: skip
        over = [night for night, step in steps.items() if step.is_over]
        lost, skipped = list[dg.RunRequest](), list[str]()
        try:
            lost, skipped = lost_nights(context, workplace, settings, nights_due, [each.night for each in nights])
        except StoicError as error:
            complaints = [*complaints, ConfigurationError(str(error))]
        requests = [*lost, *(request for step in steps.values() for request in step.requests)]
        requests += _compaction_after(over, context.instance)
        observations = [each for step in steps.values() for each in step.observations]
        notes = [*(step.note for step in steps.values() if step.note), *skipped]
        if not (requests or observations):  # Dagster stops a tick that takes long, and what it asks for would be lost
            delivery = deliver_alerts(workplace)
            notes += delivery.errors if delivery else ()
            if complaints:  # the tick fails visibly once no other night waits for anything
                raise ConfigurationError("; ".join(map(str, complaints)))
        for note in notes if requests else ():  # otherwise they are why the tick was skipped
            context.log.warning(note)
        reason = None if requests else _why_nothing([each.night for each in nights if each.night not in over], notes)
        judged = [str(each.partition_key) for each in requests if each.job_name == release_evaluation.name]
        added = missing_partitions(context.instance, judged) if judged else None
        return dg.SensorResult(
            run_requests=requests, skip_reason=reason, asset_events=observations, dynamic_partitions_requests=added
        )

    return night_watch


def _why_nothing(incomplete: Sequence[str], notes: Sequence[str]) -> str:
    """One line for the tick's page: what is not over, and asks for nothing, has runs that are not done."""
    waits = f"{listed(incomplete)} {'waits for its' if len(incomplete) == 1 else 'wait for their'} runs"
    return "; ".join([waits if incomplete else "no nightly run is incomplete", *notes])


@dataclass(frozen=True)
class _Step:
    """What a night asks for now: runs, and a record of its alarms; whether it is over, and what was left out."""

    requests: list[dg.RunRequest]
    observations: list[dg.AssetObservation]
    is_over: bool
    note: str = ""


def _step(
    context: dg.SensorEvaluationContext, workplace: Workplace, night: Night, tried: set[str],
    nights_due: dg.PartitionsDefinition,
) -> _Step:
    """The next step of a night. Alarms, and versions without a verdict, are put into the outbox and recorded here."""
    heads = _heads(workplace, night)
    facts = _facts(context.instance, workplace, night, heads, tried)
    steps, note = next_steps(night, facts), ""
    if steps.again and not nights_due.has_partition_key(night.night):
        facts, note = _without_second_round(night, facts, steps)
        steps = next_steps(night, facts)
    requests = _runs(steps, night, context.instance)
    for alarm in steps.known:
        workplace.nights.record_alarm(night.night, alarm)
    observations = raise_alarms(context, workplace, night, steps.alarms)
    if over := is_over(night, facts):
        _report_no_verdict(context, workplace, night, heads)
    return _Step(requests, observations, over, note)


def _without_second_round(night: Night, facts: Facts, steps: Steps) -> tuple[Facts, str]:
    """The facts where a second round is due that cannot be held, and a note of it.

    Dagster would refuse its run, and with it those for all other nights.
    """
    note = f"{night.night} gets no second round: by `nightly` in stoic.yml it is no night any more"
    return replace(facts, tried=facts.tried | {second_round_key(night, steps.again)}), note


def _is_under_way(instance: dg.DagsterInstance, night: Night) -> bool:
    """Whether the run of a round is still running: it also checks the judge, before verdicts are drawn."""
    runs = [_last_try(instance, held.run_id) for held in night.rounds]
    return any(run is not None and not has_ended(instance, run) for run in runs)


def _last_try(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRun | None:
    """The run itself, or the last one that Dagster started in its place."""
    run = instance.get_run_by_id(run_id)
    retry = run.tags.get(AUTO_RETRY_RUN_ID_TAG) if run else None
    return _last_try(instance, retry) if retry else run


def _heads(workplace: Workplace, night: Night) -> dict[str, Row]:
    """The rows in `evaluations` of a night, by evaluation id."""
    return {
        each: row for each, version in night.versions.items()
        for row in workplace.warehouse.read_if_stored(HEADS, version, each)
    }


def _facts(
    instance: dg.DagsterInstance, workplace: Workplace, night: Night, heads: Mapping[str, Row], tried: set[str]
) -> Facts:
    warehouse, threshold = workplace.warehouse, workplace.settings.invalid_trials_threshold
    judged = {each: night.versions[each] for each, head in heads.items() if has_verdict(head, threshold)}
    stored = {
        each: warehouse.read(COMPARISONS, version, each) for each, version in judged.items()
        if warehouse.has(COMPARISONS, version, each)
    }
    filters = dg.RunsFilter(job_name=release_evaluation.name, tags={EVALUATION_TAG: list(night.versions)})
    runs = instance.get_runs(filters) if night.versions else []
    running = {run.tags[EVALUATION_TAG] for run in runs if not has_ended(instance, run)}
    asked = {_run_key(held, each.evaluation_id) for held in night.rounds for each in held.evaluations.values()}
    ended = {run.tags[EVALUATION_TAG] for run in runs if run.tags.get(RUN_KEY_TAG) in asked}
    return Facts(stored, running, ended - running, tried, known_alarms(workplace, night, stored))


def _second_rounds_tried(instance: dg.DagsterInstance) -> set[str]:
    """The keys of the runs for second rounds that nothing works on any more."""
    runs = instance.get_runs(dg.RunsFilter(job_name=JOB, updated_after=datetime.now(UTC) - WATCHED))
    at_work = {run.tags.get(RUN_KEY_TAG) for run in runs if not has_ended(instance, run)}
    return {key for run in runs if (key := run.tags.get(RUN_KEY_TAG)) and key not in at_work}


def _runs(steps: Steps, night: Night, instance: dg.DagsterInstance) -> list[dg.RunRequest]:
    """Runs for the verdicts that are possible now, and for the second round unless it was requested already."""
    rounds = {each.evaluation_id: held for held in night.rounds for each in held.evaluations.values()}
    verdicts = [_verdict(version, wanted, rounds[wanted]) for version, wanted in steps.evaluate.items()]
    key = second_round_key(night, steps.again)
    again = steps.again and not _was_requested(instance, key)
    return [*verdicts, _again(night.night, steps.again, key)] if again else verdicts


def _verdict(version: str, evaluation_id: str, held: Round) -> dg.RunRequest:
    """A run that uses only what is stored, whatever happened to jobs, models and agents since."""
    return dg.RunRequest(
        _run_key(held, evaluation_id), job_name=release_evaluation.name, partition_key=version,
        tags={EVALUATION_TAG: evaluation_id}, asset_selection=[dg.AssetKey(name) for name in VERDICTS],
    )


def _run_key(held: Round, evaluation_id: str) -> str:
    """The key of a run, of which there is one each time that a night is materialised."""
    return f"{evaluation_id}:{held.run_id}"


def _was_requested(instance: dg.DagsterInstance, run_key: str) -> bool:
    return bool(instance.get_runs(dg.RunsFilter(tags={RUN_KEY_TAG: run_key}), limit=1))


def _again(night: str, versions: Sequence[str], key: str) -> dg.RunRequest:
    config = {"ops": {CONVERSATIONS: {"config": {"again": True, "versions": list(versions)}}}}
    return dg.RunRequest(
        key, config, job_name=JOB, partition_key=night, asset_selection=[dg.AssetKey(CONVERSATIONS)]
    )


def _compaction_after(nights: Sequence[str], instance: dg.DagsterInstance) -> list[dg.RunRequest]:
    """A request for one compaction after the newest of the nights that are over: two would block each other."""
    keys = [f"{night}-compaction" for night in nights[-1:]]
    return [dg.RunRequest(key, job_name=compaction.name) for key in keys if not _was_requested(instance, key)]


def _report_no_verdict(
    context: dg.SensorEvaluationContext, workplace: Workplace, night: Night, heads: Mapping[str, Row]
) -> None:
    """Tells which versions have no verdict, once for each materialisation of a night, unless their fault was told."""
    threshold = workplace.settings.invalid_trials_threshold
    failures = [
        Failure(held.run_id, JOB, night.night, why, held.held_at, each.evaluation_id, version)
        for held in night.rounds
        for version, each in held.evaluations.items()
        if version not in held.faults and night.told.get(each.evaluation_id) != held.run_id
        if (head := heads.get(each.evaluation_id)) and (why := no_verdict(head, threshold))
    ]
    if failures:
        put_events(workplace, [run_failed(failure) for failure in failures])
        reported = {str(each.evaluation_id): each.run_id for each in failures}
        workplace.nights.record_told(night.night, reported)
        for failure in failures:
            context.log.warning(f"{night.night}: {failure.agent_version}: {failure.error}")
