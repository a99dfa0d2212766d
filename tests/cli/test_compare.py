"""`stoic compare` from stored verdicts to the exit code, through the SQL models: an agent and a judge that fail."""

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.adapters.evaluation import version_comparison
from stoic_assets.adapters.warehouse.sql_models import open_models
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.compare import compare
from stoic_assets.core.comparison.side import ComparisonRefused
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.presentation.formatting import percent
from stoic_assets.core.virtues import VIRTUES

COMMANDS = typer.Typer()
COMMANDS.command()(compare)
Evaluate = Callable[..., None]
BASE, CANDIDATE = "marcus@1", "marcus@2"
OPEN = f"stoic: --fail-on inconclusive: the verdict on {CANDIDATE} is inconclusive\n"
LIKE_WITH_LIKE = (
    "the agent failed in 24 of 48 trials of {failing}, which this measure leaves out; without as many of the worst "
    "trials and jobs of {other} the difference is ±0.00; every job scored the same in both versions, so there is no "
    "spread to test with"
)
TRIALS = range(48)
HARD = {number for number in TRIALS if number % 4 > 1}
HEAD = {
    "agent": "marcus", "started_at": "2026-01-01T00:00:00+00:00", "status": "finished", "offline": False,
    "planned_trials": 48, "scored_trials": 48, "invalid_trials": 0, "evaluator_model": "m",
}  # fmt: skip


def trial(number: int, failed: bool) -> dict[str, Any]:
    """One of four trials of a job without assertions; the agent broke down in it where it `failed`."""
    return {
        "trial_id": f"t{number}", "job": f"job {number // 4}", "condition": "withheld", "repeat": number % 4 + 1,
        "holdout": False, "outcome": "agent_error" if failed else "signed_off", "failure_count": 0, "turns": 2,
        "planned_tasks": 1, "job_hash": "asks:1",
    }  # fmt: skip


def level(number: int) -> float:
    """What a trial scores: half of them are hard, and no two neighbours are alike."""
    return (0.4 if number in HARD else 0.8) + (number % 3 - 1) / 50


def verdicts(number: int, judge: str, level: float | None) -> list[dict[str, Any]]:
    head = {"trial_id": f"t{number}", "judge_model": judge, "sample": 0}
    said = {"error": "time-out"} if level is None else {"confidence": 0.8, "confidence_source": "self"}
    return [head | said | {"virtue": virtue, "score": level} for virtue in VIRTUES]


def asserted(number: int, passed: bool) -> dict[str, Any]:
    what = {"assertion": "refund booked", "kind": "cypher", "text": "RETURN 1", "weight": 1.0}
    return what | {"trial_id": f"t{number}", "passed": passed}


@pytest.fixture
def evaluate(workplace: Workplace) -> Evaluate:
    """A version in twelve jobs or fewer: which trials the agent `failed` in, and which judge b was `silent` on.

    Nothing is asserted, or one thing: what all trials hold but those that are `refused`.
    """

    def make(
        version: str, failed: Collection[int] = (), silent: Collection[int] | None = None, marks: str = "a,b",
        trials: Collection[int] = TRIALS, identity: str = "e1", refused: Collection[int] | None = None, **head: Any,
    ) -> None:
        warehouse, told = workplace.warehouse, [number for number in trials if number not in failed]
        judges = "a" if silent is None else marks
        task = {"task": "1", "type": "task", "task_text": "Remind me.", "judge_model": judges}
        stricter = [] if silent is None else told
        tables: dict[str, list[dict[str, Any]]] = {
            "evaluations": [HEAD | head], "tone_scores": [],
            "assertion_results": [asserted(number, number not in refused) for number in told if refused is not None],
            "trials": [trial(number, number in failed) for number in trials],
            "task_scores": [task | {"trial_id": f"t{number}", "score": level(number)} for number in told],
            "virtue_scores": [
                *(row for number in told for row in verdicts(number, "a", level(number))),
                *(
                    row for number in stricter
                    for row in verdicts(number, "b", None if number in silent else level(number) - 0.3)
                ),
            ],
        }  # fmt: skip
        for table, rows in tables.items():
            warehouse.write(table, version, identity, rows)
        with open_models(warehouse, version, identity) as models:
            for model in ("trial_virtues", "composite_scores", "job_measures"):
                models.run(model)

    return make


@pytest.fixture
def compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, dict[str, Any]]]:
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STOIC_LLM", "offline")
    monkeypatch.chdir(tmp_path)

    def run(*more: str) -> tuple[int, dict[str, Any]]:
        options = [BASE, CANDIDATE, "--fail-on", "regression", "--json", *more]
        done = CliRunner().invoke(COMMANDS, options, catch_exceptions=False)
        return done.exit_code, json.loads(done.stdout)

    return run


