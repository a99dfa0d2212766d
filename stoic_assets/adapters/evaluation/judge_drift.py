"""Judges stored transcripts again and compares the verdicts with a reference, into the table `judge_drift`.

    <home>/judge_drift/<reference_id>.json      what nights are compared with; the newest of the present judge counts
    <home>/judge_drift/calls/<drift id>.jsonl   the ledger of one night's model calls; `lock`

The judge cache is neither read nor written: its replies are verdicts from an earlier time.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import StorageError, read_stored, write_whole
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.models.connect import judge_panel
from stoic_assets.adapters.models.ledger import Ledger, calls_in
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import ChatModel
from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.calls.model_costs import total_cost
from stoic_assets.core.calls.served_models import served_models
from stoic_assets.core.comparison.judge_drift import FEWEST, Measurement, measured, moved, unmeasured
from stoic_assets.core.comparison.judge_reference import (
    Judging,
    Member,
    Reference,
    chosen,
    judge_id,
    panel_scores,
    reference_id,
)
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.errors import Busy, InfrastructureError, StoicError
from stoic_assets.core.evolution.events import Event
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging.exhibit import judged
from stoic_assets.core.judging.judge import judge_virtues
from stoic_assets.core.judging.scores import VirtueScore
from stoic_assets.core.nights import alerts
from stoic_assets.core.releases import ALL_VERSIONS

TABLE = "judge_drift"
MADE = "the reference was made tonight"
_JUDGED_TRIALS = """
    select distinct agent_version, evaluation_id, trial_id
    from trials
    inner join evaluations using (agent_version, evaluation_id)
    inner join virtue_scores using (agent_version, evaluation_id, trial_id)
    where evaluations.status = 'finished' and virtue_scores.score is not null
"""
Exhibits = Mapping[str, tuple[Job, Evidence]]
"""Trial id to the job and evidence that a judge needs."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Watch:
    """What a night found about the judge, the file of its rows, and US dollars spent (None if unknown).

    `event` is to be announced; only an alarm has one. The set has so many `transcripts`; `wanted` is how many it should
    have, `available` how many a renewed set would. `answered_by` names the models that answered, where servers tell.
    """

    measurement: Measurement
    evaluation_id: str
    cost_usd: float | None
    path: Path
    event: Event | None
    transcripts: int
    available: int
    wanted: int
    answered_by: Sequence[str]


async def watch_judge(workplace: Workplace, provider: ChatModel, at: datetime, renew: bool = False) -> Watch:
    """Judges the reference's transcripts once more and stores how far the judge is from the reference.

    A judge without a reference gets one instead, and so does every judge with `renew`; an interrupted reference is
    continued after its last whole round. `at` is the night's moment, in UTC. Raises `ConfigurationError`,
    `StorageError`, and `InfrastructureError` when too many verdicts are missing.
    """
    home, evaluation_id = drift_folder(workplace), f"drift-{at:%Y%m%dT%H%M%S}"
    journal = home / "calls" / f"{evaluation_id}.jsonl"
    ledger = Ledger(provider, journal, workplace.settings.prices, redactor=workplace.redactor)
    busy = Busy("the judge is being watched by another process; wait for it, or end it")
    with locked(home / "lock", busy, wait=0):  # two at a time would pay for everything twice
        _store_calls_of_killed_nights(workplace, journal.parent)
        try:
            reference, exhibits = await asyncio.to_thread(_prepared, workplace, at, renew)
            measurement = await _measure(workplace, ledger, reference, exhibits)
        finally:
            calls = ledger.rows()
            workplace.warehouse.write("llm_calls", ALL_VERSIONS, evaluation_id, calls)
        path = workplace.warehouse.write(TABLE, ALL_VERSIONS, evaluation_id, measurement.rows(at))
    event, members = alerts.judge_moved(measurement, evaluation_id, at), len(reference.members)
    available = await asyncio.to_thread(_available, workplace, members)
    wanted = workplace.settings.drift.transcripts
    served = sorted(set().union(*served_models(calls).values()))
    return Watch(measurement, evaluation_id, total_cost(calls), path, event, members, available, wanted, served)


def judge_moved(
    workplace: Workplace, base_judged_at: datetime, candidate_judged_at: datetime, judges: Set[str]
) -> str | None:
    """One line when the panel of these `judges` moved between two moments, by the stored nights; else None."""
    nights = workplace.warehouse.query(f"select * from {TABLE}")
    of_panel = [row for row in nights if judges == set(row["judge_models"])]
    return moved(of_panel, base_judged_at, candidate_judged_at)


def drift_folder(workplace: Workplace) -> Path:
    """The folder of references and ledgers."""
    return workplace.project.home / TABLE


async def _measure(
    workplace: Workplace, model: ChatModel, reference: Reference, exhibits: Exhibits
) -> Measurement:
    if len(reference.members) < FEWEST:
        why = f"stored transcripts that were judged: {len(reference.members)}; at least {FEWEST} are needed"
        return unmeasured(reference, why)
    wanted = workplace.settings.drift.reference_judgings
    if reference.rounds >= wanted:
        return measured(reference, await _judged_once(workplace, model, exhibits, reference.judge_models))
    for _ in range(reference.rounds, wanted):
        reference = reference.judged(await _judged_once(workplace, model, exhibits, reference.judge_models))
        write_whole(drift_folder(workplace) / f"{reference.reference_id}.json", reference.model_dump_json(indent=1))
    return unmeasured(reference, MADE)


