"""Who works on an evaluation holds its lock, and other processes wait or are refused."""

import fcntl
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest
from evidence import HOLD, VERSION, Make, elsewhere

from stoic_assets.adapters.disk.evidence_store import EvidenceStore
from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.core.errors import Busy, ConfigurationError


def test_who_works_on_an_evaluation_holds_its_lock(store: EvidenceStore, manifest: Make) -> None:
    assert (store.is_being_evaluated(VERSION), store.is_being_evaluated(VERSION, "E1")) == (False, None)
    for evaluation_id, day in (("E3", 1), ("E2", 2), ("E1", 3)):
        store.begin(manifest(evaluation_id, started_at=f"2026-01-0{day}T00:00:00+00:00"))
        with store.locked(VERSION, evaluation_id):
            assert store.is_being_evaluated(VERSION), "the newest"
    with store.locked(VERSION, "E2"):
        found = [store.is_being_evaluated(VERSION, named) for named in (None, "E1", "E2", "E3")]
    assert found == [False, False, True, False]


def test_a_second_process_cannot_take_the_same_evaluation(store: EvidenceStore, tmp_path: Path) -> None:
    with elsewhere(tmp_path):
        with pytest.raises(ConfigurationError, match=r"evaluation E1 of marcus@1\.1\.0 is running in another process"):
            store.locked(VERSION, "E1").__enter__()
        with store.locked(VERSION, "E2"):
            pass
    with store.locked(VERSION, "E1"):
        assert (store.folder(VERSION, "E1") / "lock").exists()


def test_nobody_is_refused_for_a_glance_at_a_lock(store: EvidenceStore, tmp_path: Path) -> None:
    """`is_locked` holds it for an instant, as the start of another evaluation does with the version's."""
    with store.locked(VERSION, "E1"):
        pass
    for lock in (store.folder(VERSION, "E1") / "lock", *(tmp_path / "locks").iterdir()):
        with lock.open("r+") as looking:
            fcntl.flock(looking, fcntl.LOCK_SH)
            glance = Timer(0.05, fcntl.flock, [looking, fcntl.LOCK_UN])
            glance.start()
            with store.locked(VERSION, "E1"):
                glance.join()
                assert store.is_being_evaluated(VERSION, "E1"), lock


def test_what_a_run_has_locked_is_free_when_the_run_ends(store: EvidenceStore) -> None:
    lock, taken = store.folder(VERSION, "E1") / "lock", Busy("taken")
    with store.locked_by_run():
        store.lock_for_run(VERSION, "E1")
        with pytest.raises(Busy, match="taken"), locked(lock, taken, wait=0):
            pass
    with locked(lock, taken, wait=0):
        pass
    store.lock_for_run(VERSION, "E1")  # outside of a run, the caller locks it
    with locked(lock, taken, wait=0):
        pass


def test_while_all_are_locked_none_can_begin(store: EvidenceStore, tmp_path: Path) -> None:
    with store.locked(VERSION, "E1"):
        pass
    with store.all_locked(VERSION):
        programs = [HOLD.replace("E1", evaluation_id) for evaluation_id in ("E1", "new")]
        begun = [
            subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stderr=subprocess.PIPE, text=True)
            for program in programs
        ]
        for each in begun:
            assert "marcus@1.1.0 is being deleted by another process; wait for it" in each.communicate()[1]
    with store.all_locked(VERSION), store.locked("marcus@1.1.1", "E1"):
        assert not store.folder(VERSION, "new").exists()
