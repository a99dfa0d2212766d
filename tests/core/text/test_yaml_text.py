import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.errors import DocumentError
from stoic_assets.core.text.yaml_text import read_yaml, write_yaml


def value_of(text: str) -> Any:
    return read_yaml(f"key: {text}", "job.yml").data["key"]


def fault_of(text: str) -> str:
    with pytest.raises(DocumentError) as caught:
        read_yaml(text, "job.yml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True), ("On", True), ("FALSE", False), ("off", False), ("y", "y"), ("n", "n"), ("~", None), ("", None),
        ("0x10", 16), ("017", 15), ("08", "08"), ("1_000", 1000), ("0b101", 5), ("-7", -7), ("0", 0), ("0b_", "0b_"),
        ("1.0", 1.0), ("1e3", 1e3), ("1.5e-2", 0.015), ("-.5", -0.5), ("1_0.5", 10.5), ("1.2.3", "1.2.3"), (".", "."),
        ("2026-01-31", "2026-01-31"), ("2026-01-31T09:00:00Z", "2026-01-31T09:00:00Z"), ("12:30", "12:30"),
        ("12:30:45", "12:30:45"), ("1:30.5", "1:30.5"), ("=", "="), ("<<", "<<"), ('"1"', "1"), ("'yes'", "yes"),
        ("!!str 5", "5"),
    ],
)
def test_plain_values_are_those_of_yaml_1_1_but_times_stay_text(text: str, value: Any) -> None:
    found = value_of(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("text", [".nan", ".NaN", ".inf", "-.INF", "1e999", "!!float .inf"])
def test_a_number_must_be_finite(text: str) -> None:
    assert fault_of(f"a: 1\nkey: [{text}]").startswith("job.yml:2: not valid YAML: ")


def test_an_emoji_escaped_as_in_json_is_one_character_and_half_of_one_is_refused() -> None:
    assert value_of(r'"\ud83d\ude00 ok"') == "😀 ok"
    assert fault_of('a: "x"\nkey: "\\ud83d"').startswith("job.yml:2: ")


def test_keys_are_text_whatever_they_look_like() -> None:
    found = read_yaml("{yes: 1, 1: 2, 2026-01-01: 3, null: 4, 1.50: 5, '<<': 6}", "job.yml")
    assert found.data == {"yes": 1, "1": 2, "2026-01-01": 3, "null": 4, "1.50": 5, "<<": 6}


def test_every_path_has_its_line() -> None:
    found = read_yaml("# a comment\ntop:\n  inner: 1\n\n  list:\n    - a\n    - {b: 2,\n       c: 3}\n", "job.yml")
    assert found.lines == {
        (): 2, ("top",): 2, ("top", "inner"): 3, ("top", "list"): 5, ("top", "list", 0): 6, ("top", "list", 1): 7,
        ("top", "list", 1, "b"): 7, ("top", "list", 1, "c"): 8,
    }


def test_json_may_be_indented_with_tabs() -> None:
    data = {"target": {"user": "a\tb", "n": 1.50}, "tasks": [{"task": "x"}, []]}
    found, spaced = (read_yaml(json.dumps(data, indent=indent), "job.json") for indent in ("\t", 2))
    assert found == spaced
    assert (found.data, found.lines["tasks", 0, "task"]) == (data, 8)
    assert read_yaml("{\n\t# c\n\ta:\t1,\t\t# d\n\tb : [ \t2 \t, x ]\t\n}", "job.json").data == {"a": 1, "b": [2, "x"]}
    assert fault_of('{\n\t"a": 1,\n\t"a": 2\n}').startswith("job.yml:3: not valid YAML: the key 'a' occurs twice")


@pytest.mark.parametrize(
    "text", ["a: 1\nb:\t{c: 2}\n", "a: 1\n\tb: 2", "a: 1\n\t\nb: 2", "a: 1\nb: 2\t# c", "a:\n-\tb: 1", "a: 1\nb: x\ty"]
)
def test_a_tab_elsewhere_is_to_be_replaced(text: str) -> None:
    assert fault_of(text) == "job.yml:2: not valid YAML: a tab stands here, where only spaces are allowed; replace it"


def test_plain_numbers_and_booleans_are_kept_as_written() -> None:
    found = read_yaml("[1.10, 017, yes, 1_0, ~, text, '5']", "job.yml")
    assert found.written == {(0,): "1.10", (1,): "017", (2,): "yes", (3,): "1_0"}


def test_merged_keys_are_taken_in_and_may_be_overridden() -> None:
    found = read_yaml("base: &b {x: 1, y: 2}\nown:\n  <<: *b\n  y: text\n", "job.yml")
    assert found.data["own"] == {"x": 1, "y": "text"}
    assert found.lines["own", "x"] == 1
    assert found.lines["own", "y"] == 4
    assert ("own", "y") not in found.written


def test_a_merged_key_of_a_mapping_that_merges_itself_is_no_twin() -> None:
    found = read_yaml("a: &a {x: 1}\nb: &b {<<: *a, x: 2}\nc: {<<: *b, x: 3}\n", "job.yml")
    assert found.data == {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 3}}


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("a: 1\na: 2", "job.yml:2: ", "the key 'a' occurs twice here"),
        ("t:\n  - b: 1\n    c: 2\n    'b': 3", "job.yml:4: ", "the key 'b' occurs twice here"),
        ("1: a\n'1': b", "job.yml:2: ", "the key '1' occurs twice here"),
        ("a: [1, 2", "job.yml:1: ", "expected"),
        ("a: b: c", "job.yml:1: ", "mapping values"),
        ("a: *nobody", "job.yml:1: ", "undefined alias"),
        ("a: 1\nb: \x07", "job.yml:2: ", "U+0007"),
        ("a: 1\n? [b, c]\n: 2", "job.yml:2: ", "a key must be text"),
        ("a: !env HOME", "job.yml:1: ", "!env"),
        ("a: !!timestamp 2026-01-01", "job.yml:1: ", "timestamp"),
        ("a: !!binary aGk=", "job.yml:1: ", "binary"),
        ("a: 1\nb: !!int seven", "job.yml:2: ", "'seven' is no value of the type int"),
        ("a:\n  - !!bool 7", "job.yml:2: ", "'7' is no value of the type bool"),
        ("a: !!float four", "job.yml:1: ", "'four' is no value of the type float"),
        (f"a: 1\nb: {'9' * 5000}", "job.yml:2: ", f"'{'9' * 40}…' has too many digits"),
        (f"a: 1\nb: 0x{'f' * 5000}", "job.yml:2: ", f"'0x{'f' * 38}…' has too many digits"),
        (f"a: !!int {'x' * 41}", "job.yml:1: ", f"'{'x' * 40}…' is no value of the type int"),
        (f"%YAML {'1' * 5000}.1\n---\na: 1", "job.yml: ", "the version in %YAML has too many digits"),
        ('a: "\\UFFFFFFFF"', "job.yml:1: ", r"the escape \UFFFFFFFF names no character"),
        ('a: "x\n  y \\U00110000"', "job.yml:2: ", r"the escape \U00110000 names no character"),
        ("a: {x: 1}\nb: {<<: 3}", "job.yml:2: ", "only mappings"),
        ("a: &a {x: 1}\nb: {<<: [*a, x]}", "job.yml:2: ", "only mappings"),
        ("a: &a [*a]", "job.yml:1: ", "an alias contains itself"),
        ("a: 1\nb: &b {c: {d: *b}}", "job.yml:2: ", "an alias contains itself"),
    ],
)
def test_malformed_text_is_one_line_with_its_place(text: str, place: str, problem: str) -> None:
    fault = fault_of(text)
    assert fault.startswith(f"{place}not valid YAML: ")
    assert problem in fault


