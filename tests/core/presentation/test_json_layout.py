"""JSON as readers see it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.presentation.json_layout import DEEPEST, in_letters, laid_out

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
