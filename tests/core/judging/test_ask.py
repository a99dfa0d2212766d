"""When a question to a judge is asked again, and when kept replies are not believed."""

import asyncio
import json
from dataclasses import replace

import pytest

from stoic_assets.core.calls.chat import BudgetReached, ChatReply, ChatRequest, MalformedReply, ModelFailure
from stoic_assets.core.errors import StoicError
from stoic_assets.core.judging.ask import RETURNED_CHARS, NoVerdict, ask, sent_back
from stoic_assets.core.judging.verdict import MalformedVerdict

REQUEST = ChatRequest("judge", "sage", ({"role": "user", "content": "q"},), 0.0, cacheable_as="q")


class Judge:
    """Answers from `kept`, then, to what is asked with `fresh` or not kept, from `fresh`."""

    def __init__(self, kept: list[str], fresh: list[ChatReply | StoicError]) -> None:
        self.kept, self.fresh, self.asked = kept, fresh, list[ChatRequest]()

    async def complete(self, request: ChatRequest) -> ChatReply:
        if self.kept and not request.fresh:
            return ChatReply(self.kept.pop(0), cached=True)
        self.asked.append(request)
        answer = self.fresh.pop(0)
        if isinstance(answer, StoicError):
            raise answer
        return answer


def parse(text: str) -> str:
    if text != "yes":
        raise MalformedVerdict("not yes")
    return text


def test_a_kept_reply_that_was_repaired_costs_nothing() -> None:
    judge = Judge(["", "yes"], [])
    assert asyncio.run(ask(judge, REQUEST, parse, 2)) == "yes"


def test_kept_replies_without_a_verdict_are_asked_for_anew_from_the_start() -> None:
    judge = Judge(["", '{"torn', "no"], [ChatReply("yes")])
    assert asyncio.run(ask(judge, REQUEST, parse, 2)) == "yes"
    assert [request.messages for request in judge.asked] == [REQUEST.messages]


def test_a_kept_reply_whose_new_repair_is_malformed_too_is_not_believed() -> None:
    judge = Judge([""], [ChatReply("no"), ChatReply("yes")])
    assert asyncio.run(ask(judge, REQUEST, parse, 1)) == "yes"
    assert [len(request.messages) for request in judge.asked] == [3, 1]


def test_a_kept_reply_that_the_judge_does_not_repair_is_not_believed() -> None:
    judge = Judge([""], [ModelFailure("context too long"), ChatReply("yes")])
    assert asyncio.run(ask(judge, REQUEST, parse, 1)) == "yes"
    assert [len(request.messages) for request in judge.asked] == [3, 1]


def test_a_judge_that_stays_broken_is_asked_anew_once() -> None:
    judge = Judge(["", ""], [ChatReply("", cached=True), ChatReply("")])
    with pytest.raises(NoVerdict, match=r"no valid verdict in 2 replies; the last: not yes$"):
        asyncio.run(ask(judge, REQUEST, parse, 1))
    assert len(judge.asked) == 2


def test_a_repair_names_the_form_that_a_gateway_may_have_dropped() -> None:
    judge = Judge([], [ChatReply("It went well."), ChatReply("yes")])
    asyncio.run(ask(judge, replace(REQUEST, schema={"required": ["score"]}), parse, 1))
    assert judge.asked[1].messages[-1]["content"].endswith('It must fit this JSON Schema:\n{"required": ["score"]}')


def test_later_repairs_do_not_name_the_form_again() -> None:
    judge = Judge([], [ChatReply("no"), ChatReply("never"), ChatReply("yes")])
    asyncio.run(ask(judge, replace(REQUEST, schema={"required": ["score"]}), parse, 2))
    assert ["JSON Schema" in message["content"] for message in judge.asked[-1].messages] == [
        False, False, True, False, False,
    ]  # fmt: skip


RAISE = r"; raise judging\.model_options\.sage\.max_completion_tokens in stoic\.yml$"


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS"])
@pytest.mark.parametrize("text", ["", "\n"])
def test_a_judge_that_used_up_its_tokens_without_a_word_is_not_asked_again(text: str, reason: str) -> None:
    judge = Judge([], [ChatReply(text, finish_reason=reason)])
    why = rf"no valid verdict in 1 reply; the last: not yes \(finish_reason {reason}\)" + RAISE
    with pytest.raises(NoVerdict, match=why):
        asyncio.run(ask(judge, REQUEST, parse, 2))


