import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.json_lines import JsonLines
from stoic_assets.adapters.disk.trial_journals import Journals
from stoic_assets.core.conversation.evidence import Observation, Turn
from stoic_assets.core.conversation.journal import Entry, ended, said
from stoic_assets.core.secrets.redaction import Redactor

EVENTS = said(Turn(1, "agent", "Ave", 12.0, 1, tuple({"output": f"event {number}"} for number in range(200))))
LONG = said(Turn(1, "agent", "Ave " * 1000, 12.0, 1))


@pytest.mark.parametrize("large", [ended("t1", "signed_off", None, 0, []), EVENTS, LONG])
def test_while_a_large_entry_is_redacted_other_conversations_go_on(tmp_path: Path, large: Entry) -> None:
    others_went_on = threading.Event()

    def clean(entry: dict[str, Any]) -> dict[str, Any]:
        assert entry != large or others_went_on.wait(10)
        return entry

    async def hold(journals: Journals) -> None:
        slow = asyncio.create_task(journals.append("T1", large))
        await asyncio.sleep(0)  # it begins
        await journals.append("T2", said(Turn(0, "user", "Salve")))
        others_went_on.set()
        await slow

    file = tmp_path / "journal.jsonl"
    asyncio.run(hold(Journals(file, clean)))
    assert list(Journals(file, dict).kept) == ["T2", "T1"]


def test_large_entries_are_redacted_in_one_thread_that_ends_with_the_journals(tmp_path: Path) -> None:
    threads: set[threading.Thread] = set()

    def clean(entry: dict[str, Any]) -> dict[str, Any]:
        threads.add(threading.current_thread())
        return entry

    async def hold(journals: Journals) -> None:
        await asyncio.gather(*(journals.append(f"T{number}", EVENTS) for number in range(5)))
        journals.close()

    journals = Journals(tmp_path / "journal.jsonl", clean)
    asyncio.run(hold(journals))
    (thread,) = threads
    thread.join(10)
    assert not thread.is_alive()


def test_a_small_entry_of_a_trial_that_is_cancelled_is_written_all_the_same_and_in_order(tmp_path: Path) -> None:
    async def hold(journals: Journals) -> None:
        late = asyncio.create_task(journals.append("T1", said(Turn(0, "user", "Salve"))))
        await asyncio.sleep(0)
        late.cancel()
        await journals.append("T1", ended("t1", "agent_error", "too long", 0, []))

    file = tmp_path / "journal.jsonl"
    asyncio.run(hold(Journals(file, dict)))
    assert [entry["kind"] for entry in Journals(file, dict).kept["T1"]] == ["turn", "ended"]


def test_the_calls_of_models_in_the_same_file_are_entries_of_no_trial(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    asyncio.run(Journals(file, dict).append("T1", LONG))
    JsonLines(file).write({"call": {"trial": "T2"}})
    assert list(Journals(file, dict).kept) == ["T1"]


def test_the_last_entry_too_is_stored_without_secrets(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    seen = Observation("1", "cypher", "RETURN 1", result=[{"key": "tr0ub4dor"}])
    clean = Redactor((), ["tr0ub4dor"]).row
    asyncio.run(Journals(file, clean).append("T1", ended("t1", "signed_off", "tr0ub4dor", 0, [seen])))
    assert b"tr0ub4dor" not in file.read_bytes()
    assert file.read_bytes().count(b"[redacted]") == 2
