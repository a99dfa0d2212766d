"""Which evaluation `stoic eval --resume` and `stoic regrade` go on with."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.evaluation.version_comparison import compare_versions
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import evaluation_choice
from stoic_assets.cli.evaluation_choice import checked_version, evaluation_of, newest_to_resume
from stoic_assets.core.comparison.side import ComparisonRefused
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.status import REGRADING

Make = Callable[..., Manifest]


def test_the_unfinished_evaluation_of_these_jobs_is_found_and_that_of_others_named(
    workplace: Workplace, make_manifest: Make
) -> None:
    begun = make_manifest()
    workplace.evidence.begin(begun)
    jobs = {job.name for job in begun.spec.jobs}
    assert newest_to_resume(begun.agent_version, jobs, workplace) == begun
    named = rf"with these jobs \(with other jobs: {begun.evaluation_id}; --resume ID continues one of these\)"
    with pytest.raises(ConfigurationError, match=named):
        newest_to_resume(begun.agent_version, {*jobs, "another"}, workplace)
    with pytest.raises(ConfigurationError, match="with these jobs; leave --resume out to start a new one"):
        newest_to_resume("marcus@99", jobs, workplace)


@pytest.mark.parametrize("happened", [False, True])
def test_one_that_never_began_gives_way_to_a_later_one_that_is_finished(
    workplace: Workplace, make_manifest: Make, happened: bool
) -> None:
    years = ("2025", "2026")
    older, newer = (make_manifest(evaluation_id=year, started_at=f"{year}-01-01T00:00:00Z") for year in years)
    version = older.agent_version
    workplace.evidence.begin(older)
    if happened:
        asyncio.run(workplace.evidence.journals(older).append("t1", {"kind": "began", "at": older.started_at}))
    assert newest_to_resume(version, set(), workplace) == older, "its graph may answer by now"
    workplace.evidence.begin(newer)
    tables = EvaluationTables(workplace, newer)
    counts = {"planned_trials": 20, "scored_trials": 19, "invalid_trials": 1}
    tables.write_head("finished", **counts)
    tables.write("evaluation_scores", [{"agent": "marcus", "conclusive": True, **counts}])
    if happened:
        assert newest_to_resume(version, set(), workplace) == older
    else:
        advice = "with these jobs; --resume 2026 runs the invalid trials of the newest again; leave"
        with pytest.raises(ConfigurationError, match=f"no unfinished evaluation of {version} {advice}"):
            newest_to_resume(version, set(), workplace)


@pytest.mark.parametrize(("status", "conclusive", "by_runs", "refused"), [
    ("finished", True, "finished", "there is no unfinished evaluation"), ("finished", False, "finished", None),
    ("finished", True, "conversed", None), ("finished", True, REGRADING, "again was cut short"),
    ("finished", False, REGRADING, "again was cut short"), (REGRADING, True, "finished", "again was cut short"),
    ("conversed", True, "finished", None),
])  # fmt: skip
def test_the_newest_is_unfinished_without_a_verdict_or_after_a_run_that_was_cut_short(
    workplace: Workplace, make_manifest: Make, monkeypatch: pytest.MonkeyPatch,
    status: str, conclusive: bool, by_runs: str, refused: str | None,
) -> None:  # fmt: skip
    manifest = make_manifest()
    workplace.evidence.begin(manifest)
    tables = EvaluationTables(workplace, manifest)
    counts = {"planned_trials": 20, "scored_trials": 10, "invalid_trials": 10}
    tables.write_head(status, **counts)
    tables.write("evaluation_scores", [{"agent": "marcus", "conclusive": conclusive, **counts}])
    monkeypatch.setattr(evaluation_choice, "status_by_runs", lambda *_: by_runs)
    with pytest.raises(ConfigurationError, match=refused) if refused else nullcontext():
        assert newest_to_resume(manifest.agent_version, set(), workplace) == manifest


def test_an_evaluation_is_judged_again_that_is_named_or_the_newest(workplace: Workplace, make_manifest: Make) -> None:
    years = ("2025", "2026")
    older, newer = (make_manifest(evaluation_id=year, started_at=f"{year}-01-01T00:00:00Z") for year in years)
    for each in (older, newer):
        workplace.evidence.begin(each)
        EvaluationTables(workplace, each).write_head("finished", planned_trials=1)
    version = older.agent_version
    assert evaluation_of(workplace, version, None) == newer
    assert evaluation_of(workplace, version, "2025") == older
    with pytest.raises(ConfigurationError, match=r"no evaluation 2024; did you mean 202\d\? known: 2025, 2026; or run"):
        evaluation_of(workplace, version, "2024")


def test_an_id_tells_its_version_unless_several_have_it(workplace: Workplace, make_manifest: Make) -> None:
    for version, evaluation_id in (("marcus@1", "E1"), ("marcus@2", "E2"), ("marcus@1", "both"), ("marcus@2", "both")):
        workplace.evidence.begin(make_manifest(agent_version=version, evaluation_id=evaluation_id))
    assert [evaluation_of(workplace, None, each).agent_version for each in ("E1", "E2")] == ["marcus@1", "marcus@2"]
    assert evaluation_of(workplace, "marcus@2", "both").agent_version == "marcus@2"
    for version, evaluation_id, refused in (
        (None, "both", r"several versions have an evaluation both: marcus@1, marcus@2; choose one with --agent-"),
        (None, "E3", r"there is no evaluation E3; `stoic list` shows the ids"),
        ("marcus@2", "E1", "marcus@2 has no evaluation E1: it belongs to marcus@1; name that version, or leave --"),
        ("marcus@3", "E3", r"marcus@3 was never evaluated; did you mean marcus@\d\? known: marcus@1, marcus@2; to "),
        ("marcus@2", "E3", r"marcus@2 has no evaluation E3; known: E2, both; or run"),
    ):  # fmt: skip
        with pytest.raises(ConfigurationError, match=refused):
            evaluation_of(workplace, version, evaluation_id)


def test_an_evaluation_that_lost_its_manifest_is_said_to_have_lost_it(
    workplace: Workplace, make_manifest: Make
) -> None:
    for year in ("2025", "2026"):
        manifest = make_manifest(evaluation_id=year, started_at=f"{year}-01-01T00:00:00Z")
        workplace.evidence.begin(manifest)
        EvaluationTables(workplace, manifest).write_head("finished", planned_trials=1)
    version, file = manifest.agent_version, workplace.evidence.folder(manifest.agent_version, "2026") / "manifest.json"
    file.unlink()
    told = f"evaluation 2026 of {version} has lost {file}; restore the file from a backup, run a new"
    for place in ((version, None), (version, "2026"), (None, "2026")):
        with pytest.raises(ConfigurationError, match=told):
            evaluation_of(workplace, *place)
    assert evaluation_of(workplace, version, "2025").evaluation_id == "2025"


def test_a_version_that_was_cut_short_before_anything_was_stored_is_resumed_not_paid_for_again(
    workplace: Workplace, make_manifest: Make
) -> None:
    with pytest.raises(ConfigurationError, match=r"marcus@1\.0\.0 was never evaluated; run `stoic eval --agent-vers"):
        evaluation_of(workplace, "marcus@1.0.0", None)
    workplace.evidence.begin(make_manifest())
    again = r"continue with `stoic eval --agent-version marcus@1\.0\.0 --resume E1`"
    with pytest.raises(ConfigurationError, match=rf"marcus@1\.0\.0 has an unfinished evaluation; {again}"):
        evaluation_of(workplace, "marcus@1.0.0", None)
    with pytest.raises(ComparisonRefused, match=f"it has an unfinished evaluation; {again}"):
        compare_versions(workplace, "marcus@0", "marcus@1.0.0")
    with pytest.raises(ComparisonRefused, match=f"its evaluation E1 was cut short; {again}"):
        compare_versions(workplace, "marcus@0", "marcus@1.0.0", candidate_id="E1")
    lock = workplace.evidence.folder("marcus@1.0.0", "E1") / "lock"
    with locked(lock), pytest.raises(ComparisonRefused, match="its evaluation E1 is being run by another process"):
        compare_versions(workplace, "marcus@0", "marcus@1.0.0", candidate_id="E1")
    EvaluationTables(workplace, make_manifest()).write_head("conversed", planned_trials=1)
    with pytest.raises(ComparisonRefused, match=f"its newest evaluation is conversed; {again}"):
        compare_versions(workplace, "marcus@0", "marcus@1.0.0")
    running = r"its newest evaluation is being run by another process; once that has ended, compare again"
    with locked(lock), pytest.raises(ComparisonRefused, match=running):
        compare_versions(workplace, "marcus@0", "marcus@1.0.0")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1.1.0", ["did you mean mentor@1.1.0, my-agent@1.1.0?"]), ("my-agent", ["did you mean my-agent@1.1.0?"]),
        ("1.1", []),
    ],
)  # fmt: skip
def test_an_agent_or_a_version_alone_is_told_which_evaluated_one_is_meant(
    workplace: Workplace, make_manifest: Make, written: str, meant: list[str]
) -> None:
    for version in ("my-agent@1.1.0", "mentor@1.1.0"):
        workplace.evidence.begin(make_manifest(agent_version=version))
    with pytest.raises(ConfigurationError, match="is not an agent version") as refused:
        checked_version(workplace, written)
    assert getattr(refused.value, "__notes__", []) == meant
