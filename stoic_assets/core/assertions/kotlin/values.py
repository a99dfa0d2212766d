"""Kotlin's operators on values: equality, order, sums, text, members, containment.

Values are plain JSON data (dict, list, str, int, float, bool, None). They may be hostile: anything wrong with them is
an `ExpressionFailure`, and work that grows with the data is charged to the `Budget`. Arithmetic is in `numbers`,
functions such as `any` are in `collections` and `texts`.
"""

import difflib
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from stoic_assets.core.assertions.kotlin.limits import Budget
from stoic_assets.core.assertions.kotlin.numbers import computed, in_64_bits, is_operand, number_text
from stoic_assets.core.errors import ExpressionFailure

_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Span:
    """`first..last`, both included. It exists only on the right of an `in`; no expression has it as its value."""

    first: object
    last: object


class Record(dict[str, Any]):
    """An object of Stoic Eval, such as a resource or a call: it has members, but is no map with countable entries."""


class Entry(Record):
    """An entry of a map, with `key` and `value`."""


def kind(value: object) -> str:
    """The name of the value's type as messages use it."""
    match value:
        case None:
            return "null"
        case bool():
            return "Boolean"
        case int() | float():
            return "Number"
        case str():
            return "String"
        case list():
            return "List"
        case Record():
            return "Object"
        case dict():
            return "Map"
    raise ExpressionFailure(f"the data contains a {type(value).__name__}, which is not a JSON value")


def brief(value: object) -> str:
    """A value for a message: itself where that is short, else its kind."""
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, float) or in_64_bits(value):
        return number_text(value)
    return "an Object" if isinstance(value, Record) else f"a {kind(value)}"


def truth(value: object, where: str) -> bool:
    """`value` if it is a Boolean."""
    if not isinstance(value, bool):
        raise ExpressionFailure(f"{where} must be true or false, not {brief(value)}; compare it with something")
    return value


def equal(left: object, right: object, budget: Budget, depth: int = 0) -> bool:
    """Kotlin's `==`, except that numbers are equal by value (1 == 1.0). A Boolean never equals a number."""
    budget.spend(depth, len(left) if isinstance(left, str) else 0)
    if kind(left) != kind(right):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            equal(ours, theirs, budget, depth + 1) for ours, theirs in zip(left, right, strict=True)
        )
    if isinstance(left, dict) and isinstance(right, dict):
        return len(left) == len(right) and all(
            key in right and equal(value, right[key], budget, depth + 1) for key, value in left.items()
        )
    return left == right


def ordered(sign: str, left: object, right: object, budget: Budget, asked: str = "") -> bool:
    """`<`, `<=`, `>`, `>=` between two numbers, or two strings (by UTF-16 code unit).

    `asked` is the name that the expression uses in place of the sign.
    """
    if kind(left) == kind(right) == "Number":
        return _ORDERINGS[sign](left, right)
    if isinstance(left, str) and isinstance(right, str):
        budget.spend(characters=len(left) + len(right))
        return _ORDERINGS[sign](_utf_16(left), _utf_16(right))
    compares = f"`{asked or sign}` compares two numbers or two strings"
    raise ExpressionFailure(f"{compares}, not {brief(left)} and {brief(right)}")


def _utf_16(text: str) -> bytes:
    """The UTF-16 code units that a JVM string consists of, in an order that sorts as they do."""
    return text.encode("utf-16-be", "surrogatepass")


def combined(sign: str, left: object, right: object, budget: Budget) -> object:
    """`+ - * / %`: arithmetic, or joined text where `+` has a String on its left."""
    if sign == "+" and isinstance(left, str):
        return budget.join((left, as_text(right, budget)))
    if is_operand(left) and is_operand(right):
        return computed(sign, left, right)
    hint = "; to join text, begin with a String" if sign == "+" else ""
    needs = "needs two numbers of at most 64 bits"
    raise ExpressionFailure(f"`{sign}` {needs}, not {brief(left)} and {brief(right)}{hint}")


def as_text(value: object, budget: Budget, depth: int = 0) -> str:
    """A value as Kotlin writes it into a string: `null`, `1.0`, `[a, b]`, `{k=v}`, of an entry `k=v`."""
    budget.spend(depth)
    match value:
        case str():
            return value
        case None | bool():
            return brief(value)
        case int() | float():
            return number_text(value)
        case list():
            return budget.join(enclosed("[", (as_text(item, budget, depth + 1) for item in value), "]"))
        case Entry():
            return budget.join((str(value["key"]), "=", as_text(value["value"], budget, depth + 1)))
        case dict():
            entries = (f"{key}={as_text(item, budget, depth + 1)}" for key, item in value.items())
            return budget.join(enclosed("{", entries, "}"))
    return brief(value)


def enclosed(opening: str, pieces: Iterable[str], closing: str, separator: str = ", ") -> Iterator[str]:
    """The pieces with opening, closing and separators."""
    yield opening
    for number, piece in enumerate(pieces):
        yield f"{separator}{piece}" if number else piece
    yield closing


def contains(container: object, element: object, budget: Budget) -> bool:
    """`element in container`: an item of a list, part of a string, key of a map, value within a span (never null)."""
    match container:
        case Span(first, last):
            return element is not None and (
                ordered(">=", element, first, budget, "in") and ordered("<=", element, last, budget, "in")
            )
        case list():
            return any(equal(element, item, budget) for item in container)
        case str() if isinstance(element, str):
            budget.spend(characters=len(container))
            return element in container
        case dict() if isinstance(element, str):
            return element in container
    raise ExpressionFailure(
        f"{brief(container)} cannot contain {brief(element)}; a List contains values, a String text, a Map keys"
    )


def element_at(container: object, key: object) -> object:
    """`container[key]`; as in Kotlin a missing key gives null, a missing position is an error."""
    if isinstance(container, dict) and isinstance(key, str):
        return container.get(key)
    if not isinstance(container, list) or not in_64_bits(key):
        raise ExpressionFailure(
            f"[ ] reads a List by position or a Map by String, not {brief(container)} by {brief(key)}"
        )
    if not 0 <= key < len(container):
        raise ExpressionFailure(f"there is no position {key} in a List of size {len(container)}; the first is 0")
    return container[key]


def member_of(target: object, name: str, budget: Budget) -> object:
    """`target.name`: a key of a map, the `size` of a list or map, the `length` of a string."""
    match target:
        case dict() if name in target:
            return target[name]
        case list() | dict() if name == "size" and not isinstance(target, Record):
            return len(target)
        case str() if name == "length":
            budget.spend(characters=len(target))
            return len(_utf_16(target)) // 2
        case dict():
            raise ExpressionFailure(f"there is no member `{name}` here; there {_nearest_first(name, target)}")
        case None:
            raise ExpressionFailure(f"null has no member `{name}`; write ?.{name} where the value may be missing")
    has = {"List": "; it has `size` and elements", "String": "; it has `length`"}.get(kind(target), "")
    raise ExpressionFailure(f"{brief(target)} has no member `{name}`{has}")


def _nearest_first(name: str, target: dict[str, object]) -> str:
    """The members of a map for a message, those most similar to `name` first; long ones are cut."""
    names = [str(key)[:40] for key in islice(target, 200)]
    names.sort(key=lambda known: -difflib.SequenceMatcher(None, name[:40].lower(), known.lower()).ratio())
    listed = ", ".join(repr(known) for known in names[:_SHOWN]) + (", …" if len(target) > _SHOWN else "")
    return f"are {listed}" if names else "are none"
