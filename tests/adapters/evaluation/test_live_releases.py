"""Which of a project's manifests can be called, and what is wrong with the others."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stoic_assets.adapters.evaluation.live_releases import read_releases, refuse_withdrawn
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.service_address import address_problem
from stoic_assets.core.errors import ConfigurationError


@pytest.mark.parametrize("address", ["http://a:99999", "http://[", "marcus:8081", "http://ada:key@a"])
def test_a_wrong_address_by_default_stops_no_version_that_has_another(
    workplace: Workplace, write: Callable[..., None], address: str
) -> None:
    write("chat")
    for version, url in (("1.0.0", ""), ("1.1.0", "url: http://localhost:8083")):
        (workplace.project.releases / f"{version}.yml").write_text(f"agent: marcus\nversion: {version}\n{url}\n")
    releases = read_releases(replace(workplace, env={**workplace.env, "AGENT_URL": address}))
    assert [release.agent_version for release in releases.live] == ["marcus@1.1.0"]
    assert releases.complaints == (f"marcus@1.0.0: AGENT_URL: {address_problem(address)}",)


def test_a_version_whose_agent_is_gone_or_another_is_withdrawn(
    workplace: Workplace, write: Callable[..., None]
) -> None:
    def released(version: str, more: str = "") -> None:
        (workplace.project.releases / f"{version}.yml").write_text(f"agent: marcus\nversion: {version}\n{more}\n")

    def refused() -> str:
        with pytest.raises(ConfigurationError) as caught:
            refuse_withdrawn(workplace, "marcus@1.0.0")
        return str(caught.value)

    write("chat")
    released("1.0.0", "url: http://localhost:8083")
    refuse_withdrawn(workplace, "marcus@1.0.0")
    released("1.1.0", "url: http://localhost:8083")
    assert refused() == "marcus@1.0.0 has the address of a newer version; nothing is evaluated"
    released("1.0.0")
    assert refused() == "marcus@1.0.0 has no address; nothing is evaluated"
    released("1.0.0", "url: [")
    assert "this may be the manifest of marcus@1.0.0" in refused()
    (workplace.project.releases / "1.0.0.yml").unlink()
    assert refused() == "the manifest of marcus@1.0.0 was deleted; nothing is evaluated"


def test_a_manifest_with_a_fault_changes_no_base(workplace: Workplace, write: Callable[..., None]) -> None:
    def released(name: str, version: str, more: str = "") -> None:
        (workplace.project.releases / f"{name}.yml").write_text(f"agent: marcus\nversion: {version}\n{more}\n")

    write("chat")
    released("0", "1.0.0")
    released("2", "1.2.0", "url: http://localhost:8083")
    for name, more in (("1", ""), ("1", "jbos: [x]"), ("1", ""), ("copy", "")):
        released(name, "1.1.0", more)
        assert read_releases(workplace).bases() == {"marcus@1.2.0": "marcus@1.1.0"}


@pytest.mark.parametrize(("url", "live"), [("url: http://localhost:8083", True), ("", False), ("url: [", False)])
def test_no_older_version_is_live_where_a_manifest_with_a_fault_has_its_address(
    workplace: Workplace, write: Callable[..., None], url: str, live: bool
) -> None:
    """Else the newer agent would be evaluated in its name."""
    write("chat")
    for version, more in (("1.0.0", ""), ("1.1.0", f"jbos: [x]\n{url}")):
        (workplace.project.releases / f"{version}.yml").write_text(f"agent: marcus\nversion: {version}\n{more}\n")
    releases = read_releases(replace(workplace, env={**workplace.env, "AGENT_URL": "http://localhost:8081"}))
    assert [release.agent_version for release in releases.live] == ["marcus@1.0.0"] * live
    elsewhere = {"marcus@1.0.0": "marcus@1.0.0 has the address of a newer version"}
    assert releases.elsewhere == ({} if live else elsewhere)
    assert len(releases.complaints) == 1
