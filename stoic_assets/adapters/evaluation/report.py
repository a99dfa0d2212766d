"""Collects the rows for a report, and stores the reports of an evaluation."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket

from stoic_assets.adapters.disk.files import remove_folder, write_whole
from stoic_assets.adapters.evaluation.release_comparison import comparable_version, why_uncompared
from stoic_assets.adapters.evaluation.stored_comparison import base_key, why_outdated
from stoic_assets.adapters.evaluation.tables import VERDICT_ON, EvaluationTables
from stoic_assets.adapters.messages.receiver import addresses
from stoic_assets.adapters.ratings.calibration_store import calibration_rows
from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calibration.against_people import in_short
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.presentation.confidence import confidence_sources, whose_confidence
from stoic_assets.core.releases import agent_of
from stoic_assets.core.reports.data import EvaluationRows, ReportData
from stoic_assets.core.reports.page import report_parts
from stoic_assets.core.reports.virtue_intervals import virtue_intervals
from stoic_assets.core.reports.weak_virtues import title, weak_virtue_markdown
from stoic_assets.core.table_rows import Row, Rows

_TABLES = [field.name for field in fields(EvaluationRows) if field.name != "evaluation"]
_OF_BASE = (
    "composite_scores", "evaluation_virtues", "assertion_results", "trials", "turns", "observations", "task_scores",
    "trial_virtues",
)  # fmt: skip
"""The tables that the side-by-side view needs; the verdicts of the base's judges are in its own report."""

_WITHOUT_VERDICT = """
select agent_version
from evaluations left join evaluation_scores as scores using (agent_version, evaluation_id)
where evaluations.agent = ?
group by agent_version
having not bool_or(status = 'finished' and coalesce(conclusive, false))
order by min(started_at), agent_version
"""


@dataclass(frozen=True)
class WeakVirtueReport:
    """A report that was written to `path`: its `text` without the title, and the rows that it is about."""

    path: Path
    text: str
    virtues: Rows
    weak: Rows
    offline: bool


def report_data(workplace: Workplace, manifest: Manifest) -> ReportData:
    """The rows of one evaluation, with those of the evaluation that it was compared with, its base.

    Raises `ConfigurationError` if either has lost a table: the report would say that it had no rows.
    """
    stored = StoredTables(workplace.warehouse, manifest.key)
    agent = agent_of(manifest.agent_version)
    comparisons = stored.read_if_stored("version_comparisons")
    outdated = why_outdated(workplace, comparisons)
    comparisons = [] if outdated else comparisons
    base = StoredTables(workplace.warehouse, base_key(comparisons[0])) if comparisons else None
    tables = _tables(stored, _TABLES)
    trends = workplace.warehouse.query("select * from virtue_trends where agent = ? order by n", [agent])
    return ReportData(
        **tables,
        jobs=_jobs(workplace, manifest, tables["trials"]),
        evaluation=_head(stored),
        virtue_trends=trends,
        without_verdict=[row["agent_version"] for row in workplace.warehouse.query(_WITHOUT_VERDICT, [agent])],
        version_comparisons=comparisons,
        judge_calibration=calibration_rows(workplace.warehouse),
        invalid_trials_threshold=workplace.settings.invalid_trials_threshold,
        weak_below=workplace.settings.weakness.score_below,
        task_at_least=workplace.settings.passing.task_at_least,
        uncompared=None if comparisons else outdated or why_uncompared(workplace, manifest),
        comparable=None if base else comparable_version(workplace, manifest, trends),
        fitness_is_sent=bool(addresses(workplace.env)["fitness"]),
        base=EvaluationRows(_head(base), **_tables(base, _OF_BASE)) if base else None,
    )


