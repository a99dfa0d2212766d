import asyncio
import threading
from pathlib import Path
from typing import Any

from stoic_assets.adapters.disk.trial_journals import Journals
from stoic_assets.core.conversation.evidence import Observation, Turn
from stoic_assets.core.conversation.journal import ended, said
from stoic_assets.core.redaction import Redactor


def test_while_the_last_entry_of_a_trial_is_redacted_other_conversations_go_on(tmp_path: Path) -> None:
    others_went_on = threading.Event()

    def clean(entry: dict[str, Any]) -> dict[str, Any]:
        assert entry["kind"] != "ended" or others_went_on.wait(10)
        return entry

    async def hold(journals: Journals) -> None:
        last = asyncio.create_task(journals.append("T1", ended("t1", "signed_off", None, 0, [])))
        await asyncio.sleep(0)  # it begins
        await journals.append("T2", said(Turn(0, "user", "Salve")))
        others_went_on.set()
        await last

    file = tmp_path / "journal.jsonl"
    asyncio.run(hold(Journals(file, clean)))
    kept = Journals(file, dict).kept
    assert [(trial, entry["kind"]) for trial in kept for entry in kept[trial]] == [("T2", "turn"), ("T1", "ended")]


def test_an_entry_of_a_trial_that_times_out_is_written_before_the_one_about_that(tmp_path: Path) -> None:
    async def hold(journals: Journals) -> None:
        late = asyncio.create_task(journals.append("T1", said(Turn(0, "user", "Salve"))))
        await asyncio.sleep(0)
        late.cancel()
        await journals.append("T1", ended("t1", "agent_error", "too long", 0, []))

    file = tmp_path / "journal.jsonl"
    asyncio.run(hold(Journals(file, dict)))
    assert [entry["kind"] for entry in Journals(file, dict).kept["T1"]] == ["turn", "ended"]


def test_the_last_entry_too_is_stored_without_secrets(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    seen = Observation("1", "cypher", "RETURN 1", result=[{"key": "tr0ub4dor"}])
    clean = Redactor((), ["tr0ub4dor"]).row
    asyncio.run(Journals(file, clean).append("T1", ended("t1", "signed_off", "tr0ub4dor", 0, [seen])))
    assert b"tr0ub4dor" not in file.read_bytes()
    assert file.read_bytes().count(b"[redacted]") == 2
