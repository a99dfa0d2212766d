"""Trends over releases, a view over all evaluations."""

import duckdb
import pytest

READ = ("composite_scores", "evaluation_scores", "evaluation_virtues")


@pytest.fixture
def release(warehouse, evaluation):
    """Evaluates a version once, with one virtue."""

    def evaluate(
        version, score, *, key="e1", started_at="2026-01-01T00:00:00Z", trials=(), jobs=(), judge="judge", **head
    ):
        made = evaluation(warehouse, f"marcus@{version}", key, started_at=started_at, **head).trial()
        for number, outcome in enumerate(trials):
            made.trial(f"extra{number}", outcome=outcome)
        for job in jobs:
            made.trial(job, job=job)
        return made.verdict(score=score, judge_model=judge).scored(*READ)

    return evaluate


def trends(warehouse):
    return warehouse.query("select * from virtue_trends order by n")


def test_a_trend_follows_the_order_of_release_dates_not_of_names(warehouse, release):
    release("1.10", 0.9, released_at="2026-03-01T00:00:00Z")
    release("1.9", 0.7, released_at="2026-02-01T00:00:00Z")
    release("1.8", 0.5, released_at="2026-01-01T00:00:00Z")
    rows = trends(warehouse)
    assert [row["agent_version"] for row in rows] == ["marcus@1.8", "marcus@1.9", "marcus@1.10"]
    assert [row["n"] for row in rows] == [1, 2, 3]
    assert [row["slope"] for row in rows] == [None, pytest.approx(0.2), pytest.approx(0.2)]
    assert [row["trend"] for row in rows] == ["stable", "improving", "improving"]


def test_a_parent_comes_before_its_child_whatever_the_dates_say(warehouse, release):
    release("1.1", 0.9, released_at="2026-02-01T00:00:00Z", parents=["marcus@1.0"])
    release("1.0", 0.5, released_at="2026-03-01T00:00:00Z")
    rows = trends(warehouse)
    assert [(row["agent_version"], row["place"]) for row in rows] == [("marcus@1.0", 1), ("marcus@1.1", 2)]
    assert (rows[-1]["n"], rows[-1]["slope"], rows[-1]["trend"]) == (2, pytest.approx(0.4), "improving")


def test_the_newest_evaluation_says_when_a_version_came_and_from_what(warehouse, release):
    release("1", 0.5, released_at="2026-03-01T00:00:00Z", parents=["marcus@2"])
    release("2", 0.5, released_at="2026-02-01T00:00:00Z")
    assert [row["agent_version"] for row in trends(warehouse)] == ["marcus@2", "marcus@1"]
    release("1", 0.5, key="e2", started_at="2026-01-02T00:00:00Z", released_at="2026-01-01T00:00:00Z", parents=[])
    assert [row["agent_version"] for row in trends(warehouse)] == ["marcus@1", "marcus@2"]


def test_an_evaluation_without_a_manifest_takes_no_parents_away(warehouse, release):
    release("1", 0.5, released_at="2026-02-01T00:00:00Z", parents=["marcus@2"])
    release("2", 0.5, released_at="2026-03-01T00:00:00Z")
    release("1", 0.5, key="e2", started_at="2026-04-01T00:00:00Z", parents=[])
    assert [row["agent_version"] for row in trends(warehouse)] == ["marcus@2", "marcus@1"]


def test_only_the_last_five_releases_make_the_slope(warehouse, release):
    for month, score in enumerate((0.0, 1.0, 0.9, 0.8, 0.7, 0.6), 1):
        release(str(month), score, released_at=f"2026-{month:02}-01T00:00:00Z")
    *_, last = rows = trends(warehouse)
    assert (last["slope"], last["trend"]) == (pytest.approx(-0.1), "declining")
    assert [row["slope_n"] for row in rows] == [1, 2, 3, 4, 5, 5]


