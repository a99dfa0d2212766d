"""The evidence of evaluations on disk: one folder each, with a manifest, a journal for every trial, and one lock.

    <home>/evidence/<agent_version>/<evaluation_id>/manifest.json, trials/<trial_id>.jsonl, llm_calls.jsonl, lock
"""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import ValidationError

from stoic_assets.adapters.files import StorageError, write_whole
from stoic_assets.adapters.json_lines import append_line, read_lines
from stoic_assets.core.conversation.journal import Entry
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import Manifest


class EvidenceStore:
    """All evaluations of a `STOIC_HOME`. `clean` blanks secrets in what is journalled."""

    def __init__(self, home: Path, clean: Callable[[Any], Any] = lambda data: data) -> None:
        self.root, self._clean = home / "evidence", clean

    def folder(self, agent_version: str, evaluation_id: str) -> Path:
        """Where an evaluation's evidence lives. Raises `ConfigurationError` for an id that is no folder name."""
        if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", evaluation_id):
            raise ConfigurationError(f"{evaluation_id!r} is no evaluation id: letters, digits and _ . - only")
        return self.root / agent_version / evaluation_id

    @contextmanager
    def locked(self, agent_version: str, evaluation_id: str) -> Iterator[None]:
        """One run at a time for an evaluation: two would journal, and pay for, everything twice."""
        folder = self.folder(agent_version, evaluation_id)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / "lock", is_singleton=True)  # a command holds it around steps that take it too
            lock.acquire(timeout=0)
        except Timeout:
            raise ConfigurationError(
                f"evaluation {evaluation_id} of {agent_version} is running in another process; wait for it, or end it"
            ) from None
        except OSError as error:
            raise StorageError(f"{folder} cannot be written: {error.strerror}") from None
        try:
            yield
        finally:
            lock.release()

    def begin(self, manifest: Manifest) -> None:
        """Stores the head of a new evaluation."""
        path = self.folder(manifest.agent_version, manifest.evaluation_id) / "manifest.json"
        write_whole(path, manifest.model_dump_json(by_alias=True, indent=1))

    def manifest(self, agent_version: str, evaluation_id: str) -> Manifest | None:
        """The head of an evaluation, or None where there is none."""
        path = self.folder(agent_version, evaluation_id) / "manifest.json"
        try:
            return Manifest.model_validate_json(path.read_bytes()) if path.exists() else None
        except ValidationError:
            raise ConfigurationError(
                f"{path} does not fit this version of stoic-eval; move its folder away and evaluate anew"
            ) from None

    def manifests(self, agent_version: str) -> list[Manifest]:
        """Every evaluation of a version, oldest first."""
        paths = (self.root / agent_version).glob("*/manifest.json")
        found = [self.manifest(agent_version, path.parent.name) for path in paths]
        return sorted((manifest for manifest in found if manifest), key=lambda manifest: manifest.started_at)

    def journal(self, manifest: Manifest, trial_id: str) -> "FileJournal":
        """The journal of one trial."""
        folder = self.folder(manifest.agent_version, manifest.evaluation_id)
        return FileJournal(folder / "trials" / f"{trial_id}.jsonl", self._clean)

    def calls_file(self, manifest: Manifest) -> Path:
        """The ledger of model calls of an evaluation."""
        return self.folder(manifest.agent_version, manifest.evaluation_id) / "llm_calls.jsonl"

    def delete(self, agent_version: str) -> None:
        """Removes every journal and manifest of a version."""
        shutil.rmtree(self.root / agent_version, ignore_errors=True)


class FileJournal:
    """A journal as lines of JSON, redacted on write. What `append` wrote survives the death of the process."""

    def __init__(self, path: Path, clean: Callable[[Any], Any]) -> None:
        self._path, self._clean = path, clean

    def entries(self) -> list[Entry]:
        """All entries."""
        return read_lines(self._path)

    async def append(self, entry: Entry) -> None:
        """Adds one entry. Raises `StorageError` when it cannot be stored."""
        append_line(self._path, self._clean(dict(entry)))
