"""Whether a verdict may be based on an evaluation, by how many of its trials are invalid.

The SQL model `evaluation_scores` has the same rule for its column `conclusive`.
"""

from stoic_assets.core.evaluation.next_command import way_to_finish
from stoic_assets.core.presentation.formatting import plural


def invalid_share(scored: int, invalid: int) -> float:
    """The share of invalid trials among those that ended, 0–1; planned trials that were not run do not count."""
    return invalid / max(1, scored + invalid)


def conclusive(scored: int, invalid: int, threshold: float) -> bool:
    """Whether any trial counts, and the share of invalid ones is at most `threshold`, 0–1."""
    return scored > 0 and invalid_share(scored, invalid) <= threshold


def too_many_invalid(invalid: int, ended: int, threshold: float) -> str:
    """The message for an evaluation with more invalid trials among those that ended than `threshold`, 0–1, allows."""
    found = f"{invalid} of {plural(ended, 'trial')} {'is' if invalid == 1 else 'are'} invalid"
    return f"{found}, more than the {100 * threshold:.10g} % that stoic.yml allows"


def ceiling_reached(agent_version: str, evaluation_id: str, status: str, ended: int, planned: int) -> str:
    """The message for an evaluation whose cost ceiling was reached: which trials or verdicts it lacks, and what to do.

    `ended` of its `planned` trials were run.
    """
    trials = f"{ended} of {planned} trials were run before the cost ceiling was reached"
    lacking = trials if ended < planned else "the cost ceiling was reached before all verdicts were given"
    return f"{lacking}; continue with {way_to_finish(agent_version, evaluation_id, status, at_ceiling=True)}"
