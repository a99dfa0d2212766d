"""The evaluation's calls of language models, by role and model."""

from dataclasses import dataclass

from stoic_assets.core.model_costs import total_cost
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
    pairs = sorted({(row["role"], row["model"]) for row in rows})
    return [_calls(*pair, [row for row in rows if (row["role"], row["model"]) == pair]) for pair in pairs]


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
