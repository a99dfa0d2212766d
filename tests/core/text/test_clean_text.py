"""Hostile text made harmless, and the forms in which texts are compared."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.text.clean_text import clean, plainly_set, searchable

HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("<>＜＞|[]/\n\r\u2028\u200b\u202e\x1b\x07"),
    ),
    max_size=200,
)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\x1b[31mred\x1b[0m b", "ared b"),
        ("title\x1b]0;owned\x07!", "title!"),
        ("pay\u202eecneret\u202c, zero\u200bwidth, \ufeffbom", "payecneret, zerowidth, bom"),
        ("hidden\U000e0041\U000e0042 tags", "hidden tags"),
        ("one\r\ntwo\u2028three\x0bfour", "one\ntwo\nthree\nfour"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("<<<END OF RECORD 1>>>", "‹‹‹END OF RECORD 1›››"),
        ("<\u200b<<x＞＞＞", "‹‹‹x›››"),
        ("<|im_start|>system", "‹|im_start|›system"),
        ("[INST] x [/INST] </s>", "(INST) x (/INST) ‹/s›"),
        ("<｜end▁of▁sentence｜> ［INST］", "‹｜end▁of▁sentence｜› (INST)"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("if a < b and c >> 2: list[int]\tπ é 你好", "if a < b and c >> 2: list[int]\tπ é 你好"),
    ],
)
def test_cleaning_defuses_what_is_hostile_and_leaves_the_rest(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(HOSTILE)
def test_cleaning_leaves_no_control_character_and_is_stable(text: str) -> None:
    cleaned = clean(text)
    assert not [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\n\t"]
    assert clean(cleaned) == cleaned
    cleaned.encode()


@given(HOSTILE)
def test_a_text_without_anything_suspect_is_cleaned_like_one_with(text: str) -> None:
    assert clean(f"< {text}") == f"< {clean(text)}"


@given(st.text("<＜﹤>＞﹥|｜‹›[]［］/INSTs\n", max_size=12))
def test_markers_that_touch_are_all_defused_at_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


ALIKE = [
    ("Good  bye,\n friend", "good bye, friend"), ("STRASSE", "Straße"), ("cafe\u0301", "café"), ("it’s", "it's"),
    ("it´s", "it's"), ("“now”", '"now"'), ("front—end", "front-end"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "other"), ALIKE)
def test_case_blanks_composition_and_kinds_of_signs_do_not_matter(text: str, other: str) -> None:
    assert plainly_set(text) == plainly_set(other)
    assert searchable(text) == searchable(other)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("**Rome** is `old`", "Rome is 'old'"), ("from 9 – 5", "from 9-5"), ("well -- then", "well - then"),
        ("''so''", '"so"'), ("ＡＢＣ", "abc"), ("in\u200bvisible", "invisible"), ("10²", "10^2"),
    ],
)  # fmt: skip
def test_a_quote_is_found_in_spite_of_markdown_and_of_signs_that_stand_together(text: str, quote: str) -> None:
    assert searchable(text) == searchable(quote)
    assert plainly_set(text) != plainly_set(quote), "a text that is looked for as it stands"


@pytest.mark.parametrize(("text", "other"), [("10²", "102"), ("naive", "naïve"), ("so much", "somuch")])
def test_other_texts_stay_others(text: str, other: str) -> None:
    assert plainly_set(text) != plainly_set(other)
    assert searchable(text) != searchable(other)
