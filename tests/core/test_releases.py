"""Agent versions, release manifests, and the order in which releases are evaluated."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.documents import parse_document
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.releases import (
    Release,
    agent_of,
    base_of,
    check_agent_version,
    first_of,
    in_order,
    live_versions,
    ready,
)

PART = st.text("abcXYZ019_.+-", min_size=1, max_size=12)


@given(PART, PART)
def test_an_agent_version_is_taken_apart_where_it_was_joined(agent: str, version: str) -> None:
    release = Release(agent=agent, version=version)
    assert check_agent_version(release.agent_version) == f"{agent}@{version}"
    assert agent_of(release.agent_version) == agent


@pytest.mark.parametrize("key", ["", "marcus", "marcus@", "@1", "a@b@c", "a b@1", "a/b@1", "a@1\n", "ä@1", "../x@1"])
def test_what_is_no_agent_version_is_refused_with_an_example(key: str) -> None:
    with pytest.raises(ConfigurationError, match=r"marcus@1\.1\.0") as caught:
        check_agent_version(key)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("key", "misfit"), [("my agent@1", "' '"), ("marcus@1ß", "'ß'"), ("a@1\n", r"'\n'")])
def test_the_character_that_no_agent_version_has_is_named(key: str, misfit: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_agent_version(key)
    assert str(caught.value).endswith(f"with a–z and A–Z without accents, 0–9 and _ . + -, and without {misfit}")


def test_an_agent_version_must_leave_room_in_the_name_of_a_folder() -> None:
    longest = "a" * 230 + "@" + "1" * 9
    assert check_agent_version(longest) == Release(agent="a" * 230, version="1" * 9).agent_version == longest
    with pytest.raises(ConfigurationError, match="at most 240 characters, not 241: a") as told:
        check_agent_version(longest + "1")
    assert len(str(told.value)) < 120
    with pytest.raises(DocumentError, match=r"release.yml:2: version: .*agent and version have at most 239 characters"):
        parse_document(f"agent: {'a' * 230}\nversion: b{'1' * 9}\n", Release, "release.yml")


def test_a_manifest_of_all_keys() -> None:
    text = (
        "agent: marcus\nversion: 1.10\nurl: http://localhost:8081\nprotocol: openai\nmodel: m\nnotes: better\n"
        "releasedAt: 2026-11-02T09:00:00Z\nparents: [1.0, marcus@1.9]\njobs: [a, b]\n"
    )
    release = parse_document(text, Release, "release.yml")
    assert release.agent_version == "marcus@1.10"
    assert (release.released_at, release.parents, release.jobs) == ("2026-11-02T09:00:00Z", ("1.0", "1.9"), ("a", "b"))
    assert release.parent_versions == ("marcus@1.0", "marcus@1.9")
    assert (release.url, release.protocol, release.model) == ("http://localhost:8081", "openai", "m")


def test_the_least_manifest() -> None:
    release = parse_document("agent: marcus\nversion: 2\n", Release, "release.yml")
    assert release.agent_version == "marcus@2"
    assert (release.jobs, release.parents, release.released_at, release.protocol) == ((), (), None, None)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("agent: marcus\n", "release.yml:1: version: is required"),
        ("agent: marcus@1\nversion: 1\n", "release.yml:1: agent: String should match"),
        ("agent: m\nversion: a b\n", "release.yml:2: version: String should match"),
        ("agent: m\nversion: 1\nreleased_at: x\n", "release.yml:3: released_at: unknown key; did you mean"),
        ("agent: m\nversion: 1\nreleasedAt: yesterday\n", "release.yml:3: releasedAt: 'yesterday' is not a time"),
        (
            "agent: m\nversion: 1\nreleasedAt: 0001-01-01T00:00:00+14:00\n",
            "release.yml:3: releasedAt: '0001-01-01T00:00:00+14:00' is not a time",
        ),
        ("agent: m\nversion: 1\nprotocol: http\n", "release.yml:3: protocol: Input should be 'embabel' or 'openai'"),
        ("agent: m\nversion: 1\nparents: 0.9\n", "release.yml:3: parents: a list is expected"),
        ("agent: m\nversion: 1\nparents: [0.9, n@0.8]\n", "release.yml:3: parents[1]: 'n@0.8' is not a version of m"),
    ],
)
def test_a_wrong_manifest_is_named(text: str, fault: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(text, Release, "release.yml")
    assert str(caught.value).startswith(fault)


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
        [released("1.9"), released("1.10"), released("1.10-beta")],
        [
            released("0.9"), released("1.0", "2026-11-01"), released("1.1"), released("1.2", "2026-11-02"),
            released("2.0", "2026-11-05"), released("1.2.1", "2026-11-06"), released("1.2.2"), released("1.3"),
        ],
        [released("1.0", "2026-11-01"), released("2.0", "2026-11-02"), released("dev"), released("v1.1")],
        [released("9", "2026-11-01"), released("8", "2026-11-02", parents=["9"]), released("7", parents=["8"])],
        [released("6", "2026-11-02"), released("7", "2026-11-03"), released("5", "2026-11-01", parents=["7", "6"])],
    ],
    ids=["dates", "numbers", "undated among dated", "numbers of another kind", "descent", "a clock that was wrong"],
)
def test_releases_go_by_date_by_their_numbers_and_after_their_parents(expected: list[Release]) -> None:
    for seed in range(10):
        assert in_order(Random(seed).sample(expected, len(expected))) == expected


VERSIONS = ["0.9", "01.0", "1.0", "1.1", "1.10", "2.0-rc", "v1", "v2", "dev"]
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


def test_a_parent_without_a_date_yields_its_address_to_its_child() -> None:
    old, new = released("1.0.0", url="http://a"), released("1.1.0", "2026-11-20", url="http://a", parents=["1.0.0"])
    assert live_versions([old, new], lambda release: release.url) == [new]
    assert base_of(old.agent_version, [old, new]) is None
    assert base_of(new.agent_version, [old, new]) == old.agent_version


def test_what_lives_stands_as_it_does_among_all() -> None:
    """By itself 1.1 would come first: what says when it came is gone."""
    new, newest = released("3", "2026-11-02", url="http://a"), released("1.1", url="http://b")
    gone = released("1", "2026-11-03")
    assert live_versions([newest, gone, new], lambda release: release.url) == [new, newest]


def test_a_version_lives_until_a_newer_one_of_its_agent_takes_its_address() -> None:
    old, new = released("1", url="http://a/"), released("2", url="http://a")
    beside, other = released("1.5", url="http://b"), released("1", agent="seneca", url="http://a")
    unplaced = released("3")
    live = live_versions([new, unplaced, other, beside, old], lambda release: release.url)
    assert [release.agent_version for release in live] == ["seneca@1", "marcus@1.5", "marcus@2"]


def test_an_address_by_default_belongs_to_the_newest() -> None:
    live = live_versions([released("1"), released("3"), released("2")], lambda release: "http://localhost:8081")
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


@pytest.mark.parametrize("parent", ["3", "marcus@3"])
def test_a_version_is_no_parent_of_itself(parent: str) -> None:
    text = f"agent: marcus\nversion: 3\nparents: ['2', {parent!r}]\n"
    with pytest.raises(DocumentError, match=r"release.yml:3: parents\[1\]: '3' is this version itself"):
        parse_document(text, Release, "release.yml")


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
