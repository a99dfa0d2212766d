"""Which release comes before which, lives, is compared with which, and is evaluated first."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.order_of_releases import base_of, first_of, in_order, live_versions, ready
from stoic_assets.core.releases import Release


def released(version: str, at: str | None = None, agent: str = "marcus", **more: object) -> Release:
    return Release.model_validate({"agent": agent, "version": version, "releasedAt": at, **more})


@pytest.mark.parametrize(
    "expected",
    [
        [
            released("2.0", "2026-10-01"),
            released("1.0", "2026-11-01T12:00:00+02:00"),  # 10:00 in UTC
            released("1.9", "2026-11-01T11:00:00"),  # UTC, since no zone is given
            released("1.10", "2026-11-01T11:00:00Z"),
            released("1.10.1", "2026-11-01T11:00:00Z"),
        ],
        [released("1.9"), released("1.10-beta"), released("1.10"), released("1.10+build"), released("1.10.1-rc")],
        [
            released("1.9", "2026-11-01"), released("2.0.0-rc"), released("2.0.0-rc.2"), released("2.0.0-rc.10"),
            released("2.0.0"), released("2.0.1", "2026-11-02"), released("2.1.0-rc"),
        ],
        [
            released("0.9"), released("1.0", "2026-11-01"), released("1.1"), released("1.2", "2026-11-02"),
            released("2.0", "2026-11-05"), released("1.2.1", "2026-11-06"), released("1.2.2"), released("1.3"),
        ],
        [released("1.0", "2026-11-01"), released("2.0", "2026-11-02"), released("dev"), released("v1.1")],
        [released("1.0"), released("2.0"), released("dev"), released("v1")],
        [released("1.0", "2026-11-01"), released("3.0", "2026-11-02"), released("2a3b4c5")],
        [released("9", "2026-11-01"), released("8", "2026-11-02", parents=["9"]), released("7", parents=["8"])],
        [released("6", "2026-11-02"), released("7", "2026-11-03"), released("5", "2026-11-01", parents=["7", "6"])],
    ],
    ids=[
        "dates", "numbers", "candidates for a release", "undated among dated", "numbers of another kind",
        "names without any date", "a hash that begins with a digit",
        "descent", "a clock that was wrong",
    ],
)
def test_releases_go_by_date_by_their_numbers_and_after_their_parents(expected: list[Release]) -> None:
    for seed in range(10):
        assert in_order(Random(seed).sample(expected, len(expected))) == expected


VERSIONS = ["0.9", "01.0", "1.0", "1.1", "1.10", "2.0-rc", "v1", "v2", "dev", "2a3b4c5", "f00ba12"]
DATES = st.sampled_from([None, "2026-11-01", "2026-11-01T01:00:00+01:00", "2026-11-02", "2026-11-03"])


@st.composite
def families(draw: st.DrawFn, acyclic: bool) -> list[Release]:
    """Releases of two agents, some without a date, with any parents or only such as can be."""
    found = []
    for agent in ("marcus", "seneca"):
        versions = draw(st.lists(st.sampled_from(VERSIONS), unique=True))
        for place, version in enumerate(versions):
            possible = versions[:place] if acyclic else [*versions[:place], *versions[place + 1 :], "lost"]
            parents = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
            found.append(released(version, draw(DATES), agent, parents=parents))
    return found


@given(families(acyclic=False), st.randoms(use_true_random=False))
def test_the_order_is_total_and_the_same_however_releases_are_found(releases: list[Release], random: Random) -> None:
    ordered = in_order(releases)
    assert sorted(each.agent_version for each in ordered) == sorted(each.agent_version for each in releases)
    assert in_order(random.sample(releases, len(releases))) == ordered


@given(families(acyclic=True))
def test_a_version_comes_after_its_parents_whatever_the_dates_say(releases: list[Release]) -> None:
    versions = [each.agent_version for each in in_order(releases)]
    for each in releases:
        for parent in each.parent_versions:
            assert versions.index(parent) < versions.index(each.agent_version)


def test_descent_may_be_longer_than_python_recurses() -> None:
    versions = [f"{number}" for number in range(3000, 0, -1)]
    line = [released(version, parents=[f"{int(version) + 1}"]) for version in versions]
    assert in_order(reversed(line)) == line


def at(release: Release) -> set[str]:
    """The addresses in a manifest's `url`."""
    return set((release.url or "").split())


def test_a_parent_without_a_date_yields_its_address_to_its_child() -> None:
    old, new = released("1.0.0", url="http://a"), released("1.1.0", "2026-11-20", url="http://a", parents=["1.0.0"])
    assert live_versions([old, new], at) == [new]
    assert base_of(old.agent_version, [old, new]) is None
    assert base_of(new.agent_version, [old, new]) == old.agent_version


