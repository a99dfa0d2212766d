"""The simulated user: what its model is given, and how its next message is obtained and audited."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from stoic_assets.core.calls.chat import MESSAGE_CHARS, ChatModel, ChatRequest, more_tokens, without_middle, worded
from stoic_assets.core.conversation.audit import fault
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.errors import StoicError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.trial import Condition, Trial
from stoic_assets.core.text.templates import render, source

PACKAGE = "stoic_assets.core.conversation"
TEMPLATE = "evaluator.jinja"
OPENING = "opening.jinja"
"""Comes before the greeting: for many models a conversation has to begin with a message in the role `user`."""


class EvaluatorFault(StoicError):
    """The simulated user failed twice at the same message: the trial says nothing about the agent."""


async def next_message(job: Job, trial: Trial, turns: Sequence[Turn], model: ChatModel, name: str) -> str:
    """The user's next message in a trial of the job.

    A message at fault is sent back once with the reason. Raises `EvaluatorFault` when the second is at fault too.
    """
    reason: str | None = None
    known = [_as_heard(turn) for turn in turns]
    for _ in range(2):
        request = message_request(job, trial, turns, name, reason)
        reply = await model.complete(request)
        message = reply.text.strip()
        reason = fault(message, job, trial.condition, known)
        if reason is None and reply.is_cut_off:
            reason = "it was cut off"
        if reason is None:
            return message
        reason += reply.cut_off
    raise EvaluatorFault(f"the simulated user's message was refused twice: {reason}{more_tokens(request, reply)}")


def message_request(job: Job, trial: Trial, turns: Sequence[Turn], name: str, reason: str | None = None) -> ChatRequest:
    """Asks for the next message: the persona as system text, then the conversation, in which the agent has role `user`.

    After the system message the roles alternate and begin with `user`, as the chat templates of Gemma, Mistral and
    others require. Of the job, only what the user may know is included: no acceptance criteria, and facts only when
    supplied. A refused message is not repeated to the model, since it may contain what the user must not know.
    """
    variables = prompt_variables(job, trial.condition, turns)
    opening = {"role": "user", "content": source(PACKAGE, OPENING).strip()}
    history = [
        {"role": "assistant" if turn.speaker == "user" else "user", "content": worded(heard(turn))} for turn in turns
    ]
    template = job.prompts.get("evaluator", source(PACKAGE, TEMPLATE))
    system = render(PACKAGE, template, variables, f"prompt 'evaluator' of job {job.name!r}")
    if reason is not None:
        system += f"\n\nYour last attempt at the next message was not used: {reason}. Write it anew."
    return ChatRequest(
        role="evaluator", model=name, temperature=job.evaluator.temperature, trial_id=trial.trial_id,
        messages=({"role": "system", "content": system}, opening, *history),
        brief={**variables["config"], "turns": [(turn.speaker, turn.content) for turn in turns]},
    )


def heard(turn: Turn) -> str:
    """The part of a message that the simulated user is shown, as long as a judge's: an agent may send megabytes."""
    if len(turn.content) <= MESSAGE_CHARS:
        return turn.content
    return "\n".join(without_middle(turn.content, MESSAGE_CHARS))


def _as_heard(turn: Turn) -> Turn:
    """The turn with that part of its message alone."""
    return turn if len(turn.content) <= MESSAGE_CHARS else replace(turn, content=heard(turn))


def prompt_variables(job: Job, condition: Condition, turns: Sequence[Turn]) -> dict[str, Any]:
    """All variables that the template may use."""
    transcript = [{"role": turn.role, "content": heard(turn)} for turn in turns]
    return {"config": _known_to_user(job, condition), "transcript": transcript}


def _known_to_user(job: Job, condition: Condition) -> dict[str, Any]:
    """The part of a job that the simulated user may see."""
    return {
        "evaluator": job.evaluator.model_dump(exclude={"prompt"}),
        "target": {"chatbot": job.target.chatbot},
        "tasks": [{"type": task.type, "task": task.task} for task in job.tasks],
        "facts": list(job.facts) if condition == "supplied" else [],
    }
