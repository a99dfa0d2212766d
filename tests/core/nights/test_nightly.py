"""What follows from what is known of a night, step by step."""

from typing import Any

import pytest

from stoic_assets.core.nights.alerts import regression_confirmed
from stoic_assets.core.nights.night_record import (
    Alarm,
    HeldVersion,
    Night,
    Round,
    RoundName,
    night_evaluation_id,
    second_round_key,
)
from stoic_assets.core.nights.nightly import Facts, Steps, has_verdict, is_over, next_steps, no_verdict, regressed_twice

BASE, CANDIDATE, OTHER = "marcus@1.0.0", "marcus@1.1.0", "ada@1"
BASES = {BASE: None, CANDIDATE: BASE, OTHER: None}
NOTHING = Steps({}, (), ())
HIGHER = f"continue with `stoic eval --agent-version {BASE} --resume e` and a higher --max-cost"


def round_of(name: RoundName, *versions: str) -> Round:
    held = {each: HeldVersion(evaluation_id=f"{name} {each}", base=BASES[each]) for each in versions}
    return Round(run_id="r", held_at="2026-11-22T02:10:00+00:00", evaluations=held)


def row(measure: str, verdict: str = "regressed", base: str = BASE, gating: bool = True) -> dict[str, Any]:
    return {
        "measure": measure, "verdict": verdict, "gating": gating, "base": base, "difference": -0.2, "p_adjusted": 0.01,
    }


def weaker(*assertions: str, base: str = BASE) -> list[dict[str, Any]]:
    """No measure fell, but these hold less often."""
    return [{**row("task", "unchanged", base), "weaker_assertions": list(assertions)}]


FIRST = Night(night="2026-11-22", first=round_of("first", BASE, CANDIDATE, OTHER))
BOTH = FIRST.model_copy(update={"again": round_of("again", BASE, CANDIDATE)})


def steps(night: Night, comparisons: dict[str, list[dict[str, Any]]], **runs: set[str]) -> Steps:
    return next_steps(night, Facts(comparisons, **runs))


def test_evaluations_of_one_round_were_held_together() -> None:
    assert BOTH.held_with(f"first {CANDIDATE}", BASE) == f"first {BASE}"
    assert BOTH.held_with(f"again {CANDIDATE}", BASE) == f"again {BASE}"
    assert BOTH.held_with(f"again {CANDIDATE}", OTHER) is None
    assert BOTH.held_with("another", BASE) is None


def test_bases_are_evaluated_before_those_that_are_compared_with_them() -> None:
    assert steps(FIRST, {}).evaluate == {BASE: f"first {BASE}", OTHER: f"first {OTHER}"}
    assert steps(FIRST, {}, running={f"first {BASE}", f"first {OTHER}"}) == NOTHING
    done = {f"first {BASE}": [], f"first {OTHER}": []}
    assert steps(FIRST, done).evaluate == {CANDIDATE: f"first {CANDIDATE}"}


def test_a_base_whose_run_failed_holds_nobody_up() -> None:
    assert steps(FIRST, {}, ended={f"first {BASE}", f"first {OTHER}"}).evaluate == {CANDIDATE: f"first {CANDIDATE}"}


def test_a_version_is_judged_again_after_its_base() -> None:
    judged = {f"first {each}": [] for each in BASES}
    assert steps(FIRST, judged) == NOTHING
    assert steps(FIRST, judged, ended={f"first {BASE}"}).evaluate == {CANDIDATE: f"first {CANDIDATE}"}
    assert steps(FIRST, judged, running={f"first {BASE}"}) == NOTHING
    assert steps(FIRST, judged, ended={f"first {BASE}", f"first {CANDIDATE}"}) == NOTHING


@pytest.mark.parametrize(
    ("status", "scored", "invalid", "why"),
    [
        ("finished", 18, 2, None),
        ("regrading", 18, 2, None),
        ("finished", 17, 3, "no verdict: 3 of 20 trials are invalid, more than the 10 % that"),
        ("finished", 0, 20, "no verdict: 20 of 20 trials"),
        ("incomplete", 18, 0, f"no verdict: 18 of 20 trials were run before the cost ceiling was reached; {HIGHER}"),
        ("incomplete", 0, 0, f"no verdict: 0 of 20 trials were run before the cost ceiling was reached; {HIGHER}"),
        ("incomplete", 0, 20, f"no verdict: the cost ceiling was reached before all verdicts were given; {HIGHER}"),
    ],
)
def test_a_verdict_needs_trials_that_count(status: str, scored: int, invalid: int, why: str | None) -> None:
    head = {
        "agent_version": BASE, "evaluation_id": "e", "status": status, "scored_trials": scored,
        "invalid_trials": invalid, "planned_trials": 20,
    }
    found = no_verdict(head, 0.1)
    assert found is None if why is None else (found or "").startswith(why)
    assert has_verdict(head, 0.1) == (why is None)


