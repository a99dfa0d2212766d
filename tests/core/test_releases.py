"""Agent versions and release manifests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.releases import Release, agent_of, check_agent_version
from stoic_assets.core.text.documents import parse_document

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


@pytest.mark.parametrize("parent", ["3", "marcus@3"])
def test_a_version_is_no_parent_of_itself(parent: str) -> None:
    text = f"agent: marcus\nversion: 3\nparents: ['2', {parent!r}]\n"
    with pytest.raises(DocumentError, match=r"release.yml:3: parents\[1\]: '3' is this version itself"):
        parse_document(text, Release, "release.yml")
