"""Can an expression get out of its sandbox, hang or crash? Generated Kotlin, mutated Kotlin and noise on hostile data.

    python -m benchmarks.expression_fuzz [--inputs N] [--seed N]

Each input is parsed and, where that succeeds, evaluated. It may give a JSON value, an ExpressionError (refused) or an
ExpressionFailure (no value); anything else is a crash. More than a second of CPU time is a hang, and one of a minute
ends the process. An escape is any event of Python's audit meanwhile (a file, a socket, a process, an import, compiled
code), or data that is no longer as it was. Exits 1 when there was one of these. The default is 100,000 inputs.
"""

import argparse
import faulthandler
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from typing import Any

from stoic_assets.core.assertions.bindings import ROOTS
from stoic_assets.core.assertions.kotlin_evaluation import evaluate
from stoic_assets.core.assertions.kotlin_functions import FUNCTIONS, Takes
from stoic_assets.core.assertions.kotlin_syntax import parse_expression
from stoic_assets.core.errors import ExpressionError, ExpressionFailure

SEED, SHARE, PROCESSES = 20261122, 1_000, 2
HANG_SECONDS, DEAD_SECONDS = 1.0, 60.0

MEMBERS = ("size", "length", "name", "args", "properties", "labels", "content", "a", "b", "wide", "__class__")
LITERALS = ("0", "1", "2.5", "1e308", "0x7f", "9223372036854775807", "true", "false", "null", '""', '"a"', "1L")
BINARY = ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "/", "%", "?:", "in", "!in")
ODD_NAMES = ("System", "java", "os", "this", "__builtins__", "x", "it")
ODD_LITERALS = ("9223372036854775808", '"$it"', '"\\ud83d"', '"""raw$x"""', "'c'", "1u", "00", "-1", "1_0", ".5")
ODD_BINARY = ("===", "!==", "..", "and", "is", "as", "=", "+=", "->", ".")
ODD = 0.02
"""How often something stands in an expression that must be refused, or nearly so."""
FOREIGN = """
    {e}::class
    {e}!!
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
    {e}.any {{ a, b -> {e} }}
""".strip().splitlines()
_LAMBDAS = (" {{ {e} }}", " {{ x -> {e} }}")
ARGUMENTS = {
    Takes.NOTHING: ("()",), Takes.VALUE: ("({e})",), Takes.LAMBDA: _LAMBDAS, Takes.LAMBDA_OR_NOTHING: (*_LAMBDAS, "()"),
}  # fmt: skip


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
    """What an agent may have left behind."""
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
            self._call: 24, self._binary: 18, self._member: 12, self._index: 6, self._enclosed: 6, self._prefix: 4,
            self._foreign: 1,
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
        return f"{root}.{self._one(ROOTS[root], MEMBERS)}"

    def _call(self, depth: int) -> str:
        name = self._chance.choice([*FUNCTIONS])
        takes = self._chance.choice([*Takes]) if self._chance.random() < ODD else FUNCTIONS[name].takes
        dot, argument = self._chance.choice((".", "?.")), self._chance.choice(ARGUMENTS[takes])
        receiver = self.expression(depth)
        self._parameters.append("x" if "->" in argument else "it")
        inside = self.expression(depth)
        self._parameters.pop()
        return f"{receiver}{dot}{name}{argument.format(e=inside)}"

    def _binary(self, depth: int) -> str:
        return f"({self.expression(depth)}) {self._one(BINARY, ODD_BINARY)} ({self.expression(depth)})"

    def _member(self, depth: int) -> str:
        return f"({self.expression(depth)}){self._chance.choice(('.', '?.'))}{self._chance.choice(MEMBERS)}"

    def _index(self, depth: int) -> str:
        return f"{self._name()}[{self.expression(depth)}]"

    def _enclosed(self, depth: int) -> str:
        return self._chance.choice(("({e})", '"${{{e}}}"', '"a ${{{e}}} b"')).format(e=self.expression(depth))

    def _prefix(self, depth: int) -> str:
        return f"{self._chance.choice('!-')}{self.expression(depth)}"

    def _foreign(self, depth: int) -> str:
        return self._chance.choice(FOREIGN).strip().format(e=self.expression(depth))