def test_a_name_beside_a_number_is_the_newer_one_and_takes_its_address() -> None:
    number, name = released("1.0", url="http://a"), released("dev", url="http://a")
    assert live_versions([number, name], at) == [name]
    assert (base_of(number.agent_version, [number, name]), base_of(name.agent_version, [number, name])) == (
        None, number.agent_version,
    )  # fmt: skip


def test_what_lives_stands_as_it_does_among_all() -> None:
    """By itself 1.1 would come first: what says when it came is gone."""
    new, newest = released("3", "2026-11-02", url="http://a"), released("1.1", url="http://b")
    gone = released("1", "2026-11-03")
    assert live_versions([newest, gone, new], at) == [new, newest]


def test_a_version_lives_until_a_newer_one_of_its_agent_takes_its_address() -> None:
    old, new = released("1", url="http://a/"), released("2", url="http://a")
    beside, other = released("1.5", url="http://b"), released("1", agent="seneca", url="http://a")
    unplaced = released("3")
    live = live_versions([new, unplaced, other, beside, old], at)
    assert [release.agent_version for release in live] == ["seneca@1", "marcus@1.5", "marcus@2"]


@pytest.mark.parametrize(
    ("before", "since"),
    [
        ("http://agents:8081", "http://Agents:8081/"),
        ("http://agents/v", "http://agents:80/v/"),
        ("http://localhost:8081", "http://127.0.0.1:8081"),
        ("http://agents", "http://agents./v1/chat/completions"),
        ("http://a http://b", "http://b"),
        ("http://b", "http://a http://b"),
    ],
)
def test_a_newer_version_takes_a_service_however_it_spells_it_and_beside_which_others(before: str, since: str) -> None:
    old, new = released("1", url=before), released("2", url=since)
    assert live_versions([old, new], at) == [new]


def test_an_address_by_default_belongs_to_the_newest() -> None:
    live = live_versions([released("1"), released("3"), released("2")], lambda release: {"http://localhost:8081"})
    assert [release.version for release in live] == ["3"]


@pytest.mark.parametrize(
    ("version", "base"),
    [
        ("marcus@1.0", None),
        ("marcus@1.1", "marcus@1.0"),
        ("marcus@1.2", "marcus@1.0"),  # its first parent
        ("marcus@2.0", "marcus@1.2"),
        ("marcus@9.9", None),
        ("seneca@1.1", None),
    ],
)
def test_a_version_is_compared_with_its_first_parent_else_with_the_one_before(version: str, base: str | None) -> None:
    releases = [
        released("2.0", "2026-11-04"),
        released("1.2", "2026-11-03", parents=["1.0", "1.1"]),
        released("1.1", "2026-11-02"),
        released("1.0", "2026-11-01"),
        released("1.1", "2026-11-02", agent="seneca"),
    ]
    assert base_of(version, releases) == base


NAMES = "abcdef"
BASES = st.fixed_dictionaries({version: st.sampled_from([None, *NAMES]) for version in NAMES})


def test_of_those_that_wait_for_each_other_the_first_to_start_is_the_first_to_go_on() -> None:
    releases = [Release(agent="a", version=own, parents=(other,)) for own, other in (("10", "9"), ("9", "10"))]
    waiting = {release.agent_version for release in releases}
    wanted = [release.agent_version for release in in_order(releases)]
    bases = {version: base_of(version, releases) for version in wanted}
    assert [first_of(waiting, releases)] == ready(wanted, bases, set())
    assert first_of({"a@10"}, releases) == "a@10"
    assert first_of({"a@gone", "a@away"}, releases) == "a@away"


def test_bases_go_first() -> None:
    bases = {"a": None, "b": "a", "c": "b", "d": "gone"}
    assert ready(["a", "b", "c", "d"], bases, set()) == ["a", "d"]
    assert ready(["b", "c"], bases, {"a"}) == []
    assert ready(["b", "c"], bases, set()) == ["b"]
    assert ready(["c"], bases, {"a"}) == ["c"]


def test_a_version_that_is_its_own_base_waits_for_nobody() -> None:
    assert ready(["a"], {"a": "a"}, {"a"}) == ["a"]


@given(BASES, st.lists(st.sampled_from(NAMES), unique=True))
def test_whatever_the_bases_every_version_gets_its_turn(bases: dict[str, str | None], wanted: list[str]) -> None:
    done: list[str] = []
    for _ in wanted:
        begun = ready([version for version in wanted if version not in done], bases, set())
        done += begun
        assert begun or len(done) == len(wanted)
    assert sorted(done) == sorted(wanted)
