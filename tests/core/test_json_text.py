"""JSON that people read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.json_text import json_text
from stoic_assets.core.visible_text import visible

TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("墨尔本", '"墨尔本"'), ({"é": [1, None]}, '{"é": [1, null]}'), ("a\nb", r'"a\nb"'),
        ("葛\U000e0100", '"葛\U000e0100"'),
        ("\u202e\x9b\x7f\ufeff", r'"\u202e\u009b\u007f\ufeff"'), ("\ud83d", r'"\ud83d"'),
        ("\U000e0041", r'"\udb40\udc41"'), ("\x7f", r'"\u007f"'), ("\u3164", r'"\u3164"'), (float("nan"), "NaN"),
    ],
)  # fmt: skip
def test_what_can_be_read_is_not_escaped(value: object, text: str) -> None:
    assert json_text(value) == text


def test_a_number_that_is_not_finite_is_refused_where_none_may_be() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        json_text([float("nan")], allow_nan=False)


@given(st.recursive(st.none() | st.integers() | TEXT, lambda part: st.lists(part) | st.dictionaries(TEXT, part)))
def test_it_is_the_same_json_and_hides_nothing(value: object) -> None:
    text = json_text(value)
    assert json.loads(text) == json.loads(json.dumps(value))
    assert visible(text) == text
