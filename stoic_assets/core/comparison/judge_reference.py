"""What a judge once gave the transcripts that it is watched by: which they are, and the mean of several judgings.

How a later judging is held against it is the business of `judge_drift`; keeping it is the adapters'.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from stoic_assets.core import templates
from stoic_assets.core.judging import prompt
from stoic_assets.core.judging.scores import VirtueScore
from stoic_assets.core.judging.verdict import virtue_schema
from stoic_assets.core.judging.virtues import VIRTUES, Virtue
from stoic_assets.core.settings import Settings

Judged = Mapping[str, Mapping[Virtue, float]]
"""One judging: trial id to virtue to score, 0–1. What got no score is not in it."""


class Mean(BaseModel):
    """The mean score, 0–1, over so many judgings."""

    model_config = ConfigDict(frozen=True)

    mean: float = 0.0
    judgings: int = 0

    def including(self, score: float) -> "Mean":
        """The mean with one score more. It stays exact where all scores are the same."""
        count = self.judgings + 1
        return Mean(mean=self.mean + (score - self.mean) / count, judgings=count)


class Member(BaseModel):
    """A stored trial that the judge is watched by, where it stands, and what it was given on average."""

    model_config = ConfigDict(frozen=True)

    trial_id: str
    agent_version: str
    evaluation_id: str
    virtues: dict[Virtue, Mean] = {}

    def judged(self, scores: Mapping[Virtue, float]) -> "Member":
        """The member with one judging more."""
        seen = {virtue: self.virtues.get(virtue, Mean()).including(score) for virtue, score in scores.items()}
        return self.model_copy(update={"virtues": self.virtues | seen})


class Reference(BaseModel):
    """What nights are held against; of one judge, and of use once it has as many `rounds` as are wanted."""

    model_config = ConfigDict(frozen=True)

    reference_id: str
    judge_models: tuple[str, ...]
    rounds: int = 0
    members: tuple[Member, ...] = ()

    def judged(self, scores: Judged) -> "Reference":
        """The reference with one round of judgings more."""
        members = tuple(member.judged(scores.get(member.trial_id, {})) for member in self.members)
        return self.model_copy(update={"rounds": self.rounds + 1, "members": members})

    def keeping(self, trial_ids: Collection[str]) -> "Reference":
        """The reference without the trials that are gone."""
        return self.model_copy(update={"members": tuple(m for m in self.members if m.trial_id in trial_ids)})


def judge_id(judge_models: Sequence[str], identity: str, settings: Settings) -> str:
    """Twelve characters that change with whatever makes another judge, or another watch, of it.

    Calibration is no part: it touches confidences, and the watch looks at scores.
    """
    known = [list(judge_models), identity, settings.judging.temperature, settings.drift.model_dump(), _prompts()]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:12]


def reference_id(judge: str, made_at: datetime) -> str:
    """The newest of a judge's references sorts last."""
    return f"{judge}-{made_at:%Y%m%dT%H%M%S}"


def _prompts() -> list[object]:
    """What a judge is asked on virtues by the built-in prompts; a job's own are stored with its trials."""
    texts = [templates.source(prompt.PACKAGE, name) for name in sorted(templates.names(prompt.PACKAGE))]
    return [*texts, *[virtue_schema(virtue) for virtue in VIRTUES]]


def chosen(candidates: Iterable[Member], most: int) -> tuple[Member, ...]:
    """At most so many trials, spread evenly over evaluations; the same whenever the candidates are the same."""
    groups: dict[tuple[str, str], list[Member]] = defaultdict(list)
    for member in sorted(candidates, key=_lot):
        groups[member.agent_version, member.evaluation_id].append(member)
    ranked = [(rank, _lot(member), member) for group in groups.values() for rank, member in enumerate(group)]
    return tuple(member for _, _, member in sorted(ranked, key=lambda each: each[:2])[:most])


def _lot(member: Member) -> str:
    return hashlib.sha256(member.trial_id.encode()).hexdigest()


def panel_scores(verdicts: Iterable[VirtueScore]) -> Judged:
    """The mean over the panel for each trial and virtue that every model of it scored.

    Judges differ in level: were one of them left out, the mean would move though no judge did.
    """
    groups: dict[tuple[str, Virtue], list[float | None]] = defaultdict(list)
    for verdict in verdicts:
        groups[verdict.trial_id, verdict.virtue].append(verdict.score)
    scores: dict[str, dict[Virtue, float]] = defaultdict(dict)
    for (trial_id, virtue), given in groups.items():
        marks = [score for score in given if score is not None]
        if len(marks) == len(given):
            scores[trial_id][virtue] = fmean(marks)
    return scores
