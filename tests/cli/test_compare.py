"""`stoic compare` from stored verdicts to the exit code, through the SQL models: an agent and a judge that fail."""

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.adapters.sql_models import open_models
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.compare import compare
from stoic_assets.core.judging.virtues import VIRTUES

COMMANDS = typer.Typer()
COMMANDS.command()(compare)
Evaluate = Callable[..., None]
BASE, CANDIDATE = "marcus@1", "marcus@2"
TRIALS = range(48)
HARD = {number for number in TRIALS if number % 4 > 1}
HEAD = {
    "agent": "marcus", "started_at": "2026-01-01T00:00:00+00:00", "status": "finished", "offline": False,
    "planned_trials": 48, "scored_trials": 48, "invalid_trials": 0, "evaluator_model": "m",
}  # fmt: skip


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


@pytest.fixture
def evaluate(workplace: Workplace) -> Evaluate:
    """A version in twelve jobs: which trials the agent `failed` in, and which a stricter judge b was `silent` on."""

    def make(
        version: str, failed: Collection[int] = (), silent: Collection[int] | None = None, marks: str = "a,b"
    ) -> None:
        warehouse, told = workplace.warehouse, [number for number in TRIALS if number not in failed]
        judges = "a" if silent is None else marks
        task = {"task": "1", "type": "task", "task_text": "Remind me.", "judge_model": judges}
        stricter = [] if silent is None else told
        tables: dict[str, list[dict[str, Any]]] = {
            "evaluations": [HEAD], "tone_scores": [], "assertion_results": [],
            "trials": [trial(number, number in failed) for number in TRIALS],
            "task_scores": [task | {"trial_id": f"t{number}", "score": level(number)} for number in told],
            "virtue_scores": [
                *(row for number in told for row in verdicts(number, "a", level(number))),
                *(
                    row for number in stricter
                    for row in verdicts(number, "b", None if number in silent else level(number) - 0.3)
                ),
            ],
        }  # fmt: skip
        for table, rows in tables.items():
            warehouse.write(table, version, "e1", rows)
        with open_models(warehouse, version, "e1") as models:
            for model in ("trial_virtues", "composite_scores", "job_measures"):
                models.run(model)

    return make


@pytest.fixture
def compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, dict[str, Any]]]:
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STOIC_LLM", "offline")
    monkeypatch.chdir(tmp_path)

    def run() -> tuple[int, dict[str, Any]]:
        options = [BASE, CANDIDATE, "--fail-on", "regression", "--json"]
        done = CliRunner().invoke(COMMANDS, options, catch_exceptions=False)
        return done.exit_code, json.loads(done.stdout)

    return run


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


def test_breaking_down_where_it_did_badly_makes_no_version_better(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=HARD)
    code, document = compared()
    why = f"the agent failed in 24 of 48 trials of {CANDIDATE}, which are not in it"
    assert gating(document) == {
        **dict.fromkeys(VIRTUES, ("inconclusive", why)), "task": ("regressed", None), "overall": ("regressed", None),
    }
    assert code == 1


def test_breaking_down_no_more_makes_no_version_worse(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, failed=HARD)
    evaluate(CANDIDATE)
    code, document = compared()
    why = f"the agent failed in 24 of 48 trials of {BASE}, which are not in it"
    assert gating(document) == {
        **dict.fromkeys(VIRTUES, ("inconclusive", why)), "task": ("improved", None), "overall": ("improved", None),
    }
    assert code == 0


@pytest.mark.parametrize("silent", [TRIALS, HARD], ids=["in all", "in half"])
def test_a_judge_that_falls_silent_is_no_progress(evaluate: Evaluate, compared: Any, silent: set[int]) -> None:
    evaluate(BASE, silent=())
    evaluate(CANDIDATE, silent=silent)
    code, document = compared()
    share = f"{len(silent) / 48:.0%}"
    why = (
        f"judge b gave no verdict on {share} of the virtues of {CANDIDATE}, and on 0% of {BASE}; judge that "
        f"version again with `stoic regrade --agent-version {CANDIDATE}`"
    )
    found = gating(document)
    assert [found[virtue] for virtue in VIRTUES] == [("inconclusive", why)] * 5
    assert (code, document["verdict"], document["notes"]) == (0, "inconclusive", [why])


def test_a_judge_that_falls_silent_on_tasks_alone_is_seen(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, silent=())
    evaluate(CANDIDATE, silent=(), marks="a")
    why = gating(compared()[1])["task"][1]
    assert why is not None
    assert why.startswith(f"judge b gave no verdict on 100% of the tasks of {CANDIDATE}, and on 0% of {BASE};")
