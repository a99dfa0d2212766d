"""The text of an expression and its checked tree-sitter syntax tree; faults get line, column and advice.

A tree from here is complete: no error nodes, no text that the grammar skipped, no nesting that could exhaust a stack.
`syntax` decides which of its nodes are supported.
"""

import difflib
import re
from collections.abc import Iterable
from functools import cache

import tree_sitter_kotlin
from tree_sitter import Language, Node, Parser

from stoic_assets.core.errors import ExpressionError

MAX_CHARACTERS = 4_000
MAX_NESTING = 64
"""Levels of the syntax tree. An expression has no more levels than its syntax tree, so its evaluation fits as well."""

UNREADABLE = "this cannot be read as a Kotlin expression"

_NAME_IN_PARENTHESES = re.compile(rb"\{\s*(\(\s*\w+\s*\))")
"""At the beginning of a lambda the grammar takes it for a parameter."""

_WHITE_SPACE = " \t\n\r\f\v"
_COMMENTS = ("line_comment", "block_comment")
_TEXT_BETWEEN_CHILDREN = ("string_literal", "multiline_string_literal", "character_literal")


@cache
def _kotlin() -> Language:
    return Language(tree_sitter_kotlin.language())


class Source:
    """One text. Raises `ExpressionError` when it, or its tree, cannot be an expression."""

    def __init__(self, text: str) -> None:
        self.encoded = b""
        if len(text) > MAX_CHARACTERS:
            raise self.fault(0, f"there are more than {MAX_CHARACTERS:,} characters; split it into several assertions")
        if not text.strip():
            raise self.fault(0, "the expression is empty")
        try:
            self.encoded = text.encode()
        except UnicodeEncodeError as error:
            self.encoded = text[: error.start].encode()
            raise self.fault(len(self.encoded), "this is half a character (an unpaired surrogate)") from None

    def fault(self, at: Node | int, problem: str) -> ExpressionError:
        """The error to raise about a node or a byte offset."""
        before = self.encoded[: at if isinstance(at, int) else at.start_byte].decode(errors="replace")
        return ExpressionError(problem, before.count("\n") + 1, len(before) - before.rfind("\n"))

    def between(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        return self.encoded[start:end].decode(errors="replace")

    def text(self, node: Node) -> str:
        """The text of a node."""
        return self.between(node.start_byte, node.end_byte)

    def expression(self) -> Node:
        """The one expression that the text consists of."""
        root = Parser(_kotlin()).parse(self.encoded).root_node
        self._vet(root)
        match children(root):
            case [expression]:
                return expression
            case [_, second, *_]:
                raise self.fault(second, "an assertion is one expression; here a second one begins")
        raise self.fault(0, "the expression is empty")

    def _vet(self, root: Node) -> None:
        """Walks all nodes in the order of the text, without recursion."""
        waiting = [(root, 1)]
        while waiting:
            node, level = waiting.pop()
            inside = node.children
            if node.is_missing:
                raise self.fault(node, f"`{node.type}` is missing here")
            if node.is_error:
                raise self._unreadable(inside[-1] if inside else node)
            if level > MAX_NESTING:
                raise self.fault(node, f"nested deeper than {MAX_NESTING} levels; split it into several assertions")
            if inside and not root.has_error and node.type not in _TEXT_BETWEEN_CHILDREN:
                self._refuse_skipped_text(inside, *((0, len(self.encoded)) if node == root else node.byte_range))
            waiting += [(child, level + 1) for child in reversed(inside)]
        if root.has_error:
            raise self._unreadable(0)

    def _unreadable(self, at: Node | int) -> ExpressionError:
        """The error where the grammar gave up, or the cure of what is a good expression to Kotlin itself."""
        if named := _NAME_IN_PARENTHESES.search(self.encoded):
            advice = "leave out the parentheses around the name with which the lambda begins"
            return self.fault(named.start(1), f"{UNREADABLE}; {advice}")
        return self.fault(at, UNREADABLE)

    def _refuse_skipped_text(self, nodes: list[Node], start: int, end: int) -> None:
        """The grammar skips what follows a complete expression (`a == 1 2`); only white space may be skipped."""
        edges = [start, *(edge for node in nodes for edge in node.byte_range), end]
        for gap_start, gap_end in zip(edges[::2], edges[1::2], strict=True):
            skipped = self.between(gap_start, gap_end).lstrip(_WHITE_SPACE)
            if skipped:
                raise self.fault(gap_end - len(skipped.encode()), f"{skipped[:20]!r} is not expected here")


def children(node: Node) -> list[Node]:
    """The children of a node, without comments."""
    return [child for child in node.children if child.type not in _COMMENTS]


def shape(nodes: list[Node]) -> list[str]:
    """The types of nodes; a token is its own type, as in `["(", "identifier", ")"]`."""
    return [node.type for node in nodes]


_HINTS = {
    "===": "compare with ==",
    "!==": "compare with !=",
    "assignment": "compare with ==",
    "character_literal": 'write a string, as in "a"',
    "if_expression": "join conditions with && and ||",
    "when_expression": "join conditions with && and ||",
    "range_expression": "write x in 1..10, or compare with >= and <",
    "infix_expression": "call functions with a dot and parentheses, join conditions with && and ||",
    "type_arguments": "leave out the types",
    "lambda_literal": "a lambda can only be the argument of a function",
}
_NO_REGEX = "there are no regular expressions; use contains, startsWith or endsWith"
_FUNCTION_HINTS = {
    "size": "write .size without parentheses",
    "length": "write .length without parentheses",
    "emptyList": "write listOf()",
    "Regex": _NO_REGEX,
    "toRegex": _NO_REGEX,
    "matches": _NO_REGEX,
}


def unsupported(source: Source, node: Node) -> ExpressionError:
    """The error about an unsupported node, with a hint where one helps."""
    hint = next((_HINTS[key] for key in (node.type, *(child.type for child in node.children)) if key in _HINTS), "")
    shown = " ".join(source.text(node).split())
    shown = shown if len(shown) <= 40 else f"{shown[:39]}…"
    return source.fault(node, f"`{shown}` is not supported" + (f"; {hint}" if hint else ""))


def unknown_function(source: Source, node: Node, known: Iterable[str]) -> ExpressionError:
    """The error about a function that does not exist; `node` is its name."""
    name = source.text(node)
    return source.fault(node, f"unknown function `{name}`; {_FUNCTION_HINTS.get(name) or nearest(name, known)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error message about an unknown name."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else f"there are {', '.join(f'`{known}`' for known in names)}"
