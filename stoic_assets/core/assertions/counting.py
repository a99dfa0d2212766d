"""Which results of assertions count: of rows of `assertion_results`, and of entries of the evaluation document."""

from collections.abc import Mapping
from typing import Any


def counts(result: Mapping[str, Any]) -> bool:
    """Whether it could be decided and has a weight: a weight of 0 leaves an assertion out of every figure."""
    return result["passed"] is not None and result["weight"] > 0


def has_failed(result: Mapping[str, Any]) -> bool:
    """Whether it counts and did not hold."""
    return counts(result) and not result["passed"]
