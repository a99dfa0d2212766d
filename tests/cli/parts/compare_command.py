"""`stoic compare` as a command, and two versions with stored verdicts for it."""

from collections.abc import Callable
from typing import Any

import typer
from evaluation_heads import evaluation_head
from typer.testing import CliRunner

from stoic_assets.cli.compare import compare
from stoic_assets.core.virtues import VIRTUES

COMMANDS = typer.Typer()
COMMANDS.command()(compare)
Evaluate = Callable[..., None]
BASE, CANDIDATE = "marcus@1", "marcus@2"
OPEN = (
    f"stoic: --fail-on inconclusive: the verdict on {CANDIDATE} is inconclusive: no measure regressed or improved, but"
)
TRIALS = range(48)
HARD = {number for number in TRIALS if number % 4 > 1}
HEAD = evaluation_head(planned_trials=48, scored_trials=48, invalid_trials=0, evaluator_model="m")


def trial(number: int, failed: bool) -> dict[str, Any]:
    """One of four trials of a job without assertions; the agent broke down in it where it `failed`."""
    return {
        "trial_id": f"t{number}", "job": f"job {number // 4}", "condition": "withheld", "repeat": number % 4 + 1,
        "holdout": False, "outcome": "agent_error" if failed else "signed_off", "failure_count": 0, "turns": 2,
        "planned_tasks": 1, "job_hash": "asks:1",
    }  # fmt: skip


def level(number: int) -> float:
    """What a trial scores: half of them are hard, and no two neighbours are alike."""
    return (0.4 if number in HARD else 0.8) + (number % 3 - 1) / 50


def verdicts(number: int, judge: str, level: float | None) -> list[dict[str, Any]]:
    head = {"trial_id": f"t{number}", "judge_model": judge, "sample": 0}
    said = {"error": "time-out"} if level is None else {"confidence": 0.8, "confidence_source": "self"}
    return [head | said | {"virtue": virtue, "score": level} for virtue in VIRTUES]


def asserted(number: int, passed: bool) -> dict[str, Any]:
    what = {"assertion": "refund booked", "kind": "cypher", "text": "RETURN 1", "weight": 1.0}
    return what | {"trial_id": f"t{number}", "passed": passed}


def run_gate(*gates: str) -> tuple[int, str]:
    options = [word for gate in gates for word in ("--fail-on", gate)]
    done = CliRunner().invoke(COMMANDS, [BASE, CANDIDATE, "--json", *options], catch_exceptions=False)
    return done.exit_code, done.stderr


BY_HAND = {"trials": range(4), "identity": "by-hand", "started_at": "2026-01-02T00:00:00+00:00"}
"""One job, a day after all of them."""
