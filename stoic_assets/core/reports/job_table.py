"""Jobs by condition with their outcomes and scores, and the assertions that failed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stoic_assets.core.assertions.counting import counts, has_failed
from stoic_assets.core.assertions.wording import fault, name_or_text
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.names import natural
from stoic_assets.core.reports.data import mean
from stoic_assets.core.reports.trial_view import TrialView
from stoic_assets.core.table_rows import Row


@dataclass(frozen=True)
class JobRow:
    """All trials of one job under one condition; `outcomes` counts how they ended.

    Without `totals`, those of the trials are only zeros of crashes, in a suite of which nothing is asked.
    """

    job: str
    condition: str
    outcomes: list[tuple[str, int]]
    trials: list[TrialView]
    totals: bool

    @property
    def failed_messages(self) -> int:
        """How many attempts to send a message failed, over all trials."""
        return sum(trial.failed_messages for trial in self.trials)

    def why_missing(self, column: str) -> str:
        """Why a mean is missing, by the first scored trial if there is one."""
        return max(self.trials, key=lambda trial: trial.valid).why_missing(column)

    def mean(self, column: str) -> float | None:
        """The mean of a column of `composite_scores` over the scored trials."""
        if column == "overall" and not self.totals:
            return None
        return mean((trial.scores for trial in self.trials if trial.valid), column)


@dataclass(frozen=True)
class AssertionFailure:
    """An assertion that failed in the same way in all of `trials`, of whichever job; `row` is the result in the first.

    `failed` of `checked` results of this assertion did not hold, whatever was found.
    """

    row: Row
    trials: list[TrialView]
    failed: int
    checked: int

    @property
    def name(self) -> str:
        """Its name, else its text."""
        return name_or_text(self.row["assertion"], self.row["text"])

    @property
    def what(self) -> tuple[object, ...]:
        """What it checks: in other jobs it may have another number."""
        return _what(self.row)

    @property
    def fault(self) -> str | None:
        """What went wrong, as `AssertionView.fault`."""
        return fault(self.row)


def by_job(trials: Iterable[TrialView]) -> dict[str, list[TrialView]]:
    """The trials of each job."""
    return grouped((trial.row["job"], trial) for trial in trials)


def job_rows(trials: Iterable[TrialView], totals: bool = True) -> list[JobRow]:
    """One row for each job and condition, the lowest total first, those without a total last."""
    groups = grouped(((trial.row["job"], trial.row["condition"]), trial) for trial in trials)
    rows = [
        JobRow(
            job, condition, Counter(trial.ending for trial in group).most_common(), sorted(group, key=_place), totals
        )
        for (job, condition), group in groups.items()
    ]
    return sorted(rows, key=_worst_first)


def _worst_first(row: JobRow) -> tuple[bool, float, str, str]:
    overall = row.mean("overall")
    return overall is None, overall or 0.0, natural(row.job), row.condition


def _place(trial: TrialView) -> tuple[str, str, int]:
    return natural(trial.row.get("scenario") or ""), trial.row["condition"], trial.row["repeat"]


def failed_assertions(trials: Sequence[TrialView]) -> list[AssertionFailure]:
    """What failed, ordered by weight times frequency, the highest first; equal failures are one entry.

    Assertions without a weight are left out.
    """
    results = [
        (trial, assertion.row)
        for trial in sorted((trial for trial in trials if trial.valid), key=_job_and_place)
        for assertion in trial.assertions if counts(assertion.row)
    ]  # fmt: skip
    checked = Counter(_what(row) for _, row in results)
    failed = Counter(_what(row) for _, row in results if has_failed(row))
    alike = grouped(
        ((_what(row), row["expected"], row["actual"], row["error"]), (trial, row))
        for trial, row in results if has_failed(row)
    )  # fmt: skip
    found = []
    for (what, *_), same in alike.items():
        (_, row), those = same[0], [trial for trial, _ in same]
        found.append(AssertionFailure(row, those, failed[what], checked[what]))
    return sorted(found, key=_heaviest_first)


def _what(row: Row) -> tuple[object, ...]:
    return name_or_text(row["assertion"], row["text"]), row["text"], row["weight"]


def _job_and_place(trial: TrialView) -> tuple[object, ...]:
    return natural(trial.row["job"]), *_place(trial)


def _heaviest_first(failed: AssertionFailure) -> tuple[float, str]:
    return -failed.row["weight"] * len(failed.trials), natural(failed.name)
