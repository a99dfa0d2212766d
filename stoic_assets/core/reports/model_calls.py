"""The evaluation's calls of language models: by role and model, and what they cost by job."""

from collections import Counter
from dataclasses import dataclass

from stoic_assets.core.calls.model_costs import total_cost
from stoic_assets.core.grouping import grouped
from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.reports.data import mean, values
from stoic_assets.core.table_rows import Rows


@dataclass(frozen=True)
class ModelCalls:
    """All calls of one model in one role; `cached` is a share; tokens and mean latency are those of the rest.

    Tokens are None if some answer did not report them.
    """

    role: str
    model: str
    calls: int
    cached: float
    errors: int
    prompt_tokens: float | None
    completion_tokens: float | None
    cost_usd: float | None
    latency_ms: float | None


def model_calls(rows: Rows) -> list[ModelCalls]:
    """One entry for each role and model."""
    by_model = grouped(((row["role"], row["model"]), row) for row in rows)
    return [_calls(*pair, by_model[pair]) for pair in sorted(by_model)]


@dataclass(frozen=True)
class JobCost:
    """What the models cost in a trial of a job or of one of its scenarios, in US dollars: means over its `trials`."""

    job: str
    trials: int
    user_usd: float
    judges_usd: float

    @property
    def trial_usd(self) -> float:
        """What a trial cost in all."""
        return self.user_usd + self.judges_usd


COSTLIEST = 10


def costliest_jobs(calls: Rows, trials: Rows) -> list[JobCost]:
    """The jobs whose trials cost most, at most `COSTLIEST`, without those of which the cost is unknown or nothing.

    Calls that earlier releases made name no trial, and are left out.
    """
    jobs = {row["trial_id"]: job_key(row) for row in trials}
    made = grouped((job, call) for call in calls if (job := jobs.get(call.get("trial_id"))) is not None)
    held = Counter(jobs.values())
    known = [cost for job, rows in made.items() if (cost := _cost(job, held[job], rows)) and cost.trial_usd]
    return sorted(known, key=lambda cost: (-cost.trial_usd, cost.job))[:COSTLIEST]


def _cost(job: str, trials: int, rows: Rows) -> JobCost | None:
    user, judges = (total_cost([row for row in rows if row["role"] == role]) for role in ("evaluator", "judge"))
    return None if user is None or judges is None else JobCost(job, trials, user / trials, judges / trials)


def _calls(role: str, model: str, rows: Rows) -> ModelCalls:
    asked = [row for row in rows if not row["cached"]]
    return ModelCalls(
        role=role,
        model=model,
        calls=len(rows),
        cached=1 - len(asked) / len(rows),
        errors=sum(row.get("error") is not None for row in rows),
        prompt_tokens=_tokens(asked, "prompt_tokens"),
        completion_tokens=_tokens(asked, "completion_tokens"),
        cost_usd=total_cost(rows),
        latency_ms=mean(asked, "latency_ms"),
    )


def _tokens(rows: Rows, column: str) -> float | None:
    answered = [row for row in rows if row.get("error") is None]
    return sum(values(rows, column)) if len(values(answered, column)) == len(answered) else None
