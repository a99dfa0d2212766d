"""The first screen: how many trials there were, how they ended, and whether they allow a verdict."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stoic_assets.core.calibration.against_people import against_people, in_short, judges_of
from stoic_assets.core.calls.model_costs import total_cost
from stoic_assets.core.conversation.evidence import PLAIN
from stoic_assets.core.evaluation.next_command import way_to_finish
from stoic_assets.core.evaluation.status import CONVERSED, INCOMPLETE, REGRADING
from stoic_assets.core.grouping import grouped
from stoic_assets.core.judging.confidence_map import why_not_calibrated
from stoic_assets.core.presentation.confidence import calibrated_share, confidence_sources
from stoic_assets.core.presentation.formatting import words
from stoic_assets.core.reports.data import ReportData, mean, values, without_void_totals
from stoic_assets.core.reports.trial_view import TrialView
from stoic_assets.core.rounding import half_even
from stoic_assets.core.scoring.evaluation_document import NOT_JUDGED, reason
from stoic_assets.core.scoring.validity import ceiling_reached, conclusive, too_many_invalid
from stoic_assets.core.table_rows import Row, Rows


@dataclass(frozen=True)
class MeasureRow:
    """One measure over the scored trials: its means over all of them and under each condition."""

    name: str
    meaning: str
    mean: float | None
    withheld: float | None
    supplied: float | None
    trials: int


MEASURES = {
    "overall": "(timing + 2·task + 4·assertion) / 7 minus the penalty, at least 0; parts that are missing do not count",
    "assertion": "weighted share of the assertions that held",
    "task": "the judge’s scores for the tasks, by their acceptance criteria",
    "timing": "aspirational time ÷ average reply time, at most 1",
    "tone": "the judge’s score for the tone; not part of overall",
    "virtue_overall": "the five virtues, weighted by the confidence in each; its mean is the fitness",
    "failure_penalty": "0.3 for each failed attempt at a message, at most 0.5; subtracted from overall",
}
"""Columns of `composite_scores` and what they mean; all are 0–1, and more is better, except for the penalty."""


@dataclass(frozen=True)
class Summary:
    """Counts of trials: `outcomes` of the scored ones, `causes` of the invalid ones, the most frequent first.

    `passed` trials are some of those in which something could be passed, `asked`.

    `calibrated` is the share, 0–1, of virtue confidences that were read from a map fitted to people's ratings,
    `uncalibrated` says why the others were not, and `against_people` how the judges' scores agree with people's, and
    `agreement` that in short; `cost` is that of all model calls in US dollars. `unfinished` says why an evaluation is
    not finished and what to do; None if it is.
    """

    planned: int
    scored: int
    invalid: int
    passed: int
    asked: int
    outcomes: list[tuple[str, int]]
    causes: list[tuple[str, int]]
    threshold: float
    virtue_confidence: float | None
    calibrated: float
    uncalibrated: list[str]
    against_people: list[str]
    agreement: str
    cost: float | None
    unfinished: str | None
    regrading: bool

    @property
    def not_run(self) -> int:
        """Planned trials that never ended."""
        return max(0, self.planned - self.scored - self.invalid)

    @property
    def too_many_invalid(self) -> str:
        """Why the evaluation is not conclusive, where some trials were scored."""
        return too_many_invalid(self.invalid, self.scored + self.invalid, self.threshold)

    @property
    def lacks_verdicts_alone(self) -> bool:
        """Whether missing verdicts of judges are the only cause of invalid trials."""
        return bool(self.causes) and {cause for cause, _ in self.causes} <= {"judge_error", NOT_JUDGED}

    @property
    def conclusive(self) -> bool:
        """Whether the evaluation is finished, and enough trials are valid for a verdict."""
        return self.unfinished is None and conclusive(self.scored, self.invalid, self.threshold)


def summary(data: ReportData, trials: Sequence[TrialView]) -> Summary:
    """The counts of an evaluation."""
    found = against_people(data.judge_calibration, judges_of(data.virtue_scores))
    outcomes, causes = (Counter(trial.ending for trial in trials if trial.valid is valid) for valid in (True, False))
    planned, asked = _planned(data), [trial.passed for trial in trials if trial.passed is not None]
    return Summary(
        planned=planned,
        scored=outcomes.total(),
        invalid=causes.total(),
        passed=sum(asked),
        asked=len(asked),
        outcomes=outcomes.most_common(),
        causes=causes.most_common(),
        threshold=data.invalid_trials_threshold,
        virtue_confidence=mean(_scored_rows(data.composite_scores), "virtue_confidence"),
        calibrated=calibrated_share(confidence_sources(data.trial_virtues)),
        uncalibrated=why_uncalibrated(data),
        against_people=[each.sentence for each in found],
        agreement=in_short(data.judge_calibration, data.virtue_scores),
        cost=total_cost(data.llm_calls) if data.llm_calls else data.evaluation.get("cost_usd"),
        unfinished=_why_unfinished(data, planned),
        regrading=data.evaluation.get("status") == REGRADING,
    )


def _why_unfinished(data: ReportData, planned: int) -> str | None:
    head: Row = {"status": None, **data.evaluation}
    key = (head["agent_version"], head["evaluation_id"], head["status"])
    if head["status"] == INCOMPLETE:
        return ceiling_reached(*key, len(data.trials), planned)
    if head["status"] == CONVERSED:
        return f"its conversations are not judged and scored yet; continue with {way_to_finish(*key)}"
    if head["status"] != REGRADING:
        return None
    unpaid = any(row["unpaid"] for row in (*data.virtue_scores, *data.task_scores))
    return f"judging it again was cut short; continue with {way_to_finish(*key, at_ceiling=unpaid)}"


@dataclass(frozen=True)
class Fault:
    """Why trials are invalid, or the agent failed in them: `cause` as it was recorded, if it was."""

    outcome: str
    cause: str | None
    trials: list[TrialView]


def faults(trials: Iterable[TrialView]) -> list[Fault]:
    """What went wrong, the most frequent first; with equal numbers, in the order of the trials."""
    found = grouped(((each.ending, _cause(each)), each) for each in trials if each.outcome not in PLAIN)
    return sorted((Fault(*kind, same) for kind, same in found.items()), key=lambda fault: -len(fault.trials))


def _cause(trial: TrialView) -> str | None:
    return reason(trial.outcome, trial.row, trial.tasks, trial.verdicts)


def _planned(data: ReportData) -> int:
    planned = data.evaluation_scores.get("planned_trials") or data.evaluation.get("planned_trials")
    return int(planned or len(data.trials))


def measures(rows: Rows, trials: Rows = ()) -> list[MeasureRow]:
    """Every measure over rows of `composite_scores`, those of `trials`; the total is the first."""
    valid = _scored_rows(without_void_totals(rows, trials))
    split = {name: [row for row in valid if row["condition"] == name] for name in ("withheld", "supplied")}
    return [
        MeasureRow(
            column, meaning, _mean(valid, column), _mean(split["withheld"], column), _mean(split["supplied"], column),
            len(values(valid, column)),
        )
        for column, meaning in MEASURES.items()
    ]


def _mean(rows: Rows, column: str) -> float | None:
    """The mean of a measure; that of the total is rounded as the average score is wherever it is quoted."""
    return half_even(mean(rows, column)) if column == "overall" else mean(rows, column)


def _scored_rows(rows: Rows) -> list[Row]:
    """The rows of `composite_scores` that count."""
    return [row for row in rows if row["valid"]]


def why_uncalibrated(data: ReportData) -> list[str]:
    """Why confidences are not calibrated, each reason once; one that does not hold for every virtue names its own."""
    judges = ",".join(sorted(judges_of(data.virtue_scores)))
    scored = [row for row in data.trial_virtues if row.get("score") is not None]
    kinds = dict.fromkeys((row["virtue"], row.get("confidence_source")) for row in scored)
    reasons: dict[str | None, dict[str, None]] = {}
    for virtue, source in kinds:
        why = why_not_calibrated(data.judge_calibration, virtue, judges, source)
        reasons.setdefault(why, {})[words(virtue).lower()] = None
    virtues = {virtue for virtue, _ in kinds}
    return [
        why if len(those) == len(virtues) else f"{', '.join(those)}: {why}" for why, those in reasons.items() if why
    ]
