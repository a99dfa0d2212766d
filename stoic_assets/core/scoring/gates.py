"""The gates at which a pipeline stops: what an evaluation must reach, and by how much it falls short."""

from collections.abc import Sequence

from stoic_assets.core.presentation.formatting import short_of
from stoic_assets.core.rounding import falls_short


def shortfalls(
    average: float | None, passed: Sequence[bool], fail_under: float | None, min_passed: float | None
) -> list[str]:
    """One reason for each gate that is not reached; a gate that is None is not checked.

    `average` is the mean total, `fail_under` its gate, `min_passed` that of the share of trials that passed, all 0–1.
    `passed` are the trials in which something could be passed.
    """
    average_lacks = None if fail_under is None else _average_shortfall(average, fail_under)
    passed_lacks = None if min_passed is None else _passed_shortfall(passed, min_passed)
    return [lacking for lacking in (average_lacks, passed_lacks) if lacking]


def _average_shortfall(average: float | None, gate: float) -> str | None:
    if average is None:
        takes = "`overall` takes tasks, assertions or `aspirationalAverage`"
        return f"there is no average score to compare with --fail-under {gate:.10g}: {takes}"
    if falls_short(average, gate):
        quoted = round(average, 2)  # as `half_even`, which the results above it show
        return f"the average score {short_of(quoted if quoted < gate else average, gate)} is below {gate:.10g}"
    return None


def _passed_shortfall(passed: Sequence[bool], gate: float) -> str | None:
    if not passed:
        return f"no trial has a task or assertion to pass, as --min-passed {gate:.10g} needs"
    share = sum(passed) / len(passed)
    if falls_short(share, gate):
        return f"{sum(passed)} of {len(passed)} trials passed ({short_of(share, gate)}), fewer than {gate:.10g}"
    return None
