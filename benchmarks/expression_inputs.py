"""The inputs of the expression fuzzer: generated Kotlin, mutated Kotlin and noise, and data of a hostile agent.

The grammar covers every function that exists, by the table that the parser itself uses.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from stoic_assets.core.assertions.bindings import ROOTS
from stoic_assets.core.assertions.kotlin.functions import FUNCTIONS, Takes

MEMBERS = ("size", "length", "name", "args", "properties", "labels", "content", "a", "b", "wide", "__class__")
LITERALS = ("0", "1", "2.5", "1e308", "0x7f", "9223372036854775807", "true", "false", "null", '""', '"a"', "1L")
BINARY = ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "/", "%", "?:", "in", "!in")
ODD_NAMES = ("System", "java", "os", "this", "__builtins__", "x", "it")
ODD_LITERALS = ("9223372036854775808", '"$it"', '"\\ud83d"', '"""raw$x"""', "'c'", "1u", "00", "-1", "1_0", ".5")
ODD_BINARY = ("===", "!==", "..", "..<", "and", "is", "as", "=", "+=", "->", ".")
ODD = 0.02
"""The share of parts of an expression that must be refused, or nearly so."""
FOREIGN = """
    {e}::class
    if ({e}) {e} else {e}
    {{ {e} }}
    when ({e}) {{ else -> {e} }}
    fun f() = {e}
    {e} as Any
    object : Any() {{}}
    throw {e}
    try {{ {e} }} finally {{}}
    @A {e}
    {e}; {e}
    val x = {e}
    {e}.also {{ {e} }}
    Runtime.getRuntime().exec("id")
    {e}.javaClass.forName({e})
    __import__('os').system('id')
    while (true) {{}}
    /* {e} */ {e}
    {e} // {e}
    {e}.size()
    {e}.matches(Regex("(a+)+b"))
    {e}.contains({e}, ignoreCase = {e})
    {e}.joinToString(separator = {e})
    setOf({e})
    ({e}..{e}).any {{ {e} }}
    listOf {{ {e} }}
    {e}++
    {e}.any {{ a, b -> {e} }}
