"""Functions such as `startsWith` and `trim` on a text, and whether two texts differ only in case."""

from functools import cache

from stoic_assets.core.assertions.kotlin.limits import Budget
from stoic_assets.core.assertions.kotlin.values import brief
from stoic_assets.core.errors import ExpressionFailure

_WHITE_SPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""White space on the JVM; Python's own `strip` also removes U+0085."""

_FOLDING_COSTS = 4
"""Folding a character of a text that is not ASCII costs this many times as much as reading it."""

_CASED_BELOW = 0x20000
"""No character from here on has an upper or a lower case."""


def starts_with(text: str, start: object, budget: Budget) -> bool:
    """`startsWith`."""
    return text.startswith(_searched("startsWith", start, budget))


def ends_with(text: str, end: object, budget: Budget) -> bool:
    """`endsWith`."""
    return text.endswith(_searched("endsWith", end, budget))


def _searched(function: str, argument: object, budget: Budget) -> str:
    if not isinstance(argument, str):
        raise ExpressionFailure(f"`{function}` needs a String to look for")
    budget.spend(characters=len(argument))
    return argument


def trimmed(text: str, _: object, budget: Budget) -> str:
    """`trim`: without the white space at both ends."""
    budget.spend(characters=len(text))
    return text.strip(_WHITE_SPACE)


def is_blank(text: str, _: object, budget: Budget) -> bool:
    """`isBlank`: whether there is nothing but white space."""
    return trimmed(text, None, budget) == ""


def folded(value: object, budget: Budget) -> str | None:
    """The text in a form that is equal for texts that Kotlin's `ignoreCase = true` calls equal; null stays null.

    As on the JVM each character is folded by itself, to upper case and then to lower case: "ß" is not "ss".
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise ExpressionFailure(f"`ignoreCase = true` compares two Strings, not {brief(value)}")
    budget.spend(characters=len(value) * _FOLDING_COSTS)
    return value.lower() if value.isascii() else value.translate(_foldings())


@cache
def _foldings() -> dict[int, str]:
    """The characters that folding changes."""
    folding = {code: _fold(chr(code)) for code in range(_CASED_BELOW)}
    return {code: character for code, character in folding.items() if character != chr(code)}


def _fold(character: str) -> str:
    upper = character.upper()
    return (upper if len(upper) == 1 else character).lower()[0]
