"""Which release comes before which, which can still be called, what each is compared with, and which goes first."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime
from typing import Any

from stoic_assets.core.configuration.service_address import service_at
from stoic_assets.core.releases import Release, agent_of

_HASH = re.compile(r"(?=.*[a-f])[0-9a-f]{7,}")
_EARLIEST, _LATEST = (moment.replace(tzinfo=UTC) for moment in (datetime.min, datetime.max))


def in_order(releases: Iterable[Release]) -> list[Release]:
    """Oldest first: by date, those of the same moment by their numbers, and every version after its parents.

    Without a date a release follows the newest of those with lower numbers, and comes first if there are only higher
    ones. If no dated release has a number that is comparable with its own (`dev`, a hash of git, or `v2` and `1.0`), it
    counts as the newest; where there are several of these, one that begins with its number comes first. For versions
    that are each other's parents the order is arbitrary, but always the same.
    """
    known = list(releases)
    moments = _moments(known)

    def age(each: Release) -> tuple[Any, ...]:
        return moments[each.agent_version], _is_named(each), *_number(each)

    return _parents_first(sorted(known, key=age))


def _is_named(release: Release) -> bool:
    """Whether neither a date nor a number at its beginning places it."""
    _, before_number = _series(release)
    return release.released_at is None and before_number != ""


def _moments(releases: Sequence[Release]) -> dict[str, datetime]:
    """When each was released or, without a date, is assumed to have been."""
    newest = {_series(each): _EARLIEST for each in releases if each.released_at}
    moments = {}
    for release in sorted(releases, key=_number):
        series = _series(release)
        if release.released_at is None:
            moment = newest.get(series, _LATEST)
        else:
            moment = datetime.fromisoformat(release.released_at)
            newest[series] = max(newest[series], moment)
        moments[release.agent_version] = moment
    return moments


def _series(release: Release) -> tuple[str, str]:
    """The agent and the text before the number: numbers are compared within the same series.

    A hash of git has no number, though it may begin with a digit, and is a series of its own.
    """
    if _HASH.fullmatch(release.version):
        return release.agent, release.version
    return release.agent, re.split(r"\d", release.version, maxsplit=1)[0]


def _number(release: Release) -> tuple[list[tuple[int, bool, str]], str]:
    """A sort key, by which `1.10` comes after `1.9` and `1.10-rc`; the name decides between equal numbers."""
    parts = re.findall(r"(\d*)(\D*)", release.version)
    return [(int(part or 0), not text.startswith("-"), text) for part, text in parts], release.agent_version


def _parents_first(releases: Sequence[Release]) -> list[Release]:
    """The same order, except that parents after a child are moved to right before it."""
    places = {release.agent_version: place for place, release in enumerate(releases)}
    parents = [{places[each] for each in release.parent_versions if each in places} for release in releases]
    placed: dict[int, Release] = {}
    begun: set[int] = set()
    waiting = list(reversed(range(len(releases))))
    while waiting:  # no recursion: a line of descent may be long
        place = waiting[-1]
        if place in begun:
            placed.setdefault(waiting.pop(), releases[place])
        else:
            begun.add(place)
            waiting += sorted(parents[place] - begun, reverse=True)
    return list(placed.values())


def overtaken(release: Release, releases: Iterable[Release]) -> Release | None:
    """The last release before this one that has a higher number, or None: perhaps the date of this one is wrong."""
    order = [each for each in in_order(releases) if _series(each) == _series(release)]
    before = order[: order.index(release)]
    return next((each for each in reversed(before) if _number(each) > _number(release)), None)


def live_versions(releases: Iterable[Release], addresses_of: Callable[[Release], Set[str]]) -> list[Release]:
    """The releases that can be called, oldest first: those with addresses none of which is also a newer version's.

    `addresses_of` gives those of the services that a release consists of; none where they are not known.
    """
    located = [(release, set(map(service_at, addresses_of(release)))) for release in in_order(releases)]
    newest = {(release.agent, service): release for release, services in located for service in services}
    return [
        release for release, services in located
        if services and all(newest[release.agent, service] is release for service in services)
    ]


def base_of(agent_version: str, releases: Iterable[Release]) -> str | None:
    """The version that `agent_version` is compared with: its first parent, else the release before it."""
    same_agent = [release for release in in_order(releases) if release.agent == agent_of(agent_version)]
    versions = [release.agent_version for release in same_agent]
    if agent_version not in versions:
        return None
    place = versions.index(agent_version)
    if parents := same_agent[place].parent_versions:
        return parents[0]
    return versions[place - 1] if place else None


def first_of(versions: Set[str], releases: Iterable[Release]) -> str:
    """The version that goes on where each of `versions` waits for another of them: the oldest, as `ready` chooses.

    Without a release the names decide.
    """
    ordered = (release.agent_version for release in in_order(releases))
    return next((version for version in ordered if version in versions), min(versions))


def ready(wanted: Sequence[str], bases: Mapping[str, str | None], running: Set[str]) -> list[str]:
    """The versions that may be evaluated now: those whose base is itself neither wanted nor running.

    The others wait, so that they can be compared with it. Where versions name each other as their base, the first of
    `wanted` starts.
    """
    awaited = {*wanted, *running}
    found = [version for version in wanted if bases.get(version) in (None, version) or bases[version] not in awaited]
    if found or any(bases.get(version) in running for version in wanted):
        return found
    return list(wanted[:1])
