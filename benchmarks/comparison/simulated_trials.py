"""Simulated trials of two agent versions: the properties of the jobs, and the results of single trials.

Scores are clip(round((level + job + version×job + condition + noise) / step)·step, 0, 1). The normal parts correlate by
0.6 between the five virtues and the task score. Two versions are equal on average over jobs; with `tau` > 0 they differ
on single jobs, with `tau` = 0 they are clones. Of the code under test, only the names of the measures are used here.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from stoic_assets.core.comparison.measures import GATING

Floats = NDArray[np.float64]
Random = np.random.Generator

LEVELS = np.array([0.75, 0.78, 0.81, 0.85, 0.88, 0.80])
"""Of the five virtues and the task score."""
STEPS = np.array([0.05] * 5 + [0.25])
CONDITIONS = np.array([0.0, 0.04])
"""Withheld and supplied: the effect of the facts."""
JOB_SD = 0.10
CORRELATION = 0.6
DETERMINISTIC = 0.4
"""Share of jobs whose assertions always hold; in others each holds with a probability from Beta(2, 1)."""
MOST_ASSERTIONS = 3
LOGIT_PER_TAU = 10
ASPIRATION_MS, REPLY_MS, REPLY_JOB_SD, REPLY_TRIAL_SD = 2000, 2200, 0.3, 0.3
"""Reply times are lognormal; both standard deviations are of the logarithm."""
FAILURES = 0.05
"""Failed attempts of a trial on average; each costs 0.3 of the overall, two or more 0.5."""


@dataclass(frozen=True)
class Suites:
    """`n` suites of jobs with both versions' expectations. It stays the same from night to night.

    `levels`: n × version × job × score before rounding. `chances`: n × version × job × assertion, nan where a job has
    fewer assertions. `replies`: n × version × job, logarithm of milliseconds.
    """

    levels: Floats
    chances: Floats
    replies: Floats

    def only(self, place: int) -> Self:
        """One of the suites."""
        here = slice(place, place + 1)
        return type(self)(self.levels[here], self.chances[here], self.replies[here])


def draw_suites(random: Random, n: int, jobs: int, tau: float, drop: float = 0.0) -> Suites:
    """Suites of `jobs` jobs; in the candidate the first virtue is lower by `drop` before rounding and clipping."""
    levels = LEVELS + JOB_SD * _correlated(random, (n, 1, jobs)) + tau * _correlated(random, (n, 2, jobs))
    levels[:, 1, :, 0] -= drop
    replies = np.log(REPLY_MS) + REPLY_JOB_SD * random.normal(size=(n, 1, jobs))
    return Suites(levels, _chances(random, n, jobs, tau), replies + tau * random.normal(size=(n, 2, jobs)))


def _correlated(random: Random, shape: tuple[int, ...]) -> Floats:
    """Standard normal, one for each score, correlated between the scores."""
    common, own = random.normal(size=(*shape, 1)), random.normal(size=(*shape, len(LEVELS)))
    scores: Floats = np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * own
    return scores


def _chances(random: Random, n: int, jobs: int, tau: float) -> Floats:
    """Versions shift the chances on the logit scale, except for assertions that always hold."""
    chances = random.beta(2, 1, size=(n, 1, jobs, MOST_ASSERTIONS)).clip(1e-9, 1 - 1e-9)
    moved = np.log(chances / (1 - chances)) + LOGIT_PER_TAU * tau * random.normal(size=(n, 2, jobs, 1))
    flaky = 1 / (1 + np.exp(-moved))
    always = random.random((n, 1, jobs, 1)) < DETERMINISTIC
    number = random.integers(1, MOST_ASSERTIONS + 1, (n, 1, jobs, 1))
    return np.where(np.arange(MOST_ASSERTIONS) < number, np.where(always, 1.0, flaky), np.nan)


def with_one_assertion(suites: Suites, holds: Floats) -> Suites:
    """The same suites with one assertion a job, which holds with this chance in each trial; they are version × job."""
    chances = np.full_like(suites.chances, np.nan)
    chances[..., 0] = holds
    return replace(suites, chances=chances)


def draw_means(random: Random, suites: Suites, repeats: int, sigma: float) -> Floats:
    """Means over the repeats, n × version × job × condition × measure (in the order of `GATING`)."""
    means: Floats = draw_trials(random, suites, repeats, sigma).mean(axis=-2)
    return means


def draw_trials(random: Random, suites: Suites, repeats: int, sigma: float) -> Floats:
    """Single trials, n × version × job × condition × repeat × measure (in the order of `GATING`)."""
    shape = (*suites.replies.shape, len(CONDITIONS), repeats)
    raw = suites.levels[:, :, :, None, None] + CONDITIONS[:, None, None] + sigma * _correlated(random, shape)
    scores = np.clip(np.round(raw / STEPS) * STEPS, 0, 1)
    chances = suites.chances[:, :, :, None, None]
    assertion = np.nanmean(np.where(np.isnan(chances), np.nan, random.random((*shape, MOST_ASSERTIONS)) < chances), -1)
    milliseconds = np.exp(suites.replies[..., None, None] + REPLY_TRIAL_SD * random.normal(size=shape))
    timing = np.minimum(1, ASPIRATION_MS / milliseconds)
    overall = np.maximum(0, (timing + 2 * scores[..., 5] + 4 * assertion) / 7 - _penalties(random, shape))
    trials: Floats = np.concatenate([scores, np.stack([assertion, timing, overall], -1)], -1)
    assert trials.shape[-1] == len(GATING)
    return trials


def _penalties(random: Random, shape: tuple[int, ...]) -> Floats:
    penalties: Floats = np.minimum(0.3 * random.poisson(FAILURES, shape), 0.5)
    return penalties
