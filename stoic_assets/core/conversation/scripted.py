"""The stand-in for the simulated user: deterministic, needs no model, means nothing as a measurement.

It raises one task per message, in order. When the agent asks back, it gives the facts that fit the question best, or
says once that it does not know.
"""

import re
from collections.abc import Sequence

from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.conversation.audit import words

IGNORANCE = "I am afraid I do not know that."
_PHRASINGS = (
    (r"^ask the assistant to (.+)$", "Please {}."),
    (r"^ask ((?:what|how|why|which|whether|who|when|where)\b.+)$", "Could you tell me {}?"),
    (r"^ask for (.+)$", "Could you give me {}?"),
    (r"^tell the assistant (?:that )?(.+)$", "{}."),
)


def scripted_message(request: ChatRequest) -> str:
    """The next message of the user that `request.brief` describes."""
    tasks = [spoken(task["task"]) for task in request.brief["tasks"]]
    turns: Sequence[tuple[str, str]] = request.brief["turns"]
    said = [content for speaker, content in turns if speaker == "user"]
    if len(said) > 1 and "?" in turns[-1][1] and (answer := _answer(turns[-1][1], request.brief["facts"], said)):
        return answer
    raised = sum(message in tasks for message in said)
    return tasks[raised] if raised < len(tasks) else str(request.brief["evaluator"]["signoff"])


def spoken(task: str) -> str:
    """A task as a person would put it to the assistant."""
    for pattern, phrase in _PHRASINGS:
        if match := re.match(pattern, task.strip(), re.IGNORECASE | re.DOTALL):
            wish = match[1].rstrip(" .?!")
            return phrase.format(wish[:1].upper() + wish[1:] if phrase.startswith("{") else wish)
    return task


def _answer(question: str, facts: Sequence[str], said: Sequence[str]) -> str | None:
    """The unsaid facts nearest to the question; without facts `IGNORANCE`, but not twice in a row; else None."""
    asked = set(words(question))
    untold = [fact for fact in facts if not any(fact in message for message in said)]
    if untold:
        nearest = max(len(asked & set(words(fact))) for fact in untold)
        return " ".join(fact for fact in untold if len(asked & set(words(fact))) == nearest)
    return None if facts or said[-1] == IGNORANCE else IGNORANCE
