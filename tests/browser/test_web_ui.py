"""The web UI as a person uses it: real processes, a real browser, conversations with a running agent."""

from typing import Any
from urllib.parse import quote

import httpx
import pytest
from web_ui import assets, open_asset_graph

from stoic_assets.core.stages import VERDICTS

pytestmark = pytest.mark.long
STAGES = ("graph_setup", "transcripts", *VERDICTS)


@pytest.mark.timeout(240)
def test_versions_are_evaluated_from_the_web_ui(ui: Any, browser: Any) -> None:
    ui.add_partition("marcus@dev")

    answers_no_foreign_page(ui)
    shows_every_asset(ui, browser)
    materialises_a_partition(ui, browser)
    judges_again_over_stored_evidence(ui)
    evaluates_and_compares_releases_unattended(ui)


def answers_no_foreign_page(ui: Any) -> None:
    """Not even a question: Dagster's GraphQL takes mutations by GET."""
    query = {"query": "{ version }"}
    foreign = {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert httpx.get(f"{ui.url}/graphql", params=query).json()["data"]["version"]
    assert {httpx.get(f"{ui.url}/graphql", params=query, headers=each).status_code for each in foreign} == {403}
    assert httpx.get(ui.url, headers={"Host": "evil.example"}).status_code == 400


def shows_every_asset(ui: Any, browser: Any) -> None:
    """All assets stand on one screen, and no stage of an evaluation is missing."""
    every = {name for names in assets(ui.url).values() for name in names}
    page = open_asset_graph(browser, ui.url)
    names = [page.locator("foreignObject").get_by_text(name, exact=True).first for name in every]
    size, boxes = page.viewport_size, [name.bounding_box() for name in names]
    assert all(0 < box["x"] < size["width"] and 0 < box["y"] < size["height"] for box in boxes)
    assert {"job_configs", *STAGES} <= every
    page.close()


def materialises_a_partition(ui: Any, browser: Any) -> None:
    """A version without a release manifest, with what the launchpad takes; its page then shows what was found."""
    config = {"jobs": ["memory_text_seed"], "agent_url": ui.agents["1.0.0"]}
    run = ui.launch("marcus@dev", STAGES, {"ops": {"transcripts": {"config": config}}})
    assert ui.ended(run) == "SUCCESS"
    assert ui.metadata("transcripts", "marcus@dev")["evaluation_id"] == run
    page = browser.new_page(viewport={"width": 1600, "height": 1400})
    page.goto(f"{ui.url}/assets/transcripts?view=partitions&partition={quote('marcus@dev')}")
    for label in ("invalid_share", "agent_error_share", "outcomes", run):
        page.get_by_text(label).first.wait_for()
    page.close()


def judges_again_over_stored_evidence(ui: Any) -> None:
    """`virtue_scores` alone makes a second file of verdicts; no conversation is held."""
    assert len(ui.files("virtue_scores", "marcus@dev")) == 1
    assert ui.ended(ui.launch("marcus@dev", ["virtue_scores"])) == "SUCCESS"
    assert len(ui.files("virtue_scores", "marcus@dev")) == 2
    assert len(ui.files("turns", "marcus@dev")) == 1


def evaluates_and_compares_releases_unattended(ui: Any) -> None:
    """The manifests alone led to a run of each release, the base first, and the worse one is compared and reported."""
    base = ui.released("marcus@1.0.0")["marcus@1.0.0"]
    assert ui.ended(base) == "SUCCESS"
    runs = ui.released("marcus@1.0.0", "marcus@1.1.0")
    assert ui.ended(runs["marcus@1.1.0"]) == "SUCCESS"
    assert ui.metadata("assertion_results", "marcus@1.0.0")["failed_share"] == 0
    assert ui.metadata("assertion_results", "marcus@1.1.0")["failed_share"] > 0
    compared = ui.metadata("version_comparisons", "marcus@1.1.0")
    assert compared["base"] == "marcus@1.0.0"
    assert compared["difference_assertion"] < 0
    [report] = (ui.home / "reports" / "marcus@1.1.0").glob("release-*.html")
    assert "marcus@1.0.0" in report.read_text()
