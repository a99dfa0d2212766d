"""The syntax of a call: which function it calls, and whether its arguments fit.

It works on nodes only; `syntax` makes expressions from the result.
"""

from tree_sitter import Node

from stoic_assets.core.assertions.kotlin.functions import FUNCTIONS, Takes
from stoic_assets.core.assertions.kotlin.source import Source, children, shape, unknown_function, unsupported

LIST_OF = "listOf"
"""The only function that is called without a receiver."""


def called_with(source: Source, node: Node) -> tuple[Node, list[Node]]:
    """What a call calls, and its arguments; a lambda after the parentheses is the last of them."""
    called, suffix = children(node)
    inside = children(suffix)
    if suffix.type == "value_arguments":
        return called, [child for child in inside if child.type == "value_argument"]
    if shape(inside) != ["lambda_literal"]:
        raise unsupported(source, suffix)
    match called.type, shape(children(called)):
        case "call_expression", [_, "value_arguments"]:
            called, before = called_with(source, called)
            return called, [*before, *inside]
    return called, inside


def function_name(source: Source, node: Node) -> str:
    """The name of a function that exists."""
    name = source.text(node)
    if name not in FUNCTIONS:
        raise unknown_function(source, node, [*FUNCTIONS, LIST_OF])
    return name


def listed(source: Source, called: Node, arguments: list[Node]) -> list[Node]:
    """The items of `listOf(…)`. Raises `ExpressionError` where another function is called without a receiver."""
    if source.text(called) != LIST_OF:
        name = function_name(source, called)
        raise source.fault(called, f"`{name}` is called on a value, as in x.{name}(…)")
    items = [_value(source, argument) for argument in arguments]
    for item in items:
        if item.type == "lambda_literal":
            raise source.fault(item, f"`{LIST_OF}` takes values, as in {LIST_OF}(1, 2)")
    return items


def fitting(source: Source, function: Node, arguments: list[Node]) -> tuple[Node | None, bool]:
    """The argument, if there is one, and whether case is ignored. Raises `ExpressionError` if they do not fit."""
    name = source.text(function)
    takes = FUNCTIONS[name].takes
    ignore_case = _ignore_case(source, arguments[-1]) if arguments and takes is Takes.VALUE_AND_CASE else None
    written = arguments if ignore_case is None else arguments[:-1]
    values = [_value(source, argument) for argument in written]
    if not takes.accepts([value.type == "lambda_literal" for value in values]):
        raise source.fault(values[-1] if values else function, f"`{name}` takes {takes.value}")
    return (values[0] if values else None), bool(ignore_case)


def _ignore_case(source: Source, argument: Node) -> bool | None:
    """The value of an argument `ignoreCase = …`; None for any other argument."""
    words = [source.text(child) for child in children(argument)]
    return words[2] == "true" if words in (["ignoreCase", "=", "true"], ["ignoreCase", "=", "false"]) else None


def _value(source: Source, argument: Node) -> Node:
    match children(argument) if argument.type == "value_argument" else [argument]:
        case [value]:
            return value
    named = ", ".join(name for name, function in FUNCTIONS.items() if function.takes is Takes.VALUE_AND_CASE)
    only = f"there is only ignoreCase = true, as the last one of {named}"
    raise source.fault(argument, f"arguments have no name here; write the value alone ({only})")
