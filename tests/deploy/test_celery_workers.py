"""Two Celery workers evaluate four versions at once; one worker is killed, or a run is ended, in the midst of it."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import dagster as dg
from agents import EmbabelAgent
from connections import Connections
from dagster._daemon.controller import all_daemons_healthy
from double import Call, hang
from machines import AGENTS, GREETING, LINES, Machines
from stoic_command import Stoic
from undisturbed import COLUMNS, check_turns_sent, rows

POOL, WAITING = "an-endpoint", "00000000-0000-4000-8000-000000000000"
"""A pool of one slot, and the id of a run that waits for it."""
UNTIMED = COLUMNS | {
    "composite_scores": "trial_id, outcome, valid, task, assertion, failure_penalty, virtue_overall",
}


def test_four_versions_at_once_on_two_workers_of_which_one_is_killed(
    stoic: Stoic, agents: dict[str, EmbabelAgent], machines: Machines, instance: dg.DagsterInstance, noted: Connections
) -> None:
    together = threading.Event()
    for agent in agents.values():
        agent.when("message", _once(together), times=1)
    agents["dan"].when("message", hang, after=3)
    with _explained(machines):
        await_that(lambda: all(agent.of("message") for agent in agents.values()), "four conversations at once")
        at_work = Counter(run.tags["stoic/worker"] for run in instance.get_runs())
        assert at_work == {"worker1@here": 2, "worker2@here": 2}
        together.set()
        await_that(lambda: len(agents["dan"].of("message")) >= 4, "a conversation that waits")
        lost = _run_of("dan", instance)
        _take_slot(instance, lost)
        machines.kill(lost.tags["stoic/worker"].removesuffix("@here"))
        agents["dan"].behave()
        await_that(lambda: len(_succeeded(instance)) == len(AGENTS), "four successful runs")
        await_that(lambda: _slot_is_free(instance), "slot of a pool that a lost run held")
    runs = _succeeded(instance)
    assert sorted(runs) == [f"{name}@1.0.0" for name in AGENTS]
    again = runs["dan@1.0.0"]
    assert (again.parent_run_id, again.root_run_id) == (lost.run_id, lost.run_id)
    assert again.tags["stoic/worker"] != lost.tags["stoic/worker"]
    for table, columns in UNTIMED.items():
        found = {name: rows(stoic, f"{name}@1.0.0", table, columns) for name in AGENTS}
        assert found["ada"], table
        assert all(each == found["ada"] for each in found.values()), table
    for name, agent in agents.items():
        check_turns_sent(agent, 2, _planned, repeated=runs[f"{name}@1.0.0"].parent_run_id is not None)
    assert all_daemons_healthy(instance)
    unattended = {each.name for each in instance.all_instigator_state()}
    assert {"nightly", "new_releases", "night_watch", "failed_runs"} <= unattended
    assert {address.rpartition(":")[0] for address in noted.addresses} == {"127.0.0.1"}


def test_a_run_that_somebody_ends_is_not_begun_again_and_a_command_goes_on_with_it(
    stoic: Stoic, agents: dict[str, EmbabelAgent], machines: Machines, instance: dg.DagsterInstance
) -> None:
    for name in AGENTS[1:]:
        (stoic.project / "releases" / f"{name}.yml").unlink()
    ada = agents["ada"]
    ada.when("message", hang, after=3)
    with _explained(machines):
        await_that(lambda: len(ada.of("message")) > 4, "a conversation that waits")
        ended = _run_of("ada", instance)
        assert instance.run_launcher.terminate(ended.run_id)
        await_that(lambda: _run_of("ada", instance).is_finished, "end")
    ada.behave()

    done = stoic("eval", "--agent-version", "ada@1.0.0", "--resume", "--json").document

    assert done["evaluation_id"] == ended.tags["stoic/evaluation_id"]
    assert [trial["outcome"] for trial in done["trials"]] == ["signed_off"] * 2
    statuses = {run.run_id: run.status for run in instance.get_runs()}
    assert statuses.pop(ended.run_id) == dg.DagsterRunStatus.CANCELED
    assert list(statuses.values()) == [dg.DagsterRunStatus.SUCCESS]
    check_turns_sent(ada, 2, _planned, repeated=1)
    assert list(stoic.home.rglob("*.db")) == []  # Dagster keeps nothing in files
    found = {each["subject"]: each for each in stoic("doctor", "--json", AGENT_URL=ada.url).document["findings"]}
    assert [found[each]["state"] for each in ("dagster", "queue")] == ["ok", "ok"]
    assert "the database postgres of PostgreSQL on 127.0.0.1:" in found["dagster"]["detail"]


def test_a_worker_that_is_asked_to_stop_ends_its_run_and_no_other_begins_it(
    stoic: Stoic, agents: dict[str, EmbabelAgent], machines: Machines, instance: dg.DagsterInstance
) -> None:
    """It no longer answers: its run counted as lost after `lost_after_seconds`, and the attempt to resume it failed."""
    for name in AGENTS[1:]:
        (stoic.project / "releases" / f"{name}.yml").unlink()
    answered = threading.Event()
    agents["ada"].when("message", _once(answered), times=1)
    with _explained(machines):
        await_that(lambda: bool(agents["ada"].of("message")), "a conversation")
        worker = _run_of("ada", instance).tags["stoic/worker"].removesuffix("@here")
        machines.ask_to_stop(worker)
        time.sleep(15)  # the daemon looks every two seconds, and waits up to six for workers
        answered.set()
        assert machines.end_of(worker) == 0
    run = _run_of("ada", instance)
    assert (run.status, run.tags["stoic/worker"]) == (dg.DagsterRunStatus.SUCCESS, f"{worker}@here")
    assert "dagster/will_retry" not in run.tags
    check_turns_sent(agents["ada"], 2, _planned, repeated=0)


def _take_slot(instance: dg.DagsterInstance, run: dg.DagsterRun) -> None:
    """A step of the run takes the only slot of a pool; another one waits for it."""
    records = instance.event_log_storage
    records.set_concurrency_slots(POOL, 1)
    assert records.claim_concurrency_slot(POOL, run.run_id, "one").is_claimed
    assert not records.claim_concurrency_slot(POOL, WAITING, "other").is_claimed


def _slot_is_free(instance: dg.DagsterInstance) -> bool:
    """Whether the one that waits gets it when it asks again, as waiting steps do."""
    return instance.event_log_storage.claim_concurrency_slot(POOL, WAITING, "other").is_claimed


def _once(event: threading.Event) -> Callable[[Call], None]:
    """The usual answer, once something happened."""
    def answer(_: Call) -> None:
        event.wait(120)

    return answer


@contextmanager
def _explained(machines: Machines) -> Iterator[None]:
    """Adds what the processes said to a failure."""
    try:
        yield
    except AssertionError as failure:
        raise AssertionError(f"{failure}\n{machines.told()}") from None


def await_that(holds: Callable[[], bool], what: str, seconds: float = 150) -> None:
    """Returns once something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"no {what} in {seconds} s"
        time.sleep(0.5)


def _run_of(agent: str, instance: dg.DagsterInstance) -> dg.DagsterRun:
    [run] = instance.get_runs(dg.RunsFilter(tags={"dagster/partition": f"{agent}@1.0.0"}))
    return run


def _succeeded(instance: dg.DagsterInstance) -> dict[str, dg.DagsterRun]:
    runs = instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.SUCCESS]))
    return {run.tags["dagster/partition"]: run for run in runs}


def _planned(_user: str) -> list[str]:
    return [GREETING, *LINES]
