"""A version and its base, evaluated in nights and beside them."""

from collections.abc import Callable

from stoic_assets.adapters.workplace import Workplace

BASE, CANDIDATE = "marcus@1.0.0", "marcus@1.1.0"
JOBS = [f"job {number}" for number in range(6)]
Evaluate = Callable[..., str]


def base_used(workplace: Workplace, candidate_id: str) -> str:
    rows = workplace.warehouse.read("version_comparisons", CANDIDATE, candidate_id)
    [base] = {row["base_evaluation_id"] for row in rows}
    return base
