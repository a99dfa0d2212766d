import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.adapters.foreign_text import EXCERPT, LEVELS, excerpt, parse_json
from stoic_assets.core.redaction import Redactor

LEAVES = st.none() | st.integers() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_valid_json_stays_as_it_is(value: object) -> None:
    assert parse_json(json.dumps(value).encode()) == value


def test_lone_surrogates_become_storable() -> None:
    read = parse_json(rb'{"\ud800": ["a\udc00b", "\ud83d\ude00"]}')
    assert json.dumps(read, ensure_ascii=False).encode() == '{"\ufffd": ["a\ufffdb", "😀"]}'.encode()


@pytest.mark.parametrize("body", [b"<html>", b"NaN", b'{"a": Infinity}', b"[" * 200_000, b"\xff\xfe\xff", b"1" * 5000])
def test_anything_else_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(body)


@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_json_is_nested_so_deep_and_no_deeper(opened: bytes, closed: bytes) -> None:
    parse_json(opened * LEVELS + b"1" + closed * LEVELS)
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(opened * (LEVELS + 1) + b"1" + closed * (LEVELS + 1))


def test_an_excerpt_is_one_short_printable_line_without_secrets() -> None:
    text = "bad\nkey \x1b[31mtreehorn-123\u202e " + "x " * 250
    shown = excerpt(text, Redactor((), ["treehorn-123"]))
    assert shown.startswith("bad key [31m[redacted]")
    assert shown.isprintable()
    assert shown.endswith("x …")
    assert EXCERPT - 2 <= len(shown) <= EXCERPT + 1


def test_a_secret_is_blanked_before_the_cut() -> None:
    shown = excerpt("x" * (EXCERPT - 4) + "treehorn-123", Redactor((), ["treehorn-123"]))
    assert "tree" not in shown


def test_the_cut_leaves_no_half_of_a_secret_that_somebody_else_would_know() -> None:
    said = "{" + '"a",' * 47 + '"key":"sk-abc_d.e+f/g=~h-0123456789"}'
    assert excerpt(said, Redactor(())) == "{" + '"a",' * 47 + '"key":"…'
