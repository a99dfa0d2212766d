"""The judge compared with people: every virtue, every judge, every measure, and the resulting confidence maps.

Pure: rows of `virtue_scores` and of `human_ratings` in, rows of `judge_calibration` out.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import get_args

import numpy as np

from stoic_assets.core.calibration.judge_agreement import agreement
from stoic_assets.core.calibration.map_fitting import fitted
from stoic_assets.core.calibration.paired_scores import Verdicts, by_one_prompt, paired, panels
from stoic_assets.core.feedback.rating_bridge import Bridge, rated_trials, rated_virtue, scaled
from stoic_assets.core.judging.confidence_map import ConfidenceMap, Signal
from stoic_assets.core.ratings.reliability.correlation import spearman
from stoic_assets.core.ratings.reliability.estimate import USUAL, Estimate, Resampling, undefined
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES
from stoic_assets.core.table_rows import Row, Rows
from stoic_assets.core.virtues import VIRTUES, Virtue

SIGNALS: tuple[Signal, ...] = get_args(Signal)
EDGES = {f"spearman_{name}": name for name in DIMENSION_NAMES}
"""The measures that show whether a dimension and a virtue are related at all."""


@dataclass(frozen=True)
class JudgeComparison:
    """One virtue as one judge scores it, compared with people. `judge` is a model, or several, comma-separated.

    `trials` and `raters` are those of the ratings that count for the virtue, `rated` and `rated_by` of all: they stand
    behind `EDGES`. `rubric` is the one by which people rated, None where it is not known.
    """

    virtue: Virtue
    judge: str
    trials: int
    raters: int
    measures: Mapping[str, Estimate]
    maps: Mapping[str, ConfidenceMap]
    rated: int = 0
    rated_by: int = 0
    rubric: str | None = None

    def rows(self) -> list[Row]:
        """The rows of `judge_calibration`."""
        return [
            {
                "virtue": self.virtue, "judge_model": self.judge, "measure": name, **asdict(estimate),
                "items": self.rated if name in EDGES else self.trials,
                "raters": self.rated_by if name in EDGES else self.raters, "rubric": self.rubric,
                "confidence_map": self.maps[name].model_dump_json() if name in self.maps else None,
            }
            for name, estimate in self.measures.items()
        ]  # fmt: skip


def judge_calibration(
    verdicts: Iterable[Row], ratings: Iterable[Row], bridge: Bridge, epsilon: float, resampling: Resampling = USUAL
) -> list[JudgeComparison]:
    """Every judge on every virtue; `bridge` maps dimensions of a rating to the virtues for which they count.

    The rows may be of any agent versions and evaluations; only verdicts with the most common prompt are used. `epsilon`
    is that of the alternative-annotator test.
    """
    trials = rated_trials(ratings)
    judged = panels(row for row in verdicts if row["score"] is not None and row["trial_id"] in trials)
    judges = sorted({names for _, names in judged}, key=lambda names: (len(names), names))
    found = []
    for virtue in VIRTUES:
        marks = rated_virtue(virtue, trials, bridge)
        for names in judges:
            given = by_one_prompt(judged.get((virtue, names), {}))
            scores = paired(given, marks)
            fits = {signal: fitted(virtue, names, signal, given, marks, resampling) for signal in SIGNALS}
            measures = agreement(scores, epsilon, resampling) | _edges(given, trials, resampling)
            for fit in fits.values():
                measures |= fit.measures
            if virtue not in bridge.values():
                measures |= _unbridged(virtue, measures)
            maps = {f"map_{signal}": fit.map for signal, fit in fits.items() if fit.map}
            people = {row["rater_id"] for trial in given for row in trials[trial]}
            counts = len(scores.trials), len(scores.raters)
            found.append(
                JudgeComparison(virtue, ",".join(names), *counts, measures, maps, len(given), len(people))
            )
    return found


def _unbridged(virtue: Virtue, measures: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """All measures except the edges, undefined."""
    why = undefined(f"not calibrated: no dimension of the ratings is mapped to {virtue} (ratings.virtues in stoic.yml)")
    return {name: why for name in measures if name not in EDGES}


def _edges(judged: Verdicts, trials: Mapping[str, Rows], resampling: Resampling) -> dict[str, Estimate]:
    """The rank correlation of the judge's virtue with each dimension's mean mark: it tests the bridge's edges."""
    in_order = sorted(judged)
    scores = np.array([fmean(row["score"] for row in judged[trial]) for trial in in_order])
    marks: dict[str, list[float]] = defaultdict(list)
    for trial in in_order:
        for name in DIMENSION_NAMES:
            given = [scaled(row[name]) for row in trials[trial] if row[name] is not None]
            marks[name].append(fmean(given) if given else np.nan)
    return {edge: spearman(scores, np.array(marks[name]), resampling) for edge, name in EDGES.items()}
