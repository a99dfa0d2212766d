"""Texts that only differ in how they are set are the same, and others are not."""

import pytest

from stoic_assets.core.normalised_text import plainly_set, searchable

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
