"""The web UI as a person uses it: real processes, a real browser, conversations with a running agent."""

from typing import Any
from urllib.parse import quote

import pytest
from web_ui import assets, open_asset_graph

from stoic_assets.cli.evaluate import VERDICTS

STAGES = ("graph_setup", "transcripts", *VERDICTS)


@pytest.mark.timeout(240)
def test_versions_are_evaluated_from_the_web_ui(ui: Any, browser: Any) -> None:
    for version in ("marcus@1.0.0", "marcus@1.1.0", "marcus@dev"):
        ui.add_partition(version)
    backfill = ui.backfill(["marcus@1.0.0", "marcus@1.1.0"], STAGES)  # its runs begin within half a minute

    shows_every_asset(ui, browser)
    materialises_a_partition(ui, browser)
    judges_again_over_stored_evidence(ui)
    fills_several_versions(ui, backfill)


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


def fills_several_versions(ui: Any, backfill: str) -> None:
    """Both releases, each at its own address; the one that does not do what it says fails assertions."""
    runs = ui.runs_of(backfill, count=2)
    assert sorted(runs) == ["marcus@1.0.0", "marcus@1.1.0"]
    assert [ui.ended(run) for run in runs.values()] == ["SUCCESS", "SUCCESS"]
    failed = {version: ui.metadata("assertion_results", version)["failed_share"] for version in runs}
    assert failed["marcus@1.0.0"] == 0
    assert failed["marcus@1.1.0"] > 0
