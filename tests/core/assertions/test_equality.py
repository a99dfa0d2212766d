import datetime
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.equality import describe_difference, equals, single_value
from stoic_assets.core.errors import QueryError

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
plain = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def typed(kind: str, value: object, **further: object) -> dict[str, object]:
    return {"$type": kind, "value": value, **further}


@given(plain)
def test_a_value_equals_itself(value):
    assert equals(value, value)


@given(plain, plain)
def test_equality_has_no_direction_among_plain_values(one, other):
    assert equals(one, other) == equals(other, one)


@given(plain, plain)
def test_unequal_values_have_a_difference_of_one_line(one, other):
    if not equals(one, other):
        line = describe_difference(one, other)
        assert "expected" in line
        assert len(line.splitlines()) == 1


@given(st.integers(-(2**53), 2**53))
def test_an_integer_equals_its_float(number):
    assert equals(number, float(number))
    assert equals(float(number), number)


@given(scalars)
def test_a_boolean_equals_only_itself(value):
    for truth in (True, False):
        assert equals(truth, value) == (value is truth)
        assert equals(value, truth) == (value is truth)


@given(plain)
def test_nothing_equals_nan(value):
    for nan in (math.nan, typed("float", "NaN")):
        assert not equals(value, nan)
        assert not equals(nan, value)
        assert not equals(nan, nan)


@given(st.lists(plain, min_size=2, max_size=4))
def test_the_order_of_a_list_counts(values):
    turned = values[::-1]
    assert equals(values, turned) == all(map(equals, values, turned))


@given(st.dictionaries(st.text(max_size=4), plain, min_size=1, max_size=4))
def test_the_order_of_a_map_does_not_count_its_keys_do(values):
    assert equals(values, dict(reversed(values.items())))
    assert not equals(values, {**values, "one more key": 1})


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, "1"),
        ("1", 1),
        (0, None),
        ("", None),
        ([], {}),
        (2**53, 2**53 + 1),
        (float(2**53), 2**53 + 1),
        ([1], [True]),
        ([1, 2], [1]),
        ({"a": 1}, {"a": "1"}),
        (math.inf, typed("float", "-Infinity")),
        ("Infinity", typed("float", "Infinity")),
    ],
)
def test_values_of_another_type_or_value_are_not_equal(expected, actual):
    assert not equals(expected, actual)


NODE = typed("node", {"title": "call", "due": typed("date", "2026-11-22")}, id="4:x:1", labels=["Reminder", "Task"])


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (math.inf, typed("float", "Infinity")),
        ("2026-11-22", typed("date", "2026-11-22")),
        (datetime.date(2026, 11, 22), typed("date", "2026-11-22")),
        ("2026-11-22T10:00:00Z", typed("datetime", "2026-11-22T10:00:00Z")),
        ("2026-11-22T10:00+00:00", typed("datetime", "2026-11-22T10:00:00Z")),
        (datetime.datetime(2026, 11, 22, 10, tzinfo=datetime.UTC), typed("datetime", "2026-11-22T10:00:00Z")),
        (typed("datetime", "2026-11-22T10:00+00:00"), typed("datetime", "2026-11-22T10:00:00Z")),
        ("10:00", typed("localtime", "10:00:00")),
        ("PT90M", typed("duration", "PT1H30M")),
        ([1, 2], typed("point", [1.0, 2.0], srid=7203)),
        ({"title": "call", "due": "2026-11-22"}, NODE),
        (typed("node", {"title": "call", "due": datetime.date(2026, 11, 22)}), NODE),
        ({"$type": "node", "labels": ["Reminder", "Task"]}, NODE),
        ([{"due": "2026-11-22", "title": "call"}], typed("path", [NODE])),
        ({"since": 2020}, typed("relationship", {"since": 2020}, type="KNOWS", id="r", start="a", end="b")),
        ({"$type": "mine", "n": 1}, typed("map", {"$type": "mine", "n": 1.0})),
        ({"$type": "mine", "due": "2026-11-22"}, typed("map", {"$type": "mine", "due": typed("date", "2026-11-22")})),
        ("AQI=", typed("bytes", "AQI=")),
        ("1234", typed("bytes", "1234")),
        ({"value": 1}, {"value": 1.0}),
    ],
)
def test_a_typed_value_equals_its_plain_form_and_what_is_known_of_it(expected, actual):
    assert equals(expected, actual)
    assert equals([expected], [actual])
    assert equals(actual, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("2026-11-23", typed("date", "2026-11-22")),
        (20261122, typed("date", "2026-11-22")),
        (typed("date", "2026-11-23"), typed("date", "2026-11-22")),
        (typed("node", {"title": "call"}), NODE),
        ({"$type": "float"}, typed("float", "NaN")),
        ("2026-11-22T11:00:00Z", typed("datetime", "2026-11-22T10:00:00Z")),
        (20261122, typed("datetime", "2026-11-22T10:00:00Z")),
        (None, typed("time", "10:00:00Z")),
        ("P1D", typed("duration", "PT24H")),
        (None, typed("duration", "PT0S")),
        ([2, 1], typed("point", [1.0, 2.0], srid=7203)),
        ({"title": "call"}, NODE),
        ({"$type": "node", "labels": ["Task"]}, NODE),
        ({"$type": "node", "color": None}, NODE),
        ({"$type": "relationship", "value": {}}, typed("node", {}, id="1", labels=[])),
        (typed("date", "2026-11-22"), "2026-11-22"),
        ("mine", typed("map", {"$type": "mine"})),
        ({"$type": "mine", "n": 2}, typed("map", {"$type": "mine", "n": 1})),
    ],
)
def test_another_value_or_another_kind_is_not_equal(expected, actual):
    assert not equals(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual", "line"),
    [
        (3, 4, "expected 3, got 4"),
        (3, "3", 'expected 3 (integer), got "3" (string)'),
        (1, True, "expected 1 (integer), got true (boolean)"),
        ("2026-11-22", typed("date", "2026-11-23"), 'expected "2026-11-22" (string), got "2026-11-23" (date)'),
        ([1, [2, 3]], [1, [2, "3"]], 'at [1][1]: expected 3 (integer), got "3" (string)'),
        ({"a": {"b": None}}, {"a": {"b": 0}}, "at .a.b: expected null (null), got 0 (integer)"),
        ([1], [1, 2], "expected [1], got [1, 2] (lists of 1 and 2)"),
        ({"a": 1}, {"b": 1}, 'expected {"a": 1}, got {"b": 1} (only one has: a, b)'),
        ({}, {"c": {}, "b": {}, "a": {}}, 'expected {}, got {"c": {}, "b": {}, "a": {}} (only one has: a, b, c)'),
        ([1], "a", 'expected [1] (list), got "a" (string)'),
        ("a", [1], 'expected "a" (string), got [1] (list)'),
        ([1], "ab", 'expected [1] (list), got "ab" (string)'),
        ("ab", [1], 'expected "ab" (string), got [1] (list)'),
        (["2026-11-22", 1], [typed("date", "2026-11-22"), 2], "at [1]: expected 1, got 2"),
        (typed("date", "2026-11-22"), typed("date", "2026-11-23"), 'expected "2026-11-22", got "2026-11-23"'),
        ({"$type": "node", "value": {}}, typed("node", {"a": 1}, id="1"), 'expected {}, got {"a": 1}'),
        ([datetime.date(2026, 1, 1)], 5, 'expected ["2026-01-01"] (list), got 5 (integer)'),
        ({"value": 1}, {"value": 2}, "at .value: expected 1, got 2"),
        ({"$type": "date"}, 5, 'expected {"$type": "date"} (map), got 5 (integer)'),
        ("a\nb", "a\u2028b", 'expected "a\\nb", got "a\\u2028b"'),
        ({"a\nb": [1]}, {"a\nb": [2]}, "at .a\\nb[0]: expected 1, got 2"),
        ({}, {"a\nb": 1}, 'expected {}, got {"a\\nb": 1} (only one has: a\\nb)'),
        (datetime.date(2026, 1, 1), 5, 'expected "2026-01-01" (string), got 5 (integer)'),
    ],
)
def test_the_difference_says_where_and_names_types_that_differ(expected, actual, line):
    assert describe_difference(expected, actual) == line


