"""One evaluation as one side of a comparison, and the reasons why two may not be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from stoic_assets.core.calls.served_models import Served
from stoic_assets.core.errors import StoicError
from stoic_assets.core.judging.silent_judges import Answer
from stoic_assets.core.presentation.confidence import Sources, calibrated_share
from stoic_assets.core.scoring.validity import invalid_share
from stoic_assets.core.table_rows import Rows


class ComparisonRefused(StoicError):
    """The stored evaluations allow no verdict on the versions."""

    exit_code = 3


@dataclass(frozen=True)
class Side:
    """An evaluation of one version.

    `jobs` maps the job names to the hashes of their content. `judges` are the models that gave a verdict, `prompts` the
    hashes of what they were asked, by job and `Answer.about`, `answers` whether each question got a verdict.
    `built_in_prompts` is the hash of the prompts that came with Stoic Eval, those of the simulated user included, and
    `stoic_eval` the release of it that computed the scores. `served` says which models answered.
    `measures`, `trials`, `assertions` and `virtues` are the evaluation's rows of `job_measures`,
    `composite_scores`, `assertion_results` and `trial_virtues`. `confidences` counts where they come from,
    `agreement` says whether scores agree with people's. Times are in UTC, `judged_at` is that of the judges' verdicts.
    """

    agent_version: str
    evaluation_id: str
    started_at: datetime
    judged_at: datetime
    status: str
    offline: bool
    scored_trials: int
    invalid_trials: int
    evaluator_model: str
    judges: frozenset[str]
    prompts: Mapping[tuple[str, str], frozenset[str]]
    jobs: Mapping[str, str]
    measures: Rows
    built_in_prompts: str | None = None
    stoic_eval: str | None = None
    confidences: Sources = field(default_factory=Sources)
    agreement: str = ""
    trials: Rows = ()
    answers: Sequence[Answer] = ()
    assertions: Rows = ()
    virtues: Rows = ()
    served: Served = field(default_factory=dict)

    @property
    def invalid_share(self) -> float:
        """Invalid trials among those that ended, 0–1."""
        return invalid_share(self.scored_trials, self.invalid_trials)

    @property
    def calibrated(self) -> float:
        """The share, 0–1, of confidences that are calibrated against people."""
        return calibrated_share(self.confidences)
