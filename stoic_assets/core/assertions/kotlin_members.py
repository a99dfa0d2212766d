"""Members that a message or a function call never has, whatever the agent sends: Stoic Eval defines their fields."""

from collections.abc import Mapping

from stoic_assets.core.assertions.kotlin_expression import (
    Call,
    Expression,
    Index,
    Lambda,
    Member,
    Name,
    Unary,
    parts_of,
)

ELEMENTS = {
    "transcript": ("content", "role", "timeTakenMillis", "events"),
    "functionCalls": ("function", "args"),
}
"""Lists of `evaluation`, with all members that their elements can have."""
OF_ELEMENTS = ("first", "firstOrNull", "find", "last", "lastOrNull", "single")
"""Functions of a list whose value is an element of it."""

Fields = tuple[str, ...]


def unknown_member(
    expression: Expression | Lambda, parameters: Mapping[str, Fields | None] | None = None
) -> tuple[str, Fields] | None:
    """The first member that its receiver never has, with the members that this has; None where there is none.

    `parameters` are those of the enclosing lambdas, with the fields of their values where these are known.
    """
    scope = parameters or {}
    match expression:
        case Member(receiver, name) if (fields := _fields(receiver, scope)) and name not in fields:
            return name, fields
        case Call(receiver, _, Lambda(parameter, body)):
            inside = {**scope, parameter: _element(receiver)}
            return unknown_member(receiver, scope) or unknown_member(body, inside)
    found = (unknown_member(part, scope) for part in parts_of(expression))
    return next(filter(None, found), None)


def _fields(receiver: Expression, scope: Mapping[str, Fields | None]) -> Fields | None:
    """The members of a value; None where the data decides."""
    match receiver:
        case Name(name):
            return scope.get(name)
        case Call(elements, function) if function in OF_ELEMENTS:
            return _element(elements)
        case Index(elements):
            return _element(elements)
        case Unary("!!", operand):
            return _fields(operand, scope)
    return None


def _element(receiver: Expression) -> Fields | None:
    """The members of a list's elements; None where the data decides."""
    root, name = list_of(receiver) or ("", "")
    return ELEMENTS.get(name) if root == "evaluation" else None


def list_of(receiver: Expression) -> tuple[str, str] | None:
    """The list, such as (`evaluation`, `events`), of whose elements, or some of them, a value consists; else None."""
    match receiver:
        case Member(Name(root), name):
            return root, name
        case Call(inner, "filter" | "distinct"):
            return list_of(inner)
    return None