def test_a_slope_that_only_rounding_puts_above_the_bound_is_stable(warehouse, release):
    for month, (score, judge) in enumerate([(0.70, "a"), (0.72, "a"), (0.72, "b"), (0.70, "b")], 1):
        release(str(month), score, judge=judge, released_at=f"2026-{month:02}-01T00:00:00Z")
    _, up, _, down = trends(warehouse)
    assert up["slope"] > 0.02
    assert down["slope"] < -0.02
    assert (up["trend"], down["trend"]) == ("stable", "stable")


def test_each_virtue_has_its_own_releases_those_in_which_it_was_scored(warehouse, evaluation):
    for month, wisdom in enumerate((0.5, None, 0.6), 1):
        made = evaluation(warehouse, f"marcus@{month}", started_at=f"2026-{month:02}-01T00:00:00Z").trial()
        made.verdict(score=wisdom, exercised=wisdom is not None).verdict("courage", score=0.9).scored(*READ)
    found = {"wisdom": [], "courage": []}
    for row in trends(warehouse):
        found[row["virtue"]].append((row["agent_version"], row["n"], row["slope"]))
    assert found == {
        "wisdom": [("marcus@1", 1, None), ("marcus@3", 2, pytest.approx(0.1))],
        "courage": [("marcus@1", 1, None), ("marcus@2", 2, 0.0), ("marcus@3", 3, 0.0)],
    }


def test_the_newest_finished_and_conclusive_evaluation_counts(warehouse, release):
    release("1", 0.2, key="old", started_at="2026-01-01T00:00:00Z")
    release("1", 0.4, key="good", started_at="2026-01-02T00:00:00Z")
    release("1", 0.6, key="broken", started_at="2026-01-03T00:00:00Z", trials=["infra_error"])
    release("1", 0.8, key="running", started_at="2026-01-04T00:00:00Z", status="conversed")
    [row] = trends(warehouse)
    assert (row["evaluation_id"], row["mean"]) == ("good", 0.4)
    assert row["released_at"].isoformat() == "2026-01-01T00:00:00+00:00", "the first evaluation stands for the release"


def test_a_job_tried_by_hand_does_not_speak_for_a_version(warehouse, release):
    release("1", 0.8, key="suite", started_at="2026-01-01T00:00:00Z", jobs=["a", "b", "c"])
    release("1", 0.2, key="by-hand", started_at="2026-01-02T00:00:00Z")
    assert [row["evaluation_id"] for row in trends(warehouse)] == ["suite"]
    release("1", 0.7, key="smaller", started_at="2026-01-03T00:00:00Z", jobs=["a"])
    assert [row["evaluation_id"] for row in trends(warehouse)] == ["smaller"]
    release("2", 0.7, jobs=["a", "b", "c", "d"])
    release("1", 0.7, key="stand-in", started_at="2026-01-04T00:00:00Z", jobs=["a", "b", "c", "d"], offline=True)
    held = {row["agent_version"]: row["evaluation_id"] for row in trends(warehouse)}
    assert held["marcus@1"] == "smaller", "neither other versions nor stand-ins say what is few"


def test_what_has_no_number_goes_along_with_its_evaluations(warehouse, release):
    release("dev", 0.9, key="first", started_at="2026-01-01T00:00:00Z")
    release("1.0", 0.8, started_at="2026-01-02T00:00:00Z")
    release("1.1", 0.8, started_at="2026-01-03T00:00:00Z")
    release("1.0", 0.8, key="again", started_at="2026-01-04T00:00:00Z")
    release("dev", 0.3, key="last", started_at="2026-01-05T00:00:00Z")
    assert [(row["agent_version"], row["trend"]) for row in trends(warehouse)] == [
        ("marcus@1.0", "stable"), ("marcus@1.1", "stable"), ("marcus@dev", "declining"),
    ]  # fmt: skip


