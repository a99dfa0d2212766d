"""Numbers as Kotlin treats them: 64-bit whole numbers and Doubles, their arithmetic and their text.

Two deviations make mistakes visible: whole numbers beyond 64 bits are an error instead of wrapping around, and so is
division of a Double by zero.
"""

import math
import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeGuard

from stoic_assets.core.errors import ExpressionFailure

Number = int | float


def in_64_bits(value: object) -> TypeGuard[int]:
    """Whether this is a whole number that a Kotlin Long can hold."""
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def is_operand(value: object) -> TypeGuard[Number]:
    """Whether arithmetic is possible with this value."""
    return isinstance(value, float) or in_64_bits(value)


def computed(sign: str, left: Number, right: Number) -> Number:
    """`left sign right`: whole if both are, else a Double."""
    result = _ARITHMETIC[sign](left, right)
    if not is_operand(result):
        raise ExpressionFailure(f"`{sign}` gives a whole number of more than 64 bits; make one side a Double")
    return result


def _quotient(left: Number, right: Number) -> Number:
    """The quotient; of whole numbers it is truncated (towards zero)."""
    if right == 0:
        raise ExpressionFailure("division by zero; test the divisor first, as in x != 0 && …")
    if isinstance(left, float) or isinstance(right, float):
        return left / right
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _remainder(left: Number, right: Number) -> Number:
    """The remainder, with the sign of the left side."""
    if isinstance(left, int) and isinstance(right, int):
        return left - right * int(_quotient(left, right))
    if right == 0:
        raise ExpressionFailure("remainder of a division by zero; test the divisor first, as in x != 0 && …")
    return math.fmod(left, right) if math.isfinite(left) else math.nan


_ARITHMETIC: dict[str, Callable[[Any, Any], Number]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _quotient, "%": _remainder,
}


def number_text(value: Number) -> str:
    """A number as the JVM writes it: 1, 1.0, 1.0E10, NaN, Infinity. Raises `ExpressionFailure` beyond 64 bits."""
    if isinstance(value, float):
        return _double_text(value)
    if not in_64_bits(value):
        raise ExpressionFailure(
            "the data contains a whole number of more than 64 bits, which cannot be written as text"
        )
    return str(value)


def _double_text(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, rest = str(digits[0]), "".join(map(str, digits[1:]))
    return f"{'-' if sign else ''}{first}.{rest or '0'}E{int(exponent) + len(rest)}"
