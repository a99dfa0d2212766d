"""Of which evaluations of two versions the comparison is."""

import json
from typing import Any

import pytest
from compare_command import BASE, BY_HAND, CANDIDATE, COMMANDS, TRIALS, Evaluate
from typer.testing import CliRunner

from stoic_assets.adapters.evaluation import version_comparison
from stoic_assets.adapters.workplace import Workplace


def test_an_evaluation_that_never_ended_is_passed_over(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, trials=range(4))
    evaluate(BASE, **BY_HAND, status="incomplete")
    evaluate(CANDIDATE, trials=range(4))
    assert compared()[1]["base"]["evaluation_id"] == "e1"


@pytest.mark.parametrize(
    ("held_with", "night", "chosen"),
    [
        (None, {}, "later"),
        ("night", {}, "night"),
        ("night", {"trials": range(4)}, "night"),  # though the one before has more jobs in common
        ("night", {"scored_trials": 1, "invalid_trials": 5}, "before"),
        ("forgotten", {}, "later"),
    ],
)
def test_a_night_is_compared_with_what_was_held_in_it_or_before(
    evaluate: Evaluate, workplace: Workplace, held_with: str | None, night: dict[str, Any], chosen: str
) -> None:
    """What was held later had other circumstances."""
    for day, (identity, head) in enumerate([("before", {}), ("night", night), ("later", {})], 1):
        usual = {"identity": identity, "started_at": f"2026-01-0{day}T00:00:00+00:00", "trials": range(8)}
        evaluate(BASE, **usual | head)
    evaluate(CANDIDATE, trials=range(8))
    found = version_comparison.compare_versions(workplace, BASE, CANDIDATE, held_with=held_with)
    assert found.base.evaluation_id == chosen


@pytest.mark.parametrize("side", ["base", "candidate"])
def test_only_the_newest_evaluations_of_a_version_are_chosen_from(
    evaluate: Evaluate, compared: Any, workplace: Workplace, monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    """To compare all pairs of a thousand would take seconds. Any can be named."""
    evaluate(BASE)
    evaluate(CANDIDATE)
    evaluate({"base": BASE, "candidate": CANDIDATE}[side], **BY_HAND)
    workplace.project.releases.mkdir()
    (workplace.project.releases / "2.yml").write_text("agent: marcus\nversion: '2'\n")
    monkeypatch.setattr(version_comparison, "RECENT", 1)
    named = [[], ["--evaluation", "e1", "--evaluation", "e1"]]
    assert [compared(*options)[1][side]["evaluation_id"] for options in named] == ["by-hand", "e1"]


@pytest.mark.parametrize(
    ("by_hand", "why"),
    [
        ({}, f"has 1 job in common with evaluation e1 of {CANDIDATE}, not 12"),
        ({"offline": True, "trials": TRIALS}, "was judged offline"),
        ({"scored_trials": 1, "invalid_trials": 5}, "has too many invalid trials"),
    ],
)
def test_a_try_by_hand_of_the_base_takes_no_regression_out_of_sight(
    evaluate: Evaluate, compared: Any, by_hand: dict[str, Any], why: str
) -> None:
    evaluate(BASE)
    evaluate(BASE, **BY_HAND | by_hand)
    evaluate(CANDIDATE, failed=TRIALS)
    code, document = compared()
    assert (code, document["base"]["evaluation_id"]) == (1, "e1")
    assert document["notes"][0] == f"{BASE} is compared by its evaluation e1; by-hand is newer, but {why}"


def test_a_try_by_hand_of_a_released_candidate_takes_no_regression_out_of_sight(
    evaluate: Evaluate, compared: Any, workplace: Workplace
) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=TRIALS)
    evaluate(CANDIDATE, **BY_HAND)
    workplace.project.releases.mkdir()
    (workplace.project.releases / "2.yml").write_text("agent: marcus\nversion: '2'\n")
    code, document = compared()
    assert (code, document["candidate"]["evaluation_id"]) == (1, "e1")
    assert document["notes"][0] == (
        f"{CANDIDATE} is compared by its evaluation e1; by-hand is newer, but has 1 job in common with evaluation e1 "
        f"of {BASE}, not 12"
    )


def test_a_candidate_without_manifest_may_be_another_agent_by_now(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=TRIALS, identity="full")
    evaluate(CANDIDATE, **BY_HAND)
    code, document = compared()
    assert (code, document["candidate"]["evaluation_id"]) == (0, "by-hand")
    assert document["notes"][0] == (
        f"{CANDIDATE} has no release manifest and is compared by its newest evaluation, with 1 job in common; "
        "an older one has 12: `--evaluation full`"
    )
    assert compared("--evaluation", "full")[0] == 1


def test_an_evaluation_that_is_named_is_taken_whatever_there_is(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(BASE, **BY_HAND)
    evaluate(CANDIDATE, failed=TRIALS)
    code, document = compared("--evaluation", "by-hand")
    assert (code, document["base"]["evaluation_id"]) == (0, "by-hand")
    assert not any("newer" in note for note in document["notes"])


def test_of_two_evaluations_of_one_version_the_first_is_the_base(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(BASE, **BY_HAND)
    named = ["--evaluation", "by-hand", "--evaluation", "e1"]
    done = CliRunner().invoke(COMMANDS, [BASE, BASE, *named, "--json"], catch_exceptions=False)
    sides = [json.loads(done.stdout)[side] for side in ("base", "candidate")]
    assert [side["evaluation_id"] for side in sides] == ["by-hand", "e1"]
