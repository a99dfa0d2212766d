"""What scores and confidences are worth: offline nothing; else as far as people's ratings say.

The sentences are the same everywhere: terminal, pull request, page and asset.
"""

from collections.abc import Mapping, Sequence
from typing import Any

OFFLINE_NOTE = (
    "Offline stand-ins played the user or the judge: the scores mean nothing; what the assertions found is real."
)
UNCALIBRATED = "The confidences are the judges' own, not calibrated against people."


def calibrated_share(virtues: Sequence[Mapping[str, Any]]) -> float:
    """The share, 0–1, of scored virtues whose confidence was read from a calibration map.

    `virtues` are rows of `trial_virtues`, or of `virtue_scores`.
    """
    sources = [row.get("confidence_source") for row in virtues if row.get("score") is not None]
    return sources.count("calibrated") / max(1, len(sources))


def whose_confidence(calibrated: float) -> str:
    """Where the confidences come from; `calibrated` is that share, 0–1."""
    return f"{calibrated:.0%} of the confidences are calibrated against people." if calibrated else UNCALIBRATED
