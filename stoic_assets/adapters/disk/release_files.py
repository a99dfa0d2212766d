"""Reads release manifests from disk."""

from collections.abc import Iterator
from pathlib import Path

from stoic_assets.adapters.disk.document_files import fault_in, mentions, read_document, yaml_files
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.releases import Release


def manifests(folder: Path) -> Iterator[tuple[Path, Release | ConfigurationError]]:
    """The files of a folder, each with its release or with the reason why it cannot be read."""
    for path in yaml_files(folder):
        try:
            yield path, read_document(path, Release)
        except ConfigurationError as error:
            yield path, error


def load_releases(folder: Path) -> tuple[dict[str, Release], list[ConfigurationError]]:
    """The manifests of a folder by agent version, and the complaints about those that cannot be read.

    Where several are of one version, it is unclear which one is meant: none of them counts.
    """
    found: dict[str, list[tuple[Path, Release]]] = {}
    complaints: list[ConfigurationError] = []
    for path, release in manifests(folder):
        if isinstance(release, ConfigurationError):
            complaints.append(release)
        else:
            found.setdefault(release.agent_version, []).append((path, release))
    for version, [(path, _), *others] in found.items():
        if others:
            problem = f"{version} is also in {', '.join(other.name for other, _ in others)}; leave one of them"
            complaints.append(DocumentError(str(path), None, "version", problem))
    return {version: release for version, [(_, release), *others] in found.items() if not others}, complaints


def fault_in_release(folder: Path, release: Release, key: str, problem: str) -> DocumentError:
    """A complaint about a value in the manifest of `release`."""
    for path, found in manifests(folder):
        if found == release:
            return fault_in(path, (key,), problem)
    return DocumentError(f"release {release.agent_version}", None, key, problem)  # its file was changed since


def load_release(folder: Path, agent_version: str) -> Release | None:
    """The manifest of a version. Raises the fault of an unreadable file that, by its words, may be the missing one."""
    releases, complaints = load_releases(folder)
    if agent_version not in releases:
        words = agent_version.split("@")
        # A version that is in several files comes before any file that only mentions it.
        for complaint in sorted(complaints, key=lambda each: not _is_of_several(each, agent_version)):
            if not isinstance(complaint, DocumentError) or mentions(Path(complaint.source), words):
                raise complaint
    return releases.get(agent_version)


def _is_of_several(complaint: ConfigurationError, agent_version: str) -> bool:
    return isinstance(complaint, DocumentError) and complaint.problem.startswith(f"{agent_version} is also in ")
