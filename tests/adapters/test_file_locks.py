from pathlib import Path

import pytest

from stoic_assets.adapters.file_locks import locked
from stoic_assets.adapters.files import StorageError
from stoic_assets.core.errors import ConfigurationError


def test_whoever_comes_second_is_told(tmp_path: Path) -> None:
    busy = ConfigurationError("somebody runs")
    with locked(tmp_path / "new" / "lock"):
        with pytest.raises(ConfigurationError, match="somebody runs"), locked(tmp_path / "new" / "lock", busy, wait=0):
            pass
        with pytest.raises(StorageError, match="held by another process"), locked(tmp_path / "new" / "lock", wait=0.01):
            pass
    with locked(tmp_path / "new" / "lock", wait=0):
        pass


def test_a_reentrant_lock_is_held_until_the_outermost_ends(tmp_path: Path) -> None:
    with locked(tmp_path / "lock", reentrant=True):
        with locked(tmp_path / "lock", wait=0, reentrant=True):
            pass
        with pytest.raises(StorageError, match="held by another"), locked(tmp_path / "lock", wait=0):
            pass


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="file cannot be written: "), locked(tmp_path / "file" / "lock"):
        pass
