"""A version is deleted with all that it left, unless somebody works on it, and never by half."""

import os
from pathlib import Path
from typing import Any

import pytest
from evidence import VERSION, Make, elsewhere

from stoic_assets.adapters.disk.evidence_store import EvidenceStore
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.core.errors import ConfigurationError


def test_a_version_of_which_an_evaluation_runs_is_not_deleted(
    store: EvidenceStore, manifest: Make, tmp_path: Path
) -> None:
    for each in ("E0", "E1"):
        store.begin(manifest(each))
    with elsewhere(tmp_path), pytest.raises(ConfigurationError, match=r"evaluation E1 .* is running"):
        store.delete(VERSION)
    assert len(store.manifests(VERSION)) == 2
    with store.all_locked(VERSION):
        store.delete(VERSION)
    assert not (store.root / VERSION).exists()
    with store.locked(VERSION, "E1"):
        assert store.manifests(VERSION) == []


def test_what_is_to_be_deleted_can_neither_be_read_nor_begun(
    store: EvidenceStore, manifest: Make, caplog: pytest.LogCaptureFixture
) -> None:
    store.begin(manifest())
    store.begin_deletion(VERSION)
    for evaluation_id in ("E1", "new"):
        with pytest.raises(ConfigurationError, match=r"run `stoic delete marcus@1\.1\.0` to delete the rest"):
            store.manifest(VERSION, evaluation_id)
    assert store.manifests(VERSION) == []
    assert "left out: marcus@1.1.0 is being deleted, or its deletion was cut short" in caplog.messages[0]
    cut_short = "is being deleted, or its deletion was cut short; run `stoic delete marcus@1.1.0` to delete the rest"
    assert store.unevaluated(VERSION) == cut_short
    assert store.unevaluated("marcus@1.1.1").startswith("was never evaluated; run `stoic eval"), "it is not known"
    store.delete(VERSION)
    assert store.manifest(VERSION, "E1") is None


def test_wherever_a_deletion_is_killed_the_rest_cannot_be_read(
    store: EvidenceStore, manifest: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):  # a folder may be read in any order
        store.begin(manifest(f"E{number}"))
    store.begin_deletion(VERSION)
    left, unlink = [], os.unlink

    def remove(path: str, **options: Any) -> None:
        unlink(path, **options)
        left.append(len(store.evaluation_ids(VERSION)))
        assert store.is_being_deleted(VERSION) or left[-1] == 0

    monkeypatch.setattr(os, "unlink", remove)
    store.delete(VERSION)
    assert set(left) == {*range(8)}


def test_a_version_is_deleted_with_all_that_it_left(store: EvidenceStore, manifest: Make) -> None:
    store.begin(manifest())
    store.delete(VERSION)
    store.delete("never@1")
    assert store.manifests(VERSION) == []
    assert not (store.root / VERSION).exists()


def test_what_cannot_be_deleted_is_told(store: EvidenceStore, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    store.root.mkdir()
    (store.root / VERSION).symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "of others").mkdir()
    with pytest.raises(StorageError, match=r"marcus@1\.1\.0 cannot be removed"):
        store.delete(VERSION)
    assert (tmp_path / "elsewhere" / "of others").exists()
