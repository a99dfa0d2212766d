"""The fitness update: what is sent to evolution about one evaluation of an agent version.

Trials of holdout jobs are never included, neither in numbers nor in words: a version developed with them could no
longer be tested with them. The JSON document is described in `docs/evolution.md`.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stoic_assets.core.configuration.settings import Evolution, Weakness
from stoic_assets.core.evolution.advice import Improvement, improvements
from stoic_assets.core.evolution.checks import Checks
from stoic_assets.core.evolution.estimate import ClusteredMean, WeightedScore, estimated
from stoic_assets.core.evolution.fitness_comparison import UNKNOWN, AgainstBase, Scale, against_base
from stoic_assets.core.evolution.objective import Objective, balanced, below_floor, objectives, severities, uncertain
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation
from stoic_assets.core.table_rows import Row, Rows
from stoic_assets.core.text.json_text import json_text
from stoic_assets.core.virtues import Virtue


@dataclass(frozen=True)
class FitnessUpdate:
    """One evaluation as evolution sees it.

    `fitness` (0–1) is None when no virtue was scored, or when the update is `void`, that is, not `conclusive`.
    `fitness_low` and `fitness_high` are None when `fitness_why` gives a reason. `severity` is 0–1, the most severe
    virtue first. `improvements` are only for weak virtues. `uncertain_virtues` should be measured again; weak ones may
    be among them. Updates are comparable only if their `scale` is the same.

    `trial_ids` are the trials and people's evaluations with a score; `task_ids` are the jobs of these and of the
    `scored_trials` without one.

    `fitness_of_trials` is without people's evaluations. `checks` are of the `scored_trials`.

    The agent failed in `failed_trials` of the `scored_trials`: these have no virtues, so that failing does not lower
    `fitness`. Neither number includes people's evaluations, of which `human_evaluations` count.

    `revision` counts, from 1, the updates on this evaluation: the highest is valid, even if it repeats an earlier one.
    """

    head: EvaluationHead
    trial_ids: tuple[str, ...]
    task_ids: tuple[str, ...]
    fitness: float | None
    fitness_low: float | None
    fitness_high: float | None
    fitness_why: str | None
    scored_trials: int
    failed_trials: int
    objectives: dict[Virtue, Objective]
    floors: Mapping[Virtue, float]
    severity: dict[Virtue, float]
    uncertain_virtues: list[Virtue]
    improvements: list[Improvement]
    parents: list[str]
    comparison: AgainstBase | None
    scale: Scale = UNKNOWN
    human_evaluations: int = 0
    fitness_of_trials: float | None = None
    checks: Checks = field(default_factory=Checks)
    conclusive: bool = True
    revision: int = 1

    def after(self, former: Mapping[str, Any]) -> "FitnessUpdate":
        """This update as the next revision after the document sent last; the same revision if nothing changed."""
        same = replace(self, revision=former["revision"])
        return same if same.idempotency_key == former["idempotency_key"] else replace(self, revision=same.revision + 1)

    def void(self, why: str) -> "FitnessUpdate":
        """The update without fitness, for an evaluation that must not have one."""
        return replace(
            self, fitness=None, fitness_low=None, fitness_high=None, fitness_why=why, objectives={}, severity={},
            uncertain_virtues=[], improvements=[], comparison=None, conclusive=False, fitness_of_trials=None,
            checks=Checks(),
        )

    @property
    def idempotency_key(self) -> str:
        """SHA-256 of all content. Rounded, since sums in SQL may differ in the last digit."""
        content = json.dumps(_rounded([self.trial_ids, self._content()]), sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def balanced_fitness(self) -> float | None:
        """The mean score of the worst virtue, 0–1; None unless all five were scored."""
        return balanced(self.objectives)

    @property
    def weak_virtues(self) -> list[Virtue]:
        """The virtues that the next version should improve, the most severe first."""
        return list(self.severity)

    @property
    def floor_violations(self) -> list[Virtue]:
        """The virtues below their floor, the one furthest below first."""
        return below_floor(self.objectives)

    @property
    def improvement_areas(self) -> dict[Virtue, list[str]]:
        """The suggestions for each weak virtue."""
        return {virtue: [each["suggestion"] for each in self._advice(virtue)] for virtue in self.severity}

    @property
    def deliverable(self) -> bool:
        """Whether there is anything to send: a result, even that the agent failed throughout, or a withdrawal."""
        return deliverable(vars(self))

    def row(self, delivered_at: str | None = None) -> dict[str, Any]:
        """The row of table `fitness_updates`; the improvements of a virtue are in its objective."""
        figures = {virtue: {**each, "improvements": self._advice(virtue)} for virtue, each in self.objectives.items()}
        return {
            **self._alike(), "idempotency_key": self.idempotency_key, "fitness": self.fitness,
            "objectives": json_text(figures), "improvement_areas": json_text(self.improvement_areas),
            "severity": json.dumps(self.severity), "floors": json.dumps(dict(self.floors)),
            "trial_ids": list(self.trial_ids), "delivered_at": delivered_at,
        }

    def payload(self) -> dict[str, Any]:
        """The JSON document that is sent to EVOLUTION_URL."""
        return {"idempotency_key": self.idempotency_key, **self._content()}

    def _content(self) -> dict[str, Any]:
        return {
            **self._alike(), "timestamp": self.head.timestamp, "offline": self.head.offline,
            "task_ids": list(self.task_ids), "fitness_score": self.fitness, "balanced_fitness": self.balanced_fitness,
            "objectives": self.objectives, "floors": dict(self.floors), "severity": self.severity,
            "improvement_areas": self.improvement_areas, "improvements": self.improvements,
            "comparison": self.comparison, "failed_assertions": self.checks.failed_assertions,
        }

    def _alike(self) -> dict[str, Any]:
        """What the row and the document have in common."""
        return {
            "agent_id": self.head.agent_id, "agent_version": self.head.agent_version,
            "evaluation_id": self.head.evaluation_id, "revision": self.revision, "conclusive": self.conclusive,
            "fitness_low": self.fitness_low, "fitness_high": self.fitness_high, "fitness_why": self.fitness_why,
            "scored_trials": self.scored_trials, "failed_trials": self.failed_trials,
            "passed_trials": self.checks.passed_trials, "human_evaluations": self.human_evaluations,
            "fitness_of_trials": self.fitness_of_trials, "floor_violations": self.floor_violations,
            "weak_virtues": self.weak_virtues, "uncertain_virtues": self.uncertain_virtues, "parents": self.parents,
            "judge_models": list(self.scale.judge_models), "conditions": list(self.scale.conditions),
            "scale": self.scale.key,
        }

    def _advice(self, virtue: Virtue) -> list[Improvement]:
        return [each for each in self.improvements if each["virtue"] == virtue]


def deliverable(update: Row) -> bool:
    """Whether an update, by its fields or its row in `fitness_updates`, has anything to say.

    That is a result, even if no virtue could be scored, or a later revision, which replaces what was sent.
    """
    scored = update["conclusive"] and update["scored_trials"]
    return bool(update["fitness"] is not None or scored or update["revision"] > 1)


def fitness_update(
    head: EvaluationHead,
    evaluations: Sequence[StoicEvaluation],
    weakness: Weakness | None = None,
    *,
    evolution: Evolution | None = None,
    parents: Iterable[str] = (),
    comparison: Rows = (),
    scale: Scale = UNKNOWN,
) -> FitnessUpdate:
    """The update of one evaluation from its scored trials and people's evaluations, without those of holdout jobs.

    People add to what the trials showed: where all of these are of holdout jobs, people's evaluations do not count.
    `parents` are the versions (`agent@version`) that this one came from. `comparison` are rows of
    `version_comparisons` that were computed without holdout jobs.
    """
    weakness, evolution = weakness or Weakness(), evolution or Evolution()
    heard = sorted((_heard(each) for each in evaluations if not each.holdout), key=lambda each: each.id)
    trials = [each for each in heard if each.source == "llm"]
    held_out = not trials and any(each.holdout and each.source == "llm" for each in evaluations)
    open_ones = [each for each in heard if (each.overall_score is not None or each.virtue_scores) and not held_out]
    fitness, of_trials = _fitness(open_ones), _fitness(trials)
    found = objectives(open_ones, evolution.floors, weakness)
    severity = severities(found, weakness)
    return FitnessUpdate(
        head=head,
        trial_ids=tuple(each.id for each in open_ones),
        task_ids=tuple(dict.fromkeys(each.task_id for each in [*trials, *open_ones])),
        fitness=fitness.mean,
        fitness_low=fitness.low,
        fitness_high=fitness.high,
        fitness_why=_why(fitness, trials, held_out),
        scored_trials=len(trials),
        failed_trials=sum(each.failed for each in trials),
        objectives=found,
        floors=evolution.floors,
        severity=severity,
        uncertain_virtues=uncertain(found, weakness, evolution),
        improvements=[each for virtue in severity for each in improvements(virtue, open_ones)],
        parents=list(parents),
        comparison=against_base(comparison),
        scale=scale,
        human_evaluations=sum(each.source == "human" for each in open_ones),
        fitness_of_trials=of_trials.mean,
    )


def _fitness(evaluations: Iterable[StoicEvaluation]) -> ClusteredMean:
    return estimated(
        [WeightedScore(each.observed, score) for each in evaluations if (score := each.overall_score) is not None]
    )


def _why(fitness: ClusteredMean, trials: Sequence[StoicEvaluation], held_out: bool) -> str | None:
    """Why there is no fitness, or no interval of it; None where there are both. `trials` are without holdout jobs."""
    if held_out:
        return "only holdout jobs were scored"
    if fitness.mean is not None or not trials:
        return fitness.why
    return "the agent failed in every trial" if all(each.failed for each in trials) else "no virtue was scored"


def _heard(evaluation: StoicEvaluation) -> StoicEvaluation:
    """The evaluation without findings of people that have no confidence, such as the marks of a single rater.

    They would affect the fitness like a trial, and make the judges' findings on the same virtue look uncertain.
    """
    if evaluation.source != "human":
        return evaluation
    sure = {virtue: found for virtue, found in evaluation.virtue_scores.items() if found.confidence > 0}
    overall = evaluation.overall_score if evaluation.overall_confidence else None
    return replace(evaluation, virtue_scores=sure, overall_score=overall)


def _rounded(data: Any) -> Any:
    if isinstance(data, float):
        return f"{data:.9f}"
    if isinstance(data, Mapping):
        return {key: _rounded(value) for key, value in data.items()}
    return [_rounded(each) for each in data] if isinstance(data, list | tuple) else data
