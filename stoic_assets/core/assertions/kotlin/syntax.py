"""From the text of an expression to its tree, or to the reason why it is refused, with its position.

A whitelist: each supported shape of syntax node becomes a part of `expression`, any other shape is an
`ExpressionError`. `source` decides what the text may be at all (length, nesting, readable Kotlin).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from tree_sitter import Node

from stoic_assets.core.assertions.bindings import ROOTS
from stoic_assets.core.assertions.kotlin.calls import called_with, fitting, function_name, listed
from stoic_assets.core.assertions.kotlin.expression import (
    Binary,
    Call,
    Expression,
    Index,
    Lambda,
    ListOf,
    Literal,
    Member,
    Name,
    Template,
    Unary,
)
from stoic_assets.core.assertions.kotlin.functions import FUNCTIONS, Takes
from stoic_assets.core.assertions.kotlin.kinds import kind_of
from stoic_assets.core.assertions.kotlin.literals import LiteralError, number, string_parts
from stoic_assets.core.assertions.kotlin.source import Source, children, nearest, shape, unsupported

Scope = frozenset[str]
"""The parameters of the enclosing lambdas."""

_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_COMPARISONS = ("<", "<=", ">", ">=")
_PREFIXES = ("!", "-")
_ONLY_MEMBER = {"List": "size", "String": "length"}
_OPERATORS = ("&&", "||", "?:", "==", "!=", *_COMPARISONS, "in", "!in", "+", "-", "*", "/", "%")


@lru_cache(maxsize=16384)
def parse_expression(text: str) -> Expression:
    """The tree of one expression; its free names and their members are those of `bindings.ROOTS`.

    A job is validated and looked through several times, and each trial decides by its expressions: trees, which nobody
    can change, are cached, some 2 kB each for 500 jobs of 30.
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
                return Literal(_CONSTANTS[word]) if word in _CONSTANTS else self.name(word.strip("`"), node, scope)
            case "number_literal" | "float_literal", []:
                return self.number(node)
            case "string_literal" | "multiline_string_literal", _:
                return self.string(node, scope)
            case "unary_expression" | "navigation_expression" | "index_expression" | "call_expression", _:
                return self.prefixed(node, scope)
        raise unsupported(self.source, node)

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
        read_right = self.container if operator.type in ("in", "!in") else self.expression
        return Binary(operator.type, self.expression(left, scope), read_right(right, scope))

    def container(self, node: Node, scope: Scope) -> Expression:
        """The right side of `in`, the only place for a range."""
        inside = children(node)
        match node.type, shape(inside):
            case "parenthesized_expression", ["(", _, ")"]:
                return self.container(inside[1], scope)
            case "range_expression", [_, "..", _]:
                return Binary("..", self.expression(inside[0], scope), self.expression(inside[2], scope))
        return self.expression(node, scope)

    def prefixed(self, node: Node, scope: Scope) -> Expression:
        prefixes, expression = self.postfixed(node, scope)
        for prefix in reversed(prefixes):
            expression = Unary(prefix, expression)
        return expression

    def postfixed(self, node: Node, scope: Scope) -> tuple[list[str], Expression]:
        """A chain of members, indices, calls and `!!`, with the prefix operators before it.

        In Kotlin `!a.b` is `!(a.b)`, but the grammar nests it as `(!a).b`: the prefixes are moved out of the chain.
        """
        inside = children(node)
        match node.type, shape(inside):
            case "unary_expression", [prefix, _] if prefix in _PREFIXES:
                prefixes, expression = self.postfixed(inside[1], scope)
                return [prefix, *prefixes], expression
            case "unary_expression", [_, "!!"]:
                prefixes, expression = self.postfixed(inside[0], scope)
                return prefixes, Unary("!!", expression)
            case "navigation_expression", [_, "." | "?." as dot, "identifier"]:
                prefixes, receiver = self.postfixed(inside[0], scope)
                return prefixes, self.member(receiver, inside[2], dot == "?.")
            case "index_expression", [_, "[", _, "]"]:
                prefixes, receiver = self.postfixed(inside[0], scope)
                return prefixes, Index(receiver, self.expression(inside[2], scope))
            case "call_expression", [_, "value_arguments" | "annotated_lambda"]:
                return self.call(node, scope)
            case "unary_expression" | "navigation_expression" | "index_expression" | "call_expression", _:
                raise unsupported(self.source, node)
        return [], self.expression(node, scope)

    def member(self, receiver: Expression, name_node: Node, safe: bool) -> Member:
        """`receiver.name`; the members of the two bindings, and which of these have keys, are known without data."""
        name = self.source.text(name_node).strip("`")
        if isinstance(receiver, Name) and receiver.name in ROOTS and name not in ROOTS[receiver.name]:
            hint = nearest(name, ROOTS[receiver.name])
            raise self.source.fault(name_node, f"`{receiver.name}` has no member `{name}`; {hint}")
        kind = kind_of(receiver)
        only = _ONLY_MEMBER.get(kind or "")
        if name in FUNCTIONS and (only or (FUNCTIONS[name].takes is Takes.NOTHING and _has_no_keys(receiver))):
            given = "" if FUNCTIONS[name].takes is Takes.NOTHING else "…"
            raise self.source.fault(name_node, f"`{name}` is a function; write .{name}({given})")
        if only not in (None, name):
            raise self.source.fault(name_node, f"a {kind} has no member `{name}`; it has `{only}`")
        return Member(receiver, name, safe)

    def call(self, node: Node, scope: Scope) -> tuple[list[str], Expression]:
        called, arguments = called_with(self.source, node)
        prefixes, called = _unprefixed(called)
        inside = children(called)
        match called.type, shape(inside):
            case "navigation_expression", [_, "." | "?." as dot, "identifier"]:
                function = function_name(self.source, inside[2])
                more, receiver = self.postfixed(inside[0], scope)
                argument, ignore_case = fitting(self.source, inside[2], arguments)
                given = None if argument is None else self.argument(argument, scope)
                return [*prefixes, *more], Call(receiver, function, given, dot == "?.", ignore_case)
            case "identifier", []:
                items = listed(self.source, called, arguments)
                return prefixes, ListOf(tuple(self.expression(item, scope) for item in items))
        raise unsupported(self.source, node)

    def argument(self, node: Node, scope: Scope) -> Expression | Lambda:
        return self.block(node, scope) if node.type == "lambda_literal" else self.expression(node, scope)

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
        name = self.source.text(node).strip("`")
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
        """The text between two holes, in which the grammar does not parse `$name` and escapes."""
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
        raise unsupported(self.source, node)


def _has_no_keys(receiver: Expression) -> bool:
    """Whether it is a member of the two bindings that has no keys, which could have the name of a function."""
    match receiver:
        case Member(Name(root), name) if root in ROOTS:
            return ROOTS[root][name].kind != "Map"
    return False


def _is_comparison(node: Node) -> bool:
    return node.type == "binary_expression" and any(child.type in _COMPARISONS for child in node.children)


def _unprefixed(node: Node) -> tuple[list[str], Node]:
    """The prefix operators before a call, which the grammar binds closer (`!listOf(…)` is `(!listOf)(…)`)."""
    match node.type, children(node):
        case "unary_expression", [prefix, operand] if prefix.type in _PREFIXES:
            more, bare = _unprefixed(operand)
            return [prefix.type, *more], bare
    return [], node
