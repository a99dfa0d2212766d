"""Every call is noted on disk as it ended, without the secrets that it quotes."""

import asyncio
import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from paid_calls import PRICES, REQUEST, paid
from scripted_model import ScriptedModel

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.core.calls.chat import ChatReply, ChatRequest, ModelFailure, charge
from stoic_assets.core.feedback.interpretation import metrics_schema
from stoic_assets.core.judging.verdict import virtue_schema
from stoic_assets.core.secrets.redaction import Redactor


def test_every_call_is_a_line(tmp_path: Path) -> None:
    file = tmp_path / "evaluation" / "llm_calls.jsonl"
    model = ScriptedModel(paid(), paid(0.0, cached=True), ChatReply("", None, None), ModelFailure("down\nagain"))
    ledger = Ledger(model, file, PRICES)
    for _ in range(3):
        asyncio.run(ledger.complete(REQUEST))
    with pytest.raises(ModelFailure):
        asyncio.run(ledger.complete(REQUEST))
    rows = ledger.rows()
    assert [(row["cached"], row["cost_usd"], row["error"]) for row in rows] == [
        (False, 0.25, None), (True, 0.0, None), (False, None, None), (False, None, "down\nagain"),
    ]
    assert (rows[0]["role"], rows[0]["model"]) == ("judge", "sage")
    assert (rows[0]["prompt_tokens"], rows[0]["completion_tokens"]) == (10, 5)
    assert rows[0]["latency_ms"] == 12.5
    assert 0 < rows[3]["latency_ms"] < 5000
    assert (rows[3]["prompt_tokens"], rows[3]["completion_tokens"]) == (None, None)
    assert len({row["call_id"] for row in rows}) == 4
    assert datetime.fromisoformat(rows[0]["time"]).tzinfo == UTC
    assert "secret talk" not in file.read_text()
    assert ledger.total_cost == 0.25


def test_a_call_notes_its_trial_and_the_model_that_answered_which_earlier_releases_did_not(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    ledger = Ledger(ScriptedModel(paid(served_model="sage-2")), file, PRICES)
    asyncio.run(ledger.complete(replace(REQUEST, trial_id="t1")))
    [line] = file.read_text().splitlines()
    entry = json.loads(line)
    del entry["call"]["served_model"], entry["call"]["trial_id"]
    file.write_text(f"{line}\n{json.dumps(entry)}\n")
    assert [(row["trial_id"], row["served_model"]) for row in ledger.rows()] == [("t1", "sage-2"), (None, None)]


def test_what_is_synced_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, synced.append, raising=False)
    ledger = Ledger(ScriptedModel(paid()), tmp_path / "calls.jsonl", PRICES)

    async def main() -> int:
        await ledger.complete(REQUEST)
        before = len(synced)
        await ledger.sync()
        return len(synced) - before

    assert asyncio.run(main()) > 0


