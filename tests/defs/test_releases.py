"""The release sensor over real manifests and a real Dagster instance; the assets it asks for are stand-ins."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from code_server_runs import begun as begin
from code_server_runs import give_up
from evaluation_heads import evaluation_head
from smallest_job import smallest_job

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.stages import EVALUATION
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.releases import new_releases, release_evaluation

ENDED, RUNNING = dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.STARTED
Manifest = Callable[..., Path]


def stand_in(name: str) -> dg.AssetsDefinition:
    @dg.asset(name=name, partitions_def=None if name == "job_configs" else agent_versions)
    def materialise() -> None: ...

    return materialise


STAND_INS = [stand_in(name) for name in EVALUATION]


@dataclass
class Daemon:
    """Ticks as Dagster's daemon does: partitions first, then a run for every key that has none, then the cursor."""

    instance: dg.DagsterInstance
    workplace: Workplace
    definitions: dg.Definitions
    cursor: str | None = None
    log: list[str] = field(default_factory=list)

    def look(self) -> Any:
        with dg.build_sensor_context(
            self.instance, self.cursor, definitions=self.definitions, resources={"workplace": self.workplace}
        ) as context:
            context.log.warning = self.log.append  # type: ignore[method-assign]
            return new_releases(context)

    def apply(self, found: Any) -> list[str]:
        """Returns the versions whose runs were begun."""
        for request in found.dynamic_partitions_requests:
            self.instance.add_dynamic_partitions("agent_version", list(request.partition_keys))
        job = self.definitions.resolve_job_def("release_evaluation")
        begun = [request for request in found.run_requests if not self.runs({"dagster/run_key": request.run_key})]
        for request in begun:
            tags = request.with_resolved_tags_and_config(job, [], self.instance).tags
            run_tags = {**tags, "dagster/run_key": request.run_key}
            begin(self.instance, job, run_tags)
        self.cursor = found.cursor
        return [request.partition_key for request in begun]

    def tick(self) -> list[str]:
        return self.apply(self.look())

    def runs(self, tags: dict[str, str] | None = None) -> list[dg.DagsterRun]:
        return list(self.instance.get_runs(dg.RunsFilter(tags=tags)))

    def end_all(self) -> None:
        for run in self.runs():
            if run.status == RUNNING:
                self.instance.report_run_failed(run, "it does not matter how it ends")


@pytest.fixture
def workplace(workplace: Workplace) -> Workplace:
    (workplace.project.root / "eval_jobs").mkdir()
    return workplace


@pytest.fixture
def manifest(workplace: Workplace) -> Manifest:
    workplace.project.releases.mkdir()

    def write(version: str, **keys: Any) -> Path:
        path = workplace.project.releases / f"{version}.yml"
        content = {"agent": "marcus", "version": version, "url": f"http://localhost/{version}", **keys}
        path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
        return path

    return write


@pytest.fixture
def daemon(workplace: Workplace) -> Iterator[Daemon]:
    definitions = dg.Definitions(assets=STAND_INS, jobs=[release_evaluation], sensors=[new_releases])
    with dg.DagsterInstance.ephemeral() as instance:
        yield Daemon(instance, workplace, definitions)


def test_a_manifest_becomes_a_partition_and_a_run_once(daemon: Daemon, manifest: Manifest) -> None:
    assert daemon.tick() == []
    manifest("1.0.0")
    found = daemon.look()
    [request] = found.run_requests
    assert request.tags["stoic/evaluation_id"] == f"release-{request.run_key.removeprefix('marcus@1.0.0:')}"
    assert daemon.apply(found) == ["marcus@1.0.0"]
    assert daemon.instance.get_dynamic_partitions("agent_version") == ["marcus@1.0.0"]
    assert (daemon.look().run_requests, daemon.look().dynamic_partitions_requests) == ([], [])
    assert daemon.look().skip_reason.skip_message == "no live version is new or has changed"


