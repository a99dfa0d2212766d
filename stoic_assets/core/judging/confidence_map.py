"""The map from which a calibrated confidence is read: plain data, fitted elsewhere, stored as JSON.

A map is valid for one virtue, exactly the judges whose verdicts it was fitted to, and the prompts they were given; for
any other verdict there is no calibration.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel

from stoic_assets.core.table_rows import Row
from stoic_assets.core.virtues import Virtue

Signal = Literal["spread", "self"]
"""What a confidence is read from: the standard deviation of several verdicts, or the judge's own confidence."""


class ReliabilityBin(BaseModel, frozen=True):
    """Verdicts of similar confidence: their mean confidence, the share that was right (0–1), and their number."""

    confidence: float
    right: float
    verdicts: int


class ConfidenceMap(BaseModel, frozen=True):
    """Points from signal to confidence, in order of the signal, interpolated linearly and constant beyond the ends.

    The confidence is the probability that a score is within an eighth of people's mean. `before` and `after` are the
    reliability of the uncalibrated and of the calibrated confidence, each verdict's taken from a map that was fitted to
    other trials.
    """

    virtue: Virtue
    judges: tuple[str, ...]
    signal: Signal
    prompt_hashes: tuple[str, ...]
    points: tuple[tuple[float, float], ...]
    before: tuple[ReliabilityBin, ...] = ()
    after: tuple[ReliabilityBin, ...] = ()

    def confidence(self, value: float) -> float:
        """The confidence for a value of the signal."""
        xs = [x for x, _ in self.points]
        place = bisect_left(xs, value)
        if place == 0 or place == len(xs):
            return self.points[min(place, len(xs) - 1)][1]
        (left, low), (right, high) = self.points[place - 1 : place + 1]
        return low + (high - low) * (value - left) / (right - left)


class Calibration:
    """All known maps."""

    def __init__(self, maps: Iterable[ConfidenceMap] = ()) -> None:
        self._maps = {(each.virtue, each.judges, each.signal): each for each in maps}

    def map_for(
        self, virtue: Virtue, judges: Iterable[str], signal: Signal, prompts: Iterable[str]
    ) -> ConfidenceMap | None:
        """The map for verdicts of these judges on these prompts, or None."""
        found = self._maps.get((virtue, tuple(sorted(set(judges))), signal))
        return found if found and set(prompts) <= set(found.prompt_hashes) else None


def calibration_of(rows: Iterable[Row]) -> Calibration:
    """The confidence maps in rows of `judge_calibration`."""
    stored = (row["confidence_map"] for row in rows)
    return Calibration(ConfidenceMap.model_validate_json(text) for text in stored if text)


def why_not_calibrated(rows: Iterable[Row], virtue: str, judges: str, source: str | None) -> str | None:
    """Why a confidence was not read from a map; None where it was.

    `rows` are those of `judge_calibration`, `source` is the score's `confidence_source`; several judges are
    comma-separated.
    """
    if source == "calibrated":
        return None
    for row in rows:
        if (row["virtue"], row["judge_model"], row["measure"]) == (virtue, judges, f"map_{source}"):
            return row["why"] or "not calibrated: judged after the calibration with other prompts, or before it"
    advice = "rate replies to a job with `scenarios`, then run `stoic ratings calibrate`"
    return f"not calibrated: this judge has not been compared with people’s ratings yet; {advice}"
