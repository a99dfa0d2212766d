from stoic_assets.core.evolution.checks import Checks, checks


def test_trials_that_passed_are_counted_and_assertions_that_failed_are_named_by_how_often() -> None:
    composites = [
        {"trial_id": "t1", "job": "a", "passed": False}, {"trial_id": "t2", "job": "a", "passed": True},
        {"trial_id": "t3", "job": "b", "passed": None}, {"trial_id": "held out", "job": "c", "passed": True},
    ]  # fmt: skip
    told = [
        ("t2", "order", False), ("t1", "2", False), ("t1", "order", False), ("t2", "2", True), ("t3", "x", None),
        ("held out", "secret", False), ("t1", "withdrawn", False),
    ]  # fmt: skip
    results = [
        {"trial_id": trial, "assertion": name, "text": f"text of {name}", "weight": name != "withdrawn", "passed": held}
        for trial, name, held in told
    ]
    found = checks(composites, results, {"t1", "t2", "t3"})
    assert found.passed_trials == 1
    assert [(each["task_id"], each["assertion"], each["trial_ids"]) for each in found.failed_assertions] == [
        ("a", "order", ["t1", "t2"]), ("a", "2", ["t1"]),
    ]  # fmt: skip


def test_where_nothing_was_asked_nothing_passed_or_failed() -> None:
    assert checks([{"trial_id": "t", "job": "a", "passed": None}], [], {"t"}) == Checks()
