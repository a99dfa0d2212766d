"""Numbers and strings mean what they mean in Kotlin."""

import pytest

from stoic_assets.core.assertions.kotlin.expression import Expression, Literal, Name, Template
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("1_000L", 1000),
        ("0x1F", 31),
        ("0Xff_ffL", 65535),
        ("0b101", 5),
        ("9223372036854775807", 2**63 - 1),
        ("2.5", 2.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1_0.2_5E-10", 10.25e-10),
    ],
)
def test_numbers(text: str, value: float) -> None:
    literal = parse_expression(text)
    assert literal == Literal(value)
    assert type(literal.value) is type(value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("9223372036854775808", "64 bits"),
        ("0x8000000000000000", "64 bits"),
        ("1e400", "larger than any Double"),
        ("007", "not a supported number"),
        ("1l", "not a supported number"),
        ("1.5f", "not a supported number"),
        ("1uL", "not a supported number"),
    ],
)
def test_numbers_that_are_refused(text: str, problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem):
        parse_expression(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('""', ""),
        ('"a b"', "a b"),
        (r'"\t\b\n\r\'\"\\\$x"', "\t\b\n\r'\"\\$x"),
        (r'"\u0041\u00e9"', "Aé"),
        (r'"\ud83d\ude00"', "😀"),
        ('"$ 5 $5 5$"', "$ 5 $5 5$"),
        ('"http://x /* y */"', "http://x /* y */"),
        ('"""a "b"\n\\n"""', 'a "b"\n\\n'),
        ('"""a""""', 'a"'),
    ],
)
def test_strings(text: str, value: str) -> None:
    assert parse_expression(text) == Literal(value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('"$evaluation"', (Name("evaluation"),)),
        ('"a $evaluation.b"', (Literal("a "), Name("evaluation"), Literal(".b"))),
        ('"$`evaluation`$evaluation"', (Name("evaluation"), Name("evaluation"))),
        ('"""$`evaluation` $`"""', (Name("evaluation"), Literal(" $`"))),
        (r'"\$evaluation $$evaluation"', (Literal("$evaluation $"), Name("evaluation"))),
        ('"${ 1 }${"b"}"', (Literal(1), Literal("b"))),
        ('"""$evaluation\\${1}"""', (Name("evaluation"), Literal("\\"), Literal(1))),
    ],
)
def test_templates(text: str, parts: tuple[Expression, ...]) -> None:
    assert parse_expression(text) == Template(parts)


@pytest.mark.parametrize("text", [r'"\q"', r'"\u12"', r'"\u12g4"', r'"\ud83d"', r'"\ude00\ud83d"'])
def test_escapes_that_are_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="escape"):
        parse_expression(text)
