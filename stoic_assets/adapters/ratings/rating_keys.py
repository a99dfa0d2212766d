"""`$STOIC_HOME/ratings/keys.json`: the replies behind the blind ids of all rating pages that were ever built.

Anyone with this file can unblind a study: only its owner may read it. Without it, ratings cannot be matched to their
replies.
"""

import json
import re
from collections.abc import Set
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter

from stoic_assets.adapters.disk.file_locks import locked, locked_async
from stoic_assets.adapters.disk.files import StorageError, read_stored, write_whole
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.ratings.blinding import Key, Keys

WAITING = "another process uses the ratings; this waits for that"
_KEYS = TypeAdapter(dict[str, Key])


def ratings_folder(home: Path) -> Path:
    """The folder of keys and of the files that raters send."""
    return home / "ratings"


def rating_pages(workplace: Workplace) -> Path:
    """The folder of rating pages and of analyses, unless other paths were given for them."""
    return workplace.reports / "ratings"


def keys_file(home: Path) -> Path:
    """Where the keys are."""
    return ratings_folder(home) / "keys.json"


def ratings_locked(workplace: Workplace) -> AbstractContextManager[None]:
    """Lets one thread at a time change keys or collected ratings; notes it if that must be waited for. Reentrant."""
    return locked(_lock(workplace), reentrant=True, on_wait=partial(workplace.progress.note, WAITING))


def ratings_locked_async(workplace: Workplace) -> AbstractAsyncContextManager[None]:
    """As `ratings_locked`, for what is asynchronous: Ctrl-C ends the wait. Not reentrant."""
    return locked_async(_lock(workplace), partial(workplace.progress.note, WAITING))


def _lock(workplace: Workplace) -> Path:
    return ratings_folder(workplace.project.home) / ".lock"


def read_keys(home: Path) -> dict[str, Key]:
    """All keys by test id; none before the first page. Raises `ConfigurationError` when the file is damaged."""
    advice = "cannot be read; restore it from a backup: without it ratings cannot be matched to replies"
    return read_stored(keys_file(home), _KEYS.validate_json, advice) or {}


def write_keys(home: Path, keys: Keys) -> Path:
    """Stores all keys, readable by the owner only. Raises `StorageError`."""
    data = {test_id: key.model_dump(mode="json") for test_id, key in sorted(keys.items())}
    return write_whole(keys_file(home), json.dumps(data, indent=1, ensure_ascii=False), mode=0o600)


def forget_version(workplace: Workplace, agent_version: str) -> None:
    """Removes the keys of a version, so that ratings of its replies can no longer be matched to them.

    Which ids are hidden repeats is kept: their ratings may come again, and would count as further items. The pages that
    show such a reply or name the version are removed first, with everything else in them. Raises `StorageError`; then
    it can be called again.
    """
    home, pages = workplace.project.home, rating_pages(workplace)
    with ratings_locked(workplace):
        known = read_keys(home)
        gone = {test_id: key for test_id, key in known.items() if key.agent_version == agent_version}
        if gone:
            _remove_naming(pages, gone.keys(), agent_version)
            repeats = {test_id: key.forgotten(test_id) for test_id, key in gone.items() if key.repeat_of}
            write_keys(home, {test_id: key for test_id, key in known.items() if test_id not in gone} | repeats)


def _remove_naming(folder: Path, test_ids: Set[str], agent_version: str) -> None:
    """Removes the files that name one of the ids, since a reply is never shown without its id, or the version.

    An analysis of many replies names their version, but does not show each of them.
    """
    named = re.compile(rf"(?<![\w.+-]){re.escape(agent_version)}(?![\w+-]|\.\w)")
    for path in folder.glob("*.*"):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
            if named.search(text) or any(test_id in text for test_id in test_ids):
                path.unlink()
        except OSError as error:
            raise StorageError(
                f"{path} cannot be removed: {error.strerror}; correct that, then repeat `stoic delete`"
            ) from None
