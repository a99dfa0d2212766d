"""A stored comparison counts only as long as the scores say what it says."""

import uuid
from typing import Any

import pytest
from publications import Make, Sent, published

from stoic_assets.adapters.evaluation.report import report_data
from stoic_assets.adapters.evaluation.stored_comparison import outdated_by
from stoic_assets.adapters.evaluation.version_comparison import compare_versions, store_comparison
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest

GOOD = {f"job {number}": 0.7 + number / 100 for number in range(6)}
BAD = {job: score - 0.3 - number / 100 for number, (job, score) in enumerate(GOOD.items())}


@pytest.fixture
def regressed(workplace: Workplace, evaluate: Make) -> Manifest:
    """An evaluation that was compared with its base, `@0.9.0`, and is worse."""
    agent = f"agent{uuid.uuid4().hex}"
    evaluate(f"{agent}@0.9.0", GOOD)
    manifest = evaluate(f"{agent}@1.0.0", BAD)
    store_comparison(workplace, manifest, compare_versions(workplace, f"{agent}@0.9.0", f"{agent}@1.0.0"))
    return manifest


def base_of(manifest: Manifest) -> str:
    return manifest.parents[0]


def told(workplace: Workplace, manifest: Manifest) -> tuple[list[str], str | None]:
    """The versions in a report's comparison, and why it has none."""
    data = report_data(workplace, manifest)
    return sorted({row["base"] for row in data.version_comparisons}), data.uncompared


def test_it_holds_while_nothing_was_judged_since(workplace: Workplace, regressed: Manifest) -> None:
    assert told(workplace, regressed) == ([base_of(regressed)], None)
    assert [*outdated_by(workplace, base_of(regressed), "night")] == []


def test_it_holds_after_the_same_verdicts_on_the_base(
    workplace: Workplace, regressed: Manifest, evaluate: Make
) -> None:
    evaluate(base_of(regressed), GOOD)
    assert told(workplace, regressed) == ([base_of(regressed)], None)


@pytest.mark.parametrize("side", ["base", "candidate"])
def test_it_no_longer_holds_after_other_verdicts_on_a_side(
    workplace: Workplace, regressed: Manifest, evaluate: Make, side: str
) -> None:
    version = base_of(regressed) if side == "base" else regressed.agent_version
    evaluate(version, BAD if side == "base" else GOOD)
    compared, why = told(workplace, regressed)
    assert compared == []
    assert why
    assert why.startswith(f"{version} (evaluation night) was judged again since, with other results; ")
    assert f"`stoic regrade --agent-version {regressed.agent_version} --evaluation night`" in why
    [hint] = outdated_by(workplace, base_of(regressed), "night")
    assert hint == f"the stored comparison of {regressed.agent_version} (evaluation night) no longer holds: {why}"


def test_while_the_base_is_judged_again_there_is_no_verdict(
    workplace: Workplace, regressed: Manifest, evaluate: Make
) -> None:
    evaluate(base_of(regressed), GOOD, status="regrading")
    compared, why = told(workplace, regressed)
    assert compared == []
    assert "is not finished (regrading); continue with `stoic regrade" in (why or "")


def test_a_base_that_is_gone_leaves_the_verdict(workplace: Workplace, regressed: Manifest) -> None:
    workplace.warehouse.delete(base_of(regressed))
    assert told(workplace, regressed) == ([base_of(regressed)], None)


def test_evolution_and_events_are_told_the_verdict_of_the_present_scores(
    workplace: Workplace, regressed: Manifest, evaluate: Make, updates_sent: Sent, waiting: Any
) -> None:
    assert verdicts(workplace, regressed, updates_sent, waiting) == ["regressed", "regressed"]
    evaluate(regressed.agent_version, GOOD)
    assert verdicts(workplace, regressed, updates_sent, waiting) == ["inconclusive", "inconclusive"]


def verdicts(workplace: Workplace, manifest: Manifest, updates_sent: Sent, waiting: Any) -> list[str]:
    """Those in the fitness update and in the event that wait to be sent."""
    published(workplace, manifest)
    [update] = updates_sent(workplace, manifest)
    events = [each for each in waiting(workplace) if each["type"] == "stoic.version_compared"]
    [event] = [each for each in events if each["data"]["agent_version"] == manifest.agent_version]
    return [update["comparison"]["verdict"], event["data"]["verdict"]]
