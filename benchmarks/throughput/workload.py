"""The workload: the messages of a trial, the project that plans it, and the shortest time possible for any client.

In a trial a simulated user greets (the greeting costs no call), says three things and signs off: four calls of the
evaluator model and four of the agent. Before, the session is opened; after, the object context is read. Then five
judge calls are about the virtues and one about tasks and tone.
"""

from dataclasses import dataclass
from math import ceil
from pathlib import Path

import yaml

SIGN_OFF = "That was all, thank you. So Long, and Thanks for All the Fish"
USER_LINES = (
    "I have to give a talk on Friday and keep putting off the first slide. Where would you start?",
    "Could you write that down for me, so that I find it again tomorrow morning?",
    "And what would you say to somebody who is nervous in front of a full room?",
)
# No two sessions are alike, so that no judge call repeats an earlier one.
AGENT_REPLIES = (
    "Good to hear from you. This is {session}; I can note things down, remind you, or think along with you.",
    (
        "Start with the one sentence that your listeners should still know on Monday. Write it in the middle of an "
        "empty page; the slides before it lead there, the ones after it show what follows. Ten minutes are enough."
    ),
    "Done: I noted 'one sentence first, then the slides around it' for tomorrow at eight. Shall it be earlier?",
    (
        "Being nervous means that the matter is not indifferent to you. You decide how you prepare and how you begin; "
        "how the room takes it is not yours to decide. So learn your first two sentences by heart; let the rest come."
    ),
)
JUDGE_WORDS = {
    "supporting_examples": "You decide how you prepare and how you begin",
    "example": "Ten minutes are enough.",
    "assessment": "It names a first step that can be taken at once and says why that one comes first.",
    "reasoning": (
        "The conduct lies close to the level of 0.8: it answers what was asked, keeps apart what the user can decide "
        "and what not, and acts when it is asked to. It does not ask what the talk is about, which keeps it from the "
        "level above."
    ),
    "improvement_suggestions": "Ask what the talk is about before the advice becomes concrete.",
    "reason": "What the criteria ask for is there, with a minor gap: it does not ask what the talk is about.",
}
REPEATS = 10
CONVERSATION_CALLS, BOOKKEEPING_CALLS, JUDGE_CALLS = 8, 2, 6
"""Calls of one trial: one after the other in the conversation, then the judges', concurrently."""


@dataclass(frozen=True)
class Workload:
    """The size of the workload; times in seconds. `trials` is a multiple of `REPEATS`."""

    trials: int = 200
    at_once: int = 50
    judges_at_once: int = 250
    latency: float = 0.2
    bookkeeping: float = 0.0

    @property
    def floor(self) -> float:
        """Seconds from the first call to the last reply if a client took no time: conversations, then judgements."""
        conversation = CONVERSATION_CALLS * self.latency + BOOKKEEPING_CALLS * self.bookkeeping
        judgements = ceil(self.trials * JUDGE_CALLS / self.judges_at_once) * self.latency
        return ceil(self.trials / self.at_once) * conversation + judgements

    @property
    def calls(self) -> int:
        """Calls in all."""
        return self.trials * (CONVERSATION_CALLS + BOOKKEEPING_CALLS + JUDGE_CALLS)


def write_project(folder: Path, workload: Workload) -> None:
    """A project whose plan is the workload: jobs of the same kind, with limits high enough for all its calls."""
    jobs = folder / "eval_jobs"
    jobs.mkdir(parents=True)
    for number in range(workload.trials // REPEATS):
        (jobs / f"talk-{number:03}.yml").write_text(yaml.safe_dump(_job(number), sort_keys=False))
    limits = {"agent": workload.at_once, "evaluator": workload.at_once, "judge": workload.judges_at_once}
    settings = {"limits": {endpoint: {"in_flight": most} for endpoint, most in limits.items()}}
    (folder / "stoic.yml").write_text(yaml.safe_dump(settings))


def _job(number: int) -> dict[str, object]:
    return {
        "target": {"user": "ada-{trial}", "chatbot": "bench"}, "aspirationalAverage": 3000, "maxTurns": 20,
        "repeats": REPEATS, "greetings": ["Hello"],
        "tasks": [
            {"task": f"Ask how to begin with talk {number}", "acceptanceCriteria": "It names a first step"},
            {"task": "Have that noted for tomorrow", "acceptanceCriteria": "It confirms that the note was taken"},
            {"type": "question", "task": "Ask what helps against stage fright", "acceptanceCriteria": "It calms"},
        ],
        "assertions": [{"expression": 'objectContext.entities.any { it.type == "Note" }'}],
    }  # fmt: skip
