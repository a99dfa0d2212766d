"""What calls cost counts towards the ceiling, also what earlier runs and answers without a reply cost."""

import asyncio
from pathlib import Path

import pytest
from paid_calls import PRICES, REQUEST, paid
from scripted_model import ScriptedModel

from stoic_assets.adapters.models.ledger import AT_ONCE_UNDER_CEILING, Ledger, require_prices
from stoic_assets.core.calls.chat import BudgetReached, ChatReply, ChatRequest, ModelFailure, charge
from stoic_assets.core.configuration.settings import Price
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable


def test_at_the_ceiling_nothing_more_is_asked_but_calls_in_flight_end(tmp_path: Path) -> None:
    async def main() -> None:
        await asyncio.gather(*[ledger.complete(REQUEST) for _ in range(3)])
        with pytest.raises(BudgetReached, match="continue with a higher one \\(--max-cost\\)"):
            await ledger.complete(REQUEST)

    model = ScriptedModel(paid(), paid(), paid(), paid())
    ledger = Ledger(model, tmp_path / "calls.jsonl", PRICES, max_cost=0.3)
    asyncio.run(main())
    assert len(model.requests) == 3
    assert ledger.total_cost == 0.75
    assert len(ledger.rows()) == 3


def test_a_ceiling_is_reached_where_all_of_it_is_spent(tmp_path: Path) -> None:
    ledger = Ledger(ScriptedModel(paid(), paid()), tmp_path / "calls.jsonl", PRICES, max_cost=0.25)
    asyncio.run(ledger.complete(REQUEST))
    with pytest.raises(BudgetReached):
        asyncio.run(ledger.complete(REQUEST))


def test_of_verdicts_asked_for_all_at_once_few_are_under_way_before_any_cost_is_known(tmp_path: Path) -> None:
    async def main() -> None:
        asked = [ledger.complete(REQUEST) for _ in range(10 * AT_ONCE_UNDER_CEILING)]
        ends = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(end) for end in ends} == {ChatReply, BudgetReached}

    model = ScriptedModel(*[paid() for _ in range(10 * AT_ONCE_UNDER_CEILING)])
    ledger = Ledger(model, tmp_path / "calls.jsonl", PRICES, max_cost=0.1)
    asyncio.run(main())
    assert len(model.requests) == AT_ONCE_UNDER_CEILING == 8