""".strip().splitlines()
_LAMBDAS = (" {{ {e} }}", " {{ x -> {e} }}")
ARGUMENTS = {
    Takes.NOTHING: ("()",),
    Takes.VALUE: ("({e})",),
    Takes.VALUE_AND_CASE: ("({e})", "({e}, ignoreCase = true)", "({e}, ignoreCase = false)"),
    Takes.VALUE_OR_NOTHING: ("({e})", "()"),
    Takes.LAMBDA: _LAMBDAS,
    Takes.LAMBDA_OR_NOTHING: (*_LAMBDAS, "()"),
}


def deep(levels: int) -> Any:
    """A list in a list in a list …"""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


HOSTILE: tuple[Any, ...] = (
    {"a": 1, "b": [1, 2.0, None, True, "x"], "size": "big", "": {}, "__class__": "no"},
    {"numbers": [float("nan"), float("inf"), -0.0, 2**70, -(2**63), 1e-320]},
    list(range(3_000)),
    [{"name": "n" * 100, "args": {str(n): n for n in range(20)}} for n in range(200)],
    "ß😀\ud83d\u0000" * 50_000,
    deep(400),
    {"wide": {f"k{n}": [n] * 20 for n in range(2_000)}},
    ["a" * 10_000] * 100,
)


def bindings(chance: random.Random) -> dict[str, Any]:
    """Data that an agent may have left behind."""
    some = chance.choice(HOSTILE)
    item = {"name": some, "type": "Reminder", "labels": ["A"], "properties": {"size": some}}
    call = {"function": "remind", "args": {"n": some}, "name": "x"}
    return {
        "objectContext": {"context": "", "resources": [item], "entities": [item, {}], "functions": some},
        "evaluation": {
            "sessionId": "s", "job": some, "model": "Müller 😀", "transcript": [{"role": "user", "content": some}],
            "functionCalls": [call], "events": [some], "failureCount": 2, "done": False,
        },
    }


class Grammar:
    """Writes expressions, most of them valid."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._parameters: list[str] = []

    def expression(self, depth: int) -> str:
        """An expression of at most so many levels."""
        if depth <= 0 or self._chance.random() < 0.15:
            return self._chance.choice((self._name, self._literal, self._path))()
        makers: dict[Callable[[int], str], int] = {
            self._call: 24, self._binary: 18, self._member: 12, self._index: 6, self._enclosed: 6, self._unary: 6,
            self._list: 4, self._range: 4, self._foreign: 1,
        }
        [maker] = self._chance.choices([*makers], [*makers.values()])
        return maker(depth - 1)

    def _one(self, usual: Sequence[str], odd: Sequence[str]) -> str:
        return self._chance.choice(odd if self._chance.random() < ODD else usual)

    def _name(self) -> str:
        return self._one(self._parameters, ODD_NAMES) if self._parameters else self._path()

    def _literal(self) -> str:
        return self._one(LITERALS, ODD_LITERALS)

    def _path(self) -> str:
        root = self._chance.choice([*ROOTS])
        return f"{root}.{self._one(tuple(ROOTS[root]), MEMBERS)}"

    def _call(self, depth: int) -> str:
        name = self._chance.choice([*FUNCTIONS])
        takes = self._chance.choice([*Takes]) if self._chance.random() < ODD else FUNCTIONS[name].takes
        dot, argument = self._chance.choice((".", "?.")), self._chance.choice(ARGUMENTS[takes])
        receiver = self.expression(depth)
        outside, within = self._parameters, ["x" if "->" in argument else "it"] if "{{" in argument else []
        self._parameters = outside + within
        inside = self.expression(depth)
        self._parameters = outside
        return f"{receiver}{dot}{name}{argument.format(e=inside)}"

    def _binary(self, depth: int) -> str:
        return f"({self.expression(depth)}) {self._one(BINARY, ODD_BINARY)} ({self.expression(depth)})"

    def _member(self, depth: int) -> str:
        return f"({self.expression(depth)}){self._chance.choice(('.', '?.'))}{self._chance.choice(MEMBERS)}"

    def _index(self, depth: int) -> str:
        return f"{self._name()}[{self.expression(depth)}]"

    def _enclosed(self, depth: int) -> str:
        return self._chance.choice(("({e})", '"${{{e}}}"', '"a ${{{e}}} b"')).format(e=self.expression(depth))

    def _unary(self, depth: int) -> str:
        return self._chance.choice(("!{e}", "-{e}", "{e}!!", "({e})!!")).format(e=self.expression(depth))

    def _list(self, depth: int) -> str:
        return f"listOf({', '.join(self.expression(depth) for _ in range(self._chance.randint(0, 3)))})"

    def _range(self, depth: int) -> str:
        value, first, last = (self.expression(depth) for _ in range(3))
        return f"({value}) {self._chance.choice(('in', '!in'))} ({first})..({last})"

    def _foreign(self, depth: int) -> str:
        return self._chance.choice(FOREIGN).strip().format(e=self.expression(depth))


def mutated(text: str, chance: random.Random) -> str:
    """The text after a few edits: parts are removed, doubled, reversed, or replaced by noise."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.randint(0, 12))
        old = text[start:end]
        new = chance.choice(("", old * 2, old[::-1], noise(chance, 4), chance.choice("([{-!") * chance.randint(1, 99)))
        text = text[:start] + new + text[end:]
    return text


def noise(chance: random.Random, length: int) -> str:
    """Bytes read as text, including lone surrogates, or characters that mean something in Kotlin."""
    if chance.random() < 0.5:
        return "".join(chance.choice("(){}[]\"'$\\.?:!&|<>=+-*/%,;@#`~ \n\t0aé😀") for _ in range(length))
    return chance.randbytes(length).decode("utf-8", chance.choice(("replace", "surrogateescape", "ignore")))


def generated(chance: random.Random) -> str:
    """One input."""
    kind = chance.random()
    if kind < 0.2:
        return noise(chance, chance.choice((1, 5, 40, 400, 5_000)))
    text = Grammar(chance).expression(chance.choice((1, 2, 2, 3, 3, 4, 5, 8)))
    return mutated(text, chance) if kind < 0.5 else text
