"""The tables of one evaluation: rows go in redacted, evidence comes back out of them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from stoic_assets.adapters.models.ledger import calls_in
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.conversation.rows import evidence_of
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import Manifest, row
from stoic_assets.core.judging.ask import OUT_OF_BUDGET

Row = dict[str, Any]


class EvaluationTables:
    """Reads and writes the rows of one evaluation in the warehouse."""

    def __init__(self, workplace: Workplace, manifest: Manifest) -> None:
        self._workplace, self._manifest = workplace, manifest
        self._key = (manifest.agent_version, manifest.evaluation_id)

    def write(self, table: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        """Stores the rows of one table; the newest writing counts."""
        return self._workplace.warehouse.write(table, *self._key, [self._workplace.redactor.row(row) for row in rows])

    def read(self, table: str, columns: Collection[str] = ()) -> list[Row]:
        """The rows of one table, or some columns of them."""
        return self._workplace.warehouse.read(table, *self._key, columns)

    def has(self, table: str) -> bool:
        """Whether the table was stored for this evaluation, with or without rows."""
        return self._workplace.warehouse.has(table, *self._key)

    def write_calls(self) -> Path:
        """Stores the ledger of model calls as it stands."""
        return self.write("llm_calls", calls_in(self._workplace.evidence.journal_file(self._manifest)))

    def write_head(self, status: str, ended_at: str | None = None, **counts: Any) -> Path:
        """Stores the evaluation's own row."""
        return self.write("evaluations", [row(self._manifest, status, ended_at, **counts)])

    def out_of_budget(self) -> bool:
        """Whether verdicts are missing because the cost ceiling was reached."""
        rows = [*self.read("virtue_scores", ["error"]), *self.read("task_scores", ["error"])]
        return any(OUT_OF_BUDGET in (each["error"] or "") for each in rows)

    def evidence(self) -> list[Evidence]:
        """What the trials left. Raises `ConfigurationError` when no conversation was stored."""
        if not self.has("trials"):
            version, evaluation_id = self._key
            advice = f"run `stoic eval --agent-version {version} --resume`"
            raise ConfigurationError(f"the conversations of {evaluation_id} are not complete; {advice}")
        turns, observations = self._grouped("turns"), self._grouped("observations")
        return [evidence_of(t, turns[t["trial_id"]], observations[t["trial_id"]]) for t in self.read("trials")]

    def _grouped(self, table: str) -> dict[str, list[Row]]:
        groups: dict[str, list[Row]] = defaultdict(list)
        for each in self.read(table):
            groups[each["trial_id"]].append(each)
        return groups
