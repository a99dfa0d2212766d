"""Which replies of judges are kept, and when a question is asked anew."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from counted_calls import REQUEST, CountingModel, cached_model
from scripted_model import ScriptedModel

from stoic_assets.adapters.models.judge_cache import CachedModel, cache_key
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.core.calls.chat import BudgetReached, ChatReply, ModelFailure
from stoic_assets.core.configuration.settings import Judging, Price
from stoic_assets.core.secrets.redaction import Redactor


def test_a_reply_is_paid_once_and_survives_the_process(tmp_path: Path) -> None:
    model = CountingModel()
    first = asyncio.run(cached_model(model, tmp_path / "a@1").complete(REQUEST))
    again = asyncio.run(cached_model(model, tmp_path / "a@1").complete(replace(REQUEST, messages=())))
    assert first == ChatReply("reply 1 ✓", 10, 5, 0.25, 12.0)
    assert again == ChatReply("reply 1 ✓", cost_usd=0.0, cached=True)
    assert model.calls == 1


def test_a_kept_reply_is_free_though_its_cost_was_known_in_part_alone(tmp_path: Path) -> None:
    said = ChatReply("Salve", None, None, 0.25, 12.0, finish_reason="length", served_model="sage-2")
    ledger = Ledger(ScriptedModel(replace(said, cost_partial=True)), tmp_path / "calls.jsonl", {})
    for _ in range(2):
        again = asyncio.run(CachedModel(ledger, tmp_path / "a@1", Judging()).complete(REQUEST))
    assert again == ChatReply("Salve", cost_usd=0.0, cached=True, finish_reason="length", served_model="sage-2")
    assert [row["cost_usd"] for row in ledger.rows()] == [None, 0.0]


def test_a_reply_that_was_kept_before_the_model_that_answered_was_is_still_believed(tmp_path: Path) -> None:
    model, folder = CountingModel(), tmp_path / "a@1"
    asyncio.run(cached_model(model, folder).complete(REQUEST))
    with sqlite3.connect(folder / "replies.sqlite") as replies:
        replies.execute("update replies set reply = json_remove(reply, '$.served_model')")
    replies.close()
    assert asyncio.run(cached_model(model, folder).complete(REQUEST)).served_model is None
    assert model.calls == 1


def test_a_key_that_a_judge_repeats_is_not_kept(tmp_path: Path) -> None:
    careless = ScriptedModel(*[ChatReply("it is s3cret", 10, 5, 0.25, 12.0)] * 3)
    ledger = Ledger(careless, tmp_path / "journal.jsonl", {}, redactor=Redactor((), ["s3cret"]))
    cached = CachedModel(ledger, tmp_path / "a@1", Judging())
    for _ in range(2):
        assert asyncio.run(cached.complete(REQUEST)).text == "it is [redacted]"
    assert asyncio.run(cached.complete(replace(REQUEST, role="evaluator", cacheable_as=None))).text == "it is s3cret"
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and b"s3cret" in file.read_bytes()]


def test_another_version_has_another_cache(tmp_path: Path) -> None:
    model = CountingModel()
    for folder in ("a@1", "a@2"):
        asyncio.run(cached_model(model, tmp_path / folder).complete(REQUEST))
    assert model.calls == 2


def test_what_must_not_be_cached_is_not(tmp_path: Path) -> None:
    model = CountingModel()
    cached = cached_model(model, tmp_path / "a@1")
    for _ in range(2):
        asyncio.run(cached.complete(replace(REQUEST, cacheable_as=None)))
    assert model.calls == 2
    assert not (tmp_path / "a@1").exists()


@pytest.mark.parametrize(
    "change", [{"model": "other"}, {"temperature": 0.5}, {"schema": None}, {"sample": 1}, {"cacheable_as": "q2"}]
)
def test_everything_that_determines_the_reply_is_in_the_key(change: dict[str, object]) -> None:
    assert cache_key(replace(REQUEST, **change), "") != cache_key(REQUEST, "")  # type: ignore[arg-type]
    assert cache_key(replace(REQUEST, messages=(), brief={"x": 1}, fresh=True), "") == cache_key(REQUEST, "")
    assert cache_key(REQUEST, '{"sage": {"seed": 1}}') != cache_key(REQUEST, "")


def test_fresh_goes_past_the_cache_and_renews_it(tmp_path: Path) -> None:
    model = CountingModel()
    asyncio.run(cached_model(model, tmp_path).complete(REQUEST))
    assert asyncio.run(cached_model(model, tmp_path, fresh=True).complete(REQUEST)).text == "reply 2 ✓"
    assert asyncio.run(cached_model(model, tmp_path).complete(REQUEST)).text == "reply 2 ✓"
    assert model.calls == 2


def test_a_question_asked_anew_goes_past_what_earlier_processes_left(tmp_path: Path) -> None:
    model, fresh = CountingModel(), replace(REQUEST, fresh=True)
    asyncio.run(cached_model(model, tmp_path).complete(REQUEST))
    cached = cached_model(model, tmp_path)
    for _ in range(2):
        assert asyncio.run(cached.complete(fresh)).text == "reply 2 ✓"
    assert asyncio.run(cached_model(model, tmp_path).complete(REQUEST)).text == "reply 2 ✓"
    assert model.calls == 2


def test_kept_replies_are_noted_and_meet_no_cost_ceiling(tmp_path: Path) -> None:
    ledger = Ledger(CountingModel(), tmp_path / "calls.jsonl", {"sage": Price(input=1, output=1)}, max_cost=0.25)
    for _ in range(2):
        asyncio.run(CachedModel(ledger, tmp_path, Judging()).complete(REQUEST))
    assert [(row["cached"], row["cost_usd"]) for row in ledger.rows()] == [(False, 0.25), (True, 0.0)]
    with pytest.raises(BudgetReached):
        asyncio.run(CachedModel(ledger, tmp_path, Judging(), fresh=True).complete(REQUEST))
    assert len(ledger.rows()) == 2


def test_a_failure_is_not_kept_and_the_next_in_line_asks_itself(tmp_path: Path) -> None:
    async def main() -> list[ChatReply | BaseException]:
        cached = cached_model(CountingModel(fails=1), tmp_path)
        return await asyncio.gather(*[cached.complete(REQUEST) for _ in range(2)], return_exceptions=True)

    failed, reply = asyncio.run(main())
    assert isinstance(failed, ModelFailure)
    assert isinstance(reply, ChatReply)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"text": "x", "unknown": 1}', None])
def test_what_another_release_kept_is_asked_for_again(tmp_path: Path, damage: str | None) -> None:
    model = CountingModel()
    asyncio.run(cached_model(model, tmp_path).complete(REQUEST))
    with closing(sqlite3.connect(tmp_path / "replies.sqlite", isolation_level=None)) as replies:
        replies.execute("update replies set reply = ?", [damage])
    assert asyncio.run(cached_model(model, tmp_path).complete(REQUEST)).text == "reply 2 ✓"
    assert asyncio.run(cached_model(model, tmp_path).complete(REQUEST)).cached