def test_partitions_are_added_in_the_order_of_releases_in_which_a_backfill_begins_them(
    daemon: Daemon, manifest: Manifest
) -> None:
    manifest("1.10.0", parents=["2.0.0-rc"])
    for version in ("1.9.0", "1.11.0", "2.0.0-rc"):
        manifest(version)
    manifest("1.2.0", url=None)
    daemon.tick()
    in_order = [f"marcus@{version}" for version in ("1.2.0", "1.9.0", "2.0.0-rc", "1.10.0", "1.11.0")]
    assert daemon.instance.get_dynamic_partitions("agent_version") == in_order


def test_a_manifest_that_is_changed_and_changed_back_has_changed_twice(daemon: Daemon, manifest: Manifest) -> None:
    for number, url in enumerate(["a", "b", "a", "b"], 1):
        manifest("1.0.0", url=f"http://localhost/{url}")
        assert daemon.tick() == ["marcus@1.0.0"], number
        daemon.end_all()
        assert daemon.tick() == []
    assert len({run.tags["stoic/evaluation_id"] for run in daemon.runs()}) == 4


@pytest.mark.parametrize("left", ["runs", "evidence"])
@pytest.mark.parametrize("content", ["a", "b"])
def test_a_lost_cursor_keeps_no_change_from_being_evaluated(
    daemon: Daemon, manifest: Manifest, workplace: Workplace, make_manifest: Callable[..., Any], left: str, content: str
) -> None:
    for url in "aba":
        manifest("1.0.0", url=f"http://localhost/{url}")
        assert daemon.tick() == ["marcus@1.0.0"]
        daemon.end_all()
    workplace.warehouse.write("evaluations", "marcus@1.0.0", "any", [evaluation_head()])
    requested = {run.tags["stoic/evaluation_id"] for run in daemon.runs()}
    if left == "evidence":
        for each in requested:
            workplace.evidence.begin(make_manifest(agent_version="marcus@1.0.0", evaluation_id=each))
        for run in daemon.runs():
            daemon.instance.delete_run(run.run_id)
    daemon.cursor = None
    for url, begun in [(content, content == "b"), ("b", content == "a"), ("a", True)]:
        manifest("1.0.0", url=f"http://localhost/{url}")
        assert daemon.tick() == ["marcus@1.0.0"] * begun
        daemon.end_all()
    new = {run.tags["stoic/evaluation_id"] for run in daemon.runs()} - requested
    assert {each[-2:] for each in new} == {"-4", "-5"}


def test_a_tick_that_is_lost_after_its_run_began_is_not_repeated(daemon: Daemon, manifest: Manifest) -> None:
    manifest("1.0.0")
    daemon.tick()
    daemon.end_all()
    before = daemon.cursor
    manifest("1.0.0", url="http://localhost/moved")
    assert daemon.tick() == ["marcus@1.0.0"]
    daemon.end_all()
    daemon.cursor = before
    assert daemon.tick() == []
    assert daemon.tick() == []


def test_why_a_sound_manifest_is_not_evaluated_is_told(
    daemon: Daemon, manifest: Manifest, workplace: Workplace
) -> None:
    (workplace.project.jobs / "chat.yml").write_text(json.dumps(smallest_job()))
    manifest("1.0.0", url=None)
    manifest("1.1.0", url="http://localhost/same")
    manifest("1.2.0", url="http://localhost/same")
    assert daemon.tick() == ["marcus@1.2.0"]
    daemon.end_all()
    assert daemon.look().skip_reason.skip_message == (
        "no live version is new or has changed; marcus@1.0.0 has no address, "
        "marcus@1.1.0 has the address of a newer version"
    )
    bad = workplace.project.releases / "bad.yml"
    bad.write_text("agent: ada\nversion: 1\nurk: http://localhost:1\n")
    assert daemon.look().skip_reason.skip_message == (
        f"not read: {bad}:3: urk: unknown key; did you mean 'url'?; marcus@1.0.0 has no address, "
        "marcus@1.1.0 has the address of a newer version"
    )


