"""The scale as raters meet it."""

from stoic_assets.core.ratings.rubric import DIMENSION_NAMES, DIMENSIONS, LEVELS, OVERALL
from stoic_assets.core.ratings.training import ATTENTION, PRACTICE


def test_the_dimensions_stand_in_the_order_of_the_rating_system() -> None:
    assert [dimension.name for dimension in DIMENSIONS] == list(DIMENSION_NAMES) == [
        "appropriateness", "helpfulness", "stoic_authenticity", "emotional_intelligence", "actionability",
    ]


def test_every_level_has_an_anchor_of_its_own() -> None:
    anchors = [anchor for dimension in DIMENSIONS for anchor in dimension.anchors]
    assert all(len(dimension.anchors) == len(LEVELS) for dimension in DIMENSIONS)
    assert len(set(anchors)) == len(anchors) == 25


def test_only_actionability_may_not_apply() -> None:
    assert [dimension.name for dimension in DIMENSIONS if dimension.not_applicable] == ["actionability"]
    assert [(choice.value, choice.key) for choice in OVERALL] == [("yes", "y"), ("maybe", "m"), ("no", "n")]


def test_practice_spans_the_scale_and_explains_itself() -> None:
    assert len(PRACTICE) == 5
    assert all(set(item.marks) == set(DIMENSION_NAMES) and item.feedback for item in PRACTICE)
    for name in DIMENSION_NAMES:
        marks = {item.marks[name] for item in PRACTICE} - {None}
        assert len(marks) >= 3, name
    assert None in {item.marks["actionability"] for item in PRACTICE}
    assert {item.overall for item in PRACTICE} >= {"yes", "no"}


def test_attention_items_say_what_they_ask_for() -> None:
    assert len(ATTENTION) == 2
    for item in ATTENTION:
        [level] = set(item.marks.values())
        assert f"mark {level} on all five" in item.reply
        assert f"choose {item.overall.capitalize()}" in item.reply
