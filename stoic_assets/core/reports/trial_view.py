"""One trial as a page shows it: the conversation, its marks, and the evidence behind each."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from stoic_assets.core.assertions.counting import has_failed
from stoic_assets.core.assertions.wording import fault
from stoic_assets.core.function_calls import call_of, stored_events
from stoic_assets.core.grouping import grouped
from stoic_assets.core.judging.exhibit import function_calls
from stoic_assets.core.judging.quotes import Quote, SearchableRecord
from stoic_assets.core.presentation.formatting import is_missing
from stoic_assets.core.presentation.names import natural
from stoic_assets.core.reports.data import EvaluationRows
from stoic_assets.core.scoring.evaluation_document import NOT_JUDGED, shown_outcome
from stoic_assets.core.table_rows import Row, Rows, by_trial
from stoic_assets.core.virtues import VIRTUES

_TABLES = (
    "turns", "observations", "virtue_scores", "trial_virtues", "task_scores", "tone_scores", "assertion_results",
)
_NO_ANCHOR = re.compile(r"[^A-Za-z0-9_.~-]")
_WHY_MISSING = {
    "overall": "the trial has no part that could be scored",
    "task": "the job has no tasks, or none was judged",
    "assertion": "no assertion counts under this condition, or none could be decided",
    "timing": "the job has no aspirationalAverage, or the agent never replied",
    "tone": "the tone was not judged",
    "virtue_overall": "no virtue was scored",
}
_JUDGED = ("task", "tone", "virtue_overall")


@dataclass(frozen=True)
class TurnView:
    """One message; `events` is their number, `slow` above the aspired time.

    `calls` are the function calls among the events, `functions` the names of what they call.
    """

    row: Row
    events: int
    calls: list[str]
    functions: list[str]
    slow: bool


@dataclass(frozen=True)
class AspectView:
    """One aspect of a verdict, with its example as a quote."""

    row: Row
    quote: Quote | None


@dataclass(frozen=True)
class VerdictView:
    """One verdict of one judge on one virtue."""

    row: Row
    aspects: list[AspectView]
    quotes: list[Quote]


@dataclass(frozen=True)
class VirtueView:
    """One virtue of the trial: the combined score and the verdicts behind it."""

    name: str
    row: Row
    verdicts: list[VerdictView]

    @property
    def why_missing(self) -> str:
        """Why there is no score."""
        if self.row.get("exercised") is False:
            return "not exercised: the conversation gave no occasion for it"
        if any(verdict.row.get("unpaid") for verdict in self.verdicts):
            return NOT_JUDGED
        return "the judge gave no usable verdict" if self.row.get("failed") else "not judged"


@dataclass(frozen=True)
class AssertionView:
    """One assertion and what was observed for it; expressions have no observation."""

    row: Row
    observation: Row | None

    @property
    def fault(self) -> str | None:
        """What went wrong."""
        return fault(self.row)


@dataclass(frozen=True)
class TrialView:
    """Everything about one trial.

    `scores` is its row of `composite_scores`, `job` the row of its job; each is empty when there is none.
    """

    row: Row
    scores: Row
    job: Row
    turns: list[TurnView]
    tasks: list[Row]
    """The marks, each with the task's text and criteria that the judge used, where these are known."""
    tone: Row | None
    virtues: list[VirtueView]
    assertions: list[AssertionView]
    others: list[Row]
    """Observations that belong to no assertion: the object context."""

    @property
    def anchor(self) -> str:
        """The id of the trial in the page."""
        return "trial-" + _NO_ANCHOR.sub("_", self.row["trial_id"])

    @property
    def outcome(self) -> str:
        """How the trial ended; only the scores, not the conversation, include judge errors."""
        return str(self.scores.get("outcome") or self.row["outcome"])

    @property
    def ending(self) -> str:
        """How the trial ended, as it is shown: a judge that was not asked made no error."""
        return shown_outcome(self.outcome, (*self.tasks, *self.verdicts))

    @property
    def verdicts(self) -> list[Row]:
        """The rows of all verdicts on its virtues."""
        return [verdict.row for virtue in self.virtues for verdict in virtue.verdicts]

    @property
    def category(self) -> str | None:
        """The category of its scenario."""
        scenarios = self.job.get("scenarios") or ()
        return next((each["category"] for each in scenarios if each["id"] == self.row.get("scenario")), None)

    @property
    def valid(self) -> bool:
        """Whether the trial is scored."""
        return bool(self.scores.get("valid"))

    @property
    def passed(self) -> bool | None:
        """Whether everything asked of the agent was done; None if nothing was asked, or the trial is invalid."""
        return self.scores.get("passed")

    @property
    def suspected(self) -> str:
        """Why the agent's words look as if they were meant for the judge; empty where they do not."""
        return ", ".join(self.row.get("suspected_injection") or ())

    def why_missing(self, part: str) -> str:
        """Why a column of `composite_scores` is null."""
        if not self.valid:
            return f"an invalid trial is not scored: {self.ending}"
        unjudged = self.outcome == "agent_error" and part in _JUDGED
        return "the agent failed, so it was not judged" if unjudged else _WHY_MISSING[part]

    @property
    def checked_assertions(self) -> int:
        """How many assertions could be decided."""
        return sum(assertion.row["passed"] is not None for assertion in self.assertions)

    @cached_property
    def failed_assertions(self) -> int:
        """How many assertions with a weight did not hold."""
        return sum(has_failed(assertion.row) for assertion in self.assertions)

    @property
    def failed_messages(self) -> int:
        """How many attempts to send a message failed."""
        return self.row.get("failure_count") or 0

    @property
    def troubled(self) -> bool:
        """Whether it did not pass, something in it failed, or some text looks as if it were meant for the judge."""
        failed = self.passed is False or self.failed_assertions or self.failed_messages or self.outcome == "agent_error"
        return bool(failed or not self.valid or self.suspected)


