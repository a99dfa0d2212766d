"""The functions that an expression may call, as one table: receivers, arguments, implementation.

A function that is not in the table does not exist: the parser refuses it, the evaluation cannot reach it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from stoic_assets.core.assertions.kotlin.collections import (
    contains_all,
    contains_value,
    count,
    distinct,
    extreme,
    first,
    first_or_null,
    has_any,
    has_only,
    joined,
    matching,
    single,
    total,
)
from stoic_assets.core.assertions.kotlin.limits import Budget
from stoic_assets.core.assertions.kotlin.texts import ends_with, is_blank, starts_with, trimmed
from stoic_assets.core.assertions.kotlin.values import as_text, contains, equal


class Takes(Enum):
    """The arguments of a function; the text completes "`any` takes …"."""

    NOTHING = "no argument"
    VALUE = "one value"
    VALUE_AND_CASE = "one value, and after it ignoreCase = true where case does not matter"
    VALUE_OR_NOTHING = "one value or nothing; what a lambda would do, .map { … } does before it"
    LAMBDA = 'a lambda, as in { it.name == "x" }'
    LAMBDA_OR_NOTHING = 'a lambda, as in { it.name == "x" }, or nothing'

    def accepts(self, lambdas: list[bool]) -> bool:
        """Whether arguments fit; `lambdas` says for each whether it is a lambda."""
        match lambdas:
            case []:
                return self in (Takes.NOTHING, Takes.LAMBDA_OR_NOTHING, Takes.VALUE_OR_NOTHING)
            case [True]:
                return self in (Takes.LAMBDA, Takes.LAMBDA_OR_NOTHING)
            case [False]:
                return self in (Takes.VALUE, Takes.VALUE_AND_CASE, Takes.VALUE_OR_NOTHING)
        return False


@dataclass(frozen=True)
class Function:
    """`on` names the kinds of receiver; `apply` gets the receiver, the argument (else `default`) and the budget."""

    on: tuple[str, ...]
    takes: Takes
    apply: Callable[[Any, Any, Budget], object]
    default: object = None


_LIST = ("List",)
_MAP = ("Map",)
_TEXT = ("String",)
_ITEMS = ("List", "Map")
_SIZED = ("List", "Map", "String")
_ANYTHING = ("List", "Map", "String", "Number", "Boolean", "null", "Object")

FUNCTIONS: dict[str, Function] = {
    "isEmpty": Function(_SIZED, Takes.NOTHING, lambda it, _, __: len(it) == 0),
    "isNotEmpty": Function(_SIZED, Takes.NOTHING, lambda it, _, __: len(it) > 0),
    "isNullOrEmpty": Function((*_SIZED, "null"), Takes.NOTHING, lambda it, _, __: it is None or len(it) == 0),
    "contains": Function((*_SIZED, "Object"), Takes.VALUE_AND_CASE, contains),
    "any": Function(_ITEMS, Takes.LAMBDA_OR_NOTHING, has_any),
    "none": Function(_ITEMS, Takes.LAMBDA_OR_NOTHING, lambda *given: not has_any(*given)),
    "all": Function(_ITEMS, Takes.LAMBDA, has_only),
    "count": Function(_ITEMS, Takes.LAMBDA_OR_NOTHING, count),
    "filter": Function(_LIST, Takes.LAMBDA, lambda it, block, _: list(matching(it, block))),
    "map": Function(_LIST, Takes.LAMBDA, lambda it, block, _: [block(item) for item in it]),
    "first": Function(_LIST, Takes.LAMBDA_OR_NOTHING, lambda it, block, _: first(it, block, "first")),
    "firstOrNull": Function(_LIST, Takes.LAMBDA_OR_NOTHING, lambda it, block, _: first_or_null(it, block)),
    "find": Function(_LIST, Takes.LAMBDA, lambda it, block, _: first_or_null(it, block)),
    "last": Function(_LIST, Takes.LAMBDA_OR_NOTHING, lambda it, block, _: first(reversed(it), block, "last")),
    "lastOrNull": Function(_LIST, Takes.LAMBDA_OR_NOTHING, lambda it, block, _: first_or_null(reversed(it), block)),
    "single": Function(_LIST, Takes.LAMBDA_OR_NOTHING, single),
    "distinct": Function(_LIST, Takes.NOTHING, distinct),
    "containsAll": Function(_LIST, Takes.VALUE, contains_all),
    "sumOf": Function(_LIST, Takes.LAMBDA, total),
    "maxOf": Function(_LIST, Takes.LAMBDA, lambda it, block, budget: extreme(it, block, budget, "maxOf", ">")),
    "minOf": Function(_LIST, Takes.LAMBDA, lambda it, block, budget: extreme(it, block, budget, "minOf", "<")),
    "joinToString": Function(_LIST, Takes.VALUE_OR_NOTHING, joined, default=", "),
    "containsKey": Function((*_MAP, "Object"), Takes.VALUE, contains),
    "containsValue": Function(_MAP, Takes.VALUE, contains_value),
    "startsWith": Function(_TEXT, Takes.VALUE_AND_CASE, starts_with),
    "endsWith": Function(_TEXT, Takes.VALUE_AND_CASE, ends_with),
    "lowercase": Function(_TEXT, Takes.NOTHING, lambda it, _, budget: budget.join([it.lower()])),
    "uppercase": Function(_TEXT, Takes.NOTHING, lambda it, _, budget: budget.join([it.upper()])),
    "trim": Function(_TEXT, Takes.NOTHING, trimmed),
    "isBlank": Function(_TEXT, Takes.NOTHING, is_blank),
    "isNotBlank": Function(_TEXT, Takes.NOTHING, lambda *given: not is_blank(*given)),
    "isNullOrBlank": Function((*_TEXT, "null"), Takes.NOTHING, lambda it, *rest: it is None or is_blank(it, *rest)),
    "equals": Function(_ANYTHING, Takes.VALUE_AND_CASE, equal),
    "toString": Function(_ANYTHING, Takes.NOTHING, lambda it, _, budget: as_text(it, budget)),
}
