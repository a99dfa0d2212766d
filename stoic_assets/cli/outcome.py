"""A stored evaluation, with what commands show of it at their end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stoic_assets.adapters.evaluation.release_comparison import comparable_version, why_uncompared
from stoic_assets.adapters.evaluation.stored_comparison import assertions_since
from stoic_assets.adapters.ratings.calibration_store import calibration_rows
from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.outcome_trials import Names
from stoic_assets.cli.remarks import about_conversations, about_judges, never_replied
from stoic_assets.core.calibration.against_people import in_short
from stoic_assets.core.calls.model_costs import of_unknown_cost
from stoic_assets.core.calls.served_models import SERVED
from stoic_assets.core.comparison.version_verdict import VersionVerdict, version_verdict
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.releases import agent_of
from stoic_assets.core.reports.virtue_intervals import virtue_intervals
from stoic_assets.core.scoring.evaluation_document import (
    DOCUMENT_TABLES,
    TrialEntry,
    evaluation_document,
    shown_outcome,
)
from stoic_assets.core.secrets.redaction import BLANK
from stoic_assets.core.table_rows import Row, Rows, by_trial

EvaluationDocument = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """A stored evaluation: the document of `stoic eval --json`, and whether it supports a verdict.

    `planned` counts trials; fewer were held if the cost ceiling was reached. `status` is not `finished` also when
    verdicts are missing for that reason. `conclusive` is false when too many trials are invalid, or none was scored.
    `names` is what people call each trial, by its id.
    `not_again` are the ids of trials that are not played again, even if they are invalid.
    `average`, 0–1, is the stored mean total: gates use it, not the rounded one of the document.
    `virtues` are the rows of `evaluation_virtues`, `agreement` says whether the judges' scores agree with people's.
    `intervals` are those of the virtues' means, as text.
    `compared` is the result against the base, None without one; then `uncompared` may say why, or how to compare it.
    `never_replied` is a sentence if the agent never did.
    `remarks` are sentences about what else may be at fault.
    `unpriced` are the models that make the cost unknown.
    `unpaid` are the rows of `task_scores` and `virtue_scores` for which the cost ceiling left nothing.
    """

    document: EvaluationDocument
    average: float | None
    virtues: Sequence[Row]
    planned: int
    status: str
    conclusive: bool
    names: Names
    agreement: str
    intervals: Mapping[str, str]
    compared: VersionVerdict | None
    uncompared: str | None
    not_again: frozenset[str]
    never_replied: str | None
    remarks: tuple[str, ...]
    unpriced: Sequence[str]
    unpaid: Rows

    @property
    def shown_trials(self) -> list[TrialEntry]:
        """The trials as people are shown them."""
        marks = by_trial(self.unpaid)
        return [
            {**trial, "outcome": shown_outcome(trial["outcome"], marks[trial["trial_id"]])}
            for trial in self.document["trials"]
        ]

    @property
    def held(self) -> int:
        """Trials that ended."""
        return len(self.document["trials"])


def _names(trials: Sequence[TrialEntry], jobs: Mapping[str, str]) -> Names:
    """The names of trials; `jobs` is what each played, a job or one scenario of it."""
    return {
        trial["trial_id"]: f"{jobs[trial['trial_id']]} {trial['condition']} {trial['repeat']}" for trial in trials
    }


def evaluation_outcome(workplace: Workplace, manifest: Manifest) -> Outcome:
    """Reads the outcome of an evaluation."""
    stored = StoredTables(workplace.warehouse, manifest.key)
    tables = {table: stored.read(table) for table in DOCUMENT_TABLES}
    [evaluation], [scores] = tables["evaluations"], tables["evaluation_scores"]
    virtues = stored.read("evaluation_virtues")
    turns = stored.read("turns", ["trial_id", "turn", "speaker", "content", "events"])
    calls = stored.read_if_stored("llm_calls", [*SERVED, "cost_usd", "error"])
    revealed = sum(turn["content"].count(BLANK) for turn in turns if turn["speaker"] == "agent")
    besides = {"report": str(workplace.report_file(*manifest.key).absolute()), "secrets_told": revealed}
    document = evaluation_document(tables) | besides
    names = _names(document["trials"], {row["trial_id"]: job_key(row) for row in tables["composite_scores"]})
    compared = _compared(workplace, stored.read_if_stored("version_comparisons"), tables)
    return Outcome(
        document, scores["average_overall"], virtues, evaluation["planned_trials"], evaluation["status"],
        scores["conclusive"], names,
        agreement=in_short(calibration_rows(workplace.warehouse), tables["virtue_scores"]),
        intervals=virtue_intervals(
            tables["composite_scores"], tables["trial_virtues"], workplace.settings.weakness.score_below
        ),
        compared=compared,
        uncompared=_uncompared(workplace, manifest) if scores["conclusive"] and not compared else None,
        not_again=frozenset(
            item.trial.trial_id for item in manifest.spec.plan(manifest.evaluation_id) if not item.may_restart()
        ),
        never_replied=never_replied(document["trials"], names, turns),
        remarks=(
            *about_judges(document["silent_judges"], calls),
            *about_conversations(turns, tables["trials"], manifest, revealed),
        ),
        unpriced=of_unknown_cost(calls),
        unpaid=[row for table in ("task_scores", "virtue_scores") for row in tables[table] if row["unpaid"]],
    )


def _compared(workplace: Workplace, rows: Rows, tables: Mapping[str, Rows]) -> VersionVerdict | None:
    """The verdict of a stored comparison, by the `tables` with assertions that got worse; None without one."""
    return version_verdict(rows, assertions_since(workplace.warehouse, rows, tables)) if rows else None


def _uncompared(workplace: Workplace, manifest: Manifest) -> str | None:
    """Why an evaluation was not compared with its base, or which command compares it; None where nothing does."""
    version = manifest.agent_version
    if why := why_uncompared(workplace, manifest):
        return f"not compared with another version: {why}"
    trends = workplace.warehouse.query("select * from virtue_trends where agent = ?", [agent_of(version)])
    if other := comparable_version(workplace, manifest, trends):
        return f"not compared with another version: `stoic compare {other} {version}` compares the two, job by job"
    return None
