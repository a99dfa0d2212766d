"""What scores and confidences are worth: offline nothing; else as far as people's ratings say, and why not further.

The sentences are the same everywhere: terminal, pull request, page and asset.
"""

from collections.abc import Sequence

from stoic_assets.core.calibration.confidence_map import why_not_calibrated
from stoic_assets.core.reports.data import ReportData, Row

OFFLINE_NOTE = (
    "Offline stand-ins played the user or the judge: the scores mean nothing; what the assertions found is real."
)
UNCALIBRATED = "The confidences are the judges' own, not calibrated against people."


def calibrated_share(virtues: Sequence[Row]) -> float:
    """The share, 0–1, of scored virtues whose confidence was read from a calibration map.

    `virtues` are rows of `trial_virtues`, or of `virtue_scores`.
    """
    sources = [row.get("confidence_source") for row in virtues if row.get("score") is not None]
    return sources.count("calibrated") / max(1, len(sources))


def whose_confidence(calibrated: float) -> str:
    """Where the confidences come from; `calibrated` is that share, 0–1."""
    return f"{calibrated:.0%} of the confidences are calibrated against people." if calibrated else UNCALIBRATED


def why_uncalibrated(data: ReportData) -> list[str]:
    """Why the others are the judges' own, each reason once."""
    judges = ",".join(sorted({row["judge_model"] for row in data.virtue_scores if row["score"] is not None}))
    scored = [row for row in data.trial_virtues if row.get("score") is not None]
    kinds = dict.fromkeys((row["virtue"], row.get("confidence_source")) for row in scored)
    reasons = (why_not_calibrated(data.judge_calibration, virtue, judges, source) for virtue, source in kinds)
    return list(dict.fromkeys(reason for reason in reasons if reason))