def gating(document: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    """The verdict on each measure that was measured, and why none was given."""
    rows = [row for row in document["findings"] if row["gating"] and row["jobs"]]
    return {row["measure"]: (row["verdict"], row["why"]) for row in rows}


def test_an_agent_that_fails_every_trial_does_not_pass_the_gate(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=TRIALS)
    code, document = compared()
    assert (code, document["verdict"]) == (1, "regressed")
    assert gating(document) == {"task": ("regressed", None), "overall": ("regressed", None)}
    assert document["notes"] == [f"the agent failed in 0 of 48 trials of {BASE}, and in 48 of 48 trials of {CANDIDATE}"]
    worse = f"stoic: --fail-on inconclusive: the verdict on {CANDIDATE} is regressed\n"
    assert run_gate("inconclusive") == (1, worse), "worse than inconclusive"


def test_what_cannot_be_compared_is_no_success_and_is_written_all_the_same(
    compared: Any, evaluate: Evaluate, tmp_path: Path
) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, offline=True)
    with pytest.raises(ComparisonRefused) as caught:
        compared("--junit", "told.xml", "--markdown", "told.md")
    assert caught.value.exit_code == 3
    for name in ("told.xml", "told.md"):
        assert CANDIDATE in (tmp_path / name).read_text()


@pytest.mark.parametrize("named", [[], ["--evaluation", "e1"]])
def test_a_version_is_compared_with_itself_in_two_evaluations_alone(
    compared: Any, evaluate: Evaluate, named: list[str]
) -> None:
    evaluate(BASE)
    with pytest.raises(ConfigurationError, match="name two of its evaluations"):
        CliRunner().invoke(COMMANDS, [BASE, BASE, *named], catch_exceptions=False)


def test_breaking_down_where_it_did_badly_makes_no_version_better(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=HARD)
    code, document = compared()
    why = LIKE_WITH_LIKE.format(failing=CANDIDATE, other=BASE)
    assert gating(document) == {
        **dict.fromkeys(VIRTUES, ("inconclusive", why)), "task": ("regressed", None), "overall": ("regressed", None),
    }
    assert code == 1


def test_breaking_down_no_more_makes_no_version_worse(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, failed=HARD)
    evaluate(CANDIDATE)
    code, document = compared()
    why = LIKE_WITH_LIKE.format(failing=BASE, other=CANDIDATE)
    assert gating(document) == {
        **dict.fromkeys(VIRTUES, ("inconclusive", why)), "task": ("improved", None), "overall": ("improved", None),
    }
    assert code == 0


@pytest.mark.parametrize("silent", [TRIALS, HARD], ids=["in all", "in half"])
def test_a_judge_that_falls_silent_is_no_progress(evaluate: Evaluate, compared: Any, silent: set[int]) -> None:
    evaluate(BASE, silent=())
    evaluate(CANDIDATE, silent=silent)
    code, document = compared()
    share = percent(len(silent) / 48)
    why = (
        f"judge b gave no verdict on {share} of the virtues of {CANDIDATE}, and on 0 % of {BASE}; judge "
        f"{CANDIDATE} again with `stoic regrade --agent-version {CANDIDATE} --evaluation e1`"
    )
    found = gating(document)
    assert [found[virtue] for virtue in VIRTUES] == [("inconclusive", why)] * 5
    assert (code, document["verdict"], document["notes"]) == (0, "inconclusive", [why])


def test_a_judge_that_falls_silent_on_tasks_alone_is_seen(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, silent=())
    evaluate(CANDIDATE, silent=(), marks="a")
    why = gating(compared()[1])["task"][1]
    assert why is not None
    assert why.startswith(f"judge b gave no verdict on 100 % of the tasks of {CANDIDATE}, and on 0 % of {BASE};")


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
    told = {"regression": cannot, "inconclusive": OPEN}
    assert (done.exit_code, done.stderr) == (code, told[gate])


def run_gate(*gates: str) -> tuple[int, str]:
    options = [word for gate in gates for word in ("--fail-on", gate)]
    done = CliRunner().invoke(COMMANDS, [BASE, CANDIDATE, "--json", *options], catch_exceptions=False)
    return done.exit_code, done.stderr


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
    named = "  job 1 (withheld): refund booked (held 4 of 4 times, now 0 of 4)\n"
    assert run_gate("broken") == run_gate("regression", "broken") == (1, f"stoic: --fail-on broken: {broke}:\n{named}")
    assert run_gate("inconclusive", "broken") == (1, f"{OPEN}stoic: --fail-on broken: {broke}:\n{named}")
    assert document["summary"].endswith(f"; but {broke}")


