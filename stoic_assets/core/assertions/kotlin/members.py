"""Members that a message or a function call never has, whatever the agent sends: Stoic Eval defines their fields."""

from collections.abc import Mapping

from stoic_assets.core.assertions.bindings import ROOTS, Shape
from stoic_assets.core.assertions.kotlin.expression import (
    Call,
    Expression,
    Index,
    Lambda,
    Member,
    Name,
    Unary,
    parts_of,
)

OF_ELEMENTS = ("first", "firstOrNull", "find", "last", "lastOrNull", "single")
"""Functions of a list whose value is an element of it."""

Fields = Mapping[str, str | None]
"""Members, with the kinds of their values."""


def unknown_member(
    expression: Expression | Lambda, parameters: Mapping[str, Fields | None] | None = None
) -> tuple[str, Fields] | None:
    """The first member that its receiver never has, with the members that this has; None where there is none.

    `parameters` are those of the enclosing lambdas, with the fields of their values where these are known.
    """
    scope = parameters or {}
    match expression:
        case Member(receiver, name) if (fields := fields_of(receiver, scope)) and name not in fields:
            return name, fields
        case Call(receiver, _, Lambda(parameter, body)):
            inside = {**scope, parameter: _element(receiver)}
            return unknown_member(receiver, scope) or unknown_member(body, inside)
    found = (unknown_member(part, scope) for part in parts_of(expression))
    return next(filter(None, found), None)


def fields_of(receiver: Expression, parameters: Mapping[str, Fields | None] | None = None) -> Fields | None:
    """The members of a value; None where the data decides. `parameters` as in `unknown_member`."""
    scope = parameters or {}
    match receiver:
        case Name(name):
            return scope.get(name)
        case Call(elements, function) if function in OF_ELEMENTS:
            return _element(elements)
        case Index(elements):
            return _element(elements)
        case Unary("!!", operand):
            return fields_of(operand, scope)
    return None


def _element(receiver: Expression) -> Fields | None:
    """The members of a list's elements; None where the data decides."""
    return shape_of_list(receiver).fields or None


def shape_of_list(receiver: Expression) -> Shape:
    """The shape of the list, such as `evaluation.events`, of whose elements, or some of them, a value consists."""
    match receiver:
        case Member(Name(root), name):
            return ROOTS.get(root, {}).get(name, Shape())
        case Call(inner, "filter" | "distinct"):
            return shape_of_list(inner)
    return Shape()