def trial_views(data: EvaluationRows, jobs: Rows = ()) -> list[TrialView]:
    """All trials, the worst first, those without a total last, each with its row of `jobs`."""
    composite = {row["trial_id"]: row for row in data.composite_scores}
    tables = {name: by_trial(getattr(data, name)) for name in _TABLES}
    named = {job["name"]: job for job in jobs}
    views = []
    for row in data.trials:
        own = {name: rows[row["trial_id"]] for name, rows in tables.items()}
        views.append(_view(row, composite.get(row["trial_id"], {}), named.get(row["job"], {}), own))
    return sorted(views, key=_worst_first)


def _view(row: Row, scores: Row, job: Row, own: Mapping[str, list[Row]]) -> TrialView:
    """One trial from its own rows of each table."""
    turns = [_turn(turn, row.get("aspirational_ms")) for turn in sorted(own["turns"], key=lambda turn: turn["turn"])]
    seen = {observation["assertion"]: observation for observation in own["observations"]}
    return TrialView(
        row=row,
        scores=scores,
        job=job,
        turns=turns,
        tasks=_tasks(own["task_scores"], job),
        tone=next(iter(own["tone_scores"]), None),
        virtues=_virtues(own["trial_virtues"], own["virtue_scores"], turns),
        assertions=[AssertionView(result, seen.pop(result["assertion"], None)) for result in own["assertion_results"]],
        others=list(seen.values()),
    )


def _worst_first(view: TrialView) -> tuple[bool, bool, float, str]:
    overall = view.scores.get("overall")
    return not view.valid, is_missing(overall), overall or 0.0, natural(view.row["trial_id"])


def _tasks(marks: Iterable[Row], job: Row) -> list[Row]:
    """The marks in the order of the tasks, with the job's entry for the task where the judge used that."""
    known = job.get("kept") or not job.get("corrected")
    asked = {str(number): task for number, task in enumerate(job.get("tasks") or (), 1)} if known else {}
    ordered = sorted(marks, key=lambda mark: (len(mark["task"]), mark["task"]))
    return [{**asked.get(mark["task"], {}), **mark} for mark in ordered]


def _turn(row: Row, aspired: float | None) -> TurnView:
    events = stored_events(row.get("events"))
    late = aspired is not None and row["speaker"] == "agent" and (row.get("response_ms") or 0) > aspired
    functions = [call.name for event in events if (call := call_of(event))]
    return TurnView(row, len(events), function_calls(events), functions, late)


def _virtues(combined: Iterable[Row], verdicts: Iterable[Row], turns: Iterable[TurnView]) -> list[VirtueView]:
    record = SearchableRecord((turn.row["content"] for turn in turns), (turn.calls for turn in turns))
    rows = {row["virtue"]: row for row in combined}
    given = grouped((verdict["virtue"], _verdict(verdict, record)) for verdict in verdicts)
    return [VirtueView(name, rows.get(name, {}), given[name]) for name in VIRTUES if name in rows or given[name]]


def _verdict(row: Row, record: SearchableRecord) -> VerdictView:
    virtue, aspects = row["virtue"], row.get("aspects") or ()
    return VerdictView(
        row=row,
        aspects=[AspectView(aspect, record.quote(aspect["example"] or "", virtue)) for aspect in aspects],
        quotes=record.quotes(row.get("supporting_examples") or (), virtue),
    )
