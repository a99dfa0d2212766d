"""Reads release manifests from disk."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from stoic_assets.adapters.disk.configuration_files import fault_in, mentions, read_document, read_text, yaml_files
from stoic_assets.core.configuration.service_address import address_problem
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.releases import Release, agent_of
from stoic_assets.core.text.documents import parse_document

_ENTRIES = tuple(
    re.compile(rf"^(?:{keys})\s*:.*(?:\n[ -].*)*", re.MULTILINE)
    for keys in ("agent|version|releasedAt|parents|url|jobs", "agent|version|releasedAt|parents", "agent|version")
)
"""The entries with the address of a release and its place in the order; where some have a fault, fewer of them."""


def each_release(folder: Path) -> Iterator[tuple[Path, Release | ConfigurationError]]:
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
    releases, unreadable, several = _read(folder)
    return releases, [*unreadable, *several.values()]


def releases_by_version(folder: Path) -> dict[str, Release]:
    """The manifests of a folder that count; `load_releases` also has the complaints about the others."""
    return load_releases(folder)[0]


def _read(folder: Path) -> tuple[dict[str, Release], list[ConfigurationError], dict[str, DocumentError]]:
    """As `load_releases`, with the complaints about versions in several files apart, by version."""
    found: dict[str, list[tuple[Path, Release]]] = {}
    unreadable: list[ConfigurationError] = []
    for path, release in each_release(folder):
        if isinstance(release, ConfigurationError):
            unreadable.append(release)
        else:
            found.setdefault(release.agent_version, []).append((path, release))
    several: dict[str, DocumentError] = {}
    for version, [(path, _), *others] in found.items():
        if others:
            problem = f"{version} is also in {', '.join(other.name for other, _ in others)}; leave one of them"
            several[version] = DocumentError(str(path), None, "version", problem)
    return {version: own[0][1] for version, own in found.items() if version not in several}, unreadable, several


def with_faulty(releases: Mapping[str, Release], faults: Iterable[ConfigurationError]) -> dict[str, Release]:
    """`releases`, and those of the files with `faults` that can be named; of these, only place and address are right.

    A version that cannot be evaluated is still the one before the next, and at its address there is no older one.
    """
    return {**{each.agent_version: each for each in map(_placed, faults) if each}, **releases}


def nameless(faults: Iterable[ConfigurationError], agent: str) -> list[ConfigurationError]:
    """The faults of files that may be of any version of `agent`."""
    unplaced = [fault for fault in faults if not _placed(fault)]
    return [each for each in unplaced if not isinstance(each, DocumentError) or mentions(Path(each.source), [agent])]


def faults_of(version: str, faults: Iterable[ConfigurationError]) -> list[ConfigurationError]:
    """The faults of files that name a version; where there are none, of those that may be of any of its agent."""
    faults = [*faults]
    own = [fault for fault in faults if (placed := _placed(fault)) and placed.agent_version == version]
    return own or nameless(faults, agent_of(version))


def _placed(fault: ConfigurationError) -> Release | None:
    """The version that a file with a fault names and, if they are sound, its date, parents, address and jobs."""
    if isinstance(fault, DocumentError):
        for entries in _ENTRIES:
            with suppress(ConfigurationError):
                text = "\n".join(entries.findall(read_text(Path(fault.source))))
                return parse_document(text, Release, fault.source)
    return None


def fault_in_release(folder: Path, release: Release, key: str, problem: str) -> DocumentError:
    """A complaint about a value in the manifest of `release`."""
    for path, found in each_release(folder):
        if found == release:
            return fault_in(path, (key,), problem)
    return DocumentError(f"release {release.agent_version}", None, key, problem)  # its file was changed since


def url_of(folder: Path, release: Release) -> str | None:
    """The address in a manifest. Raises `DocumentError` for one that no service has.

    `Release` has no such rule: nothing is wrong where another address is used, or another version is evaluated.
    """
    if release.url and (problem := address_problem(release.url)):
        raise fault_in_release(folder, release, "url", problem)
    return release.url


def as_released(folder: Path, manifest: Manifest) -> Manifest:
    """The head of an evaluation, with date and parents of its release added if there was none when it began."""
    if manifest.released_at or manifest.parents:
        return manifest
    release = releases_by_version(folder).get(manifest.agent_version)
    found = {"released_at": release.released_at, "parents": release.parent_versions} if release else {}
    return manifest.model_copy(update=found)


def load_release(folder: Path, agent_version: str) -> Release | None:
    """The manifest of a version. Raises the fault of an unreadable file that, by its words, may be the missing one."""
    releases, unreadable, several = _read(folder)
    if agent_version in several:
        raise several[agent_version]
    if agent_version not in releases:
        words = agent_version.split("@")
        for complaint in unreadable:
            if not isinstance(complaint, DocumentError):
                raise complaint
            if mentions(Path(complaint.source), words):
                problem = f"{complaint.problem}; this may be the manifest of {agent_version}"
                raise DocumentError(complaint.source, complaint.line, complaint.key, problem) from complaint
    return releases.get(agent_version)
