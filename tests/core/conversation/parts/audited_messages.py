"""What is found at fault in a message of a simulated user who has two tasks and three facts."""

from collections.abc import Callable

from stoic_assets.core.conversation.audit import fault
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.trial import Condition

MakeJob = Callable[..., Job]
TASKS = [
    {
        "task": "Ask the assistant to create a reminder for tomorrow at 9am",
        "acceptanceCriteria": "A reminder entity is created with the correct date and time",
    },
    {"task": "Ask what the capital of France is", "acceptanceCriteria": "The assistant correctly answers Paris"},
]
FACTS = ["The user's timezone is Australia/Sydney", "The user prefers formal language", "Her dog is called Argos"]


def turns(*agent: str) -> list[Turn]:
    """A greeting, a reply, and for every further reply a message before it."""
    found: list[Turn] = []
    for reply in agent or ("Hello!",):
        found += [Turn(len(found), "user", "Hi"), Turn(len(found) + 1, "agent", reply)]
    return found


def verdict(make_job: MakeJob, message: str, condition: Condition = "withheld", *agent: str) -> str | None:
    return fault(message, make_job(tasks=TASKS, facts=FACTS), condition, turns(*agent))
