"""From the text of an expression to its tree, or to the reason why it is refused, with its position.

A whitelist: each supported shape of syntax node becomes a part of `kotlin_expression`, and whatever has another shape
is an `ExpressionError`. What the text may be at all (length, nesting, readable Kotlin) is decided in `kotlin_source`.
"""

import difflib
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from stoic_assets.core.assertions.bindings import ROOTS
from stoic_assets.core.assertions.kotlin_expression import (
    Binary,
    Call,
    Expression,
    Index,
    Lambda,
    Literal,
    Member,
    Name,
    Prefix,
    Template,
)
from stoic_assets.core.assertions.kotlin_functions import FUNCTIONS, Takes
from stoic_assets.core.assertions.kotlin_literals import LiteralError, number, string_parts
from stoic_assets.core.assertions.kotlin_source import Source, children, shape
from stoic_assets.core.errors import ExpressionError

Scope = frozenset[str]
"""The parameters of the enclosing lambdas."""

_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_COMPARISONS = ("<", "<=", ">", ">=")
_OPERATORS = ("&&", "||", "?:", "==", "!=", *_COMPARISONS, "in", "!in", "+", "-", "*", "/", "%")
_HINTS = {
    "===": "compare with ==",
    "!==": "compare with !=",
    "!!": "use ?. or ?:",
    "assignment": "compare with ==",
    "character_literal": 'write a string, as in "a"',
    "if_expression": "join conditions with && and ||",
    "range_expression": "compare with >= and <=",
    "infix_expression": "call functions with a dot and parentheses, join conditions with && and ||",
    "lambda_literal": "a lambda can only be the argument of a function",
}


def parse_expression(text: str) -> Expression:
    """The tree of one expression; its free names and their members are those of `bindings.ROOTS`.

    Raises `ExpressionError` for everything outside of the supported subset, with the nearest supported name.
    """
    source = Source(text)
    return _Reader(source).expression(source.expression(), frozenset())


