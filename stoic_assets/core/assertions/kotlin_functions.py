"""The functions that an expression may call, as one table: on what, with what, and what they do.

A function that is not in the table does not exist: the parser refuses it, the evaluation cannot reach it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from stoic_assets.core.assertions.kotlin_limits import Budget
from stoic_assets.core.assertions.kotlin_values import contains, truth
from stoic_assets.core.errors import ExpressionFailure

Block = Callable[[object], object]
"""A lambda, ready to be called with one value."""


class Takes(Enum):
    """What stands in a function's parentheses; the text completes "`any` takes …"."""

    NOTHING = "no argument"
    VALUE = "one value"
    LAMBDA = 'a lambda, as in { it.name == "x" }'
    LAMBDA_OR_NOTHING = 'a lambda, as in { it.name == "x" }, or nothing'

    def accepts(self, lambdas: list[bool]) -> bool:
        """Whether these arguments fit, given for each whether it is a lambda."""
        match lambdas:
            case []:
                return self in (Takes.NOTHING, Takes.LAMBDA_OR_NOTHING)
            case [True]:
                return self in (Takes.LAMBDA, Takes.LAMBDA_OR_NOTHING)
            case [False]:
                return self is Takes.VALUE
        return False


@dataclass(frozen=True)
class Function:
    """`on` names the kinds of receiver; `apply` gets the receiver, the argument (None without one) and the budget."""

    on: tuple[str, ...]
    takes: Takes
    apply: Callable[[Any, Any, Budget], object]


def _items(receiver: list[object] | dict[str, object]) -> Iterator[object]:
    """The items of a list; the entries of a map, as key and value."""
    if isinstance(receiver, list):
        return iter(receiver)
    return ({"key": key, "value": value} for key, value in receiver.items())


def _matching(items: Iterator[object], block: Block | None) -> Iterator[object]:
    """The items for which the lambda is true; all of them without a lambda."""
    return (item for item in items if block is None or truth(block(item), "the lambda"))


def _first(items: Iterator[object], block: Block | None) -> object:
    for item in _matching(items, block):
        return item
    raise ExpressionFailure("first() and last() find no element; write firstOrNull() where there may be none")


def _any(receiver: Any, block: Block | None, _: Budget) -> bool:
    return next((True for _ in _matching(_items(receiver), block)), False)


def _all(receiver: Any, block: Block, _: Budget) -> bool:
    return all(truth(block(item), "the lambda") for item in _items(receiver))


def _count(receiver: Any, block: Block | None, _: Budget) -> int:
    return len(receiver) if block is None else len(list(_matching(_items(receiver), block)))


def _starts_with(receiver: str, start: object, budget: Budget) -> bool:
    return receiver.startswith(_string("startsWith", start, budget))


def _ends_with(receiver: str, end: object, budget: Budget) -> bool:
    return receiver.endswith(_string("endsWith", end, budget))


def _string(function: str, argument: object, budget: Budget) -> str:
    if not isinstance(argument, str):
        raise ExpressionFailure(f"`{function}` needs a String to look for")
    budget.spend(characters=len(argument))
    return argument


_LIST = ("List",)
_ITEMS = ("List", "Map")
_TEXT = ("String",)
_SIZED = ("List", "Map", "String")

FUNCTIONS: dict[str, Function] = {
    "isEmpty": Function(_SIZED, Takes.NOTHING, lambda receiver, _, __: len(receiver) == 0),
    "isNotEmpty": Function(_SIZED, Takes.NOTHING, lambda receiver, _, __: len(receiver) > 0),
    "contains": Function(_SIZED, Takes.VALUE, contains),
    "any": Function(_ITEMS, Takes.LAMBDA_OR_NOTHING, _any),
    "none": Function(_ITEMS, Takes.LAMBDA_OR_NOTHING, lambda *given: not _any(*given)),
    "all": Function(_ITEMS, Takes.LAMBDA, _all),
    "count": Function(_ITEMS, Takes.LAMBDA_OR_NOTHING, _count),
    "filter": Function(_LIST, Takes.LAMBDA, lambda receiver, block, _: list(_matching(iter(receiver), block))),
    "map": Function(_LIST, Takes.LAMBDA, lambda receiver, block, _: [block(item) for item in receiver]),
    "first": Function(_LIST, Takes.LAMBDA_OR_NOTHING, lambda receiver, block, _: _first(iter(receiver), block)),
    "firstOrNull": Function(
        _LIST, Takes.LAMBDA_OR_NOTHING, lambda receiver, block, _: next(_matching(iter(receiver), block), None)
    ),
    "last": Function(_LIST, Takes.LAMBDA_OR_NOTHING, lambda receiver, block, _: _first(reversed(receiver), block)),
    "startsWith": Function(_TEXT, Takes.VALUE, _starts_with),
    "endsWith": Function(_TEXT, Takes.VALUE, _ends_with),
    "lowercase": Function(_TEXT, Takes.NOTHING, lambda receiver, _, budget: budget.join([receiver.lower()])),
    "uppercase": Function(_TEXT, Takes.NOTHING, lambda receiver, _, budget: budget.join([receiver.upper()])),
}
