"""The evaluation's own row once it is scored: what came of the trials, what it cost, and whether it is whole."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import BudgetReached
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job

JOB = Job.model_validate(
    {
        "name": "chat", "repeats": 3, "target": {"user": "u", "chatbot": "marcus"},
        "tasks": [{"task": "Talk", "acceptanceCriteria": "Somebody talks"}],
    }
)  # fmt: skip
TRIAL = {
    "job": "chat", "holdout": False, "condition": "withheld", "outcome": "signed_off", "failure_count": 0,
    "planned_tasks": 0, "turns": 2,
}  # fmt: skip
VERDICT = {"trial_id": "t1", "virtue": "wisdom", "sample": 0}
CALL = {
    "call_id": "c", "role": "judge", "model": "sage", "cached": False, "prompt_tokens": 1, "completion_tokens": 1,
    "latency_ms": 5.0,
}  # fmt: skip


@pytest.fixture
def empty(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> EvaluationTables:
    """The tables of an evaluation of three trials."""
    return EvaluationTables(workplace, make_manifest(jobs=(JOB,)))


def scored(tables: EvaluationTables, held: int = 2, invalid: int = 1, **verdict: Any) -> EvaluationTables:
    """Three planned trials of which `held` ended, `invalid` of them through a fault of ours, and one verdict."""
    tables.write("trials", [TRIAL | {"trial_id": f"t{number}", "repeat": number} for number in range(held)])
    tables.write("virtue_scores", [VERDICT | {"judge_model": "sage"} | verdict])
    tables.write("task_scores", [])
    counts = {"planned_trials": 3, "scored_trials": held - invalid, "invalid_trials": invalid, "conclusive": True}
    tables.write("evaluation_scores", [{"agent": "marcus", **counts}])
    tables.write("llm_calls", [CALL | {"cost_usd": 0.25}, CALL | {"cost_usd": None, "error": "HTTP 500"}])
    return tables


def row(tables: EvaluationTables) -> dict[str, Any]:
    [found] = tables.read("evaluations")
    return found


def test_a_call_that_failed_does_not_hide_what_the_others_cost(empty: EvaluationTables) -> None:
    tables = scored(empty, held=3)
    path, found = tables.finish()
    assert found == {
        "status": "finished", "planned_trials": 3, "scored_trials": 2, "invalid_trials": 1, "cost_usd": 0.25,
        "offline": False,
    }  # fmt: skip
    assert path.exists()
    assert {name: row(tables)[name] for name in found} == found
    assert row(tables)["ended_at"] > row(tables)["started_at"]


def test_an_answered_call_without_price_leaves_the_cost_open(empty: EvaluationTables) -> None:
    tables = scored(empty)
    tables.write("llm_calls", [CALL | {"cost_usd": 0.25}, CALL | {"cost_usd": None}])
    assert tables.finish()[1]["cost_usd"] is None


@pytest.mark.parametrize(("held", "unpaid"), [(2, False), (3, True)])
def test_an_evaluation_that_lacks_trials_or_verdicts_is_incomplete(
    empty: EvaluationTables, held: int, unpaid: bool
) -> None:
    assert scored(empty, held, unpaid=unpaid).finish()[1]["status"] == "incomplete"


@pytest.mark.parametrize(
    ("before", "corrected", "after"),
    [
        ("finished", False, "regrading"),
        ("incomplete", False, "regrading"),
        ("regrading", False, "regrading"),
        ("conversed", False, "conversed"),  # `stoic eval --resume` and `stoic regrade` come to the same
        ("conversed", True, "regrading"),
    ],
)
def test_what_was_scored_is_not_finished_from_the_moment_its_verdicts_give_way(
    empty: EvaluationTables, before: str, corrected: bool, after: str
) -> None:
    empty.write_head(before, planned_trials=3, scored_trials=2)
    head = row(empty)
    empty.reopen(corrected)
    assert row(empty) == head | {"status": after}


def test_what_never_conversed_to_the_end_leaves_no_evidence_and_says_how_to_go_on(empty: EvaluationTables) -> None:
    again = r"are not complete; continue with `stoic eval --agent-version \S+ --resume \S+`$"
    with pytest.raises(ConfigurationError, match=again):
        empty.evidence()


def test_without_a_row_of_its_own_there_is_nothing_to_reopen(empty: EvaluationTables) -> None:
    empty.reopen()
    assert not empty.has("evaluations")


@pytest.mark.parametrize(
    ("held", "verdict", "status"),
    [
        (3, {}, "finished"),
        (3, {"unpaid": True}, "regrading"),  # to resume it would put back what was corrected
        (2, {"unpaid": True}, "incomplete"),  # `stoic regrade` holds no trial
        (3, {"error": 'no valid verdict: "cost ceiling reached before the verdict"', "unpaid": False}, "finished"),
    ],
)
def test_a_regrading_ends_when_no_verdict_lacks_money(
    empty: EvaluationTables, held: int, verdict: dict[str, Any], status: str
) -> None:
    empty.write_head("regrading", planned_trials=3)
    assert scored(empty, held, **verdict).finish()[1]["status"] == status


def test_one_offline_judge_makes_it_offline(empty: EvaluationTables) -> None:
    tables = scored(empty)
    tables.write("virtue_scores", [VERDICT | {"judge_model": "offline"}])
    assert tables.finish()[1]["offline"] is True


def test_its_judges_are_those_who_gave_the_verdicts_that_count(empty: EvaluationTables) -> None:
    tables = scored(empty)
    tables.write("virtue_scores", [VERDICT | {"judge_model": judge} for judge in ("old", "new", "old")])
    tables.finish()
    assert row(tables)["judge_models"] == ["old", "new"]
    tables.write("virtue_scores", [])
    tables.finish()
    assert row(tables)["judge_models"] == ["sage"], "as it was planned"


def test_a_release_that_was_recorded_later_dates_it_as_it_does_elsewhere(
    empty: EvaluationTables, workplace: Workplace
) -> None:
    folder = workplace.project.releases
    folder.mkdir(exist_ok=True)
    (folder / "marcus-1.0.0.yml").write_text(
        "agent: marcus\nversion: 1.0.0\nparents: [0.9.0]\nreleasedAt: 2026-02-03T00:00:00Z\n"
    )
    scored(empty).finish()
    found = row(empty)
    assert (found["parents"], f"{found['released_at']:%F}") == (["marcus@0.9.0"], "2026-02-03")


def test_one_in_which_the_stand_in_played_the_user_is_offline_whoever_judged(
    workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    tables = scored(EvaluationTables(workplace, make_manifest(jobs=(JOB,), offline=True)))
    assert {verdict["judge_model"] for verdict in tables.read("virtue_scores")} == {"sage"}
    assert tables.finish()[1]["offline"] is True


def test_no_secret_reaches_a_table_and_what_became_one_since_leaves_none(
    workplace: Workplace, empty: EvaluationTables
) -> None:
    def said() -> tuple[str, str]:
        """What the table has, and what the evidence tells."""
        [stored], [evidence] = empty.read("turns", ["content"]), empty.evidence()
        return stored["content"], evidence.turns[0].content

    workplace.redactor.learn(["s3cret"])
    times = {"started_at": "2026-01-01T00:00:00+00:00", "ended_at": "2026-01-01T00:00:01+00:00"}
    empty.write("trials", [TRIAL | times | {"trial_id": "t1", "repeat": 1}])
    empty.write("observations", [])
    turn = {"trial_id": "t1", "turn": 1, "speaker": "user", "content": "s3cret and opensesame", "events": "[]"}
    empty.write("turns", [turn])
    assert said() == ("[redacted] and opensesame",) * 2
    workplace.redactor.learn(["opensesame"])
    assert said() == ("[redacted] and opensesame", "[redacted] and [redacted]")


UNPAID = {"virtue_scores": [VERDICT | {"error": "1 USD", "unpaid": True}]}


@pytest.mark.parametrize("error", [None, "no valid verdict"])
def test_a_stored_verdict_gives_way_to_no_want_of_money(empty: EvaluationTables, error: str | None) -> None:
    with pytest.raises(BudgetReached, match="the earlier ones are kept; judge again with a higher --max-cost"):
        scored(empty, error=error).refuse_loss(UNPAID)


def test_what_lacked_money_before_may_lack_it_again(empty: EvaluationTables) -> None:
    empty.refuse_loss(UNPAID)
    scored(empty, error="1 USD", unpaid=True).refuse_loss(UNPAID)
    scored(empty).refuse_loss({"virtue_scores": [UNPAID["virtue_scores"][0] | {"trial_id": "t2"}], "task_scores": []})
    assert empty.read("virtue_scores", ["error"]) == [{"error": None}]
