"""What two versions are compared in, and from how small a difference on it matters."""

from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.settings import MinimalDifferences

PASSED = "passed"
GATING = (*VIRTUES, "task", "assertion", "timing", "overall")
"""The family that decides a verdict."""
MEASURES = (*GATING, PASSED)
"""All measures; `passed` is the share of trials that did everything asked of them."""
JUDGED = frozenset((*VIRTUES, "task", "overall", PASSED))
"""Measures that rest on the judge's word, in part or whole."""
LEAVING_FAILURES_OUT = (*VIRTUES, "assertion", "timing")
"""Measures that a trial in which the agent failed may have no value of; in the others it counts as nothing done."""


def minimal_difference(measure: str, minimal: MinimalDifferences) -> float:
    """δ of a measure: a smaller difference is of no consequence, 0–1."""
    if measure in VIRTUES:
        return minimal.virtues
    return minimal.assertion if measure == PASSED else float(getattr(minimal, measure))
