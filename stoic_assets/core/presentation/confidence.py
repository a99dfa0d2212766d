"""How far scores and confidences can be trusted: offline not at all, else as far as people's ratings confirm them.

The sentences are the same everywhere: terminal, pull request, page and asset.
"""

from collections.abc import Iterable

from stoic_assets.core.presentation.formatting import is_missing, percent, score, words
from stoic_assets.core.table_rows import Row, Rows

OFFLINE_NOTE = (
    "Offline: scripts acted as simulated user or judge. Scores mean nothing; the results of assertions are real."
)
OFFLINE_PLAN = "Offline: scripts act as simulated user or judge, at no cost; scores will mean nothing."
UNCALIBRATED = "The confidences are the judges' own, not calibrated on people's ratings."


def calibrated_share(virtues: Rows) -> float:
    """The share, 0–1, of scored virtues whose confidence was read from a calibration map.

    `virtues` are rows of `trial_virtues`, or of `virtue_scores`.
    """
    sources = [row.get("confidence_source") for row in virtues if row.get("score") is not None]
    return sources.count("calibrated") / max(1, len(sources))


def whose_confidence(calibrated: float, agreement: str = "") -> str:
    """Where the confidences come from, `calibrated` being that share, 0–1, and how the scores agree with people's."""
    share = f"{percent(calibrated)} of the confidences are calibrated on people's ratings."
    return f"{share if calibrated else UNCALIBRATED} {agreement}".rstrip()


def weak_above(virtues: Iterable[Row]) -> str:
    """The confidence above which a low score is weak and, if that differs between virtues, for which ones.

    `virtues` are rows of `evaluation_virtues`; those without a score have no such value and are skipped.
    """
    bounds: dict[str, list[str]] = {}
    for row in virtues:
        if not is_missing(row.get("confidence_above")):
            bounds.setdefault(score(row["confidence_above"]), []).append(words(row["virtue"]).lower())
    named = [f"{bound} ({', '.join(names)})" if len(bounds) > 1 else bound for bound, names in sorted(bounds.items())]
    return f"A virtue with a low score is weak if its confidence is above {', '.join(named)}." if named else ""
