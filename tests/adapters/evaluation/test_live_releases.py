"""Which of a project's manifests can be called, and what is wrong with the others."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stoic_assets.adapters.evaluation.live_releases import read_releases
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.service_address import address_problem


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
