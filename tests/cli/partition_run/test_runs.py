"""Runs of commands: whether an evaluation came to its end is told by its last one, and what was begun goes on."""

import sys
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
from dagster import DagsterRun, DagsterRunStatus
from dagster._core.events import DagsterEvent, StepMaterializationData
from dagster._core.storage.compute_log_manager import ComputeIOType
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.json_lines import LinesLost
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import partition_run
from stoic_assets.cli.dagster_instance import dagster_home
from stoic_assets.core.calls.chat import BudgetReached
from stoic_assets.core.errors import Busy, ConfigurationError, ServiceUnreachable, StoicError
from stoic_assets.core.evaluation import EVALUATION_TAG, Manifest, ResumeRefused
from stoic_assets.core.stages import EVALUATION, PARTITIONS, VERDICTS

SUCCESS, FAILURE, STARTED = DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.STARTED

PREPARATION = "stoic_assets.defs.assembly.build_definitions"
"""Takes seconds, with the imports before it."""
Run = tuple[DagsterRun, str]


def run(
    number: int, status: DagsterRunStatus, stages: tuple[str, ...] = EVALUATION, of: str = "E",
    stored: str = "virtue_scores",
) -> Run:
    """A run of these stages, and one that it stored."""
    selection = frozenset(dg.AssetKey(name) for name in stages) or None
    tags = {EVALUATION_TAG: of, "dagster/partition": "marcus@1.0.0"}
    return DagsterRun("job", run_id=f"run-{number}", status=status, tags=tags, asset_selection=selection), stored


def stores(asset: str) -> DagsterEvent:
    data = StepMaterializationData(dg.AssetMaterialization(asset))
    return DagsterEvent(dg.DagsterEventType.ASSET_MATERIALIZATION.value, "job", event_specific_data=data)


@pytest.mark.parametrize(
    ("runs", "status"),
    [
        ([], "finished"),  # Dagster's records were removed: the tables have the word
        ([run(1, SUCCESS)], "finished"),
        ([run(1, STARTED)], "conversed"),  # killed
        ([run(1, FAILURE)], "conversed"),  # after it was scored: the stoic graph went away, the disk was full
        ([run(1, FAILURE, ())], "conversed"),  # that of a job, as for a release
        ([run(1, FAILURE), run(2, SUCCESS)], "finished"),
        ([run(1, SUCCESS), run(2, FAILURE, VERDICTS)], "regrading"),
        ([run(1, SUCCESS), run(2, FAILURE, VERDICTS, stored="assertion_results")], "regrading"),
        ([run(1, SUCCESS), run(2, FAILURE, VERDICTS, stored="fitness_updates")], "finished"),  # no verdict gave way
        ([run(1, FAILURE), run(2, FAILURE, VERDICTS, stored="fitness_updates")], "conversed"),
        ([run(1, SUCCESS, VERDICTS), run(2, FAILURE, stored="transcripts")], "finished"),
        ([run(1, FAILURE), run(2, SUCCESS, VERDICTS)], "finished"),  # by another command, with what it was given
        ([run(1, FAILURE), run(2, SUCCESS, ("virtue_scores",))], "conversed"),
        ([run(1, SUCCESS), run(2, FAILURE, of="another")], "finished"),
    ],
)
def test_an_evaluation_is_over_when_the_last_run_that_judged_it_succeeded(
    runs: list[Run], status: str, workplace: Workplace
) -> None:
    with partition_run.open_instance(workplace) as instance:
        for each, stored in runs:
            instance.add_run(each)
            instance.report_dagster_event(stores(stored), each.run_id)
    assert partition_run.status_by_runs(workplace, "marcus@1.0.0", "E") == status


