"""How reliable a verdict is: by the spread of several verdicts, else by the judge's own confidence.

Self-reported confidence of language models is far too high, so it is lowered where quotes are not real, and the spread
replaces it as soon as there is one. Where judges were compared with people, both are translated into how often such
verdicts were right.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import stdev

from stoic_assets.core.grouping import grouped
from stoic_assets.core.judging.confidence_map import Calibration, Signal
from stoic_assets.core.judging.scores import VirtueScore

ENOUGH = 3
"""Number of verdicts on one virtue of one trial from which on their spread gives the confidence."""
UNCALIBRATED = Calibration()


def with_confidence(scores: Sequence[VirtueScore], calibration: Calibration = UNCALIBRATED) -> list[VirtueScore]:
    """The scores with `confidence` and `confidence_source`, in the same order.

    Only scored verdicts count and only they get a confidence; the panel's models and samples count alike. Without a map
    in `calibration` for exactly these judges and prompts, the confidence is the uncalibrated one.
    """
    verdicts = grouped(((score.trial_id, score.virtue), score) for score in scores if score.score is not None)
    return [_with_confidence(score, verdicts[score.trial_id, score.virtue], calibration) for score in scores]


def samples_alike(samples: int, models: int, temperature: float) -> str | None:
    """The warning about samples whose spread means nothing, as one judge repeats itself; None where it has meaning."""
    if samples < ENOUGH or temperature > 0 or models > 1:
        return None
    return (
        f"{samples} samples of one judge at temperature 0 are nearly the same, so the confidence would look perfect; "
        "raise judging.temperature in stoic.yml, or let several models judge"
    )


def _with_confidence(score: VirtueScore, verdicts: Sequence[VirtueScore], calibration: Calibration) -> VirtueScore:
    if score.score is None:
        return score
    if len(verdicts) >= ENOUGH:
        marks = [each.score for each in verdicts if each.score is not None]
        plain = replace(score, confidence=by_spread(marks), confidence_source="spread")
        return _calibrated(plain, verdicts, "spread", stdev(marks), calibration)
    word = by_own_word(score.self_confidence, score.grounded)
    plain = replace(score, confidence=word, confidence_source="self")
    return plain if word is None else _calibrated(plain, [score], "self", word, calibration)


def _calibrated(
    plain: VirtueScore, verdicts: Sequence[VirtueScore], signal: Signal, value: float, calibration: Calibration
) -> VirtueScore:
    judges, prompts = [each.judge_model for each in verdicts], [each.prompt_hash for each in verdicts]
    found = calibration.map_for(plain.virtue, judges, signal, prompts)
    if found is None:
        return plain
    return replace(plain, confidence=found.confidence(value), confidence_source="calibrated")


def by_spread(verdicts: Sequence[float]) -> float:
    """max(0, 1 − 2·sd) with the sample standard deviation; 0–1."""
    return max(0.0, 1 - 2 * stdev(verdicts))


def by_own_word(self_confidence: float | None, grounded: float | None) -> float | None:
    """The judge's own confidence, halved when none of its quotes is real; 0–1. No quotes, no reduction."""
    if self_confidence is None or grounded is None:
        return self_confidence
    return self_confidence * (0.5 + 0.5 * grounded)
