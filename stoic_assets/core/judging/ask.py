"""One question to one judge, until there is a verdict or the repairs are used up."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from stoic_assets.core.calls.chat import (
    BudgetReached,
    ChatModel,
    ChatReply,
    ChatRequest,
    MalformedReply,
    ModelFailure,
    form_in_words,
    more_tokens,
    worded,
)
from stoic_assets.core.errors import StoicError
from stoic_assets.core.judging.verdict import MalformedVerdict
from stoic_assets.core.presentation.formatting import plural

RETURNED_CHARS = 4_000
"""The part of a malformed reply that is sent back to the judge."""

V = TypeVar("V")


class NoVerdict(StoicError):
    """A judge gave no usable verdict; says why. The item stays unscored.

    `last` is its last reply, refused as a whole; None where there was none. `unpaid`: the cost ceiling was reached
    before; a later run with a higher one can still obtain the verdict. `kept`: some of the replies came from the cache.
    """

    def __init__(self, why: str, last: str | None = None, unpaid: bool = False, kept: bool = False) -> None:
        super().__init__(why)
        self.last, self.unpaid, self.kept = last, unpaid, kept


async def ask(model: ChatModel, request: ChatRequest, parse: Callable[[str], V], repairs: int) -> V:
    """The parsed verdict; a malformed reply is sent back with the reason at most `repairs` times.

    If that gives no verdict and some of the replies came from the cache, the question is asked again without it, as the
    judge may have recovered. Raises `NoVerdict`; a `ConfigurationError` of the model passes through, since it would
    affect every other verdict as well.
    """
    try:
        return await _ask(model, request, parse, repairs)
    except NoVerdict as error:
        if request.fresh or error.unpaid or not error.kept:
            raise
        return await _ask(model, replace(request, fresh=True), parse, repairs, error.last)


async def _ask(
    model: ChatModel, request: ChatRequest, parse: Callable[[str], V], repairs: int, last: str | None = None
) -> V:
    """As `ask`, but once. `last` is the reply before the first one, if there was any.

    An empty reply for which all tokens were used up is not sent back: the next would cost as much and be as empty.
    """
    asked, why, kept = request, "", False
    for number in range(1, repairs + 2):
        given = await _reply(model, asked, last, kept)
        try:
            return parse(given.text)
        except MalformedVerdict as error:
            fault, kept, last = f"{error}{given.cut_off}", kept or given.cached, given.text
        replies = plural(number, "reply", "replies")
        why = f"no valid verdict in {replies}; the last: {fault}{more_tokens(request, given)}"
        if given.is_out_of_tokens and not given.text.strip():
            break
        asked = sent_back(asked, given.text, fault)
    raise NoVerdict(why, last, kept=kept)


async def _reply(model: ChatModel, request: ChatRequest, last: str | None, kept: bool) -> ChatReply:
    """One reply. Raises `NoVerdict` when there is none, with the `last` one before it unless the budget ran out."""
    try:
        return await model.complete(request)
    except MalformedReply as error:
        return ChatReply(error.text)
    except ModelFailure as error:
        raise NoVerdict(str(error), last, kept=kept) from error
    except BudgetReached as error:
        raise NoVerdict(f"cost ceiling reached before the verdict: {error}", unpaid=True) from error


def sent_back(request: ChatRequest, text: str, fault: str) -> ChatRequest:
    """The request with the malformed reply and the reason added."""
    complaint = f"That is not a valid verdict: {fault}. Answer again with the complete, corrected JSON object alone."
    added = _exchange(text, complaint)
    # The schema in words is no part of it: it is known already.
    known = None if request.cacheable_as is None else request.cacheable_as + json.dumps(added, ensure_ascii=False)
    # Gateways drop `response_format` without a word where they think it unsupported.
    form = "" if request.schema is None else form_in_words(request.schema)
    if form and not any(form in message["content"] for message in request.messages):  # an earlier repair may have it
        added = _exchange(text, f"{complaint} {form}")
    return replace(request, messages=(*request.messages, *added), cacheable_as=known)


def _exchange(text: str, complaint: str) -> tuple[dict[str, str], dict[str, str]]:
    return (
        {"role": "assistant", "content": worded(text[:RETURNED_CHARS])},
        {"role": "user", "content": complaint},
    )
