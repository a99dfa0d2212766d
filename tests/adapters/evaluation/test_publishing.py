"""What leaves an evaluation for all who listen: told again, taken back, without secrets, at a time that is kept."""

import asyncio
import json
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Protocol

import pytest
from publications import Make, Say, Sent, published

from stoic_assets.adapters.evaluation.delivery import times_locked
from stoic_assets.adapters.evaluation.publishing import publish, publish_feedback
from stoic_assets.adapters.evaluation.version_comparison import compare_versions, store_comparison
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.feedback.human_evaluation import FEEDBACK
from stoic_assets.core.virtues import VIRTUES


def test_what_holds_again_is_told_again_and_what_waits_gives_way(
    workplace: Workplace, evaluate: Make, service: "Receiver"
) -> None:
    heard = replace(workplace, env={**workplace.env, "EVOLUTION_URL": service.url})
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"a": 0.2, "b": 0.4})
    service.replies({})

    def told(*floors: float) -> list[tuple[int, float]]:
        """The revisions and floors that the service took, updates with these floors being made one after the other."""
        service.seen.clear()
        for floor in floors:
            evolution = workplace.settings.evolution.model_copy(update={"floors": dict.fromkeys(VIRTUES, floor)})
            settings = workplace.settings.model_copy(update={"evolution": evolution})
            published(replace(heard, settings=settings), manifest)
        bodies = [request.body for request in service.seen]
        return [(body["revision"], body["floors"]["wisdom"]) for body in bodies]

    assert told(0.5, 0.5, 0.9, 0.5) == [(1, 0.5), (2, 0.9), (3, 0.5)]
    service.replies({}, status=422)
    told(0.9, 0.8)
    service.replies({})
    assert told(0.8) == [(5, 0.8)]
    assert [request.headers["idempotency-key"] for request in service.seen] == [service.seen[0].body["idempotency_key"]]


def test_an_event_of_a_trial_that_no_longer_counts_is_taken_back(
    workplace: Workplace, evaluate: Make, waiting: Callable[..., list[dict[str, Any]]]
) -> None:
    version = f"agent{uuid.uuid4().hex}@1.0.0"
    manifest = evaluate(version, {"a": 0.2, "b": 0.4})
    composites = workplace.warehouse.read("composite_scores", version, "night")
    for counted in (["a", "b"], ["a"], ["a", "b"]):
        rows = [{**row, "valid": row["job"] in counted} for row in composites]
        workplace.warehouse.write("composite_scores", version, "night", rows)
        published(workplace, manifest)
        told = [event for event in waiting(workplace) if event["type"] == "agent.evaluation.stoic_completed"]
        assert sorted(each["data"]["task_id"] for each in told if each["subject"] == version) == counted


def test_the_verdict_of_a_comparison_is_told_to_all(
    workplace: Workplace, evaluate: Make, waiting: Callable[..., list[dict[str, Any]]]
) -> None:
    agent = f"agent{uuid.uuid4().hex}"
    jobs = {f"job {number}": 0.7 + number / 100 for number in range(6)}
    evaluate(f"{agent}@0.9.0", jobs)
    manifest = evaluate(f"{agent}@1.0.0", {job: score - 0.3 - score / 10 for job, score in jobs.items()})
    store_comparison(workplace, manifest, compare_versions(workplace, f"{agent}@0.9.0", f"{agent}@1.0.0"))
    published(workplace, manifest)
    assert "regressed" in json.dumps([event for event in waiting(workplace) if agent in json.dumps(event)])


def test_no_message_contains_what_has_become_a_secret_since(
    workplace: Workplace, evaluate: Make, updates_sent: Sent, waiting: Callable[..., list[dict[str, Any]]]
) -> None:
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"a": 0.2})
    workplace.redactor.learn(["said in a"])
    published(workplace, manifest)
    leaving = json.dumps([*updates_sent(workplace, manifest), *waiting(workplace)])
    assert "[redacted]" in leaving
    assert "said in a" not in leaving


class Receiver(Protocol):
    """The service of the tests, which takes messages."""

    url: str
    seen: list[Any]

    def replies(self, *bodies: Any, status: int = 200) -> None: ...


def test_what_leaves_with_a_later_evaluation_gets_its_time(
    workplace: Workplace, evaluate: Make, service: Receiver
) -> None:
    heard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": service.url, "EVOLUTION_URL": service.url})
    agent = f"agent{uuid.uuid4().hex}"
    first, second = evaluate(f"{agent}@1.0", {"mentor": 0.8}), evaluate(f"{agent}@1.1", {"mentor": 0.9})
    service.replies({}, status=401)
    assert published(heard, first).delivery.delivered == 0
    service.replies({})
    assert published(heard, second).delivery.pending == 0
    for manifest in (first, second):
        for table in ("events", "fitness_updates"):
            rows = workplace.warehouse.read(table, manifest.agent_version, "night")
            assert all(row["delivered_at"] for row in rows)
    written = workplace.warehouse.file("events", second.agent_version, "night")
    assert written is not None
    assert written.name == "night.1.parquet"


@pytest.mark.parametrize("of_people", [False, True])
def test_while_another_process_writes_times_no_rows_are_stored(
    workplace: Workplace, manifest: Manifest, say: Say, of_people: bool
) -> None:
    """Else a message that it delivered would never get its time."""
    say(manifest.agent_version, 0.2)
    evaluation = FEEDBACK if of_people else "night"
    telling = publish_feedback(workplace, manifest.agent_version) if of_people else publish(workplace, manifest)
    with ThreadPoolExecutor(1) as pool:
        with times_locked(workplace):
            storing = pool.submit(asyncio.run, telling)
            deadline = time.monotonic() + 10
            while not (workplace.outbox.waiting() or storing.done()):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            with pytest.raises(TimeoutError):
                storing.result(0.5)
            assert not workplace.warehouse.has("events", manifest.agent_version, evaluation)
        storing.result()
    assert workplace.warehouse.has("events", manifest.agent_version, evaluation)


def test_without_a_comparison_none_is_told(workplace: Workplace, manifest: Manifest) -> None:
    assert published(workplace, manifest).update.comparison is None
