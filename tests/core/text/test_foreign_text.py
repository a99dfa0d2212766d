"""What a reader sees of foreign text, and that UTF-8 can encode it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.text.foreign_text import visible, well_formed

REORDERING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b\x1b[31m", "a[U+0000]b[U+001B][31m"),
        ("pay \u202eevil\u202c", "pay [U+202E]evil[U+202C]"),
        ("zero\u200bwidth", "zero[U+200B]width"),
        ("tag \U000e0041", "tag [U+E0041]"),
        ("lone \ud800", "lone [U+D800]"),
        ("one\r\ntwo\rthree\tfour", "one\ntwo\nthree\tfour"),
        ("del\x7f c1\x9b", "del[U+007F] c1[U+009B]"),
        ("🏴\U000e0041\U000e0042\U000e007f", "🏴[U+E0041][U+E0042][U+E007F]"),
        ("😀\U000e0100\U000e0148", "😀[U+E0100][U+E0148]"),
        ("葛\U000e0100\U000e0148", "葛\U000e0100[U+E0148]"),
        ("❤\ufe0f\ufe01\ufe02", "❤\ufe0f[U+FE01][U+FE02]"),
    ],
)
def test_hidden_characters_get_a_name(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "❤️ 👩‍👩‍👧 naïve", "مرحبا", "می‌خواهم", "日本語", "<b>&amp;</b>", "葛\U000e0100飾",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_what_can_be_read_stays(text: str) -> None:
    assert visible(text) == text


@given(st.text(st.characters(exclude_categories=())))
def test_every_text_can_be_written_and_hides_nothing(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not {unicodedata.bidirectional(c) for c in shown} & REORDERING
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in shown.replace("\n", "").replace("\t", ""))
    assert visible(shown) == shown


@given(st.text())
def test_what_utf8_can_hold_stays_as_it_is(text: str) -> None:
    assert well_formed(text) == text


@given(st.text(st.characters()))
def test_any_text_becomes_storable(text: str) -> None:
    assert well_formed(text).encode().decode() == well_formed(text)


def test_halves_are_put_together_or_replaced() -> None:
    assert well_formed("\ud83d\ude00 \ud83d \ude00") == "😀 \ufffd \ufffd"
