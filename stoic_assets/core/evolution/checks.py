"""What the checks of what an agent did found: virtues are judged by its words, and fine words may have no deeds."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TypedDict

from stoic_assets.core.assertions.counting import has_failed
from stoic_assets.core.grouping import grouped
from stoic_assets.core.table_rows import Row


class FailedAssertion(TypedDict):
    """An assertion of a job, by its name or its number, with its text and the trials in which it failed."""

    task_id: str
    assertion: str
    text: str
    trial_ids: list[str]


@dataclass(frozen=True)
class Checks:
    """How many trials passed, None where none could; and the assertions that failed, in most trials first."""

    passed_trials: int | None = None
    failed_assertions: list[FailedAssertion] = field(default_factory=list)


def checks(composites: Iterable[Row], results: Iterable[Row], trials: Collection[str]) -> Checks:
    """From rows of `composite_scores` and `assertion_results`, the checks in some `trials` that have a weight."""
    counted = {row["trial_id"]: row for row in composites if row["trial_id"] in trials}
    passed = [row["passed"] for row in counted.values() if row["passed"] is not None]
    failed = grouped(
        ((counted[row["trial_id"]]["job"], row["assertion"], row["text"]), row["trial_id"])
        for row in results if has_failed(row) and row["trial_id"] in counted
    )  # fmt: skip
    found = [
        FailedAssertion(task_id=job, assertion=assertion, text=text, trial_ids=sorted(ids))
        for (job, assertion, text), ids in sorted(failed.items(), key=lambda each: (-len(each[1]), each[0]))
    ]
    return Checks(sum(passed) if passed else None, found)