@pytest.mark.parametrize(
    ("evaluation_id", "way"),
    [
        (night_evaluation_id("2026-11-22", BASE, "first"), "materialise the night again"),
        ("release-1", f"continue with `stoic eval --agent-version {BASE} --resume release-1`"),
    ],
)
def test_what_is_no_part_of_a_night_has_a_command_to_go_on(evaluation_id: str, way: str) -> None:
    head = {
        "agent_version": BASE, "evaluation_id": evaluation_id, "status": "finished", "scored_trials": 0,
        "invalid_trials": 20, "planned_trials": 20,
    }
    assert (no_verdict(head, 0.1) or "").endswith(f"; its report names the causes; correct them and {way}")


def test_what_was_never_judged_has_no_verdict_and_nothing_to_be_said_of_it() -> None:
    head = {"status": "conversed", "scored_trials": None, "invalid_trials": None}
    assert (has_verdict(head, 0.1), no_verdict(head, 0.1)) == (False, None)


def test_a_night_in_which_nothing_fell_is_over() -> None:
    rows = [row("task", "unchanged"), row("wisdom", "improved"), row("lift", gating=False)]
    assert steps(FIRST, {f"first {each}": rows for each in BASES}) == NOTHING


def test_a_night_is_over_once_nothing_is_to_be_expected_of_it() -> None:
    judged = {f"first {each}": [row("task", "unchanged")] for each in BASES}
    assert is_over(FIRST, Facts(judged))
    assert is_over(FIRST, Facts({}, ended=set(judged))), "a failed run gives no verdict, and is tried no more"
    assert not is_over(FIRST, Facts(judged, running={f"first {OTHER}"}))
    fell = judged | {f"first {CANDIDATE}": [row("task")]}
    assert not is_over(FIRST, Facts(fell)), "it is held again"
    assert not is_over(BOTH, Facts(fell))
    assert is_over(BOTH, Facts(fell | {f"again {each}": [] for each in (BASE, CANDIDATE)}))


def test_what_fell_is_held_again_with_its_base_once_everybody_has_a_verdict() -> None:
    some = {f"first {BASE}": [], f"first {CANDIDATE}": [row("task")]}
    assert steps(FIRST, some, running={f"first {OTHER}"}) == NOTHING
    assert steps(FIRST, some, ended={f"first {OTHER}"}).again == (BASE, CANDIDATE)


def test_a_base_that_is_not_live_is_not_held() -> None:
    alone = Night(night="2026-11-22", first=round_of("first", CANDIDATE))
    assert steps(alone, {f"first {CANDIDATE}": [row("task")]}).again == (CANDIDATE,)


def test_only_what_fell_twice_is_an_alarm_and_only_once() -> None:
    first = {f"first {BASE}": [], f"first {OTHER}": [], f"first {CANDIDATE}": [row("task"), row("wisdom")]}
    assert steps(BOTH, first).evaluate == {BASE: f"again {BASE}"}
    assert steps(BOTH, first).alarms == ()
    both = {**first, f"again {BASE}": [], f"again {CANDIDATE}": [row("task"), row("courage")]}
    [alarm] = steps(BOTH, both).alarms
    assert (alarm.agent_version, alarm.base) == (CANDIDATE, BASE)
    assert [each["measure"] for each in alarm.measures] == ["task"]
    assert alarm.evaluation_ids == (f"first {CANDIDATE}", f"again {CANDIDATE}")
    assert steps(BOTH.model_copy(update={"alarms": {CANDIDATE: alarm}}), both) == NOTHING


def known(*measures: str, base: str = BASE) -> dict[str, Alarm]:
    """What the night before told of the candidate."""
    told = tuple({"measure": each} for each in measures)
    return {CANDIDATE: Alarm(agent_version=CANDIDATE, base=base, measures=told, evaluation_ids=("a", "b"))}


def test_what_the_night_before_told_of_is_kept_and_not_told_again() -> None:
    fell = {f"first {BASE}": [], f"first {OTHER}": [], f"first {CANDIDATE}": [row("task")]}
    before = known("task", "wisdom")
    found = next_steps(FIRST, Facts(fell, known=before))
    assert (found.again, found.alarms) == ((), ())
    assert found.known == (known("task")[CANDIDATE],), "wisdom would be news again"
    recorded = FIRST.model_copy(update={"alarms": before})
    assert next_steps(recorded, Facts(fell, known=before)) == NOTHING


