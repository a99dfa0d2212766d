"""JSON for readers: what is escaped, and how it is laid out."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.text.foreign_text import visible
from stoic_assets.core.text.json_text import DEEPEST, in_letters, json_text, laid_out, unfenced

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


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda part: st.lists(part) | st.dictionaries(st.text(), part),
)


@given(st.lists(VALUES) | st.dictionaries(st.text(), VALUES), st.sampled_from([None, 1]))
def test_it_is_laid_out_as_by_the_json_module(value: object, indent: int | None) -> None:
    assert laid_out(json.dumps(value, indent=indent)) == json.dumps(value, indent=2, ensure_ascii=False)


@pytest.mark.parametrize(
    ("text", "laid"),
    [
        ('{"price": 1.10, "most": 1e400}', '{\n  "price": 1.10,\n  "most": 1e400\n}'),
        ('{"a": 1, "a": 2}', '{\n  "a": 1,\n  "a": 2\n}'),
        ("[12345678901234567890.0, -0, NaN]", "[\n  12345678901234567890.0,\n  -0,\n  NaN\n]"),
        ('[{ }, [\n], "[ ]"]', '[\n  {},\n  [],\n  "[ ]"\n]'),
    ],
)
def test_its_content_stays_as_written(text: str, laid: str) -> None:
    assert laid_out(text) == laid


@pytest.mark.parametrize(
    "text",
    [
        "", "plainly said", "1.10", r'"[\u0031]"', '{"a": 1', '[1] and "b"', "{a: [1,2]}",
        pytest.param("[" * 10**5 + "]" * 10**5, id="deeper than can be read"),
    ],
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert laid_out(text) == text


def test_blanks_before_it_are_no_part_of_it() -> None:
    assert laid_out(" \n[1]") == "[\n  1\n]"


def test_json_of_so_many_levels_that_their_blanks_would_fill_any_memory_is_left_as_it_is() -> None:
    deep, deeper = ("[" * levels + "0" + "]" * levels for levels in (DEEPEST, DEEPEST + 1))
    assert laid_out(deep).count("\n") == 2 * DEEPEST
    assert laid_out(deeper) == deeper


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r'"\u58a8\u5c14\u672c"', '"墨尔本"'),
        (r'{"n": 1.10, "\u00e9": "\\u00e9 \" \n"}', r'{"n": 1.10, "é": "\\u00e9 \" \n"}'),
        (r"not JSON \u58a8", r"not JSON \u58a8"), (r'not JSON: "\u58a8"', r'not JSON: "\u58a8"'),
        (r'"\ud83d\ude00 \ud83d"', '"😀 \ud83d"'), ("1.10", "1.10"),
    ],
)  # fmt: skip
def test_escaped_letters_are_read(text: str, read: str) -> None:
    assert in_letters(text) == read


def test_what_only_begins_like_a_fence_takes_time_by_its_length() -> None:
    began = time.process_time()
    for text in (f"```{'a' * 49_000}", "```" * 16_000 + "a", f"```{' ' * 49_000}"):
        assert unfenced(text) == text
    assert time.process_time() - began < 4, "0.01 s; 20 s where each letter begins another search"
