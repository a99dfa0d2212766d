"""From dimensions to virtues: nothing lost, nothing changed, whatever the order."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.configuration.settings import Feedback
from stoic_assets.core.feedback.feedback_file import DimensionFeedback, Metrics
from stoic_assets.core.feedback.translation import translated

Make = Callable[..., Metrics]
VIRTUES = Feedback().virtues
SHARE = st.floats(0, 1)
ENTRY = st.builds(
    DimensionFeedback,
    dimension=st.sampled_from(["accuracy", "completeness", "helpfulness", "clarity"]),
    score=SHARE, confidence=SHARE,
    supporting_quotes=st.lists(st.sampled_from("abc"), max_size=2).map(tuple),
    improvement_suggestions=st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
)  # fmt: skip


def whole(*entries: DimensionFeedback, suggestions: tuple[str, ...] = ()) -> Metrics:
    """For properties, which cannot take fixtures."""
    return Metrics(
        dimension_feedback=entries, improvement_suggestions=suggestions,
        overall_satisfaction=0.5, interpretation_confidence=0.5,
    )  # fmt: skip


def test_each_dimension_speaks_of_its_virtue(metrics: Make) -> None:
    found = translated(metrics(("creativity", 0.3, 0.9), ("fairness", 0.8, 0.5)), VIRTUES)
    assert {virtue: (each.score, each.confidence) for virtue, each in found.virtue_scores.items()} == {
        "courage": (0.3, 0.9), "justice": (0.8, 0.5),
    }  # fmt: skip
    assert found.unmapped == ()


def test_several_are_weighted_by_confidence(metrics: Make) -> None:
    entries = [("accuracy", 0.2, 0.9), ("completeness", 0.8, 0.3), ("accuracy", 1.0, 0.6)]
    wisdom = translated(metrics(*entries), VIRTUES).virtue_scores["wisdom"]
    assert wisdom.score == pytest.approx((0.2 * 0.9 + 0.8 * 0.3 + 1.0 * 0.6) / 1.8)
    assert wisdom.confidence == pytest.approx(0.6)
    assert wisdom.reasoning.startswith("People on accuracy 0.20 (confidence 0.90)")


def test_without_any_confidence_it_is_the_plain_mean(metrics: Make) -> None:
    wisdom = translated(metrics(("accuracy", 0.2, 0), ("completeness", 0.6, 0)), VIRTUES).virtue_scores["wisdom"]
    assert (wisdom.score, wisdom.confidence) == (pytest.approx(0.4), 0)


def test_a_dimension_that_speaks_of_no_virtue_is_reported(metrics: Make) -> None:
    found = translated(metrics(("clarity", 0.2, 0.9), ("Accessibility", 0.1, 0.9), ("clarity", 0.3, 0.9)), VIRTUES)
    assert found.virtue_scores == {}
    assert sorted(found.unmapped) == ["Accessibility", "clarity"]


def test_names_are_compared_without_regard_to_case_and_separators(metrics: Make) -> None:
    found = translated(metrics(("Practical-Use", 0.2, 0.9)), {"practical use": "practical_wisdom"})
    assert list(found.virtue_scores) == ["practical_wisdom"]


def test_suggestions_without_a_virtue_go_to_the_lowest_dimension(metrics: Make) -> None:
    def entry(dimension: str, score: float, *suggestions: str) -> DimensionFeedback:
        return DimensionFeedback(dimension=dimension, score=score, confidence=0.5, improvement_suggestions=suggestions)

    said = metrics(
        entry("accuracy", 0.9), entry("completeness", 0.3, "finish"), entry("helpfulness", 0.4, "help"),
        entry("clarity", 0.1, "speak plainly"), improvement_suggestions=["be brief", "finish"],
    )  # fmt: skip
    found = translated(said, VIRTUES).virtue_scores
    assert found["wisdom"].improvement_suggestions == ("finish", "speak plainly", "be brief")
    assert found["practical_wisdom"].improvement_suggestions == ("help",)


def test_where_several_are_lowest_all_get_them(metrics: Make) -> None:
    said = metrics(("accuracy", 0.3, 0.9), ("helpfulness", 0.3, 0.9), improvement_suggestions=["be brief"])
    assert [each.improvement_suggestions for each in translated(said, VIRTUES).virtue_scores.values()] == [
        ("be brief",), ("be brief",),
    ]  # fmt: skip


@given(st.lists(ENTRY, min_size=1, max_size=6).flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_order_changes_nothing(orders: tuple[list[DimensionFeedback], list[DimensionFeedback]]) -> None:
    first, second = (translated(whole(*entries, suggestions=("s",)), VIRTUES) for entries in orders)
    assert first == second


@given(st.lists(ENTRY, min_size=1, max_size=6))
def test_nothing_that_was_said_is_lost_and_nothing_changed(entries: list[DimensionFeedback]) -> None:
    said = whole(*entries, suggestions=("general",))
    before = said.model_dump_json()
    found = translated(said, VIRTUES)
    assert said.model_dump_json() == before
    if not found.virtue_scores:
        return
    kept = {text for each in found.virtue_scores.values() for text in each.improvement_suggestions}
    assert kept == {"general", *(text for entry in entries for text in entry.improvement_suggestions)}


@given(st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=8))
def test_the_score_is_the_weighted_mean_of_all(pairs: list[tuple[float, float]]) -> None:
    entries = [DimensionFeedback(dimension="accuracy", score=score, confidence=sure) for score, sure in pairs]
    wisdom = translated(whole(*entries), VIRTUES).virtue_scores["wisdom"]
    weights = [Fraction(sure) for _, sure in pairs]
    if sum(weights) < Fraction(1, 10**300):
        return
    exact = sum(Fraction(score) * weight for (score, _), weight in zip(pairs, weights, strict=True)) / sum(weights)
    assert wisdom.score == pytest.approx(float(exact))
    assert 0 <= wisdom.score <= 1