def test_an_error_is_noted_without_the_secrets_it_quotes(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    ledger = Ledger(ScriptedModel(ModelFailure("no: tr0ub4dor")), file, PRICES, redactor=Redactor((), ["tr0ub4dor"]))
    with pytest.raises(ModelFailure):
        asyncio.run(ledger.complete(REQUEST))
    assert "tr0ub4dor" not in file.read_text()
    assert ledger.rows()[0]["error"] == "no: [redacted]"


def test_a_call_that_was_cut_off_is_noted_too(tmp_path: Path) -> None:
    ledger = Ledger(ScriptedModel(asyncio.CancelledError()), tmp_path / "calls.jsonl", PRICES)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(ledger.complete(REQUEST))
    assert ledger.rows()[0]["error"] == "CancelledError"


def test_a_call_that_was_never_sent_is_none(tmp_path: Path) -> None:
    end = asyncio.CancelledError()
    charge(end, [], sent=False)
    ledger = Ledger(ScriptedModel(end), tmp_path / "calls.jsonl", PRICES)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(ledger.complete(REQUEST))
    assert ledger.rows() == []


def test_a_call_that_fails_late_is_noted_with_its_milliseconds(tmp_path: Path) -> None:
    class Slow:
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(0.05)
            raise ModelFailure("down")

    ledger = Ledger(Slow(), tmp_path / "calls.jsonl", PRICES)
    with pytest.raises(ModelFailure):
        asyncio.run(ledger.complete(REQUEST))
    assert 50 <= ledger.rows()[0]["latency_ms"] < 50_000


def test_only_what_a_judge_says_is_blanked(tmp_path: Path) -> None:
    """A user who is to say a word says it."""
    model = ScriptedModel(*[ChatReply("tr0ub4dor", 10, 5, 0.25)] * 2)
    ledger = Ledger(model, tmp_path / "calls.jsonl", PRICES, redactor=Redactor((), ["tr0ub4dor"]))
    assert asyncio.run(ledger.complete(REQUEST)).text == "[redacted]"
    assert asyncio.run(ledger.complete(replace(REQUEST, role="evaluator"))).text == "tr0ub4dor"


def test_a_verdict_stays_one_where_a_pattern_takes_a_part_of_it(tmp_path: Path) -> None:
    model = ScriptedModel(ChatReply('{"evidence": "token=abc", "score": 0.5}', 10, 5, 0.25))
    ledger = Ledger(model, tmp_path / "calls.jsonl", PRICES, redactor=Redactor(["token.*"]))
    assert asyncio.run(ledger.complete(REQUEST)).text == '{"evidence": "[redacted]", "score": 0.5}'


VERDICT = '{"supporting_examples": ["an example of 2026"], "score": 0.8333, "exercised": true}'
KEPT = '{"supporting_examples": ["an [redacted] of [redacted]"], "score": 0.8333, "exercised": true}'


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (VERDICT, KEPT), (f"```json\n{VERDICT}\n```", f"\n{KEPT}\n"),
        ('{"my example": "x", "pin": 4711}', '{"my [redacted]": "x", "pin": "[redacted]"}'),
        ("my example is 2026", "my [redacted] is [redacted]"),
    ],
)  # fmt: skip
def test_a_verdict_stays_one_where_its_own_fields_and_numbers_look_like_a_secret(
    tmp_path: Path, said: str, kept: str
) -> None:
    model, secrets = ScriptedModel(ChatReply(said)), Redactor([r"\d{4}"], ["example"])
    ledger = Ledger(model, tmp_path / "calls.jsonl", PRICES, redactor=secrets)
    assert asyncio.run(ledger.complete(replace(REQUEST, schema=virtue_schema("wisdom")))).text == kept


def test_a_value_that_a_judge_was_offered_is_no_secret(tmp_path: Path) -> None:
    said = '{"acceptance_status": "needs_improvement", "improvement_suggestions": ["an improvement"]}'
    model, secrets = ScriptedModel(ChatReply(said)), Redactor((), ["improvement"])
    ledger = Ledger(model, tmp_path / "calls.jsonl", PRICES, redactor=secrets)
    told = asyncio.run(ledger.complete(replace(REQUEST, schema=metrics_schema(["clarity"])))).text
    assert told == said.replace("an improvement", "an [redacted]")


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    ledger = Ledger(ScriptedModel(paid()), tmp_path / "calls.jsonl", PRICES)
    (tmp_path / "calls.jsonl").mkdir()
    with pytest.raises(StorageError, match="--resume"):
        asyncio.run(ledger.complete(REQUEST))


def test_nothing_asked_nothing_noted(tmp_path: Path) -> None:
    assert Ledger(ScriptedModel(), tmp_path / "calls.jsonl", PRICES).rows() == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_says_so(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    ledger = Ledger(ScriptedModel(paid()), file, PRICES)
    file.symlink_to("/dev/full")
    with pytest.raises(StorageError, match="No space left"):
        asyncio.run(ledger.complete(REQUEST))
