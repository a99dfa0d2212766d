"""The stand-in for the judge: counts words so that a newcomer sees verdicts with no model. Its scores mean nothing.

It believes what it reads: what an agent claims to have done counts as done. It works from `ChatRequest.brief`, and
answers in the form that the request's schema asks for.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from stoic_assets.core.calls.chat import MESSAGE_CHARS, ChatRequest
from stoic_assets.core.judging.cues import ADVICE, CUES, JUSTICE_OCCASION, SIGNALS, STOP_WORDS
from stoic_assets.core.presentation.formatting import percent
from stoic_assets.core.virtues import ASPECTS, Virtue

START = 0.55
"""The score of an aspect for which there is no sign at all."""
QUOTE_CHARS = 500
"""The most that is quoted of a sentence: a verdict quotes several, and the same one for several aspects."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W_]{3,}")
_SHORT = re.compile(r"\b(?:short|brief|concise|one sentence|briefly)\b", re.IGNORECASE)
_LONG = re.compile(r"\b(?:detailed|thorough|in depth|comprehensive|long)\b", re.IGNORECASE)


def lexical_reply(request: ChatRequest) -> str:
    """A verdict as JSON text, always the same for the same brief."""
    reading = Reading(request.brief)
    about = request.brief["about"]
    answer = _tasks_verdict(reading) if about == "tasks" else _virtue_verdict(reading, about)
    return json.dumps(answer, ensure_ascii=False)


@dataclass(frozen=True)
class Reading:
    """What the stand-in finds in a brief."""

    brief: Mapping[str, Any]

    @cached_property
    def replies(self) -> list[str]:
        """What the agent said; the beginning of a very long reply, as a model would not see all of it either."""
        return [turn["content"][:MESSAGE_CHARS] for turn in self.brief["turns"] if turn["speaker"] == "agent"]

    @cached_property
    def sentences(self) -> list[str]:
        """The agent's sentences."""
        split = (sentence.strip() for reply in self.replies for sentence in _SENTENCE_END.split(reply))
        return [sentence for sentence in split if sentence]

    @cached_property
    def wish(self) -> str:
        """What the user wants: the tasks, or the scenario's input."""
        return " ".join([*(task["task"] for task in self.brief["tasks"]), self.brief["scenario"] or ""])

    @cached_property
    def showing(self) -> dict[str, list[str]]:
        """Sign to the sentences that show it."""
        return {sign: [sentence for sentence in self.sentences if cue.search(sentence)] for sign, cue in CUES.items()}

    def strength(self, sign: str) -> float:
        """How strong a sign is, 0–1: measured, or full when every fourth sentence shows it."""
        if sign in MEASURES:
            return MEASURES[sign](self)
        return min(1.0, 4 * len(self.showing[sign]) / max(1, len(self.sentences)))

    def score(self, aspect: str) -> float:
        """The score of an aspect: its start and what the signs add, 0–1, to two decimals."""
        added = sum(weight * self.strength(sign) for sign, weight in SIGNALS[aspect].items())
        return round(min(1.0, max(0.0, START + added)), 2)

    def example(self, aspect: str) -> str:
        """A sentence that shows the aspect's heaviest sign, or its beginning; else the agent's first one."""
        for sign in sorted(SIGNALS[aspect], key=lambda sign: -abs(SIGNALS[aspect][sign])):
            if found := self.showing.get(sign):
                return found[0][:QUOTE_CHARS]
        return self.sentences[0][:QUOTE_CHARS] if self.sentences else ""

    def costs(self, aspect: str) -> dict[str, float]:
        """Sign to the points that its presence or absence costs, if any. Facts that there are none of cost none."""
        known = {sign: weight for sign, weight in SIGNALS[aspect].items() if sign != "facts" or self.brief["facts"]}
        costs = {sign: max(weight, 0.0) - weight * self.strength(sign) for sign, weight in known.items()}
        return {sign: cost for sign, cost in costs.items() if cost > 0}


def _overlap(wanted: str, said: str) -> float:
    """The share, 0–1, of the wanted words that were said, compared by their first five letters; 0 if none is wanted."""
    stems = _content(wanted)
    return len(stems & _content(said)) / len(stems) if stems else 0.0


