"""The judge of the kills: it must find what a resumed evaluation paid twice, left out, or stored otherwise."""

from benchmarks.kills.attempts import of_whichever_attempt
from benchmarks.kills.bill import Process, calls_too_many, kills_of, missing_calls
from benchmarks.kills.doubles import Call
from benchmarks.kills.project import JUDGES_UNDER_WAY, calls_needed
from benchmarks.kills.tables import differences

A, B = "user-1.talk.withheld.1", "user-1.talk.withheld.2"


def call(kind: str, user: str, what: str, at: float = 0.0) -> Call:
    return Call(kind, user, what, at)


def processes(*made: list[Call]) -> list[Process]:
    """A process for each list of calls; all but the last were killed."""
    found, before = list[Process](), list[Call]()
    for number, calls in enumerate(made, 1):
        found.append(Process(0 if number == len(made) else None, 1.0, 10.0, "", list(before), calls))
        before += calls
    return found


def test_one_turn_of_each_trial_may_be_paid_twice_and_no_second_one() -> None:
    first = [call("agent", user, text) for user in (A, B) for text in ("Hello", "More")]
    assert list(calls_too_many(processes(first, [call("agent", A, "More"), call("agent", B, "More")]))) == []
    both = [call("agent", A, "Hello"), call("agent", A, "More")]
    assert list(calls_too_many(processes(first, both))) == [f"{A}: 2 turns paid twice"]
    spoken = [call("evaluator", A, "0")]
    twice = processes([*first, *spoken], [*spoken, call("agent", A, "More")])
    assert list(calls_too_many(twice)) == [f"{A}: 2 turns paid twice"]


def test_no_more_judge_calls_are_paid_twice_than_may_be_in_flight() -> None:
    asked = [call("judge", A, f"judge virtue-{number}") for number in range(JUDGES_UNDER_WAY + 1)]
    assert list(calls_too_many(processes(asked, asked[1:]))) == []
    assert list(calls_too_many(processes(asked, asked))) == [f"{JUDGES_UNDER_WAY + 1} judge calls paid twice"]


def test_a_process_asks_nothing_twice_by_itself() -> None:
    [problem] = calls_too_many(processes([call("judge", A, "judge wisdom")] * 2))
    assert problem == f"judge {A} judge wisdom: 2 times by one process"


def test_every_call_must_be_made_and_every_reply_be_in_the_ledger() -> None:
    needed = {"agent": 1, "evaluator": 1, "judge": 2}
    calls = [call("agent", A, "Hello"), call("evaluator", A, "0"), call("judge", A, "x"), call("judge", A, "y")]
    assert list(missing_calls(processes(calls), needed, ledger=3)) == []
    assert list(missing_calls(processes(calls[:3]), needed, ledger=2)) == [
        "1 judge calls instead of 2", "the ledger has 2 calls; 3 were needed and 2 made"
    ]
    assert len(list(missing_calls(processes(calls), needed, ledger=4))) == 1


def test_a_kill_answers_for_what_was_made_again_whenever_that_was() -> None:
    talk = [call("session", A, ""), call("agent", A, "Hello", at=9.9)]
    judging = [call("agent", A, "Hello"), call("context", A, ""), call("judge", A, "x", at=9.9)]
    kills = kills_of(processes(talk, [], judging, [call("judge", A, "x")]), calls_needed(4), latency=0.2)
    assert [(kill.during, kill.turns_twice, kill.judge_calls_twice) for kill in kills] == [
        ("conversations", 1, 0), ("start-up", 0, 0), ("judging", 0, 1)
    ]
    assert [(kill.running, kill.judge_calls_in_flight) for kill in kills] == [(1, 0), (1, 0), (0, 1)]


def test_a_later_attempt_at_a_trial_goes_by_the_name_of_the_first() -> None:
    assert of_whichever_attempt("E.talk-0.supplied.1-2 and user-E.talk-2.withheld.2-13, 2026-11-22") == (
        "E.talk-0.supplied.1 and user-E.talk-2.withheld.2, 2026-11-22"
    )


def test_other_rows_are_told_by_table() -> None:
    whole = {"trials": ["a", "b"], "turns": ["c"]}
    assert differences(whole, whole) == []
    assert differences(whole, {"trials": ["a", "a", "b"], "turns": ["d"]}) == [
        "trials: 1 rows too many, 0 missing; one of them: a", "turns: 1 rows too many, 1 missing; one of them: d"
    ]
