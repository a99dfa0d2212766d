"""What the tests of ratings share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.ratings.rating_keys import ratings_folder


@pytest.fixture
def steps_alone(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Has a function of each `owner` fail unless the ratings of a home are locked; lists those that were called."""

    def watch(home: Path, *functions: tuple[Any, str]) -> list[str]:
        called: list[str] = []
        for owner, name in functions:
            monkeypatch.setattr(owner, name, alone(home, getattr(owner, name), called))
        return called

    return watch


def alone(home: Path, step: Callable[..., Any], called: list[str]) -> Callable[..., Any]:
    def watched(*given: Any) -> Any:
        with pytest.raises(StorageError, match="another process uses"), locked(ratings_folder(home) / ".lock", wait=0):
            pass
        called.append(step.__name__)
        return step(*given)

    return watched
