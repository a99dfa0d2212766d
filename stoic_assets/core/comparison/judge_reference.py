"""The reference for watching a judge: which transcripts, and their mean scores over several judgings.

`judge_drift` compares later judgings with it; adapters store it.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import fmean

from pydantic import BaseModel

from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.grouping import grouped
from stoic_assets.core.judging import prompt
from stoic_assets.core.judging.scores import VirtueScore
from stoic_assets.core.judging.verdict import virtue_schema
from stoic_assets.core.text import templates
from stoic_assets.core.virtues import VIRTUES, Virtue

_MOMENT = "%Y%m%dT%H%M%S"
Judging = Mapping[str, Mapping[Virtue, float]]
"""One judging: trial id to virtue to score, 0–1. A virtue without a score is left out."""


class Mean(BaseModel, frozen=True):
    """The mean score, 0–1, the number of judgings behind it, and the sum of their squared deviations from it."""

    mean: float = 0.0
    judgings: int = 0
    squares: float = 0.0

    def including(self, score: float) -> "Mean":
        """The mean with one more score (Welford's method). It stays exact where all scores are the same."""
        count = self.judgings + 1
        mean = self.mean + (score - self.mean) / count
        return Mean(mean=mean, judgings=count, squares=self.squares + (score - self.mean) * (score - mean))


class Member(BaseModel, frozen=True):
    """A stored trial by which the judge is watched, where it is stored, and its mean scores."""

    trial_id: str
    agent_version: str
    evaluation_id: str
    virtues: dict[Virtue, Mean] = {}

    def judged(self, scores: Mapping[Virtue, float]) -> "Member":
        """The member with one more judging."""
        seen = {virtue: self.virtues.get(virtue, Mean()).including(score) for virtue, score in scores.items()}
        return self.model_copy(update={"virtues": self.virtues | seen})


class Reference(BaseModel, frozen=True):
    """What nights are compared with, for one judge; usable once it has as many `rounds` as the settings require."""

    reference_id: str
    judge_models: tuple[str, ...]
    rounds: int = 0
    members: tuple[Member, ...] = ()

    def judged(self, scores: Judging) -> "Reference":
        """The reference with one more round of judgings."""
        members = tuple(member.judged(scores.get(member.trial_id, {})) for member in self.members)
        return self.model_copy(update={"rounds": self.rounds + 1, "members": members})

    def keeping(self, trial_ids: Collection[str]) -> "Reference":
        """The reference reduced to the trials that still exist."""
        return self.model_copy(update={"members": tuple(m for m in self.members if m.trial_id in trial_ids)})


def judge_id(judge_models: Sequence[str], identity: str, settings: Settings) -> str:
    """Twelve characters that change with anything that makes it another judge, or changes how it is watched.

    Calibration is no part of it: that affects confidences, and the watch looks at scores.
    """
    known = [list(judge_models), identity, settings.judging.temperature, settings.drift.model_dump(), _prompts()]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:12]


def reference_id(judge: str, made_at: datetime, newest: str | None = None) -> str:
    """The id of a judge's reference; it sorts after the `newest` one's, even if the clock was ahead for that one."""
    made = f"{judge}-{made_at:{_MOMENT}}"
    if newest is None or made > newest:
        return made
    return f"{judge}-{datetime.strptime(newest, f'{judge}-{_MOMENT}') + timedelta(seconds=1):{_MOMENT}}"


def _prompts() -> list[object]:
    """The built-in prompts and schemas about virtues; a job's own prompts are stored with its trials."""
    texts = [templates.source(prompt.PACKAGE, name) for name in sorted(templates.names(prompt.PACKAGE))]
    return [*texts, *[virtue_schema(virtue) for virtue in VIRTUES]]


def chosen(candidates: Iterable[Member], most: int) -> tuple[Member, ...]:
    """At most `most` trials, spread evenly over evaluations; always the same for the same candidates."""
    groups = grouped(((each.agent_version, each.evaluation_id), each) for each in sorted(candidates, key=_lot))
    ranked = [(rank, _lot(member), member) for group in groups.values() for rank, member in enumerate(group)]
    return tuple(member for _, _, member in sorted(ranked, key=lambda each: each[:2])[:most])


def _lot(member: Member) -> str:
    return hashlib.sha256(member.trial_id.encode()).hexdigest()


def panel_scores(verdicts: Iterable[VirtueScore]) -> Judging:
    """The mean over the panel for each trial and virtue that every model of it scored.

    Judges differ in severity: if one of them were left out, the mean would change although no judge did.
    """
    groups = grouped(((verdict.trial_id, verdict.virtue), verdict.score) for verdict in verdicts)
    scores: dict[str, dict[Virtue, float]] = defaultdict(dict)
    for (trial_id, virtue), given in groups.items():
        marks = [score for score in given if score is not None]
        if len(marks) == len(given):
            scores[trial_id][virtue] = fmean(marks)
    return scores
