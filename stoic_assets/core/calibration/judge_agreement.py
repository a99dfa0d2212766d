"""How well a judge's scores of one virtue agree with people's, by several measures, each with a bootstrap interval.

No single measure is enough: a judge that is always a point too harsh has a perfect rank correlation, so bias, error and
kappa are given as well; and people's agreement with each other is the standard for a judge.
"""

from collections.abc import Mapping

import numpy as np

from stoic_assets.core.calibration.alternative_annotator import (
    FEWEST_ITEMS,
    FEWEST_RATERS,
    Contests,
    advantage,
    contests,
    winning_rate,
)
from stoic_assets.core.calibration.paired_scores import PairedScores
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.ratings.rating_table import MARKS, Floats, mean_draws, mean_of, ratio
from stoic_assets.core.ratings.reliability.chance_corrected import alpha_draws, mean_kappa, pair_kappas, quadratic_codes
from stoic_assets.core.ratings.reliability.correlation import spearman_draws
from stoic_assets.core.ratings.reliability.estimate import (
    Estimate,
    Resampling,
    as_observed,
    item_weights,
    undefined,
    with_interval,
)
from stoic_assets.core.rounding import DIGITS, ROUNDING

CONSTANT = "judge or people gave every reply the same score"
NO_VARIATION = "every score is on the same level: without variation, agreement cannot be distinguished from chance"
OF_A_TEST = "no interval: the rate is the outcome of a test, and few replies lower it; see advantage"


def agreement(scores: PairedScores, epsilon: float, resampling: Resampling) -> dict[str, Estimate]:
    """Every measure by name; undefined ones say why. `epsilon` is that of the alternative-annotator test."""
    items = len(scores.trials)
    if not items:
        return dict.fromkeys(MEASURES, undefined("no trial was both judged and rated"))
    found = contests(scores.judged, scores.rated)
    values = _measures(scores, found, as_observed(items))
    draws = _measures(scores, found, item_weights(items, resampling))
    behind = dict.fromkeys(AMONG_RATERS, scores.shared)
    estimates = {
        name: with_interval(value[0], draws[name], behind.get(name, items), WHY_NONE.get(name, ""))
        for name, value in values.items()
    }
    estimates["winning_rate"] = Estimate(winning_rate(found, epsilon), None, None, OF_A_TEST)
    estimates |= {name: undefined(why) for name, why in _reasons(scores, found).items()}
    return {name: estimates[name] for name in MEASURES}


FIVE = np.linspace(0, 1, MARKS)
"""The scores of the marks."""


def levels(scores: Floats, steps: Floats = FIVE) -> Floats:
    """The numbers, from 1 on, of the nearest of ascending `steps`, halves upwards; NaN stays."""
    found = np.searchsorted((steps[1:] + steps[:-1]) / 2, scores, side="right") + 1.0
    return np.where(np.isnan(scores), np.nan, found)


MEASURES = (
    "spearman", "qwk", "mae", "bias", "alpha_with_judge", "alpha_people", "qwk_with_raters", "qwk_among_raters", "z",
    "winning_rate", "advantage",
)
AMONG_RATERS = ("alpha_people", "qwk_among_raters", "z")
"""The measures that need replies with marks of two raters, however many others were judged."""
WHY_NONE: Mapping[str, str] = {
    "spearman": CONSTANT, "qwk": CONSTANT, "alpha_with_judge": NO_VARIATION, "alpha_people": NO_VARIATION,
    "qwk_with_raters": NO_VARIATION, "qwk_among_raters": NO_VARIATION,
    "z": "the raters agree with each other all to the same degree, or not measurably",
}


def _measures(scores: PairedScores, found: Contests, weights: Floats) -> dict[str, Floats]:
    """Every measure that has an interval, in each draw; `weights` are draws × trials."""
    off = scores.judged - scores.people
    everyone = np.column_stack([scores.judged, scores.rated])
    marks, steps = levels(everyone), np.union1d(FIVE, scores.rated[np.isfinite(scores.rated)].round(DIGITS))
    ranks = levels(everyone, steps)  # means of two dimensions that are moved to a level agree less than they do
    both = levels(np.column_stack([scores.judged, scores.people]))
    judge, raters = _kappas_with_raters(marks, weights)
    return {
        "spearman": spearman_draws(scores.judged, scores.people, weights),
        "qwk": mean_kappa(quadratic_codes(both), weights),
        "mae": mean_draws(np.abs(off), weights),
        "bias": mean_draws(off, weights),
        "alpha_with_judge": alpha_draws(ranks, weights, len(steps), "ordinal"),
        "alpha_people": alpha_draws(ranks[:, 1:], weights, len(steps), "ordinal"),
        "qwk_with_raters": mean_of(judge),
        "qwk_among_raters": mean_of(raters),
        "z": _z(judge, raters),
        "advantage": advantage(found, weights),
    }


def _reasons(scores: PairedScores, found: Contests) -> dict[str, str]:
    """Why measures are undefined because there are too few trials or raters."""
    reasons: dict[str, str] = {}
    if len(scores.trials) < 3:
        reasons |= dict.fromkeys(("spearman", "qwk"), f"{plural(len(scores.trials), 'trial')}: at least 3 are needed")
    if scores.shared < 2:
        shared = "fewer than two trials were rated by two people"
        reasons |= dict.fromkeys((*AMONG_RATERS, "winning_rate", "advantage"), shared)
    elif len(scores.raters) < FEWEST_RATERS:
        reasons["z"] = (
            f"{plural(len(scores.raters), 'rater')}: at least {FEWEST_RATERS} are needed to compare their agreement"
        )
    if found.raters < FEWEST_RATERS:
        have = f"{plural(found.raters, 'rater')} with {FEWEST_ITEMS} judged replies shared with others"
        few = f"{have}; the test needs {FEWEST_RATERS}"
        reasons |= dict.fromkeys(("winning_rate", "advantage"), few)
    return reasons


def _kappas_with_raters(marks: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The judge's kappa with each rater, and each rater's mean kappa with the others: draws × raters each.

    The first column of `marks` is the judge's.
    """
    raters = marks.shape[1]
    kappas = np.full((len(weights), raters, raters), np.nan)
    for (first, second), found, _ in pair_kappas(quadratic_codes(marks), weights):
        kappas[:, first, second] = kappas[:, second, first] = found
    return kappas[:, 0, 1:], mean_of(kappas[:, 1:, 1:])


def _z(judge: Floats, raters: Floats) -> Floats:
    """How many standard deviations of the raters' own agreement the judge's is above their mean.

    (Han et al., arXiv 2510.09738). The agreements of similar raters converge as replies are added, so the figure grows
    with the study; only the position of its interval has meaning.
    """
    defined = np.isfinite(raters).sum(axis=1)
    centre = mean_of(raters)
    squares = np.nansum((raters - centre[:, None]) ** 2, axis=1)
    spread = np.sqrt(ratio(squares, defined - 1.0))
    return ratio(mean_of(judge) - centre, np.where(spread > ROUNDING, spread, 0))