@pytest.mark.parametrize(("text", "reason"), [('{"torn', "length"), ("", "content_filter"), ("", "stop")])
def test_any_other_reply_without_a_verdict_is_sent_back(text: str, reason: str) -> None:
    judge = Judge([], [ChatReply(text, finish_reason=reason), ChatReply("yes")])
    assert asyncio.run(ask(judge, REQUEST, parse, 2)) == "yes"


def test_a_verdict_that_is_cut_off_again_and_again_says_what_to_raise() -> None:
    judge = Judge([], [ChatReply('{"torn', finish_reason="length")] * 2)
    with pytest.raises(NoVerdict, match=r"in 2 replies; the last: not yes \(finish_reason length\)" + RAISE):
        asyncio.run(ask(judge, REQUEST, parse, 1))


def test_tokens_that_a_kept_reply_used_up_are_no_reason_not_to_ask_anew() -> None:
    class Forgetful(Judge):
        async def complete(self, request: ChatRequest) -> ChatReply:
            return replace(await super().complete(request), finish_reason="stop" if request.fresh else "length")

    assert asyncio.run(ask(Forgetful([""], [ChatReply("yes")]), REQUEST, parse, 2)) == "yes"


def test_what_the_tokens_were_not_used_up_for_says_only_why_it_ends() -> None:
    judge = Judge([], [ChatReply("", finish_reason="content_filter")])
    with pytest.raises(NoVerdict, match=r"not yes \(finish_reason content_filter\)$"):
        asyncio.run(ask(judge, REQUEST, parse, 0))


@pytest.mark.parametrize(
    ("kept", "fresh", "last"),
    [
        ([], [ChatReply("no"), ChatReply("never")], "never"),
        ([], [ChatReply("no"), ModelFailure("gone")], "no"),
        ([], [ModelFailure("gone")], None),
        (["", "kept"], [ChatReply("no"), ChatReply("never")], "never"),
        (["", "kept"], [ModelFailure("gone")], "kept"),
        (["kept"], [ModelFailure("gone"), ModelFailure("gone")], "kept"),
        (["kept"], [BudgetReached("5 USD")], None),
        (["", "kept"], [BudgetReached("5 USD")], None),
    ],
)
def test_without_a_verdict_the_last_reply_remains_unless_money_may_bring_a_better_one(
    kept: list[str], fresh: list[ChatReply | StoicError], last: str | None
) -> None:
    with pytest.raises(NoVerdict) as none:
        asyncio.run(ask(Judge(kept, fresh), REQUEST, parse, 1))
    assert none.value.last == last


def test_of_an_endless_reply_the_beginning_is_sent_back() -> None:
    judge = Judge([], [ChatReply("no" * 10_000), ChatReply("yes")])
    asyncio.run(ask(judge, REQUEST, parse, 1))
    assert judge.asked[1].messages[1]["content"] == "no" * (RETURNED_CHARS // 2)


def test_what_the_server_kept_back_is_sent_back_like_any_malformed_reply() -> None:
    judge = Judge([], [MalformedReply("400: json_validate_failed", '{"torn'), ChatReply("yes")])
    assert asyncio.run(ask(judge, REQUEST, parse, 1)) == "yes"
    assert judge.asked[1].messages[1] == {"role": "assistant", "content": '{"torn'}


def test_a_kept_repair_is_found_again_whatever_is_said_about_the_schema() -> None:
    """An update of this text would otherwise have every repaired verdict asked, and paid for, again."""
    with_schema = replace(REQUEST, schema={"type": "object", "properties": {}})
    plain, worded = (sent_back(request, "no", "not yes") for request in (REQUEST, with_schema))
    assert plain.messages != worded.messages
    said = [
        {"role": "assistant", "content": "no"},
        {
            "role": "user",
            "content": "That is not a valid verdict: not yes. "
            "Answer again with the complete, corrected JSON object alone.",
        },
    ]
    assert plain.cacheable_as == worded.cacheable_as == "q" + json.dumps(said)
