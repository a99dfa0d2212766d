"""`stoic compare` from stored verdicts to the exit code, through the SQL models: an agent and a judge that fail."""

from typing import Any

import pytest
from compare_command import BASE, CANDIDATE, HARD, TRIALS, Evaluate, run_gate

from stoic_assets.core.presentation.formatting import percent
from stoic_assets.core.virtues import VIRTUES

LIKE_WITH_LIKE = (
    "the agent failed in 24 of 48 trials of {failing}, which this measure leaves out; without as many of the worst "
    "trials and jobs of {other} the difference is ±0.00; every job scored the same in both versions; from 59 such jobs "
    "on that is unchanged"
)


def gating(document: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    """The verdict on each measure that was measured, and why none was given."""
    rows = [row for row in document["findings"] if row["gating"] and row["jobs"]]
    return {row["measure"]: (row["verdict"], row["why"]) for row in rows}


def test_an_agent_that_fails_every_trial_does_not_pass_the_gate(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=TRIALS)
    code, document = compared()
    assert (code, document["verdict"]) == (1, "regressed")
    assert gating(document) == {"task": ("regressed", None), "overall": ("regressed", None)}
    assert document["notes"] == [f"the agent failed in 0 of 48 trials of {BASE}, and in 48 of 48 trials of {CANDIDATE}"]
    worse = f"stoic: --fail-on inconclusive: the verdict on {CANDIDATE} is regressed\n"
    assert run_gate("inconclusive") == (1, worse), "worse than inconclusive"


def test_breaking_down_where_it_did_badly_makes_no_version_better(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=HARD)
    code, document = compared()
    why = LIKE_WITH_LIKE.format(failing=CANDIDATE, other=BASE)
    assert gating(document) == {
        **dict.fromkeys(VIRTUES, ("inconclusive", why)), "task": ("regressed", None), "overall": ("regressed", None),
    }
    assert code == 1


def test_breaking_down_no_more_makes_no_version_worse(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, failed=HARD)
    evaluate(CANDIDATE)
    code, document = compared()
    why = LIKE_WITH_LIKE.format(failing=BASE, other=CANDIDATE)
    assert gating(document) == {
        **dict.fromkeys(VIRTUES, ("inconclusive", why)), "task": ("improved", None), "overall": ("improved", None),
    }
    assert code == 0


@pytest.mark.parametrize("silent", [TRIALS, HARD], ids=["in all", "in half"])
def test_a_judge_that_falls_silent_is_no_progress(evaluate: Evaluate, compared: Any, silent: set[int]) -> None:
    evaluate(BASE, silent=())
    evaluate(CANDIDATE, silent=silent)
    code, document = compared()
    share = percent(len(silent) / 48)
    why = (
        f"judge b gave no verdict on {share} of the virtues of {CANDIDATE}, and on 0 % of {BASE}; judge "
        f"{CANDIDATE} again with `stoic regrade --agent-version {CANDIDATE} --evaluation e1`"
    )
    found = gating(document)
    assert [found[virtue] for virtue in VIRTUES] == [("inconclusive", why)] * 5
    assert (code, document["verdict"], document["notes"]) == (0, "inconclusive", [why])


def test_a_judge_that_falls_silent_on_tasks_alone_is_seen(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, silent=())
    evaluate(CANDIDATE, silent=(), marks="a")
    why = gating(compared()[1])["task"][1]
    assert why is not None
    assert why.startswith(f"judge b gave no verdict on 100 % of the tasks of {CANDIDATE}, and on 0 % of {BASE};")
