"""Values of expressions on plain data: operators, functions, clear failures."""

import pytest
from evaluated_text import BINDINGS, REMINDER, value_of

from stoic_assets.core.assertions.bindings import object_context
from stoic_assets.core.assertions.kotlin.evaluation import check, evaluate
from stoic_assets.core.assertions.kotlin.functions import FUNCTIONS
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionFailure


@pytest.mark.parametrize(
    "text",
    [
        "objectContext.resources.size == 1",
        'objectContext.entities.any { it.type == "Reminder" }',
        "objectContext != null && objectContext.resources.size == 1",
        'evaluation.functionCalls.any { it.function == "remind" && it.args["n"] == 1 }',
        'evaluation.events.any { it.output == "done" }',
        "!evaluation.done && evaluation.failureCount <= 2",
        "objectContext.entities.first().due == 5",
        'objectContext.entities[0].size == "big" && objectContext.entities[0].properties.count() == 2',
    ],
)
def test_assertions_that_hold(text: str) -> None:
    assert check(parse_expression(text), BINDINGS) is True


@pytest.mark.parametrize(
    "text",
    [
        "objectContext.entities[1].size", "evaluation.functionCalls[0].size", "evaluation.events[0].size",
        "evaluation.transcript[0].size", "evaluation.job.map.any { it.size == 2 }",
    ],
)  # fmt: skip
def test_what_we_made_has_no_size_of_its_own(text: str) -> None:
    plain = {"id": "2", "name": "pizza", "labels": ["DomainNode"], "properties": {"topping": "x"}}
    seen = {**BINDINGS, "objectContext": object_context({"resources": [REMINDER, plain]})}
    with pytest.raises(ExpressionFailure, match="there is no member `size` here"):
        evaluate(parse_expression(text), seen)


def test_an_object_is_no_map() -> None:
    with pytest.raises(ExpressionFailure, match="`count` works on a List or Map, not on an Object"):
        value_of("objectContext.entities.first().count() > 0")
    assert value_of('evaluation.events.all { it.containsKey("output") && it.contains("output") && "output" in it }')
    assert value_of("objectContext.entities.first() == objectContext.resources.first()") is True
    assert value_of("evaluation.functionCalls.first().toString()") == "{function=remind, args={n=1}}"
    assert value_of('evaluation.functionCalls.first().args.any { "$it" == "n=1" && it.toString() == "n=1" }') is True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 == 1.0", True), ("1 == true", False), ("0 == false", False), ('1 == "1"', False), ("null == null", True),
        ("job.list == job.list", True), ("job.map == job.list", False), ("job.list != job.empty", True),
        ("1 < 2.5", True), ("2 >= 2", True), ('"a" < "b"', True), ('"\\uffff" < "😀"', False),
        ("1 + 2 * 3 - 4", 3), ("-7 / 2", -3), ("-(1.5)", -1.5), ('"a" + 1 + null + true + 1.0', "a1nulltrue1.0"),
        ('"${job.list} ${job.map} ${job.none}"', "[1, 2.0, 3] {a=1} null"),
        ("true || 1 / 0 == 1", True), ("false && 1 / 0 == 1", False), ("1 ?: 1 / 0", 1), ("null ?: 2", 2),
        ("0 ?: 2", 0), ("false ?: true", False),
        ("job.none?.x", None), ("job.none?.any { 1 / 0 == 1 }", None), ("job.none?.x ?: 3", 3),
        ("job.list[1]", 2.0), ('job["map"]["a"]', 1), ('job.map["b"]', None),
        ("job.list.size", 3), ("job.map.size", 1), ("evaluation.model.length", 9),
        ("2 in job.list", True), ("5 !in job.list", True), ('"a" in job.map', True), ('"ü" in evaluation.model', True),
        ("true in job.list", False), ("null in job.list", False),
        ("1 in 1..3", True), ("3 in 1..3", True), ("4 in 1..3", False), ("0 !in 1..3", True), ("2 in 3..1", False),
        ("0.5 in 0..1", True), ("1 in 0.5..1.5", True), ("-1 in -1..job.list.size - 3", True),
        ("job.none in 0..1", False), ("job.none !in 0..1", True), ("2 in ( (1..3) ) == true", True),
        ('"b" in "a".."c"', True), ("-2 in 1..3 || 2 !in 1..3", False),
        ("job.list.size in 1..2 || 3 in job.list.size..job.list.size", True),
        ('"a" in listOf("b", "a",)', True), ("2 in listOf(1, 2.0, null)", True), ("null !in listOf(1)", True),
        ("job.list == listOf(1, 2, 3)", True), ("listOf(1, 2) == listOf(2, 1)", False), ("listOf()", []),
        ('listOf(1, "a", listOf(null)).size', 3), ("!listOf(true)[0]", False), ("-listOf(1, 2).last()", -2),
        ("listOf(job.map)[0].a", 1), ("job.list!![0]", 1), ("!job.yes!!", False), ("job.map!!.a!! + 1", 2),
        ("job.none?.x ?: job.map!!.a", 1), ("-job.map.a!!", -1),
        ("job.list.map { a -> job.list.filter { it > a }.map { a + it } }", [[3.0, 4], [5.0], []]),
    ],
)  # fmt: skip
def test_values(text: str, expected: object) -> None:
    result = value_of(text)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize("other", [{"a": None, "b": 2}, {"a": None}, {"b": None}, {"a": 0}, {}])