@pytest.mark.parametrize(("levels", "wide"), [(12, 10), (3, 2_000), (40, 2)])
def test_merged_keys_that_multiply_end_in_an_error(levels: int, wide: int) -> None:
    each = [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * wide)}]}}\n" for n in range(1, levels)]
    began = time.process_time()
    assert "it contains more than 100000 values" in fault_of("".join(["a0: &a0 {x: 1}\n", *each]))
    assert time.process_time() - began < 5


def test_ordinary_merges_are_kept_the_first_and_the_own_winning() -> None:
    bases = "a: &a {x: 1, y: 2}\nb: &b {x: 3, z: 4}\n"
    many = "".join(f"job{n}: {{<<: [*a, *b], z: {n}}}\n" for n in range(1000))
    found = read_yaml(f"{bases}c: {{<<: *a, <<: *b}}\nd: &d {{<<: *d, w: 5}}\n{many}", "job.yml")
    assert found.data["job999"] == {"x": 1, "y": 2, "z": 999}
    assert (found.data["c"], found.data["d"]) == ({"x": 3, "y": 2, "z": 4}, {"w": 5})


def test_aliases_that_multiply_and_absurd_depth_end_in_an_error() -> None:
    multiplied = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    assert "more than 100000 values" in fault_of(multiplied)
    assert "nested too deeply" in fault_of("[" * 5000)


