"""The value of an expression on the data of one trial.

One dispatcher walks the tree of `expression`. It reads keys and positions of plain data, never attributes of
Python objects, and spends a `Budget`. Every error is an `ExpressionFailure`, which says why there is no value.
"""

from collections.abc import Mapping

from stoic_assets.core.assertions.kotlin.collections import Block
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
from stoic_assets.core.assertions.kotlin.functions import FUNCTIONS, Function
from stoic_assets.core.assertions.kotlin.limits import Budget
from stoic_assets.core.assertions.kotlin.numbers import computed, is_operand
from stoic_assets.core.assertions.kotlin.texts import folded
from stoic_assets.core.assertions.kotlin.values import (
    Span,
    as_text,
    brief,
    combined,
    contains,
    element_at,
    equal,
    kind,
    member_of,
    ordered,
    truth,
)
from stoic_assets.core.errors import ExpressionFailure

Scope = Mapping[str, object]


def evaluate(
    expression: Expression, bindings: Mapping[str, object], max_steps: int = 200_000, max_depth: int = 64
) -> object:
    """The value of the expression, where `bindings` gives each free name plain JSON data.

    A step is one access to a part of the expression or of the data, or to 100 characters of text. Raises
    `ExpressionFailure` for a missing member, a wrong kind of value, null without `?.`, and anything beyond the limits.
    """
    return _Evaluation(Budget(max_steps, max_depth)).value(expression, bindings, 0)


def check(expression: Expression, bindings: Mapping[str, object]) -> bool:
    """Whether the assertion holds: the value is exactly true. Raises `ExpressionFailure` where it is no Boolean."""
    return truth(evaluate(expression, bindings), "an assertion")


class _Evaluation:
    """One run over one expression."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget

    def value(self, expression: Expression, scope: Scope, depth: int) -> object:
        """The dispatcher; `depth` is that of the expression in its tree."""
        self.budget.spend(depth)
        match expression:
            case Literal(value):
                return value
            case Name(name):
                return self.named(name, scope)
            case Template(parts):
                return self.budget.join(as_text(self.value(part, scope, depth + 1), self.budget) for part in parts)
            case ListOf(items):
                return [self.value(item, scope, depth + 1) for item in items]
            case Member(receiver, name, safe):
                target = self.value(receiver, scope, depth + 1)
                return None if safe and target is None else self.member(target, name)
            case Index(receiver, key):
                return element_at(self.value(receiver, scope, depth + 1), self.value(key, scope, depth + 1))
            case Unary(operator, operand):
                return self.unary(operator, self.value(operand, scope, depth + 1))
            case Call():
                return self.called(expression, scope, depth + 1)
            case Binary():
                return self.binary(expression, scope, depth + 1)

    def named(self, name: str, scope: Scope) -> object:
        if name not in scope:
            raise ExpressionFailure(f"this trial has no `{name}`")
        return scope[name]

    def member(self, target: object, name: str) -> object:
        """A key of the data comes first; any other name of a function was meant as a call."""
        keys = target if isinstance(target, dict) else None
        if name in FUNCTIONS and kind(target) in FUNCTIONS[name].on and (keys is None or name not in keys):
            index = "" if keys is None else f', or ["{name}"] for a key that may be missing'
            raise ExpressionFailure(f"`{name}` is a function; write .{name}(…){index}")
        return member_of(target, name, self.budget)

    def unary(self, operator: str, operand: object) -> object:
        if operator == "!":
            return not truth(operand, "what follows `!`")
        if operator == "!!":
            if operand is None:
                raise ExpressionFailure("the value before `!!` is null; write ?. or ?: where it may be missing")
            return operand
        if not is_operand(operand):
            raise ExpressionFailure(f"`-` needs a number of at most 64 bits, not {brief(operand)}")
        return -operand if isinstance(operand, float) else computed("-", 0, operand)

    def binary(self, expression: Binary, scope: Scope, depth: int) -> object:
        """The right side is evaluated only if the left side does not decide the value."""
        left = self.value(expression.left, scope, depth)
        sign = expression.operator
        if sign == "?:":
            return self.value(expression.right, scope, depth) if left is None else left
        if sign in ("&&", "||"):
            decided = truth(left, f"the left side of `{sign}`") is (sign == "||")
            return left if decided else truth(self.value(expression.right, scope, depth), f"the right side of `{sign}`")
        return self.operated(sign, left, self.value(expression.right, scope, depth))

    def operated(self, sign: str, left: object, right: object) -> object:
        match sign:
            case "==" | "!=":
                return equal(left, right, self.budget) is (sign == "==")
            case "in" | "!in":
                return contains(right, left, self.budget) is (sign == "in")
            case "..":
                return Span(left, right)
            case "<" | "<=" | ">" | ">=":
                return ordered(sign, left, right, self.budget)
        return combined(sign, left, right, self.budget)

    def called(self, call: Call, scope: Scope, depth: int) -> object:
        receiver = self.value(call.receiver, scope, depth)
        if call.safe and receiver is None:
            return None
        function = FUNCTIONS[call.function]
        if kind(receiver) not in function.on:
            hint = f"; write ?.{call.function} where the value may be missing" if receiver is None else ""
            kinds = " or ".join(function.on)
            raise ExpressionFailure(f"`{call.function}` works on a {kinds}, not on {brief(receiver)}{hint}")
        argument = self.argument(call.argument, function, scope, depth)
        if call.ignore_case:
            receiver, argument = folded(receiver, self.budget), folded(argument, self.budget)
        return function.apply(receiver, argument, self.budget)

    def argument(self, argument: Expression | Lambda | None, function: Function, scope: Scope, depth: int) -> object:
        if isinstance(argument, Lambda):
            return self.block(argument, scope, depth)
        return function.default if argument is None else self.value(argument, scope, depth)

    def block(self, written: Lambda, scope: Scope, depth: int) -> Block:
        """The lambda as a callable; it sees the names of the enclosing scope."""
        return lambda item: self.value(written.body, {**scope, written.parameter: item}, depth + 1)