def test_ticks_that_race_begin_one_run(daemon: Daemon, manifest: Manifest) -> None:
    daemon.tick()
    manifest("1.0.0")
    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: daemon.look(), range(2)))
    assert [len(found.run_requests) for found in both] == [1, 1]
    assert [daemon.apply(found) for found in both] == [["marcus@1.0.0"], []]
    [run] = daemon.runs()
    assert run.tags["stoic/evaluation_id"].startswith("release-")


def test_a_changed_manifest_runs_again_and_a_comment_in_it_does_not(daemon: Daemon, manifest: Manifest) -> None:
    path = manifest("1.0.0")
    assert daemon.tick() == ["marcus@1.0.0"]
    path.write_text("# the first one\n" + path.read_text())
    assert daemon.tick() == []
    manifest("1.0.0", url="http://localhost/moved")
    assert daemon.tick() == ["marcus@1.0.0"]
    assert len({run.tags["stoic/evaluation_id"] for run in daemon.runs()}) == 2


def test_a_deleted_manifest_leaves_everything_and_may_come_back(daemon: Daemon, manifest: Manifest) -> None:
    path = manifest("1.0.0")
    daemon.tick()
    path.unlink()
    assert daemon.tick() == []
    assert daemon.instance.get_dynamic_partitions("agent_version") == ["marcus@1.0.0"]
    manifest("1.0.0")
    assert daemon.tick() == []
    manifest("1.0.0", releasedAt="2026-11-22T10:00:00Z")
    assert daemon.tick() == ["marcus@1.0.0"]


def test_what_was_deleted_and_is_released_again_is_evaluated(daemon: Daemon, manifest: Manifest) -> None:
    path = manifest("1.0.0")
    assert daemon.tick() == ["marcus@1.0.0"]
    path.unlink()
    daemon.tick()
    for run in daemon.runs():  # what `stoic delete` leaves nothing of
        daemon.instance.delete_run(run.run_id)
    daemon.instance.delete_dynamic_partition("agent_version", "marcus@1.0.0")
    assert daemon.tick() == []
    manifest("1.0.0")
    assert daemon.tick() == ["marcus@1.0.0"]
    assert daemon.tick() == []


def test_what_dagster_lost_the_partition_of_is_not_evaluated_again(
    daemon: Daemon, manifest: Manifest, workplace: Workplace, make_manifest: Callable[..., Any]
) -> None:
    manifest("1.0.0")
    daemon.tick()
    daemon.end_all()
    workplace.evidence.begin(make_manifest(agent_version="marcus@1.0.0"))
    manifest("1.0.0", releasedAt="2026-11-22T10:00:00Z")
    assert daemon.tick() == ["marcus@1.0.0"]
    daemon.instance.delete_dynamic_partition("agent_version", "marcus@1.0.0")
    assert daemon.tick() == []
    assert daemon.instance.get_dynamic_partitions("agent_version") == ["marcus@1.0.0"]


def test_a_malformed_manifest_is_named_and_stops_no_other(daemon: Daemon, manifest: Manifest) -> None:
    manifest("1.0.0")
    bad = manifest("1.1.0")
    bad.write_text("agent: marcus\nversion: 1.1.0\nurk: http://localhost:1\n")
    assert daemon.tick() == ["marcus@1.0.0"]
    assert daemon.log == [f"{bad}:3: urk: unknown key; did you mean 'url'?"]
    assert daemon.look().skip_reason.skip_message == f"not read: {daemon.log[0]}"
    assert daemon.instance.get_dynamic_partitions("agent_version") == ["marcus@1.0.0"]


def test_a_copied_manifest_is_evaluated_once_it_is_known_which_counts(daemon: Daemon, manifest: Manifest) -> None:
    path = manifest("1.0.0")
    copy = path.with_name("copy.yml")
    copy.write_text(path.read_text().replace("localhost", "elsewhere"))
    assert daemon.tick() == []
    assert daemon.look().skip_reason.skip_message == (
        f"not read: {path}: version: marcus@1.0.0 is also in copy.yml; leave one of them"
    )
    assert daemon.log == []
    copy.unlink()
    assert daemon.tick() == ["marcus@1.0.0"]


