"""A stored evaluation, with what commands show of it at their end."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stoic_assets.adapters.ratings.calibration_store import calibration_rows
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calibration.against_people import in_short
from stoic_assets.core.calls.served_models import SERVED, served_models, several_served
from stoic_assets.core.conversation.audit import raised_nothing
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.function_calls import calls_function
from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.reports.version_comparison import VersionVerdict, version_verdict
from stoic_assets.core.scoring.evaluation_document import DOCUMENT_TABLES, evaluation_document
from stoic_assets.core.secrets.redaction import BLANK
from stoic_assets.core.table_rows import Row

Document = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """A stored evaluation: the document of `stoic eval --json`, and whether it supports a verdict.

    `planned` counts trials; fewer were held if the cost ceiling was reached. `status` is not `finished` also when
    verdicts are missing for that reason. `conclusive` is false when too many trials are invalid, or none was scored.
    `jobs` is what each trial played, a job or one scenario of it, by the trial's id.
    `not_again` are the ids of trials that are not played again, even if they are invalid.
    `average`, 0–1, is the stored mean total: gates use it, not the rounded one of the document.
    `virtues` are the rows of `evaluation_virtues`, `agreement` says whether the judges' scores agree with people's.
    `compared` is the result against the base, None without one; `agent_spoke`, whether any of its replies has words;
    `only_called`, how many have none but call tools. `aimless` trials ended at the turn limit without a task raised.
    `substitutes` are sentences about judges to whose names several models answered.
    """

    document: Document
    average: float | None
    virtues: Sequence[Row]
    planned: int
    status: str
    conclusive: bool
    jobs: dict[str, str]
    agreement: str = ""
    compared: VersionVerdict | None = None
    agent_spoke: bool = True
    only_called: int = 0
    aimless: int = 0
    not_again: frozenset[str] = frozenset()
    substitutes: Sequence[str] = ()

    @property
    def held(self) -> int:
        """Trials that ended."""
        return len(self.document["trials"])

    @cached_property
    def names(self) -> dict[str, str]:
        """What people call each trial, by its id."""
        trials = self.document["trials"]
        return {
            trial["trial_id"]: f"{self.jobs[trial['trial_id']]} {trial['condition']} {trial['repeat']}"
            for trial in trials
        }


def evaluation_outcome(workplace: Workplace, agent_version: str, evaluation_id: str) -> Outcome:
    """Reads the outcome of an evaluation."""
    read = workplace.warehouse.read
    tables = {table: read(table, agent_version, evaluation_id) for table in DOCUMENT_TABLES}
    [evaluation], [scores] = tables["evaluations"], tables["evaluation_scores"]
    virtues = read("evaluation_virtues", agent_version, evaluation_id)
    manifest = workplace.evidence.manifest(agent_version, evaluation_id)
    plan = manifest.spec.plan(evaluation_id) if manifest else ()
    turns = read("turns", agent_version, evaluation_id, ["trial_id", "turn", "speaker", "content", "events"])
    calls = workplace.warehouse.read_if_stored("llm_calls", agent_version, evaluation_id, SERVED)
    of_agent = [turn for turn in turns if turn["speaker"] == "agent"]
    replies = [turn["content"] for turn in of_agent]
    besides = {
        "report": str(workplace.report_file(agent_version, evaluation_id).absolute()),
        "secrets_told": sum(reply.count(BLANK) for reply in replies),
    }
    return Outcome(
        evaluation_document(tables) | besides, scores["average_overall"], virtues, evaluation["planned_trials"],
        evaluation["status"], scores["conclusive"],
        jobs={row["trial_id"]: job_key(row) for row in tables["composite_scores"]},
        agreement=in_short(calibration_rows(workplace.warehouse), tables["virtue_scores"]),
        compared=version_verdict(
            workplace.warehouse.read_if_stored("version_comparisons", agent_version, evaluation_id)
        ),
        agent_spoke=not replies or any(reply.strip() for reply in replies),
        only_called=sum(not turn["content"].strip() and calls_function(turn["events"]) for turn in of_agent),
        aimless=_aimless(manifest, tables["trials"], turns) if manifest else 0,
        substitutes=several_served(served_models(calls)),
        not_again=frozenset(item.trial.trial_id for item in plan if not item.may_restart()),
    )


def _aimless(manifest: Manifest, trials: Sequence[Row], turns: Sequence[Row]) -> int:
    """Counts the trials that ended at the turn limit in which the simulated user seems to have raised no task."""
    jobs = {job.name: job for job in manifest.spec.jobs}
    conversations: dict[str, list[Turn]] = defaultdict(list)
    for row in turns:
        conversations[row["trial_id"]].append(Turn(row["turn"], row["speaker"], row["content"]))
    ended = [trial for trial in trials if trial["outcome"] == "max_turns"]
    return sum(raised_nothing(jobs[trial["job"]], conversations[trial["trial_id"]]) for trial in ended)