def test_what_fell_every_night_stays_known_though_another_measure_is_told() -> None:
    fell = {f"first {BASE}": [], f"first {OTHER}": [], f"first {CANDIDATE}": [row("task"), row("wisdom")]}
    fell |= {f"again {BASE}": [], f"again {CANDIDATE}": [row("task")]}
    [alarm] = next_steps(BOTH, Facts(fell, known=known("wisdom", "courage"))).alarms
    assert ([each["measure"] for each in alarm.measures], alarm.kept) == (["task"], ("wisdom",))
    tomorrow = Facts(fell, known={CANDIDATE: alarm})
    assert next_steps(FIRST, tomorrow).again == ()
    only_wisdom = fell | {f"first {CANDIDATE}": [row("wisdom")]}
    [kept] = next_steps(FIRST, Facts(only_wisdom, known={CANDIDATE: alarm})).known
    assert (kept.measures, kept.reported) == ((), {"wisdom"})


@pytest.mark.parametrize("before", [known("wisdom"), known("task", base="marcus@0.9")])
def test_what_the_night_before_did_not_tell_of_is_held_again_and_told(before: dict[str, Alarm]) -> None:
    fell = {f"first {BASE}": [], f"first {OTHER}": [], f"first {CANDIDATE}": [row("task"), row("wisdom")]}
    assert next_steps(FIRST, Facts(fell, known=before)).again == (BASE, CANDIDATE)
    twice = fell | {f"again {BASE}": [], f"again {CANDIDATE}": [row("task"), row("wisdom")]}
    recorded = BOTH.model_copy(update={"alarms": before})
    [alarm] = next_steps(recorded, Facts(twice, known=before)).alarms
    assert [each["measure"] for each in alarm.measures] == ["task", "wisdom"]
    told = BOTH.model_copy(update={"alarms": {CANDIDATE: alarm}})
    assert next_steps(told, Facts(twice, known=before)) == NOTHING
    known_alone = twice | {f"again {CANDIDATE}": [row("wisdom")]}
    assert bool(next_steps(recorded, Facts(known_alone, known=before)).alarms) == (before[CANDIDATE].base != BASE)


@pytest.mark.parametrize(
    "again",
    [[], [row("task", "unchanged")], [row("wisdom")], [row("task", base="marcus@0.9")], [row("task", gating=False)]],
)
def test_what_does_not_fall_again_is_no_alarm(again: list[dict[str, Any]]) -> None:
    assert regressed_twice([row("task")], again) == []


def test_the_alarm_says_what_both_rounds_found() -> None:
    again = {**row("task"), "difference": -0.3, "p_adjusted": 0.02}
    [alarm] = steps(BOTH, {f"first {CANDIDATE}": [row("task")], f"again {CANDIDATE}": [again]}).alarms
    event = regression_confirmed(alarm, "2026-11-22", BOTH.last_held)
    assert (event.type, event.subject, event.time) == ("stoic.regression_confirmed", CANDIDATE, BOTH.last_held)
    assert event.data == {
        "agent_id": "marcus", "agent_version": CANDIDATE, "base": BASE, "night": "2026-11-22",
        "measures": [{
            "measure": "task", "difference": -0.3, "p_adjusted": 0.02,
            "first_difference": -0.2, "first_p_adjusted": 0.01,
        }],
        "assertions": [],
        "evaluation_ids": [f"first {CANDIDATE}", f"again {CANDIDATE}"],
    }


def test_assertions_that_are_weaker_twice_are_an_alarm() -> None:
    fell = {f"first {BASE}": [], f"first {OTHER}": [], f"first {CANDIDATE}": weaker("it is stored", "it is polite")}
    assert steps(FIRST, fell).again == (BASE, CANDIDATE)
    twice = fell | {f"again {BASE}": [], f"again {CANDIDATE}": weaker("it is stored")}
    [alarm] = steps(BOTH, twice).alarms
    assert (alarm.measures, alarm.assertions, alarm.kept) == ((), ("it is stored",), ())
    assert regression_confirmed(alarm, "2026-11-22", BOTH.last_held).data["assertions"] == ["it is stored"]
    assert steps(BOTH, fell | {f"again {BASE}": [], f"again {CANDIDATE}": weaker("it is new")}).alarms == ()
    other_base = {f"again {BASE}": [], f"again {CANDIDATE}": weaker("it is stored", base="marcus@0.9")}
    assert steps(BOTH, fell | other_base).alarms == ()


