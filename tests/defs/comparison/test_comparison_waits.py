"""For which base a comparison waits, and for how long."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import Queue
from types import SimpleNamespace

import dagster as dg
import pytest
from compared_versions import BASE, CANDIDATE, Evaluate, base_used

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.release_files import releases_by_version
from stoic_assets.adapters.evaluation import release_comparison
from stoic_assets.adapters.evaluation.release_comparison import await_first_evaluation
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.order_of_releases import in_order


@pytest.mark.parametrize("parents", [(), ("1.1.0",)])
def test_a_version_that_is_done_before_its_base_waits_for_it(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation],
    make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch, parents: Sequence[str],
) -> None:
    """Another process evaluates the base: it converses, then there is a row without a verdict, then it is done.

    Also one that names the version as its parent: that is done, so the base will not wait for it.
    """
    base = f"agent: marcus\nversion: 1.0.0\nparents: [{', '.join(parents)}]\n"
    (workplace.project.releases / "1.0.0.yml").write_text(base)
    (workplace.project.releases / "1.1.0.yml").write_text("agent: marcus\nversion: 1.1.0\nparents: [1.0.0]\n")
    waits, looks, notes = Queue[float](), Queue[str](), list[str]()

    async def wait(seconds: float) -> None:
        waits.put(seconds)
        await asyncio.to_thread(looks.get, timeout=60)

    monkeypatch.setattr(release_comparison, "asyncio", SimpleNamespace(sleep=wait))
    monkeypatch.setattr(workplace.progress, "note", notes.append, raising=False)
    evaluate(CANDIDATE, "c1")
    workplace.evidence.begin(make_manifest(evaluation_id="b1", agent_version=BASE))
    with locked(workplace.evidence.folder(BASE, "b1") / "lock"), ThreadPoolExecutor() as pool:
        waiting = pool.submit(compared, CANDIDATE, "c1")
        for status in ("conversed", "finished"):
            waits.get(timeout=60)
            looks.put(evaluate(BASE, "b1", status=status))
        check = waiting.result(timeout=60)
    assert check.passed
    assert base_used(workplace, "c1") == "b1"
    assert notes == [f"{BASE} is being evaluated by another process; the comparison with it waits for that"]


def test_a_base_whose_process_ended_without_a_verdict_is_not_waited_for(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation],
    make_manifest: Callable[..., Manifest],
) -> None:
    workplace.evidence.begin(make_manifest(evaluation_id="b1", agent_version=BASE))
    check = compared(CANDIDATE, evaluate(CANDIDATE, "c1"))
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert "has an unfinished evaluation" in (check.description or "")


def test_a_base_that_is_evaluated_again_is_not_waited_for(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation],
    make_manifest: Callable[..., Manifest],
) -> None:
    evaluate(BASE, "b1")
    newer = make_manifest(evaluation_id="b2", agent_version=BASE, started_at="2026-11-22T00:00:00+00:00")
    workplace.evidence.begin(newer)
    with locked(workplace.evidence.folder(BASE, "b2") / "lock"):
        assert compared(CANDIDATE, evaluate(CANDIDATE, "c1")).passed
    assert base_used(workplace, "c1") == "b1"


def test_versions_that_name_each_other_as_parents_do_not_wait_for_each_other_for_ever(
    workplace: Workplace, evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ended at their cost ceiling, and neither process ends before its comparison."""
    monkeypatch.setattr(release_comparison, "LOOK_AGAIN_SECONDS", 0.05)
    for version, parent in (("1.0.0", "1.1.0"), ("1.1.0", "1.0.0")):
        manifest = f"agent: marcus\nversion: {version}\nparents: [{parent}]\n"
        (workplace.project.releases / f"{version}.yml").write_text(manifest)
    ordered = [release.agent_version for release in in_order(releases_by_version(workplace.project.releases).values())]

    notes: list[str] = []
    monkeypatch.setattr(workplace.progress, "note", notes.append, raising=False)

    async def both() -> None:
        first = asyncio.create_task(await_first_evaluation(workplace, *ordered))
        second = asyncio.create_task(await_first_evaluation(workplace, *reversed(ordered)))
        await asyncio.wait_for(first, 60)
        while not notes:
            await asyncio.sleep(0.01)
        assert not second.done()  # one of the two can be compared
        evaluate(ordered[0], "first")
        await asyncio.wait_for(second, 60)

    with ExitStack() as running:
        for version in ordered:
            evaluate(version, "first", status="incomplete")
            running.enter_context(locked(workplace.evidence.folder(version, "first") / "lock"))
        asyncio.run(both())