def test_nothing_is_no_data() -> None:
    assert read_yaml("", "job.yml").data is None
    assert read_yaml("# only a comment\n", "job.yml").data is None
    assert read_yaml("---\n", "job.yml").data is None


@pytest.mark.parametrize("text", ["---\n# a note\n---\na: 1\n", "a: 1\n---\n", "--- \na: 1\n...\n---\n# end\n...\n"])
def test_empty_documents_around_the_only_one_are_nothing(text: str) -> None:
    assert read_yaml(text, "job.yml").data == {"a": 1}


@pytest.mark.parametrize("second", ["a: 2", "text", "null", "[]", "''"])
def test_a_second_document_is_refused_where_it_begins(second: str) -> None:
    assert fault_of(f"a: 1\n---\n{second}\n") == (
        "job.yml:3: not valid YAML: a second document begins here; put it into a separate file"
    )


WRITABLE = st.characters(codec="utf-8", exclude_characters="\x85")
TEXTS = st.text(WRITABLE, max_size=8) | st.text("0123456789abefinx.+-_:", max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(WRITABLE, max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES)
def test_what_is_written_is_read_as_it_was(value: Any) -> None:
    found = read_yaml(write_yaml({"value": value}), "job.yml").data["value"]
    assert found == value
    assert type(found) is type(value)
    assert not (isinstance(found, float) and math.isnan(found))


@pytest.mark.parametrize("text", ["1e3", "5e92512", "2026-01-31", "1:30", "0x1f", "yes"])
def test_a_text_that_some_reader_takes_for_something_else_is_written_in_quotes(text: str) -> None:
    assert write_yaml({"key": text}) == f"key: '{text}'\n"


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        read_yaml(text, "job.yml")
    except DocumentError as error:
        complaint = str(error)
    else:
        complaint = ""
    assert "\n" not in complaint


def test_the_documents_of_a_large_project_are_parsed_once_however_often_they_are_read() -> None:
    read_yaml.cache_clear()
    for source in [f"job{number}.yml" for number in range(1000)] * 3:
        assert read_yaml("name: x", source).data == {"name": "x"}
    assert read_yaml.cache_info().misses == 1000


@pytest.mark.parametrize("text", ["*/5 * * * *", "* 2 * * *"])
def test_a_text_that_begins_with_an_asterisk_wants_quotes(text: str) -> None:
    assert fault_of(f"cron: {text}").endswith("; put a text that begins with * in quotes")
    assert read_yaml(f"cron: '{text}'", "job.yml").data == {"cron": text}
    assert "quotes" not in fault_of("cron: @daily")