def test_a_slope_keeps_to_one_panel_of_judges(warehouse, release):
    for month, (score, judge) in enumerate([(0.8, "mild"), (0.8, "mild"), (0.5, "strict"), (0.5, "strict")], 1):
        release(str(month), score, judge=judge, released_at=f"2026-{month:02}-01T00:00:00Z")
    rows = trends(warehouse)
    assert [(row["n"], row["slope_n"]) for row in rows] == [(1, 1), (2, 2), (3, 1), (4, 2)]
    assert [row["slope"] for row in rows] == [None, 0.0, None, 0.0]
    assert [row["judges"] for row in rows] == [["mild"], ["mild"], ["strict"], ["strict"]]


def test_a_slope_keeps_to_one_set_of_jobs(warehouse, release):
    """Hard jobs that are new make no release worse, and nobody gets better by playing the easy ones."""
    suites = [["a", "b"], ["b", "a"], ["a", "b", "hard"], ["hard", "a", "b"]]
    for month, (score, jobs) in enumerate(zip((0.8, 0.9, 0.5, 0.5), suites, strict=True), 1):
        release(str(month), score, jobs=jobs, released_at=f"2026-{month:02}-01T00:00:00Z")
    rows = trends(warehouse)
    assert [row["slope"] for row in rows] == [None, pytest.approx(0.1), None, 0.0]
    assert [row["slope_n"] for row in rows] == [1, 2, 1, 2]


def test_agents_do_not_mix(warehouse, release, evaluation):
    release("1", 0.2)
    evaluation(warehouse, "seneca@1").trial().verdict(score=0.9).scored(*READ)
    assert sorted((row["agent"], row["place"], row["n"], row["mean"]) for row in trends(warehouse)) == [
        ("marcus", 1, 1, 0.2), ("seneca", 1, 1, 0.9),
    ]  # fmt: skip


def test_the_published_view_follows_what_is_stored_later(warehouse, release):
    path = warehouse.publish()
    release("1", 0.4)
    with duckdb.connect(str(path), read_only=True) as engine:
        assert engine.execute("select agent_version, mean from virtue_trends").fetchall() == [("marcus@1", 0.4)]


def test_the_tests_of_a_view_find_unsound_rows(warehouse, release, failing_rows):
    release("1", 0.4)
    assert set(failing_rows("virtue_trends", "marcus@1", "e1").values()) == {0}
    [row] = warehouse.read("evaluation_virtues", "marcus@1", "e1")
    warehouse.write("evaluation_virtues", "marcus@1", "e1", [row | {"score": 1.5}])
    failing = failing_rows("virtue_trends", "marcus@2", "not even there")
    assert {name for name, rows in failing.items() if rows} == {"between_mean"}


def test_stand_ins_do_not_count_beside_real_models(warehouse, release):
    release("1", 0.5, started_at="2026-01-01T00:00:00Z")
    release("1", 0.1, key="newer", started_at="2026-02-01T00:00:00Z", offline=True)
    release("2", 0.2, offline=True)
    assert [(row["agent_version"], row["mean"]) for row in trends(warehouse)] == [("marcus@1", 0.5)]


def test_stand_ins_count_where_there_is_nothing_else(warehouse, release):
    release("1", 0.5, offline=True)
    release("2", 0.2, started_at="2026-02-01T00:00:00Z", offline=True)
    release("3", 0.9, started_at="2026-03-01T00:00:00Z", status="conversed")
    assert [(row["n"], row["mean"]) for row in trends(warehouse)] == [(1, 0.5), (2, 0.2)]


def test_a_version_that_ran_in_another_condition_is_no_decline(warehouse, evaluation):
    for month, condition, score in ((1, "supplied", 0.9), (2, "withheld", 0.5), (3, "supplied", 0.9)):
        date = f"2026-{month:02}-01T00:00:00Z"
        made = evaluation(warehouse, f"marcus@{month}", "e1", started_at=date, released_at=date)
        made.trial(condition=condition).verdict(score=score).scored(*READ)
    assert [(row["slope"], row["trend"]) for row in trends(warehouse)] == [
        (None, "stable"), (None, "stable"), (pytest.approx(0.0), "stable"),
    ]  # fmt: skip
