"""One question to one judge, until there is a verdict or the repairs are used up."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from stoic_assets.core.chat import (
    BudgetReached,
    ChatModel,
    ChatReply,
    ChatRequest,
    MalformedReply,
    ModelFailure,
    worded,
)
from stoic_assets.core.errors import StoicError
from stoic_assets.core.judging.verdict import MalformedVerdict

RETURNED_CHARS = 4_000
"""So much of a malformed reply is shown to the judge again."""

OUT_OF_BUDGET = "cost ceiling reached before the verdict"
"""Stands in the error of a verdict that a later run with a higher ceiling can still have."""

V = TypeVar("V")


class NoVerdict(StoicError):
    """A judge gave no usable verdict; says why. The item stays unscored.

    `last` is its last reply, refused as a whole; None where there was none, or another may yet be paid for.
    """

    def __init__(self, why: str, last: str | None = None) -> None:
        super().__init__(why)
        self.last = last


async def ask(
    model: ChatModel, request: ChatRequest, parse: Callable[[str], V], repairs: int, last: str | None = None
) -> V:
    """The parsed verdict; a malformed reply is sent back with the reason at most `repairs` times.

    Where that ends without a verdict and kept replies were among them, all of it is asked anew: a judge that was
    broken once may be mended. `last` is the reply before the first one, if there was any. Raises `NoVerdict`; a
    `ConfigurationError` of the model passes through, since no other verdict will fare better.
    """
    asked, fault, kept = request, "", False
    for _ in range(repairs + 1):
        given = await reply(model, asked, last)
        try:
            return parse(given.text)
        except MalformedVerdict as error:
            fault, kept, last = f"{error}{given.cut_off}", kept or given.cached, given.text
            asked = sent_back(asked, given.text, fault)
    if kept and not request.anew:
        return await ask(model, replace(request, anew=True), parse, repairs, last)
    raise NoVerdict(f"no valid verdict in {repairs + 1} replies; the last: {fault}", last)


async def reply(model: ChatModel, request: ChatRequest, last: str | None) -> ChatReply:
    """One reply. Raises `NoVerdict` when there is none; then what was the `last` one before it remains."""
    try:
        return await model.complete(request)
    except MalformedReply as error:
        return ChatReply(error.text)
    except ModelFailure as error:
        raise NoVerdict(str(error), last) from error
    except BudgetReached as error:
        raise NoVerdict(f"{OUT_OF_BUDGET}: {error}") from error


def sent_back(request: ChatRequest, text: str, fault: str) -> ChatRequest:
    """The request with the malformed reply and the reason added."""
    complaint = f"That is not a valid verdict: {fault}. Answer again with the complete, corrected JSON object alone."
    added = (
        {"role": "assistant", "content": worded(text[:RETURNED_CHARS])},
        {"role": "user", "content": complaint},
    )
    known = None if request.cacheable_as is None else request.cacheable_as + json.dumps(added, ensure_ascii=False)
    return replace(request, messages=(*request.messages, *added), cacheable_as=known)
