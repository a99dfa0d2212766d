"""The alternative-annotator test, against an example by hand and against the same steps with libraries."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp
from statsmodels.stats.multitest import multipletests

from stoic_assets.core.calibration.alternative_annotator import Contests, advantage, contests, winning_rate
from stoic_assets.core.ratings.rating_table import Floats
from stoic_assets.core.ratings.reliability.estimate import Resampling, as_observed, item_weights

NAN = np.nan


def once(found: Contests, epsilon: float) -> tuple[float | None, float]:
    return winning_rate(found, epsilon), float(advantage(found, as_observed(len(found.judge)))[0])


def by_libraries(judged: Floats, rated: Floats, epsilon: float) -> tuple[float, float]:
    """The published steps, one after the other."""
    chances, nearer = [], []
    for column in range(rated.shape[1]):
        leads, wins = [], []
        for item in range(len(judged)):
            others = [mark for other, mark in enumerate(rated[item]) if other != column and not np.isnan(mark)]
            if np.isnan(rated[item, column]) or not others:
                continue
            judge, rater = (
                -np.sqrt(np.mean([(value - other) ** 2 for other in others]))
                for value in (judged[item], rated[item, column])
            )
            wins.append(judge >= rater - 1e-9)
            leads.append(int(rater >= judge - 1e-9) - int(judge >= rater - 1e-9))
        assume(len(set(leads)) > 1)  # a t test of equal values is undefined; that they need none has a test of its own
        chances.append(ttest_1samp(leads, epsilon, alternative="less").pvalue)
        nearer.append(np.mean(wins))
    return float(multipletests(chances, 0.05, "fdr_by")[0].mean()), float(np.mean(nearer))


def test_contests_by_hand() -> None:
    # Item 1: of the raters 0, .5, 1 the judge's .5 is as near to 0 and 1 as the middle one, nearer than the outer ones.
    # Item 2: all raters say 0 and the judge 1: each rater is nearer. Item 3: one rater, and nobody to compare with.
    judged = np.array([0.5, 1.0, 0.5])
    rated = np.array([[0.0, 0.5, 1.0], [0.0, 0.0, 0.0], [NAN, 0.25, NAN]])
    found = contests(judged, rated, fewest_items=1)
    assert found.judge[:2].tolist() == [[1, 1, 1], [0, 0, 0]]
    assert found.rater[:2].tolist() == [[0, 1, 0], [1, 1, 1]]
    assert np.isnan(found.judge[2]).all()
    assert once(found, 0.2)[1] == 0.5


def test_a_rate_by_hand() -> None:
    # 40 items. Against rater 1 the judge wins 30 and loses 10: the mean lead is −.5, its variance (40 − 400/40)/39 =
    # 30/39, t = (−.5 − .2)/√(30/39/40) = −5.05, p < .0001. Against rater 2 it is the reverse: t = 2.16, p = .98.
    judge = np.array([[1, 0]] * 30 + [[0, 1]] * 10, dtype=float)
    assert once(Contests(judge, 1 - judge), 0.2) == (0.5, 0.5)
    assert once(Contests(judge[:, :1], 1 - judge[:, :1]), 0.2) == (1.0, 0.75)


def test_the_false_discovery_rate_is_kept() -> None:
    # Both p are .0397 (t = −1.804 with 39 degrees of freedom): alone that is below .05; of two tests both must be below
    # .05·2/2/(1 + 1/2) = .0333.
    lead = np.array([1] * 12 + [-1] * 14 + [0] * 14, dtype=float)
    ties = (lead == 0).astype(float)
    judge, rater = ((lead < 0) + ties)[:, None], ((lead > 0) + ties)[:, None]
    epsilon = 0.18
    assert 0.0333 < ttest_1samp(lead, epsilon, alternative="less").pvalue < 0.05
    assert once(Contests(judge, rater), epsilon)[0] == 1
    assert once(Contests(np.hstack([judge, judge]), np.hstack([rater, rater])), epsilon)[0] == 0


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.15, 0.2]), st.floats(0, 0.6))
def test_the_figures_are_those_of_the_libraries(seed: int, epsilon: float, noise: float) -> None:
    random = np.random.default_rng(seed)
    truth = random.random(40)
    rated = np.round(np.clip(truth[:, None] + 0.2 * random.normal(size=(40, 4)), 0, 1) * 4) / 4
    rated[random.random(rated.shape) < 0.1] = NAN
    judged = np.clip(truth + noise * random.normal(size=40), 0, 1)
    found = contests(judged, rated, fewest_items=2)
    assert once(found, epsilon) == pytest.approx(by_libraries(judged, rated, epsilon))


@pytest.mark.parametrize("items", [2, 5, 40])
def test_a_win_begins_where_the_t_test_says(items: int) -> None:
    lead = np.array([1.0, *[-1.0] * (items - 1)])
    judge, rater = (lead < 0).astype(float)[:, None], (lead > 0).astype(float)[:, None]
    begin = lead.mean() + t.ppf(0.95, items - 1) * lead.std(ddof=1) / np.sqrt(items)
    assert once(Contests(judge, rater), begin - 1e-6)[0] == 0
    assert once(Contests(judge, rater), begin + 1e-6)[0] == 1


@pytest.mark.parametrize("rounded", [np.nextafter(0.3, 0), np.nextafter(0.3, 1)])
def test_distances_that_differ_by_rounding_are_equal(rounded: float) -> None:
    found = contests(np.full(30, rounded), np.tile([0.3, 0.5, 0.7], (30, 1)))
    assert (found.judge[:, 0].tolist(), found.rater[:, 0].tolist()) == ([1] * 30, [1] * 30)


def test_a_draw_is_the_study_with_items_repeated() -> None:
    random = np.random.default_rng(3)
    judged, rated = random.random(40), np.round(random.random((40, 3)) * 4) / 4
    weights = item_weights(40, Resampling(20, 1))
    found = contests(judged, rated)
    for draw, near in zip(weights, advantage(found, weights), strict=True):
        again = np.repeat(np.arange(40), draw.astype(int))
        assert near == pytest.approx(once(contests(judged[again], rated[again]), 0.2)[1])


def test_raters_with_few_items_are_left_out() -> None:
    rated = np.full((40, 3), 0.5)
    rated[10:, 2] = NAN
    assert contests(np.full(40, 0.5), rated).raters == 2
    rated[:30, 2] = 0.5
    assert contests(np.full(40, 0.5), rated).raters == 3
    rated[0, 2] = NAN
    assert contests(np.full(40, 0.5), rated).raters == 2
    nobody = contests(np.full(40, 0.5), rated[:, :1])
    assert nobody.raters == 0
    rate, near = once(nobody, 0.2)
    assert rate is None
    assert np.isnan(near)


def test_unanimity_needs_no_t_test() -> None:
    always, never = np.ones((40, 3)), np.zeros((40, 3))
    assert once(Contests(always, never), 0.1) == (1.0, 1.0)
    assert once(Contests(never, always), 0.1) == (0.0, 0.0)
    assert once(Contests(always, always), 0.1) == (1.0, 1.0)
    assert once(Contests(always, always), 0.0) == (0.0, 1.0), "no nearer, and nothing is let pass"
