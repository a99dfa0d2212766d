"""The kind of value that an expression has for any data: enough to see before a trial what can never be true."""

from stoic_assets.core.assertions.bindings import ROOTS
from stoic_assets.core.assertions.kotlin.expression import (
    Binary,
    Call,
    Expression,
    ListOf,
    Literal,
    Member,
    Name,
    Template,
    Unary,
)
from stoic_assets.core.assertions.kotlin.members import OF_ELEMENTS, fields_of, shape_of_list
from stoic_assets.core.assertions.kotlin.values import kind

_FUNCTIONS = {
    "count": "Number", "sumOf": "Number", "filter": "List", "map": "List", "distinct": "List",
    "joinToString": "String", "lowercase": "String", "uppercase": "String", "trim": "String", "toString": "String",
}  # fmt: skip


def never_true(expression: Expression) -> str | None:
    """The kind of a part that must be a Boolean and never is, so that the assertion cannot hold; None without one."""
    match expression:
        case Binary("&&", left, right):
            return never_true(left) or never_true(right)
    return _without_value(expression)


def _without_value(expression: Expression) -> str | None:
    """The kind of the part at which the evaluation will certainly fail, since it is no Boolean."""
    match expression:
        case Unary("!", tested) | Binary("&&" | "||", tested):
            return _without_value(tested)
    return kind_of(expression)


def kind_of(expression: Expression) -> str | None:
    """The kind of the value, which may be null as well; None where it may be a Boolean."""
    match expression:
        case Literal(value):
            return None if isinstance(value, bool) else kind(value)
        case Template():
            return "String"
        case ListOf():
            return "List"
        case Name(name):
            return "Map" if name in ROOTS else None
        case Member(Name(root), name) if root in ROOTS:
            return ROOTS[root][name].kind
        case Member(receiver, "size") if kind_of(receiver) == "List":
            return "Number"
        case Member(receiver, name) if fields := fields_of(receiver):
            return fields.get(name)
        case Call(receiver, function):
            an_object = function in OF_ELEMENTS and shape_of_list(receiver).objects
            return "Object" if an_object else _FUNCTIONS.get(function)
        case Unary("-") | Binary("-" | "*" | "/" | "%"):
            return "Number"
        case Unary("!!", operand):
            return kind_of(operand)
        case Binary("+"):
            return "Number or String"
        case Binary("?:", left, right):
            return kind_of(left) and kind_of(right)
    return None
