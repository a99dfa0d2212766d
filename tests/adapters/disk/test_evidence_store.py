"""Manifests, corrections and journals on disk: kept, read back, without secrets, named where unreadable."""

import asyncio
from pathlib import Path

import pytest
from evidence import VERSION, Make

from stoic_assets.adapters.disk.evidence_store import EvidenceStore
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.conversation.journal import began, said, session
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.correction import Correction
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.secrets.redaction import Redactor


def test_manifests_are_kept_and_listed_the_oldest_first(store: EvidenceStore, manifest: Make) -> None:
    newer = manifest("E1", started_at="2026-01-02T00:00:00+00:00")
    older = manifest("E2", started_at="2026-01-01T00:00:00+00:00")
    for each in (newer, older):
        store.begin(each)
    assert store.manifest(VERSION, "E1") == newer
    assert store.manifests(VERSION) == [older, newer]
    assert store.manifest(VERSION, "E3") is None
    assert store.manifests("other@1") == []


def test_header_values_do_not_reach_the_disk(store: EvidenceStore, manifest: Make) -> None:
    target = {"user": "u", "chatbot": "c", "headers": {"Authorization": "Bearer tr0ub4dor"}}
    tasks = [{"task": "t", "acceptanceCriteria": "a"}]
    store.begin(manifest(jobs=(Job.model_validate({"name": "chat", "target": target, "tasks": tasks}),)))
    assert not [file for file in store.root.rglob("*") if file.is_file() and b"tr0ub4dor" in file.read_bytes()]


def test_what_redact_names_does_not_reach_the_disk(tmp_path: Path, manifest: Make) -> None:
    store, target = EvidenceStore(tmp_path, Redactor(["KD-[0-9]+"])), {"user": "u", "chatbot": "c"}
    tasks = [{"task": "Order KD-1", "acceptanceCriteria": "Ordered"}]
    job = Job.model_validate({"name": "chat", "target": target, "tasks": tasks})
    begun = manifest(jobs=(job,), addresses={"chat": "http://localhost/KD-2"})
    store.begin(begun)
    kept = store.manifest(VERSION, "E1")
    assert kept is not None
    assert (kept.spec.jobs[0].tasks[0].task, kept.spec_hash) == ("Order [redacted]", begun.spec_hash)
    assert kept.spec.addresses == {"chat": "http://localhost/[redacted]"}


def test_of_unfinished_evaluations_the_newest_is_to_be_continued(store: EvidenceStore, manifest: Make) -> None:
    assert "was never evaluated; run `stoic eval" in store.unevaluated(VERSION)
    for evaluation_id, day in (("E2", 1), ("E1", 2)):
        store.begin(manifest(evaluation_id, started_at=f"2026-01-0{day}T00:00:00+00:00"))
    assert "--resume E1`" in store.unevaluated(VERSION)


def test_a_mistyped_version_is_answered_with_those_evaluated(store: EvidenceStore, make_manifest: Make) -> None:
    for version in ("marcus@1.0.0", "zeno@2"):
        store.begin(make_manifest(agent_version=version))
    (store.root / "locked@1" / "E1").mkdir(parents=True)
    (store.root / "lost+found").mkdir()
    known = "did you mean marcus@1.0.0? known: marcus@1.0.0, zeno@2"
    new = "to evaluate it, run `stoic eval --agent-version marcus@1.0.1`"
    assert store.unevaluated("marcus@1.0.1") == f"was never evaluated; {known}; {new}"
    assert store.unevaluated("marcus@1.0.1", "marcus@1.0.0").startswith("was never evaluated; known: zeno@2; to evalu")


def test_an_evaluation_has_begun_once_something_is_journalled(store: EvidenceStore, manifest: Make) -> None:
    store.begin(manifest())
    assert not store.has_begun(manifest())
    asyncio.run(store.journals(manifest()).of("T").append(began("t0")))
    assert store.has_begun(manifest())


def test_a_manifest_of_another_time_is_one_line_that_says_what_to_do(
    store: EvidenceStore, manifest: Make, caplog: pytest.LogCaptureFixture
) -> None:
    folder = store.folder(VERSION, "E1")
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"evaluation_id": "E1", "colour": "blue"}')
    with pytest.raises(ConfigurationError, match=r"manifest\.json was written by .*; restore it from") as caught:
        store.manifest(VERSION, "E1")
    assert "\n" not in str(caught.value)
    store.begin(manifest("E2"))
    assert store.manifests(VERSION) == [manifest("E2")]
    assert caplog.messages == [f"left out: {caught.value}"]
    assert sorted(store.evaluation_ids(VERSION)) == ["E1", "E2"]


