"""The verdicts of one evaluation: evidence in, rows of `virtue_scores`, `task_scores`, `assertion_results` out."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import TypeVar

from stoic_assets.adapters.evaluation.readable_tables import refuse_damaged
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.models.connect import judge_panel
from stoic_assets.adapters.ratings.calibration_store import read_calibration
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import ChatModel
from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.configuration.settings import Judging
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.conversation.rows import job_columns
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.correction import Correction, corrected_jobs, refuse_slips
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging.confidence import samples_alike
from stoic_assets.core.judging.confidence_map import Calibration
from stoic_assets.core.judging.exhibit import judged
from stoic_assets.core.judging.judge import judge_tasks, judge_virtues
from stoic_assets.core.scoring.assertion_results import decide
from stoic_assets.core.table_rows import Row
from stoic_assets.core.virtues import VIRTUES

R = TypeVar("R")
Tables = dict[str, list[Row]]
"""Rows by the name of their table."""


@dataclass(frozen=True)
class JudgingRequest:
    """How an evaluation is to be judged.

    `samples` is None for the number in its manifest; `fresh` ignores the judge cache; `max_cost` is in US dollars.
    `corrected` jobs replace those of the same name. The others are those by which the evaluation was last judged or, if
    `original`, those with which its conversations were held.
    """

    samples: int | None = None
    fresh: bool = False
    max_cost: float | None = None
    corrected: Sequence[Job] = ()
    original: bool = False


class EvaluationJudging:
    """Judges the trials of one evaluation, concurrently within the judge's limit.

    Raises as `corrected_jobs` and `refuse_slips` do.
    """

    def __init__(self, workplace: Workplace, manifest: Manifest, request: JudgingRequest = JudgingRequest()) -> None:
        self._workplace, self._manifest, self._request = workplace, manifest, request
        self._go_by(Correction() if request.original else workplace.evidence.correction(manifest), request.corrected)
        self._panel = judge_panel(workplace.env)
        self._settings = workplace.settings.judging.model_copy(
            update={"samples": request.samples or manifest.spec.judge_samples}
        )
        self.tables = EvaluationTables(workplace, manifest)

    def _go_by(self, known: Correction, corrected: Sequence[Job]) -> None:
        """Puts `corrected` jobs in place of `known` ones, and both in place of those of the conversations."""
        manifest, redactor = self._manifest, self._workplace.redactor
        new = {job.name: job for job in (*known.jobs, *corrected)}.values()
        # Stored jobs are blanked again: `redact` may have learned a secret since, and judges must see none.
        new_jobs, held = ([job.blanked(redactor) for job in jobs] for jobs in (new, manifest.spec.jobs))
        self._jobs, self._hashes = corrected_jobs(new_jobs, held), manifest.job_hashes | known.job_hashes
        refuse_slips(corrected, (*manifest.spec.jobs, *known.jobs))
        self._hashes |= {job.name: self._hash(job) for job in corrected}
        changed = [self._jobs[job.name] for job in held if self._jobs[job.name].hash() != job.hash()]
        hashes = {job.name: self._hashes[job.name] for job in changed}
        self.correction = Correction(jobs=tuple(changed), job_hashes=hashes)

    async def verdicts(self, virtues: bool = True, tasks: bool = True) -> Tables:
        """The rows of `virtue_scores`, and of `task_scores` with `tone_scores`; all judge calls run concurrently.

        Raises `BudgetReached` where the cost ceiling prevented a verdict that is stored already, and `DamagedFile`.
        """
        refuse_damaged(self._workplace, self._manifest)
        # Read before any judge call, so that neither stage is ahead of the other.
        calibration = await asyncio.to_thread(read_calibration, self._workplace.warehouse)
        with self._workplace.evidence.locked(*self._manifest.key):
            stages = [*([self._virtues(calibration)] if virtues else []), *([self._tasks()] if tasks else [])]
            try:
                verdicts = {table: rows for tables in await concurrently(stages) for table, rows in tables.items()}
            finally:
                await asyncio.to_thread(self.tables.write_calls)
        self.tables.refuse_loss(verdicts)
        return verdicts

    def assertions(self) -> list[Row]:
        """The rows of `assertion_results`; no model is called."""
        model, redactor = self._manifest.spec.agent_model, self._workplace.redactor
        return [asdict(r) for e in self.tables.evidence() for r in decide(self._job(e), e, model, redactor)]

    def mark_rejudging(self) -> None:
        """Marks the evaluation as being judged again, and by which jobs. To be called before verdicts are replaced.

        Raises `StorageError`.
        """
        self.tables.reopen(bool(self.correction.jobs))
        evidence = self._workplace.evidence
        if self.correction.jobs or evidence.was_corrected(self._manifest):
            evidence.correct(self._manifest, self.correction)

    def edited_jobs(self, jobs: Iterable[Job]) -> list[str]:
        """The names of those jobs that differ from what this evaluation is judged by, and would count as corrected."""
        return [job.name for job in jobs if job.name in self._jobs and self._hash(job) != self._hashes[job.name]]

    def samples_alike(self) -> str | None:
        """As `confidence.samples_alike`, for the judges and samples used here."""
        return samples_alike(self._settings.samples, len(self._panel), self._settings.temperature)

    def update_trials(self) -> None:
        """Stores in `trials` what scores and comparisons use of the jobs, where a correction changed it."""
        held, columns = self.tables.read("trials"), {name: self._job_columns(name) for name in self._jobs}
        trials = [{**trial, **columns[trial["job"]]} for trial in held]
        if trials != held:
            self.tables.write("trials", trials)

    def _job_columns(self, name: str) -> Row:
        """The job's columns, with the hash that the job had before its secrets were blanked."""
        return {**job_columns(self._jobs[name]), "job_hash": self._hashes[name]}

    def _hash(self, job: Job) -> str:
        """The hash of a corrected job with its secrets, with the time-out that its conversations used."""
        waited = {"timeout_seconds": self._jobs[job.name].target.timeout_seconds}
        return job.model_copy(update={"target": job.target.model_copy(update=waited)}).question_hash()

    async def _virtues(self, calibration: Calibration) -> Tables:
        calls = len(VIRTUES) * len(self._panel) * self._settings.samples
        judge = partial(judge_virtues, calibration=calibration)
        verdicts = await self._each("judging virtues", self._trials, judge, calls)
        return {"virtue_scores": [dict(vars(score)) for scores in verdicts for score in scores]}

    async def _tasks(self) -> Tables:
        trials = [evidence for evidence in self._trials if self._job(evidence).tasks]
        verdicts = await self._each("judging tasks", trials, judge_tasks, len(self._panel))
        return {
            "task_scores": [dict(vars(score)) for scores in verdicts for score in scores.tasks],
            "tone_scores": [dict(vars(scores.tone)) for scores in verdicts if scores.tone],
        }

    async def _each(
        self, stage: str, trials: Sequence[Evidence],
        judge: Callable[[Job, Evidence, ChatModel, Judging, tuple[str, ...]], Awaitable[R]], calls: int,
    ) -> list[R]:
        """The results of `judge` for these trials, each of which takes so many `calls`."""
        if trials:
            self._workplace.progress.begin(stage, len(trials))
        # Enough trials to fill the judge's limit twice. Without this bound the prompts of all trials would be made,
        # and kept in memory, before the first call is sent.
        underway = asyncio.Semaphore(math.ceil(2 * self._workplace.settings.limits.judge.in_flight / calls))

        async def one(evidence: Evidence) -> R:
            async with underway:
                verdict = await judge(self._job(evidence), evidence, self._model, self._settings, self._panel)
            self._workplace.progress.advance(stage)
            return verdict

        return await concurrently([one(evidence) for evidence in trials])

    @cached_property
    def _trials(self) -> list[Evidence]:
        """The trials that are judged."""
        return [evidence for evidence in self.tables.evidence() if judged(evidence)]

    @cached_property
    def _model(self) -> ChatModel:
        """One model for all verdicts, so that one cost ceiling applies to all."""
        return self._workplace.model(self._manifest, self._request.max_cost, self._request.fresh)

    def _job(self, evidence: Evidence) -> Job:
        return self._jobs[evidence.trial.job]
