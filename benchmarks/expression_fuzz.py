"""Can an expression get out of its sandbox, hang or crash? Generated Kotlin, mutated Kotlin and noise on hostile data.

    python -m benchmarks.expression_fuzz [--inputs N] [--seed N]

Each input is parsed and, if that succeeds, evaluated. It may give a JSON value, an ExpressionError (refused) or an
ExpressionFailure (no value); anything else is a crash. More than a second of CPU time is a hang, and one of a minute
ends the process. An escape is any event of Python's audit meanwhile (a file, a socket, a process, an import, compiled
code), or a change of the data. Exits 1 if there was one of these. The default is 100,000 inputs.
"""

import argparse
import faulthandler
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from typing import Any

from benchmarks.expression_inputs import HOSTILE, bindings, generated
from stoic_assets.core.assertions.kotlin.evaluation import evaluate
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionError, ExpressionFailure

SEED, SHARE, PROCESSES = 20261122, 1_000, 2
HANG_SECONDS, DEAD_SECONDS = 1.0, 60.0


@dataclass
class Findings:
    """The results of some inputs: how often each occurred, the slowest in seconds of CPU, and the faults."""

    counts: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")
    faults: list[str] = field(default_factory=list)

    def __add__(self, other: "Findings") -> "Findings":
        return Findings(self.counts + other.counts, max(self.slowest, other.slowest), self.faults + other.faults)


class Watch:
    """Records events of Python's audit while it is open. A hook can never be removed, so there is one a process."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.open = False
        sys.addaudithook(self._note)

    def _note(self, event: str, _: tuple[Any, ...]) -> None:
        if self.open:
            self.events.append(event)


@cache
def watch() -> Watch:
    """The watch of this process; everything that the first use of an expression imports is imported before."""
    outcome("evaluation.job.any { it.nope == 1 }", {"evaluation": {"job": [{}]}})
    outcome('"a".length', {})
    outcome('"ä".equals("Ä", ignoreCase = true)', {})
    return Watch()


def outcome(text: str, data: dict[str, Any]) -> str:
    """The result of one input: `value`, `failed`, `refused`, or a crash and its reason."""
    try:
        value = evaluate(parse_expression(text), data)
    except ExpressionError:
        return "refused"
    except ExpressionFailure:
        return "failed"
    except BaseException as error:  # any error is a finding
        return f"crash, {error!r:.200}"
    is_json = value is None or isinstance(value, bool | int | float | str | list | dict)
    return "value" if is_json else f"crash, a {type(value).__name__} came out"


def share(seed: int, number: int, inputs: int) -> Findings:
    """Tries so many inputs in this process; `seed` and `number` determine which."""
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
    """Tries all inputs and prints the results."""
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
