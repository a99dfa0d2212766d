"""What stops a pipeline, which gate cannot, and what of it is shown to a person."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from compare_command import BASE, CANDIDATE, COMMANDS, HARD, OPEN, TRIALS, Evaluate, run_gate
from typer.testing import CliRunner

from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.presentation.markdown import plain


@pytest.mark.parametrize(("gate", "code"), [("regression", 0), ("inconclusive", 1)])
def test_a_gate_that_cannot_say_no_says_so(evaluate: Evaluate, compared: Any, gate: str, code: int) -> None:
    evaluate(BASE, trials=range(16))
    evaluate(CANDIDATE, trials=range(16), failed=range(16))
    done = CliRunner().invoke(COMMANDS, [BASE, CANDIDATE, "--fail-on", gate, "--json"], catch_exceptions=False)
    few = "with fewer than 5 jobs measured in both versions (here: 4)"
    said = f"{few} no measure can be called regressed, however far it dropped"
    assert said in json.loads(done.stdout)["notes"]
    advice = "add jobs, or use --fail-on broken or `stoic eval --fail-under`"
    cannot = f"stoic: --fail-on regression cannot fail here: {said}; {advice}\n"
    few = "only 4 jobs measured in both, and 5 are needed"
    undecided = f"{OPEN} 7 of 7 measured are undecided: {few}; assertion, timing were not measured\n"
    told = {"regression": cannot, "inconclusive": undecided}
    assert (done.exit_code, done.stderr) == (code, told[gate])
    assert f"note: {said}\n" in CliRunner().invoke(COMMANDS, [BASE, CANDIDATE], catch_exceptions=False).stdout


def test_what_broke_in_a_few_jobs_stops_a_pipeline_though_nothing_regressed(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, refused=())
    evaluate(CANDIDATE, refused=range(2, 8))
    code, document = compared()
    assert (code, document["verdict"]) == (0, "inconclusive")
    place = {"condition": "withheld", "assertion": "refund booked", "text": "RETURN 1"}
    assert document["flipped_assertions"] == [
        {"job": "job 1", **place, "change": -1.0, "base": {"held": 4, "of": 4}, "candidate": {"held": 0, "of": 4}},
        {"job": "job 0", **place, "change": -0.5, "base": {"held": 4, "of": 4}, "candidate": {"held": 2, "of": 4}},
    ]
    broke = f"1 assertion that always held for {BASE} never holds for {CANDIDATE}"
    named = "  refund booked (held 4 of 4 times, now 0 of 4) in job 1 (withheld)\n"
    assert run_gate("broken") == run_gate("regression", "broken") == (1, f"stoic: --fail-on broken: {broke}:\n{named}")
    undecided = f"{OPEN} 8 of 8 measured are undecided; timing was not measured\n"
    assert run_gate("inconclusive", "broken") == (1, f"{undecided}stoic: --fail-on broken: {broke}:\n{named}")
    less = f"1 assertion holds significantly less often for {CANDIDATE} than for {BASE}"
    assert document["summary"].endswith(f"; but {broke}, and {less}")
    [weaker] = document["weaker_assertions"]
    assert (weaker["assertion"], weaker["change"], len(weaker["cells"])) == ("refund booked", -0.125, 12)
    places = "job 1 (withheld), job 0 (withheld)"
    line = f"  refund booked (held 48 of 48 times, now 42 of 48; p 0.003), less often in {places}"
    fell = f"stoic: --fail-on weaker: {less}:\n{line}\n"
    assert run_gate("weaker") == (1, fell)
    assert run_gate("weaker", "broken") == (1, f"stoic: --fail-on broken: {broke}:\n{named}{fell}")
    shown = CliRunner().invoke(COMMANDS, [BASE, CANDIDATE], catch_exceptions=False).stdout.splitlines()
    assert shown[shown.index(f"{less}:") + 1].startswith("  refund booked (held 48 of 48 times, now 42 of 48;")


def test_what_broke_wherever_it_fell_is_told_once(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, refused=())
    evaluate(CANDIDATE, refused=range(4, 16))
    assert len(compared()[1]["weaker_assertions"]) == 1
    broke = f"3 assertions that always held for {BASE} never hold for {CANDIDATE}"
    code, said = run_gate("weaker", "broken")
    assert (code, said.count("stoic: "), said.startswith(f"stoic: --fail-on broken: {broke}")) == (1, 1, True)
    assert run_gate("weaker")[0] == 1


def test_what_one_trial_says_stops_nothing(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, refused=(), trials=range(0, 48, 4))
    evaluate(CANDIDATE, refused=TRIALS, trials=range(0, 48, 4))
    document = compared()[1]
    assert {flip["change"] for flip in document["flipped_assertions"]} == {-1.0}
    why = "no assertion was checked in 2 trials of a job under the same condition in both versions"
    advice = "evaluate both versions with --repeats 2 or more"
    assert run_gate("broken") == (0, f"stoic: --fail-on broken cannot fail here: {why}; {advice}\n")
    assert run_gate("weaker")[0] == 1
    evaluate(BASE, refused=())
    assert run_gate("broken")[0] == 0


def test_a_gate_that_no_assertion_could_fail_names_the_repeats_that_it_needs(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, refused=(), trials=range(2))
    evaluate(CANDIDATE, refused=range(2), trials=range(2))
    why = "no assertion was checked in enough trials of both versions; evaluate both versions with --repeats 3 or more"
    assert run_gate("weaker") == (0, f"stoic: --fail-on weaker cannot fail here: {why}\n")


def test_what_one_trial_says_is_not_passed_over_in_silence_where_others_are_repeated(
    evaluate: Evaluate, compared: Any
) -> None:
    trials = [*range(4), *range(4, 48, 4)]
    evaluate(BASE, refused=(), trials=trials)
    evaluate(CANDIDATE, refused=range(4, 48), trials=trials)
    passed_over = "--fail-on broken ignores 11 assertions that broke, because a single trial may be chance"
    assert run_gate("broken") == (0, f"stoic: {passed_over}; evaluate both versions with --repeats 2 or more\n")


def test_what_broke_and_what_was_mended_is_shown_to_a_person(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, refused=range(4))
    evaluate(CANDIDATE, refused=range(4, 48))
    shown = CliRunner().invoke(COMMANDS, [BASE, CANDIDATE], catch_exceptions=False).stdout.splitlines()
    place = shown.index(f"11 assertions that always held for {BASE} never hold for {CANDIDATE}:")
    jobs = ", ".join(f"job {number} (withheld)" for number in range(1, 9))
    assert shown[place + 1] == f"  refund booked (held 44 of 44 times, now 0 of 44) in {jobs} and 3 more"
    assert shown[place + 2 : place + 4] == [
        f"1 assertion that never held for {BASE} always holds for {CANDIDATE}:",
        "  refund booked (held 0 of 4 times, now 4 of 4) in job 0 (withheld)",
    ]


def test_where_nothing_broke_nothing_is_said_of_assertions(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, refused=())
    evaluate(CANDIDATE, refused=[0])
    assert "assertion that" not in CliRunner().invoke(COMMANDS, [BASE, CANDIDATE], catch_exceptions=False).stdout
    assert run_gate("broken") == (0, "")


def test_a_comparison_fits_a_terminal_of_usual_width(
    evaluate: Evaluate, compared: Any, screen: Callable[[int], None]
) -> None:
    evaluate(BASE, refused=())
    evaluate(CANDIDATE, failed=HARD, refused=TRIALS)
    whole = CliRunner().invoke(COMMANDS, [BASE, CANDIDATE], catch_exceptions=False).stdout.splitlines()
    screen(80)
    folded = CliRunner().invoke(COMMANDS, [BASE, CANDIDATE], catch_exceptions=False).stdout.splitlines()
    assert max(map(len, whole)) > 80 >= max(map(len, folded))
    assert " ".join(" ".join(folded).split()) == " ".join(" ".join(whole).split())
    assert [line.split()[1:3] for line in folded if line.startswith("measure")] == [["1", "2"]]


def test_of_two_gates_that_one_verdict_fails_the_first_says_so(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=HARD)
    told = f"stoic: --fail-on regression: the verdict on {CANDIDATE} is regressed\n"
    assert run_gate("regression", "inconclusive") == (1, told)


def test_a_measure_is_shown_by_the_means_of_both_versions_in_their_order(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=HARD)
    shown = CliRunner().invoke(COMMANDS, [BASE, CANDIDATE], catch_exceptions=False).stdout.splitlines()
    [wisdom] = [line.split() for line in shown if line.startswith("wisdom ")]
    assert wisdom[1:4] == ["0.60", "0.80", "+0.20"]


@pytest.mark.parametrize("offline", [True, False])
def test_a_person_is_told_that_offline_scores_mean_nothing(evaluate: Evaluate, compared: Any, offline: bool) -> None:
    for version in (BASE, CANDIDATE):
        evaluate(version, trials=range(24), offline=offline)
    shown = CliRunner().invoke(COMMANDS, [BASE, CANDIDATE], catch_exceptions=False).stdout
    assert (f"{OFFLINE_NOTE}\n" in shown) is offline


def test_a_comparison_is_written_for_build_servers_and_pull_requests(
    evaluate: Evaluate, compared: Any, tmp_path: Path
) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=HARD)
    code, document = compared("--junit", "told.xml", "--markdown", "told.md")
    assert code == 1
    assert next(ElementTree.parse(tmp_path / "told.xml").iter("failure"), None) is not None
    assert plain(document["summary"]) in (tmp_path / "told.md").read_text(encoding="utf-8")
    side = {"evaluation_id": "e1", "scored_trials": 48, "invalid_trials": 0, "calibrated": False}
    for place, version in (("base", BASE), ("candidate", CANDIDATE)):
        assert document[place].items() >= {"agent_version": version, **side}.items()
