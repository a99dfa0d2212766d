"""An isotonic map from the certainty that a judge shows to how often it is right, and how reliable that map is.

A verdict is right when it is within an eighth, half of a level, of the mean of at least three raters. Its signal is
the spread of several verdicts, or the judge's own confidence. The reliability of the fitted confidence is measured with
two further maps, each fitted to one half of the trials and tested on the other: on the trials to which it was fitted,
every map looks perfect.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np
import numpy.typing as npt

from stoic_assets.core.calibration.paired_scores import Verdicts
from stoic_assets.core.feedback.rating_bridge import Ratings
from stoic_assets.core.judging.confidence import ENOUGH, by_own_word, by_spread
from stoic_assets.core.judging.confidence_map import ConfidenceMap, ReliabilityBin, Signal
from stoic_assets.core.ratings.rating_table import Floats
from stoic_assets.core.ratings.reliability.estimate import Estimate, Resampling, item_weights, undefined, with_interval
from stoic_assets.core.rounding import DIGITS, ROUNDING
from stoic_assets.core.table_rows import Rows
from stoic_assets.core.virtues import Virtue

WITHIN = 0.125
"""A score this close to people's mean is right."""
FEWEST_RATERS = 3
FEWEST_TRIALS = 30
BINS = 10
ERRS_UPWARDS = "no interval: chance alone makes it larger than 0; compare brier"
NEEDED: Mapping[Signal, str] = {"spread": f" and with {ENOUGH} verdicts", "self": ""}
"""What replies need besides people's ratings."""


@dataclass(frozen=True, eq=False)
class KnownVerdicts:
    """Verdicts with known truth: the signal, the uncalibrated confidence, whether right, and the trial's number.

    Several verdicts on one trial share its weight.
    """

    signal: Floats
    before: Floats
    right: Floats
    trial: npt.NDArray[np.intp]

    @property
    def trials(self) -> int:
        """How many trials there are."""
        return int(self.trial.max(initial=-1)) + 1

    @property
    def share(self) -> Floats:
        """The weight of each verdict."""
        return 1 / np.bincount(self.trial, minlength=self.trials)[self.trial]


@dataclass(frozen=True)
class Fitted:
    """A map, or None where there are too few ratings, and the measures of it by name."""

    map: ConfidenceMap | None
    measures: dict[str, Estimate]


def fitted(
    virtue: Virtue, judges: tuple[str, ...], signal: Signal, judged: Verdicts, rated: Ratings, resampling: Resampling
) -> Fitted:
    """The map for these judges' verdicts, and how reliable the confidence is with and without it."""
    truth = {trial: fmean(marks.values()) for trial, marks in rated.items() if len(marks) >= FEWEST_RATERS}
    known = {t: used for t, rows in sorted(judged.items()) if t in truth and (used := _usable(signal, rows))}
    seen = _known_verdicts(signal, known, truth)
    if seen.trials < FEWEST_TRIALS:
        return _not_fitted(signal, seen.trials)
    points = _points(signal, seen, np.ones(len(seen.signal), dtype=bool))
    halves = _halves(seen, resampling.seed)
    before = CheckedConfidence(seen, seen.before, np.zeros_like(halves))
    after = CheckedConfidence(seen, _from_the_other_half(signal, seen, halves), halves)
    found = ConfidenceMap(
        virtue=virtue, judges=judges, signal=signal, points=points, before=before.bins(), after=after.bins(),
        prompt_hashes=tuple(sorted({row["prompt_hash"] or "" for rows in known.values() for row in rows})),
    )  # fmt: skip
    weights = item_weights(seen.trials, resampling)
    figures = (
        _mean(seen.right, seen, weights), after.calibration_error(), after.brier(weights),
        before.calibration_error(), before.brier(weights),
    )  # fmt: skip
    return Fitted(found, dict(zip(measure_names(signal), figures, strict=True)))


def _not_fitted(signal: Signal, trials: int) -> Fitted:
    needed = f"{FEWEST_TRIALS} replies rated by {FEWEST_RATERS} people{NEEDED[signal]} are needed"
    why = undefined(f"not calibrated: {needed}; there {'is' if trials == 1 else 'are'} {trials}")
    return Fitted(None, dict.fromkeys(measure_names(signal), why))


def measure_names(signal: Signal) -> list[str]:
    """`map_…`, the share of verdicts that are right, and how reliable the confidence is with and without the map."""
    return [f"{name}_{signal}" for name in ("map", "ece", "brier", "ece_uncalibrated", "brier_uncalibrated")]


def _usable(signal: Signal, verdicts: Rows) -> Rows:
    """The verdicts on a trial that have the signal."""
    if signal == "spread":
        return verdicts if len(verdicts) >= ENOUGH else ()
    return [row for row in verdicts if row["self_confidence"] is not None]


