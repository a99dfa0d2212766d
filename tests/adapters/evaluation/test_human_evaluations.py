"""From which of people's feedback evolution must not learn: by the job's file, and by its trials."""

from collections.abc import Callable
from typing import Any

import pytest
from publications import Make, Say, Sent, published

from stoic_assets.adapters.evaluation.human_evaluations import human_evaluations
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest

VERSION = "marcus@1.1.0"


def hold(workplace: Workplace, version: str, evaluation_id: str, holdout: bool) -> None:
    trial = {
        "trial_id": f"{version}.{evaluation_id}", "job": "mentor", "holdout": holdout, "condition": "withheld",
        "repeat": 1, "outcome": "signed_off", "failure_count": 0, "planned_tasks": 1, "turns": 2,
    }  # fmt: skip
    workplace.warehouse.write("trials", version, evaluation_id, [trial])


@pytest.mark.parametrize(
    ("file", "trials", "held_out"),
    [
        (None, [], False),
        (True, [], True),
        (True, [(VERSION, False)], True),
        (False, [("marcus@1.0.0", True)], False),
        (False, [(VERSION, True)], True),
        (False, [(VERSION, True), (VERSION, False)], False),
        (None, [("marcus@1.0.0", False), ("marcus@1.2.0", True)], True),
        (None, [("marcus@1.2.0", True), ("marcus@1.0.0", False)], False),
        (None, [(VERSION, True), ("marcus@1.2.0", False)], True),
    ],
)
def test_the_file_decides_and_else_the_newest_trials_and_those_of_the_version_are_believed_too(
    workplace: Workplace, write: Callable[..., None], say: Say, file: bool | None, trials: list[Any], held_out: bool
) -> None:
    if file is not None:
        write("mentor", f"holdout: {str(file).lower()}")
        write("unreadable", "mentor: [")
    for number, (version, holdout) in enumerate(trials):
        hold(workplace, version, f"night{number}", holdout)
    say(VERSION, 0.2)
    assert [found.holdout for found in human_evaluations(workplace, VERSION)] == [held_out]


def test_a_job_that_becomes_a_holdout_job_is_told_again_with_the_next_evaluation_and_is_no_advice(
    workplace: Workplace, evaluate: Make, write: Callable[..., None], say: Say, updates_sent: Sent,
    waiting: Callable[..., list[dict[str, Any]]],
) -> None:
    manifest: Manifest = evaluate(VERSION, {"reminder": 0.8})
    person = say(VERSION, 0.2)

    def told() -> tuple[list[bool], list[str]]:
        published(workplace, manifest)
        [update] = updates_sent(workplace, manifest)
        return [event["data"]["holdout"] for event in waiting(workplace) if event["id"] == person], update["task_ids"]

    assert told() == ([False], ["reminder", "mentor"])
    write("mentor", "holdout: true")
    assert told() == ([True], ["reminder"])
    write("mentor")
    assert told() == ([False], ["reminder", "mentor"])