def _store_calls_of_killed_nights(workplace: Workplace, ledgers: Path) -> None:
    """Stores what nights before this one asked that were killed before they could: it was paid for.

    A damaged ledger is logged and left: it must not end this night as well.
    """
    stored = workplace.warehouse.evaluation_ids(ALL_VERSIONS, "llm_calls")
    for ledger in sorted(ledgers.glob("*.jsonl")):
        if ledger.stem in stored:
            continue
        try:
            calls = calls_in(ledger, workplace.settings.prices)
        except StorageError as damage:
            _log.warning("calls of a night before left out: %s", damage)
        else:
            workplace.warehouse.write("llm_calls", ALL_VERSIONS, ledger.stem, calls)


def _prepared(workplace: Workplace, at: datetime, renew: bool) -> tuple[Reference, Exhibits]:
    """The reference without trials that were deleted since, and its exhibits; a new one if too few remain.

    With `renew` a new one follows one that is complete; one that is being made is first completed.
    """
    panel = judge_panel(workplace.env)
    judge = judge_id(panel, workplace.judge_identity(panel), workplace.settings)
    kept = _kept(workplace, judge)
    if kept is not None and not (renew and kept.rounds >= workplace.settings.drift.reference_judgings):
        exhibits = _exhibits(workplace, kept.members)
        if len(exhibits) >= FEWEST:
            return kept.keeping(exhibits), exhibits
    members = _chosen(workplace)
    exhibits = _exhibits(workplace, members)
    made = reference_id(judge, at, kept.reference_id if kept else None)
    begun = Reference(reference_id=made, judge_models=panel, members=members)
    return begun.keeping(exhibits), exhibits


def _chosen(workplace: Workplace) -> tuple[Member, ...]:
    candidates = [Member(**row) for row in workplace.warehouse.query(_JUDGED_TRIALS)]
    return chosen(candidates, workplace.settings.drift.transcripts)


def _available(workplace: Workplace, members: int) -> int:
    """How many transcripts a renewed reference would have; only a set that is not full can grow.

    Where that cannot be read, it is the present number: this is only a hint, and the night has been paid for.
    """
    if members >= workplace.settings.drift.transcripts:
        return members
    try:
        return len(_exhibits(workplace, _chosen(workplace)))
    except StoicError:
        return members


def _exhibits(workplace: Workplace, members: Iterable[Member]) -> Exhibits:
    """The members that are still stored, with the jobs of their conversations."""
    wanted = {member.trial_id: (member.agent_version, member.evaluation_id) for member in members}
    found: dict[str, tuple[Job, Evidence]] = {}
    for version, evaluation_id in dict.fromkeys(wanted.values()):
        manifest = workplace.evidence.readable(version, evaluation_id)
        if manifest is None or not workplace.warehouse.has("trials", version, evaluation_id):
            continue
        jobs = {job.name: job.blanked(workplace.redactor) for job in manifest.spec.jobs}
        for evidence in EvaluationTables(workplace, manifest).evidence():
            if evidence.trial.trial_id in wanted and judged(evidence):
                found[evidence.trial.trial_id] = (jobs[evidence.trial.job], evidence)
    return found


async def _judged_once(workplace: Workplace, model: ChatModel, exhibits: Exhibits, panel: tuple[str, ...]) -> Judging:
    """Judges every transcript once, concurrently within the judge's limit."""
    settings = workplace.settings.judging.model_copy(update={"samples": 1})
    workplace.progress.begin(TABLE, len(exhibits))

    async def one(job: Job, evidence: Evidence) -> list[VirtueScore]:
        verdicts = await judge_virtues(job, evidence, model, settings, panel)
        workplace.progress.advance(TABLE)
        return verdicts

    groups = await concurrently([one(job, evidence) for job, evidence in exhibits.values()])
    verdicts = [verdict for group in groups for verdict in group]
    _refuse_silence(verdicts, workplace.settings.invalid_trials_threshold)
    return panel_scores(verdicts)


def _refuse_silence(verdicts: list[VirtueScore], threshold: float) -> None:
    """Refuses a night whose judge did not answer: as a round of a reference it would leave a permanent gap."""
    faults = [verdict.error for verdict in verdicts if verdict.error]
    if len(faults) > threshold * len(verdicts):
        raise InfrastructureError(
            f"{len(faults)} of {len(verdicts)} verdicts were not given (the first: {faults[0]}); "
            "materialise judge_drift again when the judge answers"
        )


def _kept(workplace: Workplace, judge: str) -> Reference | None:
    """The newest reference of a judge, complete or not. Raises `ConfigurationError` for a damaged file."""
    path = max(drift_folder(workplace).glob(f"{judge}-*.json"), default=None)
    advice = "is damaged or cannot be read; remove it, and a new reference is made"
    return read_stored(path, Reference.model_validate_json, advice) if path else None