def test_what_one_trial_says_stops_nothing(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, refused=(), trials=range(0, 48, 4))
    evaluate(CANDIDATE, refused=TRIALS, trials=range(0, 48, 4))
    document = compared()[1]
    assert {flip["change"] for flip in document["flipped_assertions"]} == {-1.0}
    why = "no assertion was checked in 2 trials of a job under the same condition in both versions"
    advice = "evaluate both versions with --repeats 2 or more"
    assert run_gate("broken") == (0, f"stoic: --fail-on broken cannot fail here: {why}; {advice}\n")
    evaluate(BASE, refused=())
    assert run_gate("broken")[0] == 0


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
        "  job 0 (withheld): refund booked (held 0 of 4 times, now 4 of 4)",
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


BY_HAND = {"trials": range(4), "identity": "by-hand", "started_at": "2026-01-02T00:00:00+00:00"}
"""One job, a day after all of them."""


def test_an_evaluation_that_never_ended_is_passed_over(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, trials=range(4))
    evaluate(BASE, **BY_HAND, status="incomplete")
    evaluate(CANDIDATE, trials=range(4))
    assert compared()[1]["base"]["evaluation_id"] == "e1"


def test_a_version_whose_evaluations_are_all_unfinished_is_refused_in_the_files_too(
    evaluate: Evaluate, compared: Any, tmp_path: Path
) -> None:
    evaluate(BASE, trials=range(4))
    evaluate(CANDIDATE, trials=range(4), status="incomplete")
    again = f"`stoic eval --agent-version {CANDIDATE} --resume e1`"
    with pytest.raises(ComparisonRefused, match=f"^{CANDIDATE}: its newest evaluation is incomplete; .* {again}"):
        compared("--junit", "told.xml", "--markdown", "told.md")
    for name in ("told.xml", "told.md"):
        assert "--resume e1" in (tmp_path / name).read_text()


def test_no_older_evaluation_takes_the_place_of_one_that_is_being_judged_again(
    evaluate: Evaluate, compared: Any
) -> None:
    evaluate(BASE, trials=range(4))
    evaluate(BASE, **BY_HAND, status="regrading")
    evaluate(CANDIDATE, trials=range(4))
    again = r"by-hand.* is not finished \(regrading\); continue with `stoic regrade"
    with pytest.raises(ComparisonRefused, match=again):
        compared()


def test_of_a_version_that_was_never_evaluated_it_is_told_what_to_do(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE, trials=range(4))
    with pytest.raises(ConfigurationError, match=f"^{CANDIDATE}: it .*`stoic "):
        compared()


def test_what_is_left_of_a_deletion_that_was_cut_short_is_not_compared(
    evaluate: Evaluate, compared: Any, workplace: Workplace
) -> None:
    for version in (BASE, CANDIDATE):
        evaluate(version, trials=range(4))
    compared()
    workplace.evidence.give_up(BASE)
    with pytest.raises(ConfigurationError, match=f"^{BASE} is being deleted, or its .*; run `stoic delete {BASE}`"):
        compared()


@pytest.mark.parametrize(
    ("held_with", "night", "chosen"),
    [
        (None, {}, "later"),
        ("night", {}, "night"),
        ("night", {"trials": range(4)}, "night"),  # though the one before has more jobs in common
        ("night", {"scored_trials": 1, "invalid_trials": 5}, "before"),
        ("forgotten", {}, "later"),
    ],
)
def test_a_night_is_compared_with_what_was_held_in_it_or_before(
    evaluate: Evaluate, workplace: Workplace, held_with: str | None, night: dict[str, Any], chosen: str
) -> None:
    """What was held later had other circumstances."""
    for day, (identity, head) in enumerate([("before", {}), ("night", night), ("later", {})], 1):
        usual = {"identity": identity, "started_at": f"2026-01-0{day}T00:00:00+00:00", "trials": range(8)}
        evaluate(BASE, **usual | head)
    evaluate(CANDIDATE, trials=range(8))
    found = version_comparison.compare_versions(workplace, BASE, CANDIDATE, held_with=held_with)
    assert found.base.evaluation_id == chosen


