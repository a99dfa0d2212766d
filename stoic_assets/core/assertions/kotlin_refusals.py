"""The parser's error messages: what is refused, and what to write instead."""

import difflib
from collections.abc import Iterable

from tree_sitter import Node

from stoic_assets.core.assertions.kotlin_source import Source
from stoic_assets.core.errors import ExpressionError

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
