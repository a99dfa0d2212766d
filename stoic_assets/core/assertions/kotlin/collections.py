"""Functions such as `any` and `sumOf` on the elements of a list, or on the entries of a map.

Each gets the receiver, the lambda or value in its parentheses (None without one) and the budget.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from stoic_assets.core.assertions.kotlin.limits import Budget
from stoic_assets.core.assertions.kotlin.numbers import Number, computed, is_operand
from stoic_assets.core.assertions.kotlin.values import (
    Entry,
    as_text,
    brief,
    contains,
    enclosed,
    equal,
    ordered,
    truth,
)
from stoic_assets.core.errors import ExpressionFailure

Block = Callable[[object], object]
"""A lambda, ready to be called with one value."""


def _elements(receiver: list[object] | dict[str, object]) -> Iterator[object]:
    """The items of a list; the entries of a map, as key and value."""
    if isinstance(receiver, list):
        return iter(receiver)
    return (Entry(key=key, value=value) for key, value in receiver.items())


def matching(items: Iterable[object], block: Block | None) -> Iterator[object]:
    """The items for which the lambda is true; all of them without a lambda."""
    return (item for item in items if block is None or truth(block(item), "the lambda"))


def has_any(receiver: Any, block: Block | None, _: Budget) -> bool:
    """`any`; also of a map."""
    return next((True for _ in matching(_elements(receiver), block)), False)


def has_only(receiver: Any, block: Block, _: Budget) -> bool:
    """`all`; also of a map."""
    return all(truth(block(item), "the lambda") for item in _elements(receiver))


def count(receiver: Any, block: Block | None, _: Budget) -> int:
    """`count`; also of a map."""
    return len(receiver) if block is None else len(list(matching(_elements(receiver), block)))


def first(items: Iterable[object], block: Block | None, name: str) -> object:
    """`first`, or `last` on the reversed items."""
    for item in matching(items, block):
        return item
    raise ExpressionFailure(f"`{name}` finds no element; write {name}OrNull where there may be none")


def first_or_null(items: Iterable[object], block: Block | None) -> object:
    """`firstOrNull`, `find`, or `lastOrNull` on the reversed items."""
    return next(matching(items, block), None)


def single(receiver: list[object], block: Block | None, _: Budget) -> object:
    """The only element."""
    found = list(islice(matching(receiver, block), 2))
    if len(found) != 1:
        problem = "more than one element" if found else "no element"
        raise ExpressionFailure(f"`single` finds {problem}; ask with count how many there are, or write firstOrNull")
    return found[0]


def distinct(receiver: list[object], _: object, budget: Budget) -> list[object]:
    """Each element once, in the order of first occurrence.

    It compares pairs, since the hashes of hostile data may all collide.
    """
    kept: list[object] = []
    for item in receiver:
        if not contains(kept, item, budget):
            kept.append(item)
    return kept


def contains_all(receiver: list[object], wanted: object, budget: Budget) -> bool:
    """Whether every wanted element is there."""
    if not isinstance(wanted, list):
        raise ExpressionFailure(f"`containsAll` needs a List, not {brief(wanted)}; write containsAll(listOf(…))")
    return all(contains(receiver, item, budget) for item in wanted)


def contains_value(receiver: dict[str, object], wanted: object, budget: Budget) -> bool:
    """Whether some key of a map has this value."""
    return any(equal(wanted, value, budget) for value in receiver.values())


def total(receiver: list[object], block: Block, _: Budget) -> Number:
    """`sumOf`; the whole number 0 where there is no element."""
    result: Number = 0
    for number in map(block, receiver):
        if not is_operand(number):
            raise ExpressionFailure(f"the lambda of `sumOf` must give a number of at most 64 bits, not {brief(number)}")
        result = computed("+", result, number)
    return result


def extreme(receiver: list[object], block: Block, budget: Budget, name: str, sign: str) -> object:
    """`maxOf` (`sign` is `>`) or `minOf` (`<`) of the values of the lambda; the first among equals."""
    values = [block(item) for item in receiver]
    if not values:
        raise ExpressionFailure(f"`{name}` finds no element; test isNotEmpty() first")
    best = values[0]
    for value in values:
        best = value if ordered(sign, value, best, budget, name) else best
    return best


def joined(receiver: list[object], separator: object, budget: Budget) -> str:
    """`joinToString`: the texts of the elements, with the separator between them."""
    if not isinstance(separator, str):
        raise ExpressionFailure(f"`joinToString` needs a String to write between the elements, not {brief(separator)}")
    return budget.join(enclosed("", (as_text(item, budget) for item in receiver), "", separator))
