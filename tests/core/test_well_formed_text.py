from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.well_formed_text import well_formed


@given(st.text())
def test_what_utf8_can_hold_stays_as_it_is(text: str) -> None:
    assert well_formed(text) == text


@given(st.text(st.characters()))
def test_any_text_becomes_storable(text: str) -> None:
    assert well_formed(text).encode().decode() == well_formed(text)


def test_halves_are_put_together_or_replaced() -> None:
    assert well_formed("\ud83d\ude00 \ud83d \ude00") == "😀 \ufffd \ufffd"