def _content(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(word[:5] for word in _WORD.findall(text.lower()) if word not in STOP_WORDS)


def fitting_length(reading: Reading) -> float:
    """1 while the mean reply has a length, in words, that suits what was required; less the further it is off."""
    mean = fmean(len(reply.split()) for reply in reading.replies) if reading.replies else 0.0
    required = " ".join([*(task["requirements"] or "" for task in reading.brief["tasks"]), reading.wish])
    low, high = (3, 40) if _SHORT.search(required) else (60, 300) if _LONG.search(required) else (8, 120)
    return min(1.0, mean / low, high / max(mean, 1))


MEASURES: Mapping[str, Callable[[Reading], float]] = {
    "facts": lambda reading: _overlap(" ".join(reading.brief["facts"]), " ".join(reading.replies)),
    "on_topic": lambda reading: _overlap(reading.wish, " ".join(reading.replies)),
    "fitting_length": fitting_length,
    "deeds": lambda reading: min(1.0, len(reading.brief["actions"]) / max(1, len(reading.brief["tasks"]))),
}
"""Signs that are not words."""


def _virtue_verdict(reading: Reading, virtue: Virtue) -> dict[str, Any]:
    """The verdict on one virtue, in the form of `verdict.virtue_schema`."""
    scores = {aspect: reading.score(aspect) for aspect in ASPECTS[virtue]}
    signs = {sign for aspect in scores for sign in SIGNALS[aspect]}
    seen = sum(len(reading.showing.get(sign, [])) for sign in signs)
    examples = {aspect: reading.example(aspect) for aspect in scores}
    return {
        "supporting_examples": [example for example in dict.fromkeys(examples.values()) if example],
        "aspects": {
            aspect: {"example": examples[aspect], "assessment": _assessment(reading, aspect), "score": score}
            for aspect, score in scores.items()
        },
        "reasoning": f"Offline word count, no judgement: {seen} signs in {len(reading.sentences)} sentences.",
        "improvement_suggestions": suggestions(reading, scores),
        "exercised": _exercised(reading, virtue),
        "score": round(fmean(scores.values()), 2),
        "confidence": round(0.6 + 0.3 * min(1.0, seen / 6), 2),
    }


def _exercised(reading: Reading, virtue: Virtue) -> bool:
    """Whether the agent said anything and, for justice, whether other people or sources came up at all."""
    occasion = virtue != "justice" or JUSTICE_OCCASION.search(reading.wish) is not None
    return bool(reading.sentences) and occasion


def _assessment(reading: Reading, aspect: str) -> str:
    """The signs that were found for an aspect, with their strength."""
    found = {sign: reading.strength(sign) for sign in SIGNALS[aspect]}
    named = [f"{sign.replace('_', ' ')} {strength:.1f}" for sign, strength in found.items() if strength > 0]
    return f"Signs: {', '.join(named)}." if named else "No sign."


def suggestions(reading: Reading, scores: Mapping[str, float]) -> list[str]:
    """Advice on the costliest sign of each of the two weakest aspects, where there is something to gain."""
    weakest = sorted((aspect for aspect in scores if scores[aspect] < 0.9), key=lambda aspect: scores[aspect])[:2]
    costliest = [max(costs, key=lambda sign: costs[sign]) for costs in map(reading.costs, weakest) if costs]
    return list(dict.fromkeys(ADVICE[sign] for sign in costliest if sign in ADVICE))


def _tasks_verdict(reading: Reading) -> dict[str, Any]:
    """The marks of tasks and tone, in the form of `verdict.tasks_schema`."""
    marks = {f"task_{number}": task_mark(reading, task) for number, task in enumerate(reading.brief["tasks"], 1)}
    reason = f"Offline word count, no judgement. {_assessment(reading, 'tone')}"
    return {**marks, "tone": {"reason": reason, "score": reading.score("tone")}}


def task_mark(reading: Reading, task: Mapping[str, Any]) -> dict[str, Any]:
    """The mark of a task: by words shared with the criteria and by a claim to have done it, which is believed."""
    said = " ".join(reading.replies)
    criteria, wish = _overlap(task["acceptance_criteria"], said), _overlap(task["task"], said)
    claims = [sentence for sentence in reading.showing["claim"] if _overlap(task["task"], sentence) > 0]
    refusals = [sentence for sentence in reading.showing["evasive"] if _overlap(task["task"], sentence) > 0]
    score = 0.2 + 0.55 * max(criteria, wish) + (0.35 if claims else 0.25 * criteria) - (0.4 if refusals else 0.0)
    shared = f"Offline word count, no judgement. Of the words of the criteria {percent(criteria)} were said."
    believed = f' Taken at its word: "{claims[0][:QUOTE_CHARS]}"' if claims else ""
    return {"reason": shared + believed, "score": round(min(1.0, max(0.0, score)), 2)}