def write_report(workplace: Workplace, manifest: Manifest, path: Path | None = None) -> Path:
    """The HTML report of an evaluation; by default below `$STOIC_HOME/reports`.

    Raises as `report_data` does, `StorageError`, and `ConfigurationError` when the version was deleted meanwhile; then
    no report is left.
    """
    version, evaluation_id = manifest.key
    own = workplace.report_file(version, evaluation_id)
    written = write_whole(path or own, report_parts(report_data(workplace, manifest), _compiled_templates()))
    if workplace.evidence.is_being_deleted(version) or not workplace.has_evaluation(version, evaluation_id):
        remove_folder(own.parent)
        raise ConfigurationError(f"{version} was deleted while its report was written")
    return written


def write_weak_virtues(workplace: Workplace, manifest: Manifest) -> WeakVirtueReport:
    """Writes the report of weak virtues as Markdown."""
    tables = EvaluationTables(workplace, manifest)
    virtues, weak, offline = tables.read("evaluation_virtues"), tables.read("weak_virtues"), tables.is_offline()
    agreement = in_short(calibration_rows(workplace.warehouse), tables.read("virtue_scores", ("judge_model", "score")))
    of_trials, below = tables.read("trial_virtues"), workplace.settings.weakness.score_below
    whose = whose_confidence(confidence_sources(of_trials), agreement)
    intervals = virtue_intervals(tables.read("composite_scores"), of_trials, below)
    text = weak_virtue_markdown(virtues, weak, offline, whose, below, intervals)
    path = workplace.report_file(*manifest.key, "weak-virtues.md")
    write_whole(path, f"{title(*manifest.key)}\n\n{text}")
    return WeakVirtueReport(path, text, virtues, weak, offline)


def _tables(stored: StoredTables, names: Sequence[str]) -> dict[str, Any]:
    """The tables of these names. Raises `ConfigurationError` if one is lost."""
    if head := stored.head():
        stored.refuse_lost(head["status"], names)
    return {name: _rows(stored, name) for name in names}


def _jobs(workplace: Workplace, manifest: Manifest, trials: Rows) -> list[Row]:
    """The jobs used for judging, without secrets: whether they were corrected, and if so, whether they are kept."""
    judged, held = {row["job"]: row["job_hash"] for row in trials}, manifest.job_hashes
    correction = workplace.evidence.correction(manifest)
    kept = {job.name: job for job in correction.jobs if judged.get(job.name) == correction.job_hashes[job.name]}
    return [
        {
            **workplace.redactor.row(_shown(kept.get(job.name, job))),
            "corrected": judged.get(job.name) != held[job.name],
            "kept": job.name in kept,
        }
        for job in manifest.spec.jobs
    ]


def _shown(job: Job) -> Row:
    """The part of a job that a page shows."""
    parts: Any = {"name": True, "facts": True, "tasks": True, "scenarios": {"__all__": {"id", "category"}}}
    return job.model_dump(mode="json", include=parts) | {
        "told": job.seeded_messages(),
        "setups": job.setup_cypher(),
    }


def _rows(stored: StoredTables, table: str) -> Any:
    """The table's rows, or its one row; none where its stage has not run yet."""
    # Without the time of each row: only that of verdicts is shown.
    columns = () if table in VERDICT_ON else TABLES[table]
    rows = stored.read_if_stored(table, columns)
    return (rows[0] if rows else {}) if table == "evaluation_scores" else rows


def _head(stored: StoredTables) -> Row:
    """The evaluation's own row; only the names for a base that is no longer stored."""
    version, evaluation_id = stored.key
    rows = _rows(stored, "evaluations")
    return {"evaluation_id": evaluation_id, **(rows[0] if rows else {}), "agent_version": version}


class CompiledTemplates(FileSystemBytecodeCache):
    """A file for each template in `folder`; where that cannot be written, nothing is kept.

    Jinja compares only the templates' text: a change in how they are compiled needs new file names.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), "report.2.%s.jinja")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps one compiled template."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


@cache
def _compiled_templates() -> CompiledTemplates:
    """The templates of this installation, next to its compiled modules."""
    return CompiledTemplates(Path(__file__).parent / "__pycache__")