def test_corrected_jobs_are_kept_blanked_and_a_damaged_file_says_what_to_do(tmp_path: Path, manifest: Make) -> None:
    store, content = EvidenceStore(tmp_path, Redactor(["KD-[0-9]+"])), {"target": {"user": "u", "chatbot": "c"}}
    tasks = [{"task": "t", "acceptanceCriteria": "Names KD-1"}]
    job = Job.model_validate({"name": "chat", "tasks": tasks, **content})
    assert (store.correction(manifest()), store.was_corrected(manifest())) == (Correction(), False)
    store.correct(manifest(), Correction(jobs=(job,), job_hashes={"chat": "asks:1"}))
    kept = store.correction(manifest())
    assert [task.acceptance_criteria for task in kept.jobs[0].tasks] == ["Names [redacted]"]
    assert kept.job_hashes == {"chat": "asks:1"}
    [file] = store.root.rglob("corrected.json")
    file.write_text("{")
    assert store.was_corrected(manifest())
    with pytest.raises(ConfigurationError, match=r"corrected\.json was written by .*; move it away and judge again"):
        store.correction(manifest())


def test_a_manifest_that_cannot_be_read_is_one_line_too(store: EvidenceStore) -> None:
    (store.folder(VERSION, "E1") / "manifest.json").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match=r"manifest\.json .*cannot be read; restore it from a backup, or"):
        store.manifest(VERSION, "E1")


@pytest.mark.parametrize("evaluation_id", ["", ".", "..", ".a", "a/b", "../x", "a b", "a\n"])
def test_an_id_that_is_no_folder_name_is_refused(store: EvidenceStore, evaluation_id: str) -> None:
    with pytest.raises(ConfigurationError, match="is not an evaluation id"), store.locked(VERSION, evaluation_id):
        pass


@pytest.mark.parametrize("version", ["marcus", "../x@1", "a/b@1", ""])
def test_a_version_that_is_no_folder_name_is_refused(store: EvidenceStore, version: str) -> None:
    for use in (lambda: store.folder(version, "E1"), lambda: store.manifests(version), lambda: store.delete(version)):
        with pytest.raises(ConfigurationError, match="is not an agent version"):
            use()


def test_a_journal_is_read_back(store: EvidenceStore, manifest: Make) -> None:
    texts = ["plain", "line\u2028separator\u2029and\x85more", "😀 \ud83d", "new\nline\r\n"]
    entries = [began("t0"), session("s1"), *(said(Turn(turn, "user", text)) for turn, text in enumerate(texts))]
    for entry in entries:
        asyncio.run(store.journals(manifest()).of("E1.chat~a.withheld.1").append(entry))
    again = store.journals(manifest()).of("E1.chat~a.withheld.1").entries()
    assert [entry["turn"]["content"] for entry in again[2:]] == texts
    assert store.journals(manifest()).of("E1.other.withheld.1").entries() == []


def test_the_trials_of_an_evaluation_share_one_file(store: EvidenceStore, manifest: Make) -> None:
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


def test_a_torn_last_entry_is_dropped(store: EvidenceStore, manifest: Make) -> None:
    asyncio.run(store.journals(manifest()).of("T").append(began("t0")))
    file = store.folder(VERSION, "E1") / "journal.jsonl"
    with file.open("ab") as torn:
        torn.write('{"trial": "T", "kind": "turn", "turn": {"content": "😀'.encode()[:-2])
    journal = store.journals(manifest()).of("T")
    assert journal.entries() == [began("t0")]
    asyncio.run(journal.append(session("s1")))
    assert store.journals(manifest()).of("T").entries() == [began("t0"), session("s1")]


def test_secrets_are_blanked_on_write(tmp_path: Path, manifest: Make) -> None:
    store = EvidenceStore(tmp_path, Redactor(["sk-[a-z]+"], ["tr0ub4dor"]))
    call = {"request": {"function": {"name": "login"}, "arguments": {"key": "sk-abc", "deep": ["tr0ub4dor"]}}}
    turn = Turn(0, "agent", "it is tr0ub4dor", events=(call,))
    asyncio.run(store.journals(manifest()).of("T").append(said(turn)))
    (entry,) = store.journals(manifest()).of("T").entries()
    assert entry["turn"]["content"] == "it is [redacted]"
    assert entry["turn"]["events"][0]["request"]["arguments"] == {"key": "[redacted]", "deep": ["[redacted]"]}


def test_a_home_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "evidence").touch()
    with pytest.raises(StorageError, match="cannot be written"), EvidenceStore(tmp_path).locked(VERSION, "E1"):
        pass
