"""Measures over releases, a view over all evaluations."""

import pytest

READ = ("evaluation_scores", "job_measures")


@pytest.fixture
def release(warehouse, evaluation):
    """Evaluates a version once: one trial for each task score, in jobs a, b, …, first withheld, then supplied."""

    def evaluate(version, *scores, key="e1", verdict=None, **head):
        made = evaluation(warehouse, f"marcus@{version}", key, **head)
        for number, score in enumerate(scores):
            condition = ("withheld", "supplied")[number % 2]
            made.trial(f"t{number}", job="ab"[number // 2], condition=condition).task(score, f"t{number}")
        made.scored(*READ)
        if verdict:
            warehouse.write("version_comparisons", made.version, key, compared("marcus@0", made.version, verdict))
        return made

    return evaluate


def compared(base, candidate, verdict):
    """Rows on one measure, pooled, and on others and by condition, which say otherwise."""
    plain = {
        "base": base, "candidate": candidate, "gating": True, "jobs": 5, "delta": 0.1,
        "base_evaluation_id": "e0", "base_started_at": "2026-01-01T00:00:00Z", "offline": False, "notes": [],
    }  # fmt: skip
    cells = [(m, c) for m in ("task", "overall") for c in ("pooled", "withheld", "supplied", "lift")]
    said = {("task", "pooled"): verdict}
    return [plain | {"measure": m, "condition": c, "verdict": said.get((m, c), "inconclusive")} for m, c in cells]


def history(warehouse, measure="task"):
    return warehouse.query("select * from measure_history where measure = ? order by n", [measure])


def test_every_job_weighs_the_same(warehouse, release):
    release("1", 0.2, 0.4, 0.9)
    [row] = history(warehouse)
    assert (row["agent"], row["mean"], row["jobs"], row["n"]) == ("marcus", pytest.approx(0.6), 2, 1)
    assert [(row["mean"], row["jobs"]) for row in history(warehouse, "passed")] == [(0.5, 2)]


def test_each_scenario_of_a_job_weighs_as_a_job(warehouse, evaluation):
    made = evaluation(warehouse).trial("t0", job="a").task(0.0, "t0")
    for scenario, score in (("x", 0.6), ("y", 0.9)):
        made.trial(scenario, job="b", scenario=scenario).task(score, scenario)
    made.scored(*READ)
    assert [(row["mean"], row["jobs"]) for row in history(warehouse)] == [(pytest.approx(0.5), 3)]


def test_a_mean_does_not_depend_on_the_order_in_which_jobs_are_read(warehouse, evaluation):
    """The sum of 0.1, 0.2 and 0.3 does, in its last digit."""
    for version, scores in (("1", (0.1, 0.2, 0.3)), ("2", (0.3, 0.2, 0.1))):
        made = evaluation(warehouse, f"marcus@{version}", "e1")
        for number, score in enumerate(scores):
            made.trial(f"t{number}", job=f"j{number}").task(score, f"t{number}")
        made.scored(*READ)
    first, second = history(warehouse)
    assert first["mean"] == second["mean"]


def test_releases_stand_in_order_with_the_verdict_on_each(warehouse, release):
    release("1.10", 0.9, released_at="2026-03-01T00:00:00Z", verdict="improved")
    release("1.9", 0.5, released_at="2026-02-01T00:00:00Z")
    rows = history(warehouse)
    assert [(row["agent_version"], row["n"], row["base"], row["verdict"]) for row in rows] == [
        ("marcus@1.9", 1, None, None), ("marcus@1.10", 2, "marcus@0", "improved"),
    ]  # fmt: skip


@pytest.mark.parametrize(("again", "verdict"), [("marcus@1", None), ("marcus@0", None), ("marcus@9", "regressed")])
def test_the_verdict_of_a_side_that_was_judged_again_is_left_out(warehouse, evaluation, release, again, verdict):
    def judged(version, key="e0"):
        evaluation(warehouse, version, key).trial().task(0.9, "t1").scored(*READ)

    judged("marcus@0")
    release("1", 0.4, verdict="regressed")
    judged(again, "e1" if again == "marcus@1" else "e0")
    [row] = [row for row in history(warehouse) if row["agent_version"] == "marcus@1"]
    assert row["verdict"] == verdict


def test_a_parent_stands_before_its_child_whatever_the_dates_say(warehouse, release):
    release("1.1", 0.9, released_at="2026-02-01T00:00:00Z", parents=["marcus@1.0"])
    release("1.0", 0.5, released_at="2026-03-01T00:00:00Z")
    assert [(row["agent_version"], row["n"]) for row in history(warehouse)] == [("marcus@1.0", 1), ("marcus@1.1", 2)]


def test_the_newest_conclusive_evaluation_counts_with_its_own_verdict(warehouse, release):
    release("1", 0.2, key="old", started_at="2026-01-01T00:00:00Z", verdict="regressed")
    release("1", 0.4, key="good", started_at="2026-01-02T00:00:00Z", verdict="unchanged")
    release("1", 0.6, key="running", started_at="2026-01-03T00:00:00Z", status="conversed")
    release("1", None, key="empty", started_at="2026-01-04T00:00:00Z").trial("x", outcome="infra_error").scored(*READ)
    [row] = history(warehouse)
    assert (row["evaluation_id"], row["mean"], row["verdict"]) == ("good", 0.4, "unchanged")
