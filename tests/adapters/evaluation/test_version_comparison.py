"""With which version an evaluation is compared, and what the comparison says of the judge."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from compared_evaluation import KEY, TABLES

from stoic_assets.adapters.evaluation.comparison_side import read_side
from stoic_assets.adapters.evaluation.version_comparison import base_version, compare_versions, moved_between
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.nights.night_record import HeldVersion, Round, night_evaluation_id
from stoic_assets.core.releases import ALL_VERSIONS

DRIFT = {
    "reference_id": "r", "judge_models": ["judge"], "virtue": "wisdom", "transcripts": 9, "shift": 0.3,
    "detectable": 0.1, "alarm": True, "evaluated_at": datetime(2026, 11, 22, tzinfo=UTC),
}  # fmt: skip


@pytest.mark.parametrize(("judge_before", "excused"), [("judge", True), ("another", False)])
def test_only_a_judge_of_both_can_have_moved_between_them(
    workplace: Workplace, judge_before: str, excused: bool
) -> None:
    for table, rows in TABLES.items():
        workplace.warehouse.write(table, *KEY, rows)
    workplace.warehouse.write("judge_drift", ALL_VERSIONS, "drift-1", [DRIFT])
    side = read_side(workplace, *KEY)
    base = replace(side, judges=frozenset([judge_before]), judged_at=datetime(2026, 11, 21, tzinfo=UTC))
    candidate = replace(side, judged_at=datetime(2026, 11, 23, tzinfo=UTC))
    assert (moved_between(workplace, base, candidate) is not None) is excused


@pytest.mark.parametrize("drifted", [True, False])
def test_a_comparison_says_that_the_judge_has_moved(workplace: Workplace, drifted: bool) -> None:
    for version, day in (("marcus@0.9.0", 21), ("marcus@1.0.0", 23)):
        for table, rows in TABLES.items():
            at = {"evaluated_at": datetime(2026, 11, day, tzinfo=UTC)}
            workplace.warehouse.write(table, version, "e1", [row | at for row in rows])
    workplace.warehouse.write("judge_drift", ALL_VERSIONS, "drift-1", [DRIFT] if drifted else [])
    notes = compare_versions(workplace, "marcus@0.9.0", "marcus@1.0.0").notes
    assert any(note.startswith("the judge itself changed") for note in notes) is drifted, notes


def test_a_version_is_not_offered_as_its_own_base(
    workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    version, evaluation_id = KEY
    workplace.evidence.begin(make_manifest(agent_version=version, evaluation_id=evaluation_id))
    workplace.warehouse.write("evaluations", *KEY, [row | {"status": "finished"} for row in TABLES["evaluations"]])
    said = r"it was never evaluated; run `stoic eval --agent-version marcus@0\.9`"
    for sides in (("marcus@0.9", version), (version, "marcus@0.9")):
        with pytest.raises(ConfigurationError, match=said):
            compare_versions(workplace, *sides)


def test_for_a_release_without_an_evaluation_no_other_version_is_proposed(
    workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    for each in ("marcus@1.0.0", "marcus@1.1.0"):
        workplace.evidence.begin(make_manifest(agent_version=each))
    said = "it was never evaluated; {}run `stoic eval --agent-version marcus@1.10.0`"
    slip = "did you mean marcus@1.1.0? known: marcus@1.0.0, marcus@1.1.0; to evaluate it, "
    assert f"it {workplace.unevaluated('marcus@1.10.0')}" == said.format(slip)
    workplace.project.releases.mkdir()
    for more in ("", "jbos: [x]"):
        (workplace.project.releases / "r.yml").write_text(f"agent: marcus\nversion: 1.10.0\n{more}\n")
        assert f"it {workplace.unevaluated('marcus@1.10.0')}" == said.format("")


def test_a_version_is_compared_with_its_first_parent(
    workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    assert base_version(workplace, make_manifest(parents=("marcus@0.9.0", "marcus@0.8.0"))) == "marcus@0.9.0"


@pytest.mark.parametrize("damaged", [False, True])
def test_in_a_night_a_version_is_compared_with_the_base_that_was_held_whatever_its_manifest_says_since(
    workplace: Workplace, make_manifest: Callable[..., Manifest], damaged: bool
) -> None:
    version, (base, newer) = "marcus@1.1.0", ("marcus@1.0.0", "marcus@1.0.5")
    wanted = night_evaluation_id("2026-11-21", version, "first")
    held = {version: HeldVersion(evaluation_id=wanted, base=base)}
    record = workplace.nights.record_round("2026-11-21", "first", Round(run_id="r", held_at="", evaluations=held))
    if damaged:
        record.write_text("{")
    by_hand, of_night = (make_manifest(agent_version=version, evaluation_id=each) for each in ("by-hand", wanted))
    assert base_version(workplace, of_night) == (None if damaged else base), "there is no manifest"
    workplace.project.releases.mkdir()
    for each in ("1.0.5", "1.1.0"):
        (workplace.project.releases / f"{each}.yml").write_text(f"agent: marcus\nversion: {each}\n")
    assert base_version(workplace, of_night) == (newer if damaged else base)
    assert base_version(workplace, by_hand) == newer


@pytest.mark.parametrize(("base", "compared_with"), [({"base": None}, None), ({}, "marcus@1.0.5")])
def test_what_a_night_held_without_a_base_gets_none_afterwards_unless_that_was_not_recorded(
    workplace: Workplace, make_manifest: Callable[..., Manifest], base: dict[str, None], compared_with: str | None
) -> None:
    version = "marcus@1.1.0"
    wanted = night_evaluation_id("2026-11-21", version, "first")
    held = {version: HeldVersion(evaluation_id=wanted, **base)}
    workplace.nights.record_round("2026-11-21", "first", Round(run_id="r", held_at="", evaluations=held))
    workplace.project.releases.mkdir()
    for each in ("1.0.5", "1.1.0"):
        (workplace.project.releases / f"{each}.yml").write_text(f"agent: marcus\nversion: {each}\n")
    assert base_version(workplace, make_manifest(agent_version=version, evaluation_id=wanted)) == compared_with


def test_without_a_parent_it_is_compared_with_the_release_before_though_that_has_a_fault(
    workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    workplace.project.releases.mkdir()
    for version, more in (("0.8.0", ""), ("0.9.0", "jbos: [x]"), ("1.0.0", "")):
        text = f"agent: marcus\nversion: {version}\n{more}\n"
        (workplace.project.releases / f"{version}.yml").write_text(text)
    assert base_version(workplace, make_manifest(parents=())) == "marcus@0.9.0"
