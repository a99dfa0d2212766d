"""The measures in which two versions are compared, and the smallest difference in each that matters."""

from stoic_assets.core.configuration.settings import MinimalDifferences
from stoic_assets.core.virtues import VIRTUES

PASSED = "passed"
GATING = (*VIRTUES, "task", "assertion", "timing", "overall")
"""The family that decides a verdict."""
MEASURES = (*GATING, PASSED)
"""All measures; `passed` is the share of trials that did everything asked of them."""
JUDGED = frozenset((*VIRTUES, "task", "overall", PASSED))
"""Measures that depend on the judge, in part or wholly."""
LEAVING_FAILURES_OUT = (*VIRTUES, "assertion", "timing")
"""Measures for which a trial in which the agent failed may have no value; in the others it counts as nothing done."""
NOT_MEASURED = "neither version measured it"
"""The reason of a measure that the suite does not have: it counts for no verdict."""


def minimal_difference(measure: str, minimal: MinimalDifferences) -> float:
    """δ of a measure, 0–1: a smaller difference is irrelevant."""
    if measure in VIRTUES:
        return minimal.virtues
    return minimal.assertion if measure == PASSED else float(getattr(minimal, measure))
