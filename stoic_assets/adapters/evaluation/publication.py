"""What an evaluation publishes, as its tables have it now; `publishing` sends it.

What people found about a version goes into each of its fitness updates besides what the judges found.
"""

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property

from stoic_assets.adapters.disk.release_files import as_released
from stoic_assets.adapters.evaluation.human_evaluations import human_evaluations
from stoic_assets.adapters.evaluation.stored_comparison import compare_again, why_outdated
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.side import ComparisonRefused
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.status import FINISHED
from stoic_assets.core.evolution.checks import checks
from stoic_assets.core.evolution.events import Event, applied, compared, completed
from stoic_assets.core.evolution.fitness import FitnessUpdate, fitness_update
from stoic_assets.core.evolution.fitness_comparison import Scale, against_base, scale_of
from stoic_assets.core.evolution.said_examples import only_said
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, stoic_evaluations
from stoic_assets.core.table_rows import Row

_TO_LEARN_FROM = {
    "trials": ("trial_id", "holdout", "scenario"),
    "composite_scores": ("trial_id", "job", "outcome", "valid", "virtue_overall", "virtue_confidence"),
    "trial_virtues": ("trial_id", "virtue", "score", "confidence", "confidence_source"),
    "virtue_scores": (
        "trial_id", "virtue", "judge_model", "sample", "score", "reasoning", "supporting_examples",
        "improvement_suggestions",
    ),
}  # fmt: skip
"""The columns of each table that `stoic_evaluations` reads, in its order."""
_MEASURED_WITH = {
    "trials": ("trial_id", "job", "job_hash", "scenario", "condition", "holdout", "evaluator_model"),
    "virtue_scores": ("trial_id", "virtue", "judge_model", "sample", "prompt_hash", "error"),
}
"""The columns of each table that `scale_of` reads, in its order."""
_CHECKED = ("trial_id", "assertion", "text", "weight", "passed")
"""The columns of `assertion_results` from which evolution learns."""
_NO_VERDICT = "the evaluation is not finished, or too many of its trials are invalid"


def judged_trials(stored: StoredTables, head: EvaluationHead) -> list[StoicEvaluation]:
    """The scored trials of an evaluation as the judges saw them."""
    return stoic_evaluations(head, *(stored.read(name, columns) for name, columns in _TO_LEARN_FROM.items()))


class Publication:
    """An evaluation that is published."""

    def __init__(self, workplace: Workplace, manifest: Manifest) -> None:
        self._workplace, self._manifest = workplace, manifest
        self.tables = EvaluationTables(workplace, manifest)

    @cached_property
    def evaluation(self) -> Row:
        """Its row of `evaluations`."""
        [row] = self.tables.read("evaluations")
        return row

    @cached_property
    def head(self) -> EvaluationHead:
        """The evaluation as a whole."""
        manifest, offline = self._manifest, self.evaluation["offline"]
        return EvaluationHead(*manifest.key, manifest.started_at, offline=offline)

    @cached_property
    def evaluations(self) -> list[StoicEvaluation]:
        """The scored trials as the judges saw them."""
        return judged_trials(self.tables, self.head)

    @cached_property
    def comparison(self) -> list[Row]:
        """The comparison with the base; made again if scores have changed since."""
        return self._comparison()

    @cached_property
    def checked(self) -> list[Row]:
        """The results of assertions, as far as evolution learns from them."""
        return self.tables.read("assertion_results", _CHECKED)

    @cached_property
    def composites(self) -> list[Row]:
        """Which of its trials are valid, and which passed."""
        return self.tables.read("composite_scores", ("trial_id", "job", "valid", "passed"))

    @cached_property
    def turns(self) -> list[Row]:
        """What was said in its trials."""
        return self.tables.read_if_stored("turns", ("trial_id", "turn", "speaker", "content", "events"))

    @cached_property
    def people(self) -> list[StoicEvaluation]:
        """What people found about the version."""
        return human_evaluations(self._workplace, self._manifest.agent_version)

    @property
    def conclusive(self) -> bool:
        """Whether the evaluation ended and enough of its trials count."""
        [scores] = self.tables.read("evaluation_scores")
        return self.evaluation["status"] == FINISHED and bool(scores["conclusive"])

    def update(self) -> FitnessUpdate:
        """The fitness update in its first revision, void where there is no verdict."""
        said = only_said(self.evaluations, self.turns)
        settings = self._workplace.settings
        released = as_released(self._workplace.project.releases, self._manifest)
        update = fitness_update(
            self.head, [*said, *self.people], settings.weakness, evolution=settings.evolution, parents=released.parents,
            comparison=self._open_comparison(), scale=self.scale(),
        )
        learned_from = {each.id for each in said if not each.holdout}
        update = replace(update, checks=checks(self.composites, self.checked, learned_from))
        return update if self.conclusive else update.void(_NO_VERDICT)

    def events(self, update: FitnessUpdate) -> list[Event]:
        """An event for each scored trial, for the fitness `update` and for the comparison, where there are any."""
        verdict = against_base(self.comparison)
        of_evaluation = [applied(update), compared(self.head, verdict) if verdict else None]
        return [*map(completed, self.evaluations), *filter(None, of_evaluation)]

    def scale(self) -> Scale:
        """What the evaluation was measured with; a job of which no trial is valid has no part in its fitness."""
        trials, verdicts = (self.tables.read(name, columns) for name, columns in _MEASURED_WITH.items())
        valid = {row["trial_id"] for row in self.composites if row["valid"]}
        return scale_of([row for row in trials if row["trial_id"] in valid], verdicts, offline=self.head.offline)

    def _open_comparison(self) -> list[Row]:
        """The comparison with the base without holdout jobs, if there are any: these count in verdicts."""
        held_out = {trial["job"] for trial in self.tables.read("trials", ("job", "holdout")) if trial["holdout"]}
        return self._comparison(held_out) if held_out else self.comparison

    def _comparison(self, without: Collection[str] = ()) -> list[Row]:
        """The comparison with the base; made again if jobs must be left out, or if scores have changed since."""
        rows = self.tables.read_if_stored("version_comparisons")
        if not rows or not (without or why_outdated(self._workplace, rows)):
            return rows
        try:
            return compare_again(self._workplace, rows, without).rows()
        except ComparisonRefused:  # they have only holdout jobs in common, or the base is gone or changes
            return []