def test_a_candidate_waits_for_the_run_of_its_base(daemon: Daemon, manifest: Manifest) -> None:
    daemon.tick()
    manifest("1.1.0", parents=["1.0.0"])
    manifest("1.0.0")
    assert daemon.tick() == ["marcus@1.0.0"]
    assert daemon.look().skip_reason.skip_message == "marcus@1.1.0 waits until marcus@1.0.0 is evaluated"
    assert daemon.tick() == []
    daemon.end_all()
    assert daemon.tick() == ["marcus@1.1.0"]


def test_a_candidate_waits_for_the_second_try_of_its_base(daemon: Daemon, manifest: Manifest) -> None:
    manifest("1.1.0", parents=["1.0.0"])
    manifest("1.0.0")
    assert daemon.tick() == ["marcus@1.0.0"]
    [lost] = daemon.runs()
    daemon.end_all()
    daemon.instance.add_run_tags(lost.run_id, {"dagster/will_retry": "true"})
    assert daemon.tick() == []
    retry = begin(daemon.instance, daemon.definitions.resolve_job_def("release_evaluation"), dict(lost.tags))
    daemon.instance.add_run_tags(lost.run_id, {"dagster/auto_retry_run_id": retry.run_id})
    assert daemon.tick() == []
    daemon.end_all()
    assert daemon.tick() == ["marcus@1.1.0"]


def test_a_candidate_waits_for_a_base_that_dagster_could_not_start_again(
    daemon: Daemon, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a slip in `stoic.yml`: `lost_runs` has Dagster try once more some minutes later, but not for ever."""
    manifest("1.1.0", parents=["1.0.0"])
    manifest("1.0.0")
    monkeypatch.setattr(daemon.instance, "_settings", {"run_retries": {"enabled": True, "max_retries": 1}})
    assert daemon.tick() == ["marcus@1.0.0"]
    [lost] = daemon.runs()
    daemon.instance.report_run_failed(lost)
    give_up(daemon.instance, lost.run_id)
    assert daemon.tick() == []
    daemon.instance.report_run_failed(lost)
    daemon.instance.report_run_failed(lost)
    daemon.instance.add_run_tags(lost.run_id, {"dagster/will_retry": "false"})
    assert daemon.tick() == ["marcus@1.1.0"], "it was given up for good"


def test_parents_in_a_circle_wait_for_each_other_in_turn(daemon: Daemon, manifest: Manifest) -> None:
    manifest("1.0.0", parents=["1.1.0"])
    manifest("1.1.0", parents=["1.0.0"])
    assert daemon.tick() == ["marcus@1.1.0"]
    assert daemon.tick() == []
    daemon.end_all()
    assert daemon.tick() == ["marcus@1.0.0"]


def test_a_version_nobody_can_talk_to_is_but_a_name(daemon: Daemon, manifest: Manifest, workplace: Workplace) -> None:
    (workplace.project.jobs / "chat.yml").write_text(
        "target: {user: u, chatbot: marcus}\ntasks: [{task: t, acceptanceCriteria: a}]\n"
    )
    manifest("1.0.0", url=None)
    manifest("2.0.0", url="http://localhost/one")
    manifest("2.1.0", url="http://localhost/one/")
    assert daemon.tick() == ["marcus@2.1.0"]
    assert len(daemon.instance.get_dynamic_partitions("agent_version")) == 3


def test_what_was_evaluated_before_the_first_tick_is_known(
    daemon: Daemon, manifest: Manifest, workplace: Workplace
) -> None:
    manifest("1.0.0")
    manifest("1.1.0")
    workplace.warehouse.write("evaluations", "marcus@1.0.0", "by-hand", [evaluation_head()])
    assert daemon.tick() == ["marcus@1.1.0"]
    assert daemon.tick() == []
