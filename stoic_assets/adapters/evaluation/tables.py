"""The tables of one evaluation: writes rows redacted, reads evidence back from them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from stoic_assets.adapters.disk.release_files import as_released
from stoic_assets.adapters.models.ledger import calls_in
from stoic_assets.adapters.models.stand_in import judged_by_stand_in
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import BudgetReached
from stoic_assets.core.calls.model_costs import total_cost
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.conversation.rows import evidence_of
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest, evaluation_row
from stoic_assets.core.evaluation.next_command import resume
from stoic_assets.core.evaluation.status import CONVERSED, FINISHED, INCOMPLETE, REGRADING
from stoic_assets.core.table_repair import EVIDENCE
from stoic_assets.core.table_rows import Row, by_trial

VERDICT_ON = {"virtue_scores": "virtue", "task_scores": "task"}
"""Tables of verdicts, each with the column that says what in a trial a row is about."""


class EvaluationTables(StoredTables):
    """Reads and writes the rows of one evaluation in the warehouse."""

    def __init__(self, workplace: Workplace, manifest: Manifest) -> None:
        super().__init__(workplace.warehouse, manifest.key)
        self._workplace, self._manifest = workplace, manifest

    def write(self, table: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        """Stores the rows of one table; the newest write counts."""
        return self.warehouse.write(table, *self.key, [self._workplace.redactor.row(row) for row in rows])

    def has_evidence(self) -> bool:
        """Whether all tables of its conversations are stored."""
        return all(map(self.has, EVIDENCE))

    def ends(self) -> dict[str, datetime]:
        """When each stored trial ended, by its id; one that was held again ended at another time."""
        return {row["trial_id"]: row["ended_at"] for row in self.read("trials", ["trial_id", "ended_at"])}

    def write_calls(self) -> Path:
        """Stores the current ledger of model calls, and their cost where the evaluation's own row states another."""
        journal, prices = self._workplace.evidence.journal_file(self._manifest), self._workplace.settings.prices
        calls, head = calls_in(journal, prices), self.head()
        cost = total_cost(calls)
        scored = head and head["status"] != CONVERSED  # the row states a cost once it is scored
        if scored and head["cost_usd"] != cost:  # judged again, perhaps in vain: no later stage may come to it
            self.write("evaluations", [{**head, "cost_usd": cost}])
        return self.write("llm_calls", calls)

    def write_head(self, status: str, ended_at: str | None = None, **counts: Any) -> Path:
        """Stores the evaluation's own row."""
        released = as_released(self._workplace.project.releases, self._manifest)
        row = evaluation_row(released, status, ended_at, version("stoic-eval"), **counts)
        return self.write("evaluations", [row])

    def reopen(self, corrected: bool = False) -> None:
        """Marks an evaluation before its verdicts are replaced, since its scores then no longer match them.

        One that was never scored keeps its status, unless it is judged by `corrected` jobs.
        """
        head = self.head()
        if head and head["status"] != REGRADING and (corrected or head["status"] != CONVERSED):
            self.write("evaluations", [{**head, "status": REGRADING}])

    def finish(self) -> tuple[Path, dict[str, Any]]:
        """Stores the evaluation's own row once it is scored; returns the file and the new values.

        It is `finished` when every planned trial was held and no verdict is missing because of the cost ceiling.
        """
        [scores] = self.read("evaluation_scores", ["scored_trials", "invalid_trials"])
        verdicts = self.read("virtue_scores", ["judge_model"])
        planned = len(self._manifest.spec.plan(self._manifest.evaluation_id))
        counts = {
            "planned_trials": planned,
            "scored_trials": scores["scored_trials"],
            "invalid_trials": scores["invalid_trials"],
            "cost_usd": total_cost(self.read("llm_calls", ["cost_usd", "error"])),
            "offline": self.is_offline(verdicts),
        }
        status = self._status(planned)
        path = self.write_head(status, now(), judge_models=self._judges(verdicts), **counts)
        return path, {"status": status, **counts}

    def _status(self, planned: int) -> str:
        """The evaluation's status. One that lacks verdicts after a regrade can only be completed by another regrade."""
        if len(self.read("trials", ["trial_id"])) != planned:
            return INCOMPLETE
        if not self._out_of_budget():
            return FINISHED
        return REGRADING if self.head().get("status") == REGRADING else INCOMPLETE

    def is_offline(self, verdicts: Sequence[Row] | None = None) -> bool:
        """Whether the scores mean nothing: the stand-in played the user, or gave a verdict.

        `verdicts` are by default the stored ones on virtues.
        """
        if verdicts is None:
            verdicts = self.read("virtue_scores", ["judge_model"])
        return self._manifest.offline or judged_by_stand_in(row["judge_model"] for row in verdicts)

    def _judges(self, verdicts: Sequence[Row]) -> list[str]:
        """The models that were asked for the verdicts on virtues: after a regrade they may be others than at first."""
        asked = dict.fromkeys(row["judge_model"] for row in verdicts)
        return list(asked or self._manifest.spec.judge_models)

    def _out_of_budget(self) -> bool:
        """Whether verdicts are missing because the cost ceiling was reached."""
        return any(row["unpaid"] for table in VERDICT_ON for row in self.read(table, ["unpaid"]))

    def refuse_loss(self, judged: Mapping[str, Sequence[Row]]) -> None:
        """Raises `BudgetReached` if new rows, by table, lack a stored verdict because the cost ceiling was reached."""
        for table, about in VERDICT_ON.items():
            unpaid = _unpaid(judged.get(table, ()), about)
            stored = self.read_if_stored(table, ["trial_id", about, "unpaid"]) if unpaid else []
            had = {(row["trial_id"], row[about]) for row in stored} - _unpaid(stored, about)
            if unpaid & had:
                raise BudgetReached(
                    "the cost ceiling was reached before all verdicts were given, so the earlier ones are kept; "
                    "judge again with a higher --max-cost"
                )

    def evidence(self) -> list[Evidence]:
        """The evidence of the trials, without what counts as a secret now.

        Raises `ConfigurationError` when no conversation was stored, or not all that were held.
        """
        clean = self._workplace.evidence.is_clean(*self.key)  # this process has just stored it
        if not self.has_evidence() or not (clean or self._holds_all_that_ended()):
            version, evaluation_id = self.key
            again = resume(version, evaluation_id)
            raise ConfigurationError(f"the conversations of {evaluation_id} are not complete; continue with {again}")
        read = self._own_columns if clean else self._blanked
        turns, observations, trials = map(read, EVIDENCE)
        said, seen = by_trial(turns), by_trial(observations)
        return [evidence_of(trial, said[trial["trial_id"]], seen[trial["trial_id"]]) for trial in trials]

    def _holds_all_that_ended(self) -> bool:
        """Whether every conversation is stored as it ended last: a run may be killed while it stores them again."""
        if self.head().get("status") != CONVERSED:
            return True
        stored = self.ends()
        ended = {
            trial: datetime.fromisoformat(entry["at"])
            for trial, entries in self._workplace.evidence.journals(self._manifest).kept.items()
            for entry in entries
            if entry["kind"] == "ended"
        }
        return all(stored.get(trial) == at for trial, at in ended.items())

    def _blanked(self, table: str) -> list[Row]:
        return [self._workplace.redactor.row(row) for row in self._own_columns(table)]

    def _own_columns(self, table: str) -> list[Row]:
        """The rows without the columns that all tables have: of thousands, their times alone take 20 ms to read."""
        return self.read(table, TABLES[table])


def _unpaid(rows: Sequence[Row], about: str) -> set[tuple[str, str]]:
    """The rows without a verdict because the cost ceiling was reached, each as its trial and what it is about."""
    return {(row["trial_id"], row[about]) for row in rows if row["unpaid"]}
