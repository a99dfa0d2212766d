"""The rows that judging produces: their fields are columns of `virtue_scores`, `task_scores` and `tone_scores`."""

from dataclasses import dataclass, field
from typing import Literal, TypedDict

from stoic_assets.core.virtues import Virtue

ConfidenceSource = Literal["spread", "self", "calibrated"]


class AspectScore(TypedDict):
    """One aspect of a verdict; `score` is None where the virtue was not exercised."""

    aspect: str
    assessment: str
    example: str
    score: float | None


@dataclass(frozen=True)
class VirtueScore:
    """One verdict: one judge model, one sample, one virtue. All numbers are 0–1.

    `score` and `confidence` are None when the virtue was not exercised or there is no verdict (`error` says why).
    `self_confidence` is what the judge itself stated, `confidence` the one that counts, `grounded` the share of its
    quotes that occur in the transcript. `unpaid`: the cost ceiling was reached before the verdict.
    """

    trial_id: str
    virtue: Virtue
    judge_model: str
    sample: int
    prompt_hash: str
    score: float | None = None
    confidence: float | None = None
    confidence_source: ConfidenceSource | None = None
    self_confidence: float | None = None
    reasoning: str = ""
    aspects: list[AspectScore] = field(default_factory=list)
    supporting_examples: list[str] = field(default_factory=list)
    improvement_suggestions: list[str] = field(default_factory=list)
    exercised: bool | None = None
    grounded: float | None = None
    error: str | None = None
    unpaid: bool = False


@dataclass(frozen=True)
class PanelMark:
    """What the judges of a panel gave together.

    `judge_model` names those that gave a mark, comma-separated, and where nobody did those that were asked. `missing`
    is a JSON object of the judges that gave none, and why; None where all did. `unpaid` as in `VirtueScore`.
    """

    score: float | None
    reason: str
    judge_model: str
    missing: str | None = None
    error: str | None = None
    unpaid: bool = False


@dataclass(frozen=True, kw_only=True)
class TaskScore(PanelMark):
    """The mark of one task; `task` is its number from 1."""

    trial_id: str
    task: str
    type: str
    task_text: str
    prompt_hash: str


@dataclass(frozen=True, kw_only=True)
class ToneScore(PanelMark):
    """The mark of the agent's tone."""

    trial_id: str


@dataclass(frozen=True)
class TaskScores:
    """What is judged in addition to the virtues; a scenario has neither tasks nor a mark for tone."""

    tasks: tuple[TaskScore, ...] = ()
    tone: ToneScore | None = None
