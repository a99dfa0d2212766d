import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.adapters.http.foreign_text import (
    EXCERPT,
    LEVELS,
    LOOKED_AT,
    MOST_VALUES,
    TooManyValues,
    excerpt,
    parse_json,
)
from stoic_assets.core.secrets.redaction import Redactor

LEAVES = st.none() | st.integers() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_valid_json_stays_as_it_is(value: object) -> None:
    assert parse_json(json.dumps(value).encode()) == value


def test_lone_surrogates_become_storable() -> None:
    read = parse_json(rb'{"\ud800": ["a\udc00b", "\ud83d\ude00"]}')
    assert json.dumps(read, ensure_ascii=False).encode() == '{"\ufffd": ["a\ufffdb", "😀"]}'.encode()


@pytest.mark.parametrize(
    "body", [b"<html>", b"NaN", b'{"a": Infinity}', b"[" * 200_000, b"\xff\xfe\xff", b"1" * 5000, b"[1e400]"]
)
def test_anything_else_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(body)


@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_json_is_nested_so_deep_and_no_deeper(opened: bytes, closed: bytes) -> None:
    parse_json(opened * LEVELS + b"1" + closed * LEVELS)
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(opened * (LEVELS + 1) + b"1" + closed * (LEVELS + 1))


@pytest.mark.parametrize("value", [b"0", b"[]", b'{"":0}'])
def test_json_holds_so_many_values_and_no_more(value: bytes) -> None:
    each = 1 + value.count(b"0", 1)
    most = (MOST_VALUES - 1) // each  # and the list itself
    assert len(parse_json(b"[" + b",".join([value] * most) + b"]")) == most
    with pytest.raises(TooManyValues) as caught:
        parse_json(b"[" + b",".join([value] * (most + 1)) + b"]")
    assert caught.value.values == 1 + (most + 1) * each
    assert len(parse_json(b"[" + b",".join([value] * (most + 1)) + b"]", caught.value.values)) == most + 1


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


@pytest.mark.parametrize("password", ["Tr0ub4dor!9x-Zq#77abcdef", "pässwörd-für-alle", "a$b%c^d&e*f(g)h"])
def test_the_cut_leaves_no_half_of_an_address_with_a_password(password: str) -> None:
    for before in range(EXCERPT - 60, EXCERPT):
        shown = excerpt(f"{'x' * before} bolt://neo4j:{password}@db.internal:7687 failed", Redactor(()))
        assert f"{password}@" in shown or password[:3] not in shown


@pytest.mark.parametrize("word", ["无法连接到模型服务器", "ไม่สามารถเชื่อมต่อ"])
def test_a_message_in_a_script_without_blanks_is_cut_too(word: str) -> None:
    shown = excerpt(word * 40, Redactor(()))
    assert shown == (word * 40)[:EXCERPT] + "…"


def test_of_megabytes_only_the_beginning_is_read() -> None:
    read: list[str] = []

    class Noting(Redactor):
        def text(self, text: str) -> str:
            read.append(text)
            return super().text(text)

    assert excerpt("\n" * 1_000_000 + "no words " * 1_000_000, Noting(())).startswith("no words no words")
    assert LOOKED_AT - 9 <= max(map(len, read)) <= LOOKED_AT + 1


def test_what_is_read_ends_with_a_whole_word() -> None:
    text = "." + " " * (LOOKED_AT - 9) + "treehorn-123 and more"
    assert excerpt(text, Redactor((), ["treehorn-123"])) == ". …"
    assert excerpt("treehorn-" * 1_000_000, Redactor(())) == "…"
