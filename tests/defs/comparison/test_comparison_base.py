"""Which evaluation of the base a version is held against."""

from collections.abc import Callable
from typing import Any

import dagster as dg
from compared_versions import BASE, CANDIDATE, JOBS, Evaluate, base_used

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.nights.night_record import HeldVersion, Round, RoundName, night_evaluation_id

NIGHT, LATER = "2026-11-20", "2026-11-21"


def hold(workplace: Workplace, evaluate: Evaluate, night: str, name: RoundName = "first", **base: Any) -> str:
    """Both versions evaluated in one round; gives the candidate's evaluation."""
    hour = int(night[-2:]) - 20 + (6 if name == "again" else 0)
    ids = {version: night_evaluation_id(night, version, name) for version in (BASE, CANDIDATE)}
    evaluate(BASE, ids[BASE], hour, **base)
    evaluate(CANDIDATE, ids[CANDIDATE], hour)
    held = {version: HeldVersion(evaluation_id=each) for version, each in ids.items()}
    record = Round(run_id="r", held_at="2026-11-22T00:00:00+00:00", evaluations=held)
    workplace.nights.record_round(night, name, record)
    return ids[CANDIDATE]


def test_a_night_is_compared_within_itself_whatever_was_evaluated_since(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    rounds: list[tuple[str, RoundName]] = [(NIGHT, "first"), (NIGHT, "again"), (LATER, "first")]
    candidates = [hold(workplace, evaluate, night, name) for night, name in rounds]
    evaluate(BASE, "by-hand", 20)
    for (night, name), candidate in zip(rounds, candidates, strict=True):
        assert compared(CANDIDATE, candidate).passed
        assert base_used(workplace, candidate) == night_evaluation_id(night, BASE, name)


def test_beside_a_night_the_newest_base_is_taken(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    hold(workplace, evaluate, NIGHT)
    evaluate(BASE, "by-hand", 20)
    compared(CANDIDATE, evaluate(CANDIDATE, "release-1", 21))
    assert base_used(workplace, "release-1") == "by-hand"


def test_the_base_of_a_night_is_taken_though_another_has_more_in_common(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    evaluate(BASE, "release-0", 0)
    candidate = hold(workplace, evaluate, LATER, jobs=JOBS[:5])
    compared(CANDIDATE, candidate)
    assert base_used(workplace, candidate) == night_evaluation_id(LATER, BASE, "first")


def test_a_try_by_hand_is_no_base_where_more_was_evaluated(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    evaluate(BASE, "release-0", 18)
    evaluate(BASE, "by-hand", 19, jobs=JOBS[:1])
    evaluate(BASE, "offline", 20, offline=True)
    compared(CANDIDATE, evaluate(CANDIDATE, "release-1", 21))
    assert base_used(workplace, "release-1") == "release-0"
    notes = workplace.warehouse.read("version_comparisons", CANDIDATE, "release-1")[0]["notes"]
    assert notes[0] == f"{BASE} is compared by its evaluation release-0; offline is newer, but was judged offline"


def test_a_base_that_did_not_finish_the_night_leaves_its_place_to_the_newest(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    candidate = hold(workplace, evaluate, NIGHT, status="incomplete")
    evaluate(BASE, "by-hand", 20)
    compared(CANDIDATE, candidate)
    assert base_used(workplace, candidate) == "by-hand"


def test_a_base_that_is_judged_again_leaves_its_place_to_no_older_one(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    evaluate(BASE, "older", 19)
    evaluate(BASE, "newest", 20, status="regrading")
    check = compared(CANDIDATE, evaluate(CANDIDATE, "release-1", 21))
    assert "(evaluation newest) is not finished (regrading); continue with `stoic regrade" in (check.description or "")


def test_for_an_invalid_base_of_the_night_an_older_one_stands_in(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    hold(workplace, evaluate, NIGHT)
    candidate = hold(workplace, evaluate, LATER, scored_trials=1, invalid_trials=5)
    evaluate(BASE, "by-hand", 20)
    compared(CANDIDATE, candidate)
    assert base_used(workplace, candidate) == night_evaluation_id(NIGHT, BASE, "first")


def test_a_night_whose_file_is_damaged_is_compared_with_no_other(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    candidate = hold(workplace, evaluate, NIGHT)
    (workplace.project.home / "nights" / f"{NIGHT}.json").write_text("{")
    check = compared(CANDIDATE, candidate)
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert f"{NIGHT}.json is damaged" in (check.description or "")


def test_the_comparison_says_that_an_unreadable_manifest_may_be_of_another_base(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    (unreadable := workplace.project.releases / "new.yml").write_text("agent: marcus\nversoin: 1.0.5\n")
    evaluate(BASE, "base")
    compared(CANDIDATE, evaluate(CANDIDATE, "release-1", 1))
    notes = workplace.warehouse.read("version_comparisons", CANDIDATE, "release-1")[0]["notes"]
    doubt = f"the release before {CANDIDATE} may be another one, whose manifest cannot be read: {unreadable}:2:"
    assert any(note.startswith(doubt) for note in notes), notes