@pytest.mark.parametrize("side", ["base", "candidate"])
def test_only_the_newest_evaluations_of_a_version_are_chosen_from(
    evaluate: Evaluate, compared: Any, workplace: Workplace, monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    """To compare all pairs of a thousand would take seconds. Any can be named."""
    evaluate(BASE)
    evaluate(CANDIDATE)
    evaluate({"base": BASE, "candidate": CANDIDATE}[side], **BY_HAND)
    workplace.project.releases.mkdir()
    (workplace.project.releases / "2.yml").write_text("agent: marcus\nversion: '2'\n")
    monkeypatch.setattr(version_comparison, "RECENT", 1)
    named = [[], ["--evaluation", "e1", "--evaluation", "e1"]]
    assert [compared(*options)[1][side]["evaluation_id"] for options in named] == ["by-hand", "e1"]


@pytest.mark.parametrize(
    ("by_hand", "why"),
    [
        ({}, f"has 1 job in common with evaluation e1 of {CANDIDATE}, not 12"),
        ({"offline": True, "trials": TRIALS}, "was judged offline"),
        ({"scored_trials": 1, "invalid_trials": 5}, "has too many invalid trials"),
    ],
)
def test_a_try_by_hand_of_the_base_takes_no_regression_out_of_sight(
    evaluate: Evaluate, compared: Any, by_hand: dict[str, Any], why: str
) -> None:
    evaluate(BASE)
    evaluate(BASE, **BY_HAND | by_hand)
    evaluate(CANDIDATE, failed=TRIALS)
    code, document = compared()
    assert (code, document["base"]["evaluation_id"]) == (1, "e1")
    assert document["notes"][0] == f"{BASE} is compared by its evaluation e1; by-hand is newer, but {why}"


def test_nor_does_one_of_a_released_candidate(evaluate: Evaluate, compared: Any, workplace: Workplace) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=TRIALS)
    evaluate(CANDIDATE, **BY_HAND)
    workplace.project.releases.mkdir()
    (workplace.project.releases / "2.yml").write_text("agent: marcus\nversion: '2'\n")
    code, document = compared()
    assert (code, document["candidate"]["evaluation_id"]) == (1, "e1")
    assert document["notes"][0] == (
        f"{CANDIDATE} is compared by its evaluation e1; by-hand is newer, but has 1 job in common with evaluation e1 "
        f"of {BASE}, not 12"
    )


def test_a_candidate_without_manifest_may_be_another_agent_by_now(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, failed=TRIALS, identity="full")
    evaluate(CANDIDATE, **BY_HAND)
    code, document = compared()
    assert (code, document["candidate"]["evaluation_id"]) == (0, "by-hand")
    assert document["notes"][0] == (
        f"{CANDIDATE} has no release manifest and is compared by its newest evaluation, with 1 job in common; "
        "an older one has 12: `--evaluation full`"
    )
    assert compared("--evaluation", "full")[0] == 1


def test_an_evaluation_that_is_named_is_taken_whatever_there_is(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(BASE, **BY_HAND)
    evaluate(CANDIDATE, failed=TRIALS)
    code, document = compared("--evaluation", "by-hand")
    assert (code, document["base"]["evaluation_id"]) == (0, "by-hand")
    assert not any("newer" in note for note in document["notes"])


def test_of_a_named_evaluation_that_was_cut_short_the_way_on_is_told(
    evaluate: Evaluate, compared: Any, workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE)
    workplace.evidence.begin(make_manifest(agent_version=BASE, evaluation_id="cut"))
    with pytest.raises(ComparisonRefused, match=r"its evaluation cut was cut short; continue with .* --resume cut"):
        compared("--evaluation", "cut")
    with pytest.raises(ConfigurationError, match="--evaluation none: not an evaluation of marcus@1 or marcus@2; known"):
        compared("--evaluation", "none")


def test_of_two_evaluations_of_one_version_the_first_is_the_base(evaluate: Evaluate, compared: Any) -> None:
    evaluate(BASE)
    evaluate(BASE, **BY_HAND)
    named = ["--evaluation", "by-hand", "--evaluation", "e1"]
    done = CliRunner().invoke(COMMANDS, [BASE, BASE, *named, "--json"], catch_exceptions=False)
    sides = [json.loads(done.stdout)[side] for side in ("base", "candidate")]
    assert [side["evaluation_id"] for side in sides] == ["by-hand", "e1"]


@pytest.mark.parametrize(("named", "told"), [
    (["e1", "e1"], "named twice"), (["by-hand", "by-hand"], "named twice"), (["e1", "other", "e1"], "named twice"),
    (["other", "by-hand"], "of marcus@2, as other is; name one of each version; of marcus@1: e1"),
    (["e1", "by-had"], r"not an evaluation of marcus@1 or marcus@2; did you mean by-hand\? known: by-hand, e1, other"),
])  # fmt: skip
def test_an_evaluation_that_cannot_be_a_side_is_refused_with_the_true_reason(
    evaluate: Evaluate, compared: Any, named: list[str], told: str
) -> None:
    evaluate(BASE)
    evaluate(CANDIDATE, identity="other")
    evaluate(CANDIDATE, **BY_HAND)
    options = [word for each in named for word in ("--evaluation", each)]
    with pytest.raises(ConfigurationError, match=f"^--evaluation {named[-1]}: {told}$"):
        compared(*options)
