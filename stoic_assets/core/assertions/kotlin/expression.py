"""The expressions of assertions as a small syntax tree, independent of any parser.

`syntax` builds these trees from text, `evaluation` evaluates them.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written in the text: `1`, `2.5`, `"a"`, `true`, `null`."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Name:
    """`objectContext`, `evaluation`, or the parameter of an enclosing lambda."""

    name: str


@dataclass(frozen=True, slots=True)
class Template:
    """A string with values in it, `"$x has ${y.z}"`: its parts are joined as text."""

    parts: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class ListOf:
    """`listOf(item, item)`."""

    items: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class Member:
    """`receiver.name`; `safe` when it is `receiver?.name`."""

    receiver: "Expression"
    name: str
    safe: bool


@dataclass(frozen=True, slots=True)
class Index:
    """`receiver[key]`."""

    receiver: "Expression"
    key: "Expression"


@dataclass(frozen=True, slots=True)
class Lambda:
    """`{ parameter -> body }`; the parameter is `it` where the text names none."""

    parameter: str
    body: "Expression"


@dataclass(frozen=True, slots=True)
class Call:
    """`receiver.function(argument)`; every supported function takes one argument or none, and some `ignoreCase`."""

    receiver: "Expression"
    function: str
    argument: "Expression | Lambda | None"
    safe: bool
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Unary:
    """`!operand`, `-operand` or `operand!!`."""

    operator: str
    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Binary:
    """`left operator right`, `in` and `?:` included; `..` is always on the right of an `in`."""

    operator: str
    left: "Expression"
    right: "Expression"


Expression = Literal | Name | Template | ListOf | Member | Index | Call | Unary | Binary


def parts_of(expression: Expression | Lambda) -> Iterator[Expression | Lambda]:
    """The expressions and lambdas directly inside this one."""
    match expression:
        case Template(parts) | ListOf(parts):
            yield from parts
        case Member(receiver):
            yield receiver
        case Index(first, second) | Binary(_, first, second):
            yield from (first, second)
        case Lambda(_, inner) | Unary(_, inner):
            yield inner
        case Call(receiver, _, argument):
            yield receiver
            if argument is not None:
                yield argument


def names_in(expression: Expression | Lambda) -> frozenset[str]:
    """Every name that is read somewhere in the expression; shows which of the two bindings it needs."""
    if isinstance(expression, Name):
        return frozenset({expression.name})
    return frozenset().union(*(names_in(part) for part in parts_of(expression)))