def test_a_run_is_known_by_its_evaluation_and_those_of_it_that_were_killed_have_failed(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    @dg.asset(partitions_def=dg.DynamicPartitionsDefinition(name=PARTITIONS))
    def step() -> None: ...

    monkeypatch.setattr(PREPARATION, lambda _: dg.Definitions(assets=[step]))
    workplace.evidence.begin(make_manifest())
    with partition_run.open_instance(workplace) as instance:
        for each in (run(1, STARTED, of="E1"), run(2, STARTED, of="E2"), run(3, SUCCESS, of="E1")):
            instance.add_run(each[0])
    partition_run.materialise(workplace, "marcus@1.0.0", "E1", ("step",), {})
    with partition_run.open_instance(workplace) as instance:
        runs = instance.get_runs(dg.RunsFilter(tags={EVALUATION_TAG: "E1"}))
        assert [each.status for each in runs] == [SUCCESS, SUCCESS, FAILURE]
        assert runs[0].tags["dagster/partition"] == "marcus@1.0.0"
        assert instance.get_dynamic_partitions(PARTITIONS) == ["marcus@1.0.0"]
        assert [each.run_id for each in instance.get_runs(dg.RunsFilter(statuses=[STARTED]))] == ["run-2"]


@pytest.mark.parametrize("status", [SUCCESS, FAILURE, DagsterRunStatus.CANCELED, STARTED, DagsterRunStatus.CANCELING])
def test_with_a_partition_go_its_runs_also_those_that_a_kill_left(
    workplace: Workplace, status: DagsterRunStatus
) -> None:
    versions = ["marcus@1.0.0", "marcus@1.1.0"]
    with partition_run.open_instance(workplace) as instance:
        instance.add_dynamic_partitions(PARTITIONS, versions)
        for version in versions:
            tags = {"dagster/partition": version}
            instance.add_run(DagsterRun("job", run_id=f"run of {version}", status=status, tags=tags))
    partition_run.forget_partition(workplace, "marcus@1.0.0")
    with partition_run.open_instance(workplace) as instance:
        assert [each.run_id for each in instance.get_runs()] == ["run of marcus@1.1.0"]
        assert instance.get_dynamic_partitions(PARTITIONS) == ["marcus@1.1.0"]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_with_a_run_goes_what_its_steps_printed(workplace: Workplace, tmp_path: Path, elsewhere: bool) -> None:
    records = dagster_home(workplace)
    if elsewhere:
        place = f"class: {LocalComputeLogManager.__name__}, config: {{base_dir: {tmp_path / 'printed'}}}"
        logs = f"compute_logs: {{module: {LocalComputeLogManager.__module__}, {place}}}"
        (records / "dagster.yaml").write_text(f"telemetry: {{enabled: false}}\n{logs}")
    with partition_run.open_instance(workplace) as instance:
        keeper = instance.get_ref().compute_log_manager
        for version in ("marcus@1.0.0", "marcus@1.1.0"):
            instance.add_run(DagsterRun("job", run_id=version, status=SUCCESS, tags={"dagster/partition": version}))
            with keeper.open_log_stream([version, "compute_logs", "step"], ComputeIOType.STDERR) as stream:
                assert stream is not None
                stream.write("what a user said")
    partition_run.forget_partition(workplace, "marcus@1.0.0")
    storage = tmp_path / "printed" if elsewhere else records / "storage"
    assert [folder.name for folder in storage.iterdir()] == ["marcus@1.1.0"]
    assert [file.name for file in storage.rglob("*.err")] == ["step.err"]


def test_an_evaluation_that_another_process_works_on_is_left_to_it(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its runs are alive, and everything would be paid for twice."""
    manifest, gone_on = make_manifest(), list[object]()
    workplace.evidence.begin(manifest)
    monkeypatch.setattr(partition_run, "_fail_dead_runs", lambda *_: gone_on.append(1))
    key = manifest.agent_version, manifest.evaluation_id
    with locked(workplace.evidence.folder(*key) / "lock"), pytest.raises(Busy, match="is running in another process"):
        partition_run.materialise(workplace, *key, VERDICTS, {})
    assert not gone_on


RUN = "stoic_assets.cli.partition_run._fail_dead_runs"


@pytest.mark.parametrize("place", ["stoic_assets.cli.partition_run.import_clients", PREPARATION, RUN])
@pytest.mark.parametrize(
    ("begun", "said"), [(False, "nothing was started"), (True, "results so far are stored; continue with `stoic")]
)
def test_only_what_was_begun_goes_on(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch,
    begun: bool, said: str, place: str,
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    manifest = make_manifest()
    workplace.evidence.begin(manifest)
    if begun:
        workplace.evidence.journal_file(manifest).touch()
    monkeypatch.setattr(place, interrupted)
    with pytest.raises(partition_run.Interrupted, match=f"^interrupted; {said}"):
        partition_run.materialise(workplace, manifest.agent_version, manifest.evaluation_id, ("job_configs",), {})


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize(
    ("kind", "said", "names_a_way"),
    [
        (ConfigurationError, "no credit left", False),
        (ServiceUnreachable, "gone; repeat `stoic regrade`", True),
        (ResumeRefused, "the job was changed", True),
        (BudgetReached, "judge again with a higher --max-cost", True),
        (Busy, "is running in another process", True),
        (LinesLost, "journal.jsonl:2 is damaged; restore the file from a backup", True),
    ],
)
def test_a_fault_that_names_no_way_to_go_on_is_given_one_if_anything_was_begun(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch,
    kind: type[StoicError], said: str, names_a_way: bool, begun: bool,
) -> None:
    def failing(*_: object) -> None:
        raise kind(said)

    manifest = make_manifest()
    workplace.evidence.begin(manifest)
    if begun:
        workplace.evidence.journal_file(manifest).touch()
    monkeypatch.setattr(RUN, failing)
    config: dict[str, dict[str, float]] = {"transcripts": {"max_cost": 0.0}, "verdicts": {"max_cost": 0.0}}
    with pytest.raises(StoicError) as caught:
        partition_run.materialise(workplace, manifest.agent_version, manifest.evaluation_id, ("transcripts",), config)
    command = f"`stoic eval --agent-version {manifest.agent_version} --resume {manifest.evaluation_id}`"
    notes = [f"results so far are stored; continue with {command} and --max-cost 0"]
    assert getattr(caught.value, "__notes__", []) == (notes if begun and not names_a_way else [])


def test_what_a_step_prints_is_no_result_of_the_command(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @dg.asset(partitions_def=dg.DynamicPartitionsDefinition(name=PARTITIONS))
    def step() -> None:
        sys.stdout.write("a library says something\n")

    monkeypatch.setattr(PREPARATION, lambda _: dg.Definitions(assets=[step]))
    partition_run.materialise(workplace, "marcus@1.0.0", "E1", ("step",), {})
    assert capsys.readouterr() == ("", "a library says something\n")