FORMS = " (the same text in two forms of Unicode: é may be one character, or an e with an accent)"


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("caf\u00e9", "cafe\u0301"), ({"caf\u00e9": 1}, {"cafe\u0301": 1}), (["\u212b"], ["\u00c5"]),
        ("e\u0301" * 200, "\u00e9" * 200),
    ],
)
def test_two_texts_that_look_the_same_are_told_apart(expected, actual):
    assert describe_difference(expected, actual).endswith(FORMS)


def test_texts_that_differ_otherwise_too_or_are_no_texts_have_no_such_hint():
    assert FORMS not in describe_difference("caf\u00e9", "Cafe\u0301")
    assert FORMS not in describe_difference(float("nan"), float("nan"))


def test_a_long_difference_is_cut():
    assert len(describe_difference("a" * 10_000, list(range(10_000)))) < 300


@pytest.mark.parametrize(("letters", "end"), [(118, '"'), (119, "…")])
def test_a_value_of_a_hundred_and_twenty_characters_is_shown_whole(letters, end):
    shown = describe_difference("a" * letters, 5).removeprefix("expected ").partition(" (string)")[0]
    assert (len(shown), shown[-1]) == (120, end)


def test_one_row_with_one_column_is_a_value():
    assert single_value([{"n": None}]) is None
    assert single_value([{"n": [1]}]) == [1]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([], "0 rows"),
        ([{"n": 1}, {"n": 2}], "2 rows"),
        ([{"a": 1, "b": 2}], r"2 columns \(a, b\)"),
        ([{}], r"0 columns \(none\)"),
    ],
)
def test_any_other_shape_is_an_error_that_counts(rows, complaint):
    with pytest.raises(QueryError, match=complaint):
        single_value(rows)


@pytest.mark.parametrize("value", ["not-a-number", None, [], 10**400])
def test_a_float_that_is_none_equals_nothing_and_stops_nothing(value):
    expected = typed("float", value)
    for actual in (1.5, typed("float", "NaN")):
        assert not equals(expected, actual)
        assert "got" in describe_difference(expected, actual)


@pytest.mark.parametrize(("value", "actual"), [(1.5, 1.5), ("1.5", 1.5), (math.inf, typed("float", "Infinity"))])
def test_a_typed_float_may_be_written_as_a_number(value, actual):
    assert equals(typed("float", value), actual)
