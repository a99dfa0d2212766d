from collections.abc import Callable
from pathlib import Path

import pytest

from stoic_assets.adapters.disk.release_files import (
    as_released,
    load_release,
    load_releases,
    nameless,
    url_of,
    with_faulty,
)
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.evaluation.manifest import Manifest


def test_releases_are_read_and_every_other_manifest_is_complained_of(tmp_path: Path) -> None:
    for name, text in {"a": "agent: marcus\nversion: 1.10\n", "b": "agent: marcus\n", "d": "["}.items():
        (tmp_path / f"{name}.yml").write_text(text)
    releases, complaints = load_releases(tmp_path)
    assert list(releases) == ["marcus@1.10"]
    problems = [str(complaint).removeprefix(f"{tmp_path}/") for complaint in complaints]
    assert problems[0] == "b.yml:1: version: is required"
    assert problems[1].startswith("d.yml:1: not valid YAML: ")
    assert load_releases(tmp_path / "nowhere") == ({}, [])


def test_of_several_manifests_of_one_version_none_counts(tmp_path: Path) -> None:
    for name, text in {"copy": "'1.10'", "first": "1.10", "third": "1.10", "other": "1.9"}.items():
        (tmp_path / f"{name}.yml").write_text(f"agent: marcus\nversion: {text}\n")
    releases, complaints = load_releases(tmp_path)
    assert list(releases) == ["marcus@1.9"]
    problem = f"{tmp_path}/copy.yml: version: marcus@1.10 is also in first.yml, third.yml; leave one of them"
    assert [str(complaint) for complaint in complaints] == [problem]
    assert load_release(tmp_path, "marcus@1.11") is None, "the versions of readable files are known"
    (tmp_path / "broken.yml").write_text("agent: marcus\nversoin: 1.10\n")
    with pytest.raises(DocumentError, match="leave one of them"):
        load_release(tmp_path, "marcus@1.10")


def test_a_manifest_that_cannot_be_read_at_all_may_be_the_one_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_bytes(b"agent: marcus\nversion: \xe9\n")
    with pytest.raises(ConfigurationError, match=r"a\.yml: cannot be read: .*utf-8"):
        load_release(tmp_path, "marcus@1")


@pytest.mark.parametrize(
    ("more", "dated"),
    [
        ("jbos: [x]", True),
        ("notes: 'it is not closed", True),
        ("parents:\n- '1.1'\n- '1.0'\nurl: [", True),
        ("parents: ['1.2']", False),
        ("releasedAt: ''", False),
    ],
)
def test_a_manifest_with_a_fault_keeps_its_place_in_the_order(tmp_path: Path, more: str, dated: bool) -> None:
    date = "" if "releasedAt" in more else "releasedAt: 2026-01-02\n"
    (tmp_path / "a.yml").write_text(f"version: 1.2  # '1.3' is next\n{date}{more}\nagent: 'marcus'\n")
    (tmp_path / "b.yml").write_text("agent: marcus\nversion: 1.10\n")
    known, faults = load_releases(tmp_path)
    assert list(known) == ["marcus@1.10"]
    release = with_faulty(known, faults)["marcus@1.2"]
    assert bool(release.released_at) == dated
    assert release.parents == (("1.1", "1.0") if "1.0" in more else ())
    assert nameless(faults, "marcus") == []


def test_the_versions_of_several_manifests_keep_their_places_but_take_none(tmp_path: Path) -> None:
    for name, version in {"a": "1.9", "b": "1.9", "c": "1.10", "d": "1.10\n["}.items():
        (tmp_path / f"{name}.yml").write_text(f"agent: marcus\nnotes: {name}\nversion: {version}\n")
    known, faults = load_releases(tmp_path)
    found = with_faulty(known, faults)
    assert sorted(found) == ["marcus@1.10", "marcus@1.9"]
    assert found["marcus@1.10"].notes == "c", "what can be read counts"


def test_a_manifest_without_a_name_may_be_any_of_its_agent(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("agent: marcus\nversoin: 1.10\n")
    (tmp_path / "b.yml").write_bytes(b"\xff")
    known, faults = load_releases(tmp_path)
    assert with_faulty(known, faults) == {}
    assert nameless(faults, "marcus") == faults
    assert nameless(faults, "nora") == faults[1:], "the other names its agent"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("ftp://m", "not an http or https address such as http://localhost:8081"),
        ("http://a:b@m", "the address must not contain credentials; use the variable for the key, or a header"),
    ],
)
def test_a_wrong_address_concerns_only_who_uses_it(tmp_path: Path, url: str, problem: str) -> None:
    (tmp_path / "0.yml").write_text("agent: marcus\nversion: 1.9\nurl: http://m\n")
    (tmp_path / "a.yml").write_text(f"agent: marcus\nversion: 1.10\nurl: {url}\n")
    releases, complaints = load_releases(tmp_path)
    assert complaints == []
    with pytest.raises(DocumentError) as refused:
        url_of(tmp_path, releases["marcus@1.10"])
    assert str(refused.value) == f"{tmp_path}/a.yml:3: url: {problem}"


def test_what_a_release_said_when_an_evaluation_began_counts(
    tmp_path: Path, make_manifest: Callable[..., Manifest]
) -> None:
    (tmp_path / "a.yml").write_text("agent: marcus\nversion: '1'\nreleasedAt: '2026-01-02'\nparents: ['0.9']\n")
    unknown, parents = make_manifest(agent_version="marcus@1"), ("marcus@0.8",)
    assert as_released(tmp_path, unknown).parents == ("marcus@0.9",)
    for begun in (make_manifest(agent_version="marcus@1", parents=parents), make_manifest(agent_version="marcus@2")):
        assert as_released(tmp_path, begun) == begun
