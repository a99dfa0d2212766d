"""A judge's scores paired with people's, trial by trial: the arrays from which everything else is computed."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from stoic_assets.core.feedback.rating_bridge import Ratings
from stoic_assets.core.grouping import grouped
from stoic_assets.core.ratings.rating_table import Floats
from stoic_assets.core.table_rows import Row, Rows
from stoic_assets.core.virtues import Virtue

Verdicts = Mapping[str, Rows]
"""Scored verdicts by trial."""


@dataclass(frozen=True, eq=False)
class PairedScores:
    """One virtue as one judge and several raters scored it, 0–1.

    `judged` has a score for each of `trials`; `rated` is trials × raters, NaN where a rater gave none.
    """

    trials: tuple[str, ...]
    raters: tuple[str, ...]
    judged: Floats
    rated: Floats

    @property
    def people(self) -> Floats:
        """The mean of the raters of each trial."""
        return np.asarray(np.nanmean(self.rated, axis=1))

    @property
    def shared(self) -> int:
        """How many trials two or more people rated: their agreement with each other rests on these alone."""
        return int((np.isfinite(self.rated).sum(axis=1) >= 2).sum())


def panels(verdicts: Iterable[Row]) -> dict[tuple[Virtue, tuple[str, ...]], dict[str, list[Row]]]:
    """Verdicts by virtue, judges and trial: every model alone and, where a trial has several, all of them together.

    The verdicts of a trial are in the order of model and sample.
    """
    in_order = sorted(verdicts, key=lambda row: (row["judge_model"], row["sample"]))
    by_trial = grouped(((row["virtue"], row["trial_id"]), row) for row in in_order)
    found: dict[tuple[Virtue, tuple[str, ...]], dict[str, list[Row]]] = defaultdict(dict)
    for (virtue, trial), rows in sorted(by_trial.items()):
        models = tuple(dict.fromkeys(row["judge_model"] for row in rows))
        for judges in {models, *((model,) for model in models)}:
            found[virtue, judges][trial] = [row for row in rows if row["judge_model"] in judges]
    return found


def by_one_prompt(judged: Verdicts) -> Verdicts:
    """The trials that were judged with the most common prompts, options included: with others it is another judge."""
    prompts = {trial: tuple(sorted({row["prompt_hash"] or "" for row in rows})) for trial, rows in judged.items()}
    times = Counter(prompts.values())
    usual = max(times, key=lambda prompt: (times[prompt], prompt), default=())
    return {trial: rows for trial, rows in judged.items() if prompts[trial] == usual}


def paired(judged: Verdicts, rated: Ratings) -> PairedScores:
    """The trials that a judge scored and people rated; several verdicts on a trial are one mean."""
    trials = tuple(sorted(judged.keys() & rated.keys()))
    raters = tuple(sorted({rater for trial in trials for rater in rated[trial]}))
    return PairedScores(
        trials=trials,
        raters=raters,
        judged=np.array([fmean(row["score"] for row in judged[trial]) for trial in trials]),
        rated=_matrix(trials, raters, rated),
    )


def _matrix(trials: Collection[str], raters: Collection[str], rated: Ratings) -> Floats:
    cells = [[rated[trial].get(rater, np.nan) for rater in raters] for trial in trials]
    return np.array(cells, dtype=np.float64).reshape(len(trials), len(raters))
