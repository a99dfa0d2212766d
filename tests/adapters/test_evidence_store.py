import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.evidence_store import EvidenceStore
from stoic_assets.adapters.files import StorageError
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.conversation.journal import began, said, session
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import EvaluationSpec, Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.redaction import Redactor

VERSION = "marcus@1.1.0"


def manifest(evaluation_id: str = "E1", started_at: str = "2026-01-01T00:00:00+00:00", **target: Any) -> Manifest:
    job = Job.model_validate(
        {
            "name": "chat", "target": {"user": "u", "chatbot": "c", **target},
            "tasks": [{"task": "t", "acceptanceCriteria": "a"}],
        }
    )
    spec = EvaluationSpec(
        jobs=(job,), addresses={"chat": "http://localhost:1"}, agent_model="m", evaluator_model="e",
        judge_models=("j",), judge_samples=1, prompts_hash="p",
    )
    return Manifest(
        evaluation_id=evaluation_id, agent_version=VERSION, started_at=started_at, offline=False, run_id="r", spec=spec,
        spec_hash=spec.hash(),
    )


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return EvidenceStore(tmp_path)


def test_manifests_are_kept_and_listed_the_oldest_first(store: EvidenceStore) -> None:
    newer, older = manifest("E1", "2026-01-02T00:00:00+00:00"), manifest("E2", "2026-01-01T00:00:00+00:00")
    for each in (newer, older):
        store.begin(each)
    assert store.manifest(VERSION, "E1") == newer
    assert store.manifests(VERSION) == [older, newer]
    assert store.manifest(VERSION, "E3") is None
    assert store.manifests("other@1") == []


def test_header_values_do_not_reach_the_disk(store: EvidenceStore) -> None:
    store.begin(manifest(headers={"Authorization": "Bearer tr0ub4dor"}))
    assert not [file for file in store.root.rglob("*") if file.is_file() and b"tr0ub4dor" in file.read_bytes()]


def test_a_manifest_of_another_time_is_one_line_that_says_what_to_do(store: EvidenceStore) -> None:
    folder = store.folder(VERSION, "E1")
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"evaluation_id": "E1", "colour": "blue"}')
    with pytest.raises(ConfigurationError, match=r"manifest\.json does not fit .*; move its folder away") as caught:
        store.manifests(VERSION)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("evaluation_id", ["", ".", "..", "a/b", "../x", "a b", "a\n"])
def test_an_id_that_is_no_folder_name_is_refused(store: EvidenceStore, evaluation_id: str) -> None:
    with pytest.raises(ConfigurationError, match="is no evaluation id"), store.locked(VERSION, evaluation_id):
        pass


def test_a_journal_is_read_back(store: EvidenceStore) -> None:
    texts = ["plain", "line\u2028separator\u2029and\x85more", "😀 \ud83d", "new\nline\r\n"]
    entries = [began("t0"), session("s1"), *(said(Turn(turn, "user", text)) for turn, text in enumerate(texts))]
    for entry in entries:
        asyncio.run(store.journals(manifest()).of("E1.chat~a.withheld.1").append(entry))
    again = store.journals(manifest()).of("E1.chat~a.withheld.1").entries()
    assert [entry["turn"]["content"] for entry in again[2:]] == texts
    assert store.journals(manifest()).of("E1.other.withheld.1").entries() == []


def test_the_trials_of_an_evaluation_share_one_file(store: EvidenceStore) -> None:
    journals, trials = store.journals(manifest()), [f"T{number}" for number in range(20)]

    async def hold(trial: str) -> None:
        for step in range(5):
            await journals.of(trial).append(session(f"{trial}.{step}"))

    async def hold_all() -> None:
        await asyncio.gather(*map(hold, trials))

    asyncio.run(hold_all())
    again = store.journals(manifest())
    for trial in trials:
        assert again.of(trial).entries() == [session(f"{trial}.{step}") for step in range(5)]
    assert [path.name for path in store.folder(VERSION, "E1").iterdir()] == ["journal.jsonl"]


def test_a_torn_last_entry_is_dropped(store: EvidenceStore) -> None:
    asyncio.run(store.journals(manifest()).of("T").append(began("t0")))
    file = store.folder(VERSION, "E1") / "journal.jsonl"
    with file.open("ab") as torn:
        torn.write('{"trial": "T", "kind": "turn", "turn": {"content": "😀'.encode()[:-2])
    journal = store.journals(manifest()).of("T")
    assert journal.entries() == [began("t0")]
    asyncio.run(journal.append(session("s1")))
    assert store.journals(manifest()).of("T").entries() == [began("t0"), session("s1")]


def test_secrets_are_blanked_on_write(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path, Redactor(["sk-[a-z]+"], ["tr0ub4dor"]).row)
    call = {"request": {"function": {"name": "login"}, "arguments": {"key": "sk-abc", "deep": ["tr0ub4dor"]}}}
    turn = Turn(0, "agent", "it is tr0ub4dor", events=(call,))
    asyncio.run(store.journals(manifest()).of("T").append(said(turn)))
    (entry,) = store.journals(manifest()).of("T").entries()
    assert entry["turn"]["content"] == "it is [redacted]"
    assert entry["turn"]["events"][0]["request"]["arguments"] == {"key": "[redacted]", "deep": ["[redacted]"]}


HOLD = """
import sys
from pathlib import Path
from stoic_assets.adapters.evidence_store import EvidenceStore
with EvidenceStore(Path(sys.argv[1])).locked("marcus@1.1.0", "E1"):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_process_cannot_take_the_same_evaluation(store: EvidenceStore, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(ConfigurationError, match=r"evaluation E1 of marcus@1\.1\.0 is running in another process"):
            store.locked(VERSION, "E1").__enter__()
        with store.locked(VERSION, "E2"):
            pass
        other.kill()
        other.wait()
        with store.locked(VERSION, "E1"):
            assert (store.folder(VERSION, "E1") / "lock").exists()


def test_a_home_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "evidence").touch()
    with pytest.raises(StorageError, match="cannot be written"), EvidenceStore(tmp_path).locked(VERSION, "E1"):
        pass


def test_a_version_is_deleted_with_all_that_it_left(store: EvidenceStore) -> None:
    store.begin(manifest())
    store.delete(VERSION)
    store.delete("never@1")
    assert store.manifests(VERSION) == []
    assert not (store.root / VERSION).exists()
