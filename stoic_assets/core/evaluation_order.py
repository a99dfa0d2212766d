"""The order in which versions to be compared with each other are evaluated."""

from collections.abc import Mapping, Sequence, Set


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