def test_maps_are_equal_where_all_keys_and_values_are(other: dict[str, object]) -> None:
    for first, second in ((other, {"a": None}), ({"a": None}, other)):
        assert value_of("job.a == job.b", a=first, b=second) is (other == {"a": None})


def test_nought_has_a_sign() -> None:
    assert value_of('"${-job.a} ${-job.b}"', a=0.0, b=0) == "-0.0 0"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("objectContext.entities.first().nmae", "no member `nmae` here; there are 'name'"),
        ("job.none.x", r"null has no member `x`; write \?\.x"),
        ("job.list.x", "a List has no member `x`; it has `size`"),
        ('job.list.map { "a" }.first().size', "it has `length`"),
        ("1.x", "1 has no member"),
        ("job.none.any()", r"not on null; write \?\.any"),
        ("evaluation.model.any()", "`any` works on a List or Map, not on a String"),
        ("job.map.first()", "works on a List, not on a Map"),
        ("job.list.any { it }", "the lambda must be true or false, not 1"),
        ("job.list[3]", "no position 3 in a List of size 3"),
        ("job.list[-1]", "no position -1"),
        ("job.list[true]", "not a List by true"),
        ("job.map[1]", "not a Map by 1"),
        ("job.yes.toString", r"`toString` is a function; write \.toString\(…\)$"),
        ("job.list.isEmpty", r"`isEmpty` is a function; write \.isEmpty\(…\)$"),
        ("job.map.count", r'`count` is a function; write \.count\(…\), or \["count"\] for a key that may be missing'),
        ("job.map.trim", "no member `trim` here; there are 'a'"),
        ("job.none.isNullOrEmpty", "is a function"),
        ("job.none!!", r"the value before `!!` is null; write \?\. or \?:"),
        ("job.map.a!!.b", "1 has no member"),
        ("job.none?.x!!.y", "the value before `!!` is null"),
        ("true in 0..1", "`in` compares two numbers or two strings, not true and 0"),
        ("1 in 0..job.none", "`in` compares two numbers or two strings, not 1 and null"),
        ("1 in 2", "2 cannot contain 1"),
        ("job.list in job.map", "a Map cannot contain a List"),
        ('1 < "a"', "compares two numbers or two strings, not 1 and a String"),
        ("null < 1", "not null and 1"),
        ("true < false", "not true and false"),
        ('1 + "a"', "begin with a String"),
        ("null + 1", "needs two numbers"),
        ("true * 2", "needs two numbers"),
        ('-"a"', "`-` needs a number"),
        ("job.big + 1", "at most 64 bits"),
        ('"${job.big}"', "64 bits"),
        ("9223372036854775807 + 1", "more than 64 bits"),
        ("-(-9223372036854775807 - 1)", "more than 64 bits"),
        ("1 / 0", "division by zero"),
        ("1.0 % 0", "division by zero"),
        ("!null", "what follows `!` must be true or false, not null"),
        ("1 && true", "the left side of `&&`"),
        ("false || null", "the right side of `||`"),
    ],
)
def test_failures_say_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(ExpressionFailure, match=problem) as failed:
        value_of(text)
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_key_of_the_data_may_be_called_like_a_function(name: str) -> None:
    resource = {"id": "1", "name": "mum", "labels": ["DomainNode"], "properties": {name: "x"}}
    bindings = {"objectContext": object_context({"resources": [resource]})}
    for text in (f'it.properties.{name} == "x"', f'it.{name} == "x"', f'it.properties["{name}"] == "x"'):
        assert check(parse_expression(f"objectContext.entities.any {{ {text} }}"), bindings) is True
    assert value_of(f"job.{name}", **{name: 1}) == 1


@pytest.mark.parametrize("text", ["objectContext.resources.size", "null", '"true"', "1"])
def test_an_assertion_must_be_a_boolean(text: str) -> None:
    with pytest.raises(ExpressionFailure, match="an assertion must be true or false, not"):
        check(parse_expression(text), BINDINGS)


def test_a_missing_binding_is_named() -> None:
    with pytest.raises(ExpressionFailure, match="no `objectContext`"):
        check(parse_expression("objectContext.resources.isEmpty()"), {})


def test_python_attributes_are_out_of_reach() -> None:
    with pytest.raises(ExpressionFailure, match="no member `__class__`"):
        value_of("job.__class__", a=1)
    with pytest.raises(ExpressionFailure, match="not a JSON value"):
        value_of("job.a.b", a=object())