def test_a_resumed_evaluation_continues_the_file_and_its_total(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    asyncio.run(Ledger(ScriptedModel(paid()), file, PRICES).complete(REQUEST))
    with file.open("ab") as book:
        book.write(b'{"trial": "T1", "kind": "turn"}\n{"call_id": "torn by a kil')
    model = ScriptedModel(paid())
    resumed = Ledger(model, file, PRICES, max_cost=0.4)
    assert resumed.total_cost == 0.25
    asyncio.run(resumed.complete(REQUEST))
    assert [row["cost_usd"] for row in Ledger(model, file, PRICES).rows()] == [0.25, 0.25]
    assert b"torn" not in file.read_bytes()
    with pytest.raises(BudgetReached):
        asyncio.run(Ledger(model, file, PRICES, max_cost=0.4).complete(REQUEST))
    assert len(model.requests) == 1


def test_calls_of_a_time_without_prices_count_towards_a_later_ceiling(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    tokens = ChatReply("Salve", 300_000, 100_000, None)
    asyncio.run(Ledger(ScriptedModel(tokens), file, {}).complete(REQUEST))
    asyncio.run(Ledger(ScriptedModel(ChatReply("Salve", None, None)), file, {}).complete(REQUEST))
    resumed = Ledger(ScriptedModel(paid()), file, {"sage": Price(input=1, output=4)}, max_cost=0.7)
    assert resumed.total_cost == 0.7
    assert [row["cost_usd"] for row in resumed.rows()] == [0.7, None]
    with pytest.raises(BudgetReached):
        asyncio.run(resumed.complete(REQUEST))


def test_a_ceiling_needs_prices(tmp_path: Path) -> None:
    model = ScriptedModel(paid(0.0))
    ledger = Ledger(model, tmp_path / "calls.jsonl", {}, max_cost=1.0)
    with pytest.raises(ConfigurationError, match=r"price of sage.*`prices` in stoic\.yml"):
        asyncio.run(ledger.complete(REQUEST))
    assert len(model.requests) == 0
    offline = ChatRequest("judge", "offline", (), 0.0)
    assert asyncio.run(ledger.complete(offline)).text == "Salve"
    require_prices(["sage"], PRICES)


@pytest.mark.parametrize("end", [ServiceUnreachable("gone"), ConfigurationError("wrong"), asyncio.CancelledError()])
def test_what_was_paid_before_a_run_ended_counts(tmp_path: Path, end: BaseException) -> None:
    charge(end, [paid(0.4)])
    ledger = Ledger(ScriptedModel(end), tmp_path / "calls.jsonl", PRICES)
    with pytest.raises(type(end)):
        asyncio.run(ledger.complete(REQUEST))
    assert (ledger.total_cost, ledger.rows()[0]["cost_usd"]) == (0.4, 0.4)
    assert Ledger(ScriptedModel(), tmp_path / "calls.jsonl", PRICES).total_cost == 0.4


def test_a_ceiling_needs_to_know_what_the_reply_itself_used(tmp_path: Path) -> None:
    reply = ChatReply("Salve", None, None).billed_with([paid()])
    ledger = Ledger(ScriptedModel(reply), tmp_path / "calls.jsonl", PRICES, max_cost=1.0)
    with pytest.raises(ConfigurationError, match="sage answers without `usage`"):
        asyncio.run(ledger.complete(REQUEST))
    assert ledger.total_cost == 0.25
    [row] = ledger.rows()
    assert (row["prompt_tokens"], row["cost_usd"]) == (None, None), "the tables do not pass off a part for the whole"


def test_a_call_with_a_wasted_answer_keeps_its_tokens_until_there_is_a_price(tmp_path: Path) -> None:
    file, reply = tmp_path / "calls.jsonl", paid(None).billed_with([paid(None)])
    asyncio.run(Ledger(ScriptedModel(reply), file, {}).complete(REQUEST))
    [row] = Ledger(ScriptedModel(), file, PRICES).rows()
    assert (row["prompt_tokens"], row["completion_tokens"], row["cost_usd"]) == (20, 10, 30e-6)


@pytest.mark.parametrize(("prompt", "completion"), [(None, None), (10, None), (None, 5)])
def test_tokens_that_are_known_in_part_are_not_priced_later(
    tmp_path: Path, prompt: int | None, completion: int | None
) -> None:
    file, reply = tmp_path / "calls.jsonl", ChatReply("Salve", prompt, completion).billed_with([paid(None)])
    asyncio.run(Ledger(ScriptedModel(reply), file, {}).complete(REQUEST))
    [row] = Ledger(ScriptedModel(), file, PRICES).rows()
    assert (row["prompt_tokens"], row["completion_tokens"], row["cost_usd"]) == (None, None, None)


def test_a_ceiling_needs_to_know_what_was_used(tmp_path: Path) -> None:
    model = ScriptedModel(ChatReply("Salve", None, None), paid())
    ledger = Ledger(model, tmp_path / "calls.jsonl", PRICES, max_cost=1.0)
    with pytest.raises(ConfigurationError, match="sage answers without `usage`, so that no cost ceiling can be kept"):
        asyncio.run(ledger.complete(REQUEST))
    [row] = ledger.rows()
    assert (row["prompt_tokens"], row["cost_usd"], row["error"]) == (None, None, None)
    unbounded = Ledger(ScriptedModel(ChatReply("Salve", None, None)), tmp_path / "others.jsonl", PRICES)
    assert asyncio.run(unbounded.complete(REQUEST)).text == "Salve"


def test_what_an_answer_without_a_reply_cost_counts(tmp_path: Path) -> None:
    refused = ModelFailure("it refuses")
    charge(refused, [paid(0.4)])
    ledger = Ledger(ScriptedModel(refused), tmp_path / "calls.jsonl", PRICES, max_cost=0.3)
    with pytest.raises(ModelFailure):
        asyncio.run(ledger.complete(REQUEST))
    [row] = ledger.rows()
    assert (row["prompt_tokens"], row["cost_usd"], row["error"]) == (10, 0.4, "it refuses")
    with pytest.raises(BudgetReached):
        asyncio.run(ledger.complete(REQUEST))
