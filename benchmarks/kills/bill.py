"""The calls that an evaluation was charged for: those that its processes made, and those made for the second time."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.kills.doubles import CALLS_OF_A_TRIAL, Call
from benchmarks.kills.project import JUDGES_UNDER_WAY


@dataclass(frozen=True)
class Process:
    """A run of `stoic`: exit code (None: killed), when it ended, its stderr, calls before and during it."""

    code: int | None
    seconds: float
    ended: float
    err: str
    before: Sequence[Call]
    calls: Sequence[Call]


@dataclass(frozen=True)
class Kill:
    """A kill: seconds after the start of its process, what was running, and what was paid twice because of it."""

    at: float
    during: str
    running: int
    turns_twice: int
    judge_calls_twice: int
    judge_calls_in_flight: int


def kills_of(processes: Sequence[Process], needed: Mapping[str, int], latency: float) -> list[Kill]:
    """The kills among an evaluation's processes."""
    return [
        _kill(process, processes[number + 1 :], needed, latency)
        for number, process in enumerate(processes) if process.code is None
    ]  # fmt: skip


def _kill(killed: Process, later: Sequence[Process], needed: Mapping[str, int], latency: float) -> Kill:
    """The cost of a kill: calls that were last made before it, and made again later."""
    seen, again, lost = [*killed.before, *killed.calls], Counter[str](), {call.key for call in killed.calls}
    for process in later:
        again.update(call.kind for call in process.calls if call.key in lost)
        lost -= {call.key for call in process.calls}
    flying = [call for call in killed.calls if call.kind == "judge" and call.at > killed.ended - latency]
    return Kill(
        killed.seconds, _phase(killed, seen, needed), len(_running(seen)), again["agent"] + again["evaluator"],
        again["judge"], len(flying),
    )  # fmt: skip


def _phase(killed: Process, seen: Sequence[Call], needed: Mapping[str, int]) -> str:
    kinds = _kinds(seen)
    if all(kinds[kind] >= calls for kind, calls in needed.items()):
        return "after the last call"
    if not killed.calls:
        return "start-up"
    if kinds["judge"]:
        return "judging"
    return "conversations" if _running(seen) else "between conversations and judging"


def missing_calls(processes: Sequence[Process], needed: Mapping[str, int], ledger: int) -> Iterator[str]:
    """No call may be missing; the ledger must contain every reply that was used, and no more calls than were made."""
    calls = [call for process in processes for call in process.calls]
    made = _kinds(calls)
    yield from (f"{made[kind]} {kind} calls instead of {n}" for kind, n in needed.items() if made[kind] != n)
    asked = sum(call.kind in ("evaluator", "judge") for call in calls)
    least = needed["evaluator"] + needed["judge"]
    if not least <= ledger <= asked:
        yield f"the ledger has {ledger} calls; {least} were needed and {asked} made"


def calls_too_many(processes: Sequence[Process]) -> Iterator[str]:
    """A process may repeat one turn of a trial and the judge calls that may be under way, but no call of its own."""
    for process in processes:
        known = {call.key for call in process.before}
        again = [call for call in process.calls if call.key in known]
        turns = Counter(call.user for call in again if call.kind in CALLS_OF_A_TRIAL)
        yield from (f"{user}: {n} turns paid twice" for user, n in turns.items() if n > 1)
        if (judged := sum(call.kind == "judge" for call in again)) > JUDGES_UNDER_WAY:
            yield f"{judged} judge calls paid twice"
        own = Counter(call.key for call in process.calls if call.kind in ("agent", "evaluator", "judge"))
        yield from (f"{' '.join(key)}: {n} times by one process" for key, n in own.items() if n > 1)


def _kinds(calls: Sequence[Call]) -> Counter[str]:
    """How many different calls there are of each kind."""
    return Counter(kind for kind, _, _ in {call.key for call in calls})


def _running(calls: Sequence[Call]) -> set[str]:
    """The trials that had started and not ended."""
    over = {call.user for call in calls if call.kind == "context"}
    return {call.user for call in calls if call.kind in ("session", "agent")} - over