def _known_verdicts(signal: Signal, judged: Verdicts, truth: Mapping[str, float]) -> KnownVerdicts:
    """One entry for each trial if the signal is the spread; else one for each verdict."""
    rows: list[tuple[float, float, bool, int]] = []
    for number, (trial, verdicts) in enumerate(judged.items()):
        marks = [row["score"] for row in verdicts]
        if signal == "spread":
            rows.append((stdev(marks), by_spread(marks), _is_right(fmean(marks), truth[trial]), number))
            continue
        words = [by_own_word(row["self_confidence"], row["grounded"]) or 0.0 for row in verdicts]
        rows += [(w, w, _is_right(mark, truth[trial]), number) for w, mark in zip(words, marks, strict=True)]
    columns = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    return KnownVerdicts(columns[0], columns[1], columns[2], columns[3].astype(np.intp))


def _is_right(score: float, truth: float) -> bool:
    return abs(score - truth) <= WITHIN + ROUNDING


def _points(signal: Signal, seen: KnownVerdicts, used: npt.NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    """The isotonic map of some of the verdicts: decreasing in the spread, increasing in the judge's own confidence.

    It never gives more than the rule of succession allows for the number of trials: three right ones are no proof.
    """
    from scipy.optimize import isotonic_regression

    signals, place = np.unique(seen.signal[used].round(DIGITS), return_inverse=True)
    weights = np.bincount(place, seen.share[used])
    right = np.bincount(place, (seen.share * seen.right)[used]) / weights
    trials = len(set(seen.trial[used]))
    fitted_to = isotonic_regression(right, weights=weights, increasing=signal == "self").x
    confidences = np.clip(fitted_to, 1 / (trials + 2), (trials + 1) / (trials + 2))
    bends = np.diff(confidences) != 0
    kept = np.append(True, bends) | np.append(bends, True)  # none is needed between two points of the same height
    return tuple(zip(signals[kept].tolist(), confidences[kept].tolist(), strict=True))


def _halves(seen: KnownVerdicts, seed: int) -> npt.NDArray[np.intp]:
    """Which half, 0 or 1, the trial of each verdict is in."""
    return (np.random.default_rng(seed).permutation(seen.trials) % 2)[seen.trial]


def _from_the_other_half(signal: Signal, seen: KnownVerdicts, halves: npt.NDArray[np.intp]) -> Floats:
    """The confidence of each verdict from a map that was fitted to the other half of the trials."""
    confidence = np.zeros(len(seen.signal))
    for half in (0, 1):
        own = halves == half
        signals, confidences = np.array(_points(signal, seen, ~own)).T
        confidence[own] = np.interp(seen.signal[own], signals, confidences)
    return confidence


@dataclass(frozen=True, eq=False)
class CheckedConfidence:
    """A confidence compared with the truth.

    `half` says from which map a confidence comes; overconfidence of one map must not cancel underconfidence of the
    other. With more than two parts, each would be too small to show a gap.
    """

    seen: KnownVerdicts
    confidence: Floats
    half: npt.NDArray[np.intp]

    @property
    def bin(self) -> npt.NDArray[np.intp]:
        """The tenth, 0–9, to which each confidence belongs."""
        return np.minimum(self.confidence.round(DIGITS) * BINS, BINS - 1).astype(np.intp)

    def bins(self) -> tuple[ReliabilityBin, ...]:
        """The points of the diagram."""
        share = self.seen.share
        return tuple(
            ReliabilityBin(
                confidence=float(np.average(self.confidence[inside], weights=share[inside])),
                right=float(np.average(self.seen.right[inside], weights=share[inside])),
                verdicts=int(inside.sum()),
            )
            for inside in (self.bin == tenth for tenth in range(BINS))
            if inside.any()
        )

    def brier(self, weights: Floats) -> Estimate:
        """The mean over trials of the squared distance of confidence from truth, 0–1; a constant 0.5 gives 0.25."""
        return _mean((self.confidence - self.seen.right) ** 2, self.seen, weights)

    def calibration_error(self) -> Estimate:
        """Expected calibration error, 0–1: Σ |Σ (confidence − right)| ÷ number of trials, over each half's tenths.

        The inner sum is weighted: the verdicts on one trial share its weight.
        """
        gaps = np.bincount(BINS * self.half + self.bin, (self.confidence - self.seen.right) * self.seen.share)
        return Estimate(float(np.abs(gaps).sum() / self.seen.trials), None, None, ERRS_UPWARDS)


def _mean(values: Floats, seen: KnownVerdicts, weights: Floats) -> Estimate:
    by_trial = np.bincount(seen.trial, weights=values * seen.share, minlength=seen.trials)
    draws = weights @ by_trial / weights.sum(axis=1)
    return with_interval(float(by_trial.mean()), draws, seen.trials, "")
