"""The evidence of evaluations on disk: one folder each, with a manifest, a journal of trials and model calls, one lock,
and the jobs that were corrected afterwards.

    <home>/evidence/<agent_version>/<evaluation_id>/manifest.json, journal.jsonl, lock, corrected.json
    <home>/evidence/<agent_version>/deleting, once its deletion has begun
    <home>/locks/<hash of agent_version>

The lock of a version is held while one of its evaluations is being locked, and during its whole deletion, so that no
evaluation begins meanwhile.
"""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path

from stoic_assets.adapters.disk.file_locks import is_locked, locked
from stoic_assets.adapters.disk.files import read_stored, remove_folder, write_whole
from stoic_assets.adapters.disk.trial_journals import Journals
from stoic_assets.core.errors import Busy, ConfigurationError
from stoic_assets.core.evaluation.evaluation_id import check_evaluation_id
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.next_command import never_evaluated, resume
from stoic_assets.core.jobs.correction import Correction
from stoic_assets.core.releases import check_agent_version, is_agent_version
from stoic_assets.core.secrets.redaction import Redactor

_MOMENT = 2.0
"""Seconds to wait for a version's lock, which the start of an evaluation holds for far less."""
_GLANCE = 0.2
"""Seconds to wait for an evaluation's lock: whoever looks whether it is held (`is_locked`) holds it for an instant."""
_log = logging.getLogger(__name__)