def test_an_assertion_that_is_known_to_be_weaker_is_no_news_the_next_night() -> None:
    twice = {f"first {BASE}": [], f"first {OTHER}": [], f"first {CANDIDATE}": weaker("task", "it is polite")}
    twice |= {f"again {BASE}": [], f"again {CANDIDATE}": weaker("task", "it is polite")}
    [alarm] = steps(BOTH, twice).alarms
    tomorrow = twice | {f"first {CANDIDATE}": weaker("task")}
    found = next_steps(FIRST, Facts(tomorrow, known={CANDIDATE: alarm}))
    assert (found.again, found.alarms) == ((), ())
    [still] = found.known
    assert (still.assertions, still.kept) == (("task",), ())
    measure = tomorrow | {f"first {CANDIDATE}": [row("task")]}
    assert next_steps(FIRST, Facts(measure, known={CANDIDATE: alarm})).again, "the measure of that name is news"


def test_a_night_survives_being_written_down() -> None:
    assert Night.model_validate_json(BOTH.model_dump_json()) == BOTH


LATER = round_of("first", BASE, CANDIDATE, OTHER).model_copy(update={"held_at": "2026-11-22T09:00:00+00:00"})
JUDGED: dict[str, list[dict[str, Any]]] = {f"first {each}": [] for each in BASES}


@pytest.mark.parametrize(
    ("first", "faults", "verdicts", "due"),
    [
        (LATER, {}, (BASE,), (BASE, CANDIDATE)),
        (LATER, {}, (BASE, CANDIDATE), ()),
        (LATER, {OTHER: "its agent was down"}, (BASE, CANDIDATE), (BASE, CANDIDATE, OTHER)),
        (FIRST.first, {}, (BASE,), ()),
    ],
)
def test_a_second_round_is_completed_after_a_first_that_was_held_once_more(
    first: Round, faults: dict[str, str], verdicts: tuple[str, ...], due: tuple[str, ...]
) -> None:
    again = round_of("again", BASE, CANDIDATE).model_copy(update={"faults": faults})
    night = FIRST.model_copy(update={"first": first, "again": again})
    known = JUDGED | {f"again {each}": [] for each in verdicts}
    ended = {f"again {each}" for each in (BASE, CANDIDATE)}
    facts = Facts(known, ended=ended)
    assert next_steps(night, facts).again == due
    assert is_over(night, facts) == (not due)
    assert next_steps(night, Facts(known, running={f"again {CANDIDATE}"})).again == ()


@pytest.mark.parametrize(
    ("tried", "due"),
    [
        ({"evaluations": {}}, (BASE, CANDIDATE)),
        ({"evaluations": round_of("again", OTHER).evaluations}, (BASE, CANDIDATE)),
        ({"evaluations": round_of("again", BASE).evaluations}, (BASE, CANDIDATE)),
        ({"evaluations": round_of("again", BASE, CANDIDATE).evaluations}, ()),
        ({"evaluations": {}, "faults": {CANDIDATE: "its agent was down"}}, ()),
    ],
)
@pytest.mark.parametrize("first", [FIRST.first, LATER])
def test_what_fell_after_a_second_round_of_others_is_held_again_too(
    first: Round, tried: dict[str, Any], due: tuple[str, ...]
) -> None:
    again = round_of("again").model_copy(update=tried)
    night = FIRST.model_copy(update={"first": first, "again": again})
    known = JUDGED | {f"first {CANDIDATE}": [row("task")]} | {f"again {each}": [] for each in again.evaluations}
    asked = next_steps(night, Facts(known)).again
    unfinished = tuple(again.faults) if first == LATER else ()
    assert asked == (due or unfinished)
    assert is_over(night, Facts(known)) == (not asked)


def test_what_is_completed_and_what_fell_since_are_held_again_together() -> None:
    again = round_of("again", OTHER).model_copy(update={"faults": {OTHER: "its agent was down"}})
    night = FIRST.model_copy(update={"first": LATER, "again": again})
    known = JUDGED | {f"first {CANDIDATE}": [row("task")], f"again {OTHER}": []}
    assert next_steps(night, Facts(known)).again == (OTHER, BASE, CANDIDATE)


@pytest.mark.parametrize("first", [FIRST.first, LATER])
def test_a_second_round_that_ended_without_a_record_is_not_waited_for(first: Round) -> None:
    before = FIRST.model_copy(update={"first": first})
    fell = JUDGED | {f"first {CANDIDATE}": [row("task")]}
    key = second_round_key(before, (BASE, CANDIDATE))
    assert next_steps(before, Facts(fell, tried={"another"})).again == (BASE, CANDIDATE)
    assert next_steps(before, Facts(fell, tried={key})) == NOTHING
    assert is_over(before, Facts(fell, tried={key}))
    repeated = before.model_copy(update={"first": first.model_copy(update={"run_id": "r2"})})
    assert next_steps(repeated, Facts(fell, tried={key})).again == (BASE, CANDIDATE), "it follows once more"