class _Reader:
    """Turns syntax nodes into expressions."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def expression(self, node: Node, scope: Scope) -> Expression:
        inside = children(node)
        match node.type, shape(inside):
            case "parenthesized_expression", ["(", _, ")"]:
                return self.expression(inside[1], scope)
            case "binary_expression" | "in_expression", [_, operator, _] if operator in _OPERATORS:
                return self.binary(inside, scope)
            case "identifier", []:
                word = self.source.text(node)
                return Literal(_CONSTANTS[word]) if word in _CONSTANTS else self.name(word, node, scope)
            case "number_literal" | "float_literal", []:
                return self.number(node)
            case "string_literal" | "multiline_string_literal", _:
                return self.string(node, scope)
            case "unary_expression" | "navigation_expression" | "index_expression" | "call_expression", _:
                return self.prefixed(node, scope)
        raise self.unsupported(node)

    def unsupported(self, node: Node) -> ExpressionError:
        """The refusal of a node, with a hint where one helps."""
        hint = next((_HINTS[key] for key in (node.type, *(child.type for child in node.children)) if key in _HINTS), "")
        shown = " ".join(self.source.text(node).split())
        shown = shown if len(shown) <= 40 else f"{shown[:39]}…"
        return self.source.fault(node, f"`{shown}` is not supported" + (f"; {hint}" if hint else ""))

    def name(self, name: str, at: Node | int, scope: Scope) -> Name:
        if name not in scope and name not in ROOTS:
            where = "`it` exists only in a lambda without a named parameter" if name == "it" else f"`{name}` is unknown"
            raise self.source.fault(at, f"{where}; {nearest(name, sorted({*ROOTS, *scope}))}")
        return Name(name)

    def number(self, node: Node) -> Literal:
        try:
            return Literal(number(self.source.text(node)))
        except LiteralError as error:
            raise self.source.fault(node, error.problem) from None

    def binary(self, inside: Sequence[Node], scope: Scope) -> Expression:
        left, operator, right = inside
        if operator.type in _COMPARISONS and any(_is_comparison(side) for side in (left, right)):
            raise self.source.fault(operator, "comparisons cannot be chained; join them with &&")
        return Binary(operator.type, self.expression(left, scope), self.expression(right, scope))

    def prefixed(self, node: Node, scope: Scope) -> Expression:
        prefixes, expression = self.postfixed(node, scope)
        for prefix in reversed(prefixes):
            expression = Prefix(prefix, expression)
        return expression

    def postfixed(self, node: Node, scope: Scope) -> tuple[list[str], Expression]:
        """A chain of members, indices and calls, with the prefix operators before it.

        In Kotlin `!a.b` is `!(a.b)`, but the grammar nests it as `(!a).b`: the prefixes are handed out of the chain.
        """
        inside = children(node)
        match node.type, shape(inside):
            case "unary_expression", ["!" | "-" as prefix, _]:
                prefixes, expression = self.postfixed(inside[1], scope)
                return [prefix, *prefixes], expression
            case "navigation_expression", [_, "." | "?." as dot, "identifier"]:
                prefixes, receiver = self.postfixed(inside[0], scope)
                return prefixes, self.member(receiver, inside[2], dot == "?.")
            case "index_expression", [_, "[", _, "]"]:
                prefixes, receiver = self.postfixed(inside[0], scope)
                return prefixes, Index(receiver, self.expression(inside[2], scope))
            case "call_expression", [_, "value_arguments" | "annotated_lambda"]:
                return self.call(node, scope)
            case "unary_expression" | "navigation_expression" | "index_expression" | "call_expression", _:
                raise self.unsupported(node)
        return [], self.expression(node, scope)

    def member(self, receiver: Expression, name_node: Node, safe: bool) -> Member:
        """Members of the two bindings are known before any data is."""
        name = self.source.text(name_node).strip("`")
        if isinstance(receiver, Name) and receiver.name in ROOTS and name not in ROOTS[receiver.name]:
            hint = nearest(name, ROOTS[receiver.name])
            raise self.source.fault(name_node, f"`{receiver.name}` has no member `{name}`; {hint}")
        if name in FUNCTIONS and FUNCTIONS[name].takes is Takes.NOTHING:
            raise self.source.fault(name_node, f"`{name}` is a function; write .{name}()")
        return Member(receiver, name, safe)

    def call(self, node: Node, scope: Scope) -> tuple[list[str], Expression]:
        called, arguments = self.called(node)
        inside = children(called)
        match called.type, shape(inside):
            case "navigation_expression", [_, "." | "?." as dot, "identifier"]:
                function = self.function(inside[2])
                prefixes, receiver = self.postfixed(inside[0], scope)
                return prefixes, Call(receiver, function, self.argument(inside[2], arguments, scope), dot == "?.")
            case "identifier", []:
                function = self.function(called)
                raise self.source.fault(called, f"`{function}` is called on a value, as in x.{function}(…)")
        raise self.unsupported(node)

    def called(self, node: Node) -> tuple[Node, list[Node]]:
        """What a call calls, and with which arguments; a lambda after the parentheses is the last of them."""
        called, suffix = children(node)
        inside = children(suffix)
        if suffix.type == "value_arguments":
            return called, [child for child in inside if child.type == "value_argument"]
        if shape(inside) != ["lambda_literal"]:
            raise self.unsupported(suffix)
        match called.type, shape(children(called)):
            case "call_expression", [_, "value_arguments"]:
                called, before = self.called(called)
                return called, [*before, *inside]
        return called, inside

    def function(self, node: Node) -> str:
        name = self.source.text(node)
        if name in ("size", "length"):
            raise self.source.fault(node, f"`{name}` is not a function; write .{name} without parentheses")
        if name not in FUNCTIONS:
            raise self.source.fault(node, f"unknown function `{name}`; {nearest(name, FUNCTIONS)}")
        return name

    def argument(self, function: Node, arguments: list[Node], scope: Scope) -> Expression | Lambda | None:
        name = self.source.text(function)
        values = [self.argument_value(node) for node in arguments]
        takes = FUNCTIONS[name].takes
        if not takes.accepts([value.type == "lambda_literal" for value in values]):
            raise self.source.fault(values[-1] if values else function, f"`{name}` takes {takes.value}")
        if not values:
            return None
        return self.block(values[0], scope) if values[0].type == "lambda_literal" else self.expression(values[0], scope)

    def argument_value(self, node: Node) -> Node:
        match children(node) if node.type == "value_argument" else [node]:
            case [value]:
                return value
        raise self.source.fault(node, "arguments have no name here; write the value alone")

    def block(self, node: Node, scope: Scope) -> Lambda:
        inside = children(node)
        match shape(inside):
            case ["{", _, "}"]:
                return Lambda("it", self.expression(inside[1], scope | {"it"}))
            case ["{", "lambda_parameters", "->", _, "}"]:
                parameter = self.parameter(inside[1])
                return Lambda(parameter, self.expression(inside[3], scope | {parameter}))
        raise self.source.fault(node, "a lambda is one expression after at most one parameter, as in { x -> x.size }")

    def parameter(self, node: Node) -> str:
        name = self.source.text(node)
        if shape(children(node)) != ["variable_declaration"] or shape(children(children(node)[0])) != ["identifier"]:
            raise self.source.fault(node, "a lambda has one parameter, without a type")
        if name in ROOTS or name in _CONSTANTS:
            raise self.source.fault(node, f"`{name}` has a meaning already; choose another name for the parameter")
        return name

    def string(self, node: Node, scope: Scope) -> Literal | Template:
        raw = node.type == "multiline_string_literal"
        quotes = 3 if raw else 1
        at, end = node.start_byte + quotes, node.end_byte - quotes
        parts: list[Expression] = []
        for hole in (child for child in node.children if child.type == "interpolation"):
            parts += [*self.characters(at, hole.start_byte, raw, scope), self.hole(hole, scope)]
            at = hole.end_byte
        parts += self.characters(at, end, raw, scope)
        if len(parts) == 1 and isinstance(parts[0], Literal):
            return parts[0]
        return Template(tuple(part for part in parts if part != Literal("")))

    def characters(self, start: int, end: int, raw: bool, scope: Scope) -> Iterator[Literal | Name]:
        """The text between two holes, in which the grammar leaves `$name` and escapes to us."""
        text = self.source.between(start, end)
        try:
            for part, offset in string_parts(text, raw):
                at = start + len(text[:offset].encode())
                yield self.name(part.name, at, scope) if isinstance(part, Name) else part
        except LiteralError as error:
            raise self.source.fault(start + len(text[: error.offset].encode()), error.problem) from None

    def hole(self, node: Node, scope: Scope) -> Expression:
        inside = children(node)
        match shape(inside):
            case ["${", _, "}"]:
                return self.expression(inside[1], scope)
            case ["$", "identifier"]:
                return self.name(self.source.text(inside[1]), inside[1], scope)
        raise self.unsupported(node)


def _is_comparison(node: Node) -> bool:
    return node.type == "binary_expression" and any(child.type in _COMPARISONS for child in node.children)


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a complaint about an unknown name."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else f"there are {', '.join(f'`{known}`' for known in names)}"
