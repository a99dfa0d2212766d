"""How far scores and confidences can be trusted: offline not at all, else as far as people's ratings confirm them.

The sentences are the same everywhere: terminal, pull request, page and asset.
"""

from collections import Counter
from collections.abc import Iterable

from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.formatting import as_set, beside, dashed, is_missing, percent, words
from stoic_assets.core.table_rows import Row, Rows

OFFLINE_NOTE = (
    "Offline: scripts acted as simulated user or judge. Scores mean nothing; the results of assertions are real."
)
OFFLINE_PLAN = "Offline: scripts act as simulated user or judge, at no cost; scores will mean nothing."
_UNCALIBRATED = "The confidences are not calibrated on people's ratings."
_BY_SOURCE = {
    "self": "The confidences are the judges' own, not calibrated on people's ratings.",
    "spread": "The confidences come from the spread of the verdicts and are not calibrated on people's ratings.",
}
"""What is said where all confidences have this source."""

Sources = Counter[str | None]
"""How many scored virtues have their confidence from each source: `self`, `spread` or `calibrated`."""


def confidence_sources(virtues: Rows) -> Sources:
    """The sources of the confidences in `virtues`, rows of `trial_virtues` or of `virtue_scores`."""
    return Counter(row.get("confidence_source") for row in virtues if row.get("score") is not None)


def calibrated_share(sources: Sources) -> float:
    """The share, 0–1, of confidences that were read from a calibration map; 0 where nothing was scored."""
    return sources["calibrated"] / max(1, sources.total())


def whose_confidence(sources: Sources, agreement: str = "") -> str:
    """Where the confidences come from, if there are any, and how the scores agree with people's."""
    return f"{_whose(sources)} {agreement}".strip()


def _whose(sources: Sources) -> str:
    if not sources:
        return ""
    if calibrated := calibrated_share(sources):
        return f"{percent(calibrated)} of the confidences are calibrated on people's ratings."
    [source, *others] = sources
    return _UNCALIBRATED if others else _BY_SOURCE.get(source or "", _UNCALIBRATED)


def shown_confidence(virtue: Row) -> str:
    """The confidence in a row of `evaluation_virtues`, with decimals that show if it is above the bound; or a dash."""
    return dashed(lambda value: beside(value, virtue.get("confidence_above")), virtue["confidence"])


def weak_above(virtues: Iterable[Row]) -> str:
    """The confidence above which a low score is weak and, if that differs between virtues, for which ones.

    `virtues` are rows of `evaluation_virtues`; those without a score have no such value and are skipped. Three decimals
    are enough: over trials of both kinds it is a mean that nobody set.
    """
    bounds = grouped(
        (as_set(round(row["confidence_above"], 3)), words(row["virtue"]).lower())
        for row in virtues if not is_missing(row.get("confidence_above"))
    )  # fmt: skip
    named = [f"{bound} ({', '.join(names)})" if len(bounds) > 1 else bound for bound, names in sorted(bounds.items())]
    return f"A virtue with a low score is weak if its confidence is above {', '.join(named)}." if named else ""