def mutated(text: str, chance: random.Random) -> str:
    """The text after a few edits: parts are lost, doubled, turned round, or give way to noise."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.randint(0, 12))
        old = text[start:end]
        new = chance.choice(("", old * 2, old[::-1], noise(chance, 4), chance.choice("([{-!") * chance.randint(1, 99)))
        text = text[:start] + new + text[end:]
    return text


def noise(chance: random.Random, length: int) -> str:
    """Bytes read as text, lone surrogates included, or signs that mean something."""
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


@dataclass
class Findings:
    """What came of some inputs: how often what, the slowest in seconds of CPU, and what must not be."""

    counts: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")
    faults: list[str] = field(default_factory=list)

    def __add__(self, other: "Findings") -> "Findings":
        return Findings(self.counts + other.counts, max(self.slowest, other.slowest), self.faults + other.faults)


class Watch:
    """Notes what Python's audit tells while it is open. A hook can never be taken away, so there is one a process."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.open = False
        sys.addaudithook(self._note)

    def _note(self, event: str, _: tuple[Any, ...]) -> None:
        if self.open:
            self.events.append(event)


@cache
def watch() -> Watch:
    """The one of this process; whatever is imported at the first use of an expression has been by then."""
    outcome("evaluation.job.any { it.nope == 1 }", {"evaluation": {"job": [{}]}})
    outcome('"a".length', {})
    return Watch()


def outcome(text: str, data: dict[str, Any]) -> str:
    """What becomes of one input: `value`, `failed`, `refused`, or a crash and its reason."""
    try:
        value = evaluate(parse_expression(text), data)
    except ExpressionError:
        return "refused"
    except ExpressionFailure:
        return "failed"
    except BaseException as error:  # whatever it is, it is the finding
        return f"crash, {error!r:.200}"
    is_json = value is None or isinstance(value, bool | int | float | str | list | dict)
    return "value" if is_json else f"crash, a {type(value).__name__} came out"


def share(seed: int, number: int, inputs: int) -> Findings:
    """So many inputs, in this process; `seed` and `number` decide which."""
    chance, seen, findings, before = random.Random(f"{seed}.{number}"), watch(), Findings(), repr(HOSTILE)
    for _ in range(inputs):
        text, data = generated(chance), bindings(chance)
        faulthandler.dump_traceback_later(DEAD_SECONDS, exit=True)
        began, seen.open = time.process_time(), True
        became = outcome(text, data)
        took, seen.open = time.process_time() - began, False
        faulthandler.cancel_dump_traceback_later()
        findings.counts[became.partition(",")[0]] += 1
        findings.slowest = max(findings.slowest, (took, text))
        faults = [became] * became.startswith("crash") + [f"hang of {took:.1f} s"] * (took > HANG_SECONDS)
        findings.faults += [f"{fault}: {text!r:.500}" for fault in faults + [f"escape, {each}" for each in seen.events]]
        seen.events.clear()
    if repr(HOSTILE) != before:
        findings.faults.append(f"escape, an input of share {number} changed the data")
    return findings


def main() -> int:
    """Tries all inputs and prints what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    began, shares = time.perf_counter(), max(1, chosen.inputs // SHARE)
    with ProcessPoolExecutor(PROCESSES) as pool:
        found = sum(pool.map(share, repeat(chosen.seed), range(shares), repeat(SHARE)), Findings())
    seconds, slow = found.slowest
    print(f"{found.counts.total():,} inputs in {time.perf_counter() - began:.0f} s, seed {chosen.seed}")
    print(", ".join(f"{name} {number:,}" for name, number in found.counts.most_common()))
    print(f"slowest {seconds:.2f} s of CPU: {slow!r:.200}")
    print("\n".join(found.faults) or "no escape, no hang, no crash")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
