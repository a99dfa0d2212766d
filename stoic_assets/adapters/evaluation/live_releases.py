"""The releases of a project according to its present manifests and jobs: which can be read, which can be called."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from stoic_assets.adapters.disk.release_files import faults_of, load_release, load_releases, url_of, with_faulty
from stoic_assets.adapters.evaluation.job_choice import chosen_jobs
from stoic_assets.adapters.http.endpoint import parse_url
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.order_of_releases import base_of, live_versions
from stoic_assets.core.releases import Release


@dataclass(frozen=True)
class Releases:
    """Every readable manifest by agent version, the live ones oldest first, and what is wrong with the others.

    `ordered` also has those whose manifests have a fault: each is still the base of the next one, and at its address no
    older one is live. `faults` are those of files, `unusable` says by version what is wrong with an address, or with
    the jobs that are selected. `elsewhere` says, by version, why those with sound manifests are not live.
    """

    known: Mapping[str, Release]
    ordered: Mapping[str, Release]
    live: tuple[Release, ...]
    faults: Sequence[ConfigurationError]
    unusable: Mapping[str, str]
    elsewhere: Mapping[str, str]

    @property
    def complaints(self) -> tuple[str, ...]:
        """All that is wrong."""
        return (*map(str, self.faults), *self.unusable.values())

    def complaints_about(self, version: str) -> list[str]:
        """What is wrong with a version, or may be wrong with it."""
        return [self.unusable[version]] if version in self.unusable else [*map(str, faults_of(version, self.faults))]

    def bases(self) -> dict[str, str | None]:
        """The version that each live one is compared with."""
        return {release.agent_version: base_of(release.agent_version, self.ordered.values()) for release in self.live}


def read_releases(workplace: Workplace) -> Releases:
    """The manifests of `releases/`. A fault in one, or in the jobs it selects, is a complaint and stops no other."""
    known, faults = load_releases(workplace.project.releases)
    ordered = with_faulty(known, faults)
    addresses: dict[str, Set[str]] = {}
    unusable: dict[str, str] = {}
    for version, release in ordered.items():
        try:
            addresses[version] = _addresses(release, workplace)
        except ConfigurationError as fault:
            if version in known:  # what is wrong with the others is known already
                unusable[version] = f"{version}: {fault}"
    newest = live_versions(ordered.values(), lambda release: addresses.get(release.agent_version, set()))
    live = {release.agent_version: release for release in newest if release.agent_version in known}
    elsewhere = {
        version: f"{version} has {'the address of a newer version' if addresses[version] else 'no address'}"
        for version in sorted(known.keys() & addresses.keys() - live.keys())
    }
    return Releases(known, ordered, tuple(live.values()), faults, unusable, elsewhere)


def refuse_withdrawn(workplace: Workplace, version: str) -> None:
    """Raises `ConfigurationError` when a version is not live any more: at its address there is no agent, or another."""
    if not load_release(workplace.project.releases, version):
        raise ConfigurationError(f"the manifest of {version} was deleted; nothing is evaluated")
    if why := read_releases(workplace).elsewhere.get(version):
        raise ConfigurationError(f"{why}; nothing is evaluated")


def _addresses(release: Release, workplace: Workplace) -> Set[str]:
    """The addresses of a release: its own URL, or else those of all its jobs; none if it is only a name."""
    if url := url_of(workplace.project.releases, release):
        return {url}
    jobs = chosen_jobs(EvaluationRequest(), release.agent_version, workplace.project, release)
    urls = {job.target.url or _address_by_default(workplace) for job in jobs}
    return set() if "" in urls else urls


def _address_by_default(workplace: Workplace) -> str:
    """`AGENT_URL`; empty if it is not set. Raises `ConfigurationError` for one that no service has."""
    url = workplace.env.get("AGENT_URL") or ""
    return parse_url(url, "AGENT_URL").geturl() if url else ""