class EvidenceStore:
    """All evaluations of a `STOIC_HOME`. `redactor` blanks secrets in everything that is stored."""

    def __init__(self, home: Path, redactor: Redactor | None = None) -> None:
        self.root, self._locks, self._redactor = home / "evidence", home / "locks", redactor or Redactor(())
        self._run: ExitStack | None = None
        self._clean = set[tuple[str, str]]()

    def folder(self, agent_version: str, evaluation_id: str) -> Path:
        """The folder of an evaluation's evidence. Raises `ConfigurationError` for an invalid version or id."""
        return self._version_folder(agent_version) / check_evaluation_id(evaluation_id)

    def _version_folder(self, agent_version: str) -> Path:
        return self.root / check_agent_version(agent_version)

    @contextmanager
    def locked(self, agent_version: str, evaluation_id: str) -> Iterator[None]:
        """Lets only one run at a time work on an evaluation: two would journal, and pay for, everything twice.

        Raises `ConfigurationError` while another process holds it, or deletes the version.
        """
        busy = Busy(
            f"evaluation {evaluation_id} of {agent_version} is running in another process; wait for it, or end it"
        )
        with ExitStack() as held:
            with self._version_locked(agent_version):
                # A command holds it around steps that lock it too.
                own = locked(self.folder(agent_version, evaluation_id) / "lock", busy, wait=_GLANCE, reentrant=True)
                held.enter_context(own)
            yield

    def is_being_evaluated(self, agent_version: str, named: str | None = None) -> bool | None:
        """Whether another process works on the `named` evaluation, or else the newest; None if none ever did here."""
        begun = [named] if named else [each.evaluation_id for each in self.manifests(agent_version)]
        try:
            return bool(begun) and is_locked(self.folder(agent_version, begun[-1]) / "lock")
        except OSError:
            return None

    def _version_locked(self, agent_version: str) -> AbstractContextManager[None]:
        busy = Busy(f"{agent_version} is being deleted by another process; wait for it, then try again")
        name = hashlib.sha256(check_agent_version(agent_version).encode()).hexdigest()[:12]
        return locked(self._locks / name, busy, wait=_MOMENT, reentrant=True)

    @contextmanager
    def locked_by_run(self) -> Iterator[None]:
        """Within the block, an evaluation that a step has locked stays locked between steps too."""
        with ExitStack() as self._run:
            try:
                yield
            finally:
                self._run = None

    def lock_for_run(self, agent_version: str, evaluation_id: str) -> None:
        """Locks an evaluation until the block of `locked_by_run` ends; outside such a block the caller must lock it.

        Raises as `locked` does.
        """
        if self._run is not None:
            self._run.enter_context(self.locked(agent_version, evaluation_id))

    @contextmanager
    def all_locked(self, agent_version: str) -> Iterator[None]:
        """Every evaluation of a version is `locked`, so that none runs or begins meanwhile. Raises as `locked` does."""
        with self._version_locked(agent_version), ExitStack() as locks:
            for lock in self._version_folder(agent_version).glob("*/lock"):
                locks.enter_context(self.locked(agent_version, lock.parent.name))
            yield

    def begin(self, manifest: Manifest) -> None:
        """Stores the manifest of a new evaluation, redacted. Raises `StorageError`, and as `Job.blanked` does."""
        path = self.folder(*manifest.key) / "manifest.json"
        write_whole(path, manifest.blanked(self._redactor).model_dump_json(by_alias=True, indent=1))

    def manifest(self, agent_version: str, evaluation_id: str) -> Manifest | None:
        """The manifest of an evaluation, or None where there is none.

        Raises `ConfigurationError` for a damaged one, and when the deletion of the version has begun: it is incomplete.
        """
        path = self.folder(agent_version, evaluation_id) / "manifest.json"
        self.refuse_being_deleted(agent_version)
        problem = "was written by another version of stoic-eval, or cannot be read"
        return read_stored(path, _manifest_in, f"{problem}; restore it from a backup, or run a new evaluation")

    def correct(self, manifest: Manifest, correction: Correction) -> None:
        """Stores by which jobs an evaluation is judged from now on, redacted. Raises as `begin` does."""
        blanked = correction.model_copy(update={"jobs": tuple(job.blanked(self._redactor) for job in correction.jobs)})
        write_whole(self._corrected_file(manifest), blanked.model_dump_json(by_alias=True, indent=1))

    def correction(self, manifest: Manifest) -> Correction:
        """The corrected jobs of an evaluation. Raises `ConfigurationError` if they cannot be read."""
        advice = (
            "was written by another version of stoic-eval, or cannot be read; move it away and judge again with --file"
        )
        return read_stored(self._corrected_file(manifest), Correction.model_validate_json, advice) or Correction()

    def was_corrected(self, manifest: Manifest) -> bool:
        """Whether a correction of an evaluation was ever stored, readable or not."""
        return self._corrected_file(manifest).exists()

    def _corrected_file(self, manifest: Manifest) -> Path:
        return self.folder(*manifest.key) / "corrected.json"

    def readable(self, agent_version: str, evaluation_id: str) -> Manifest | None:
        """As `manifest`, for callers that can do without it: a damaged one is logged and left out."""
        try:
            return self.manifest(agent_version, evaluation_id)
        except ConfigurationError as damage:
            _log.warning("left out: %s", damage)
            return None

    def manifests(self, agent_version: str) -> list[Manifest]:
        """Every evaluation of a version that is `readable`, oldest first. Raises as `folder` does."""
        found = [self.readable(agent_version, each) for each in self.evaluation_ids(agent_version)]
        return sorted((manifest for manifest in found if manifest), key=lambda manifest: manifest.started_at)

    def unevaluated(self, agent_version: str, other: str | None = None, released: bool = False) -> str:
        """The message about a version without an evaluation in any table, with advice. Raises as `folder` does.

        `other` is the version that it was to be compared with, which cannot be meant; no other is if it was `released`.
        """
        if self.is_being_deleted(agent_version):
            return _being_deleted(agent_version)
        if begun := self.manifests(agent_version):
            again = resume(agent_version, begun[-1].evaluation_id)
            return f"has an unfinished evaluation; continue with {again}"
        alike = set[str]() if released else self.agent_versions() - {other}
        known = (each for each in alike if self.evaluation_ids(each))
        return never_evaluated(agent_version, [each for each in known if not self.is_being_deleted(each)])

    def evaluation_ids(self, agent_version: str) -> list[str]:
        """Every evaluation of a version, readable or not. Raises as `folder` does."""
        return [path.parent.name for path in self._version_folder(agent_version).glob("*/manifest.json")]

    def versions_with(self, evaluation_id: str) -> set[str]:
        """The versions that have an evaluation with this id."""
        return {path.parent.parent.name for path in self.root.glob(f"*/{evaluation_id}/manifest.json")}

    def agent_versions(self) -> set[str]:
        """Every version that has a folder here."""
        return {folder.name for folder in self.root.glob("*") if is_agent_version(folder.name)}

    def note_clean(self, manifest: Manifest) -> None:
        """Notes that the tables hold the evidence of an evaluation as its `redactor` blanks it."""
        self._clean.add(manifest.key)

    def is_clean(self, agent_version: str, evaluation_id: str) -> bool:
        """Whether `note_clean` was called for an evaluation: then nothing in its tables has to be blanked again."""
        return (agent_version, evaluation_id) in self._clean

    def journals(self, manifest: Manifest) -> Journals:
        """The journals of an evaluation's trials."""
        return Journals(self.journal_file(manifest), self._redactor.row)

    def journal_file(self, manifest: Manifest) -> Path:
        """The file with the journal of an evaluation."""
        return self.folder(*manifest.key) / "journal.jsonl"

    def has_begun(self, manifest: Manifest) -> bool:
        """Whether an evaluation has journal entries; services that it needs may have been unreachable."""
        return self.journal_file(manifest).exists()

    def begin_deletion(self, agent_version: str) -> None:
        """Records that the deletion of a version begins: none of its evaluations can be read or begun afterwards.

        Raises `StorageError`.
        """
        write_whole(self._deleting(agent_version), "")

    def is_being_deleted(self, agent_version: str) -> bool:
        """Whether the deletion of a version has begun and not ended: what is left of it counts nowhere."""
        return self._deleting(agent_version).exists()

    def refuse_being_deleted(self, agent_version: str) -> None:
        """Raises `ConfigurationError` where `is_being_deleted`."""
        if self.is_being_deleted(agent_version):
            raise ConfigurationError(f"{agent_version} {_being_deleted(agent_version)}")

    def _deleting(self, agent_version: str) -> Path:
        return self._version_folder(agent_version) / "deleting"

    def delete(self, agent_version: str) -> None:
        """Removes every journal and manifest of a version. Raises `StorageError`, and as `locked` does.

        The locks are removed with the rest while they are held: a later caller finds no manifest and starts again.
        """
        folder = self._version_folder(agent_version)
        with self.all_locked(agent_version):
            for each in () if folder.is_symlink() else folder.glob("*/"):
                remove_folder(each)
            remove_folder(folder)  # last, as it holds the record that keeps a rest from being read


def _being_deleted(agent_version: str) -> str:
    return f"is being deleted, or its deletion was cut short; run `stoic delete {agent_version}` to delete the rest"


@lru_cache(maxsize=32)  # every step of a run needs it, and a manifest contains all jobs
def _manifest_in(content: bytes) -> Manifest:
    return Manifest.model_validate_json(content)
