"""Dagster's records of runs: the last one tells whether an evaluation came to its end; some end, some are forgotten."""

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
from dagster import DagsterRun, DagsterRunStatus
from dagster._core.events import DagsterEvent, StepMaterializationData
from dagster._core.storage.compute_log_manager import ComputeIOType
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.dagster_instance import dagster_home, open_instance
from stoic_assets.cli.partition_run import materialise
from stoic_assets.cli.run_records import forget_partition, status_by_runs
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.stages import EVALUATION, PARTITIONS, VERDICTS

pytestmark = pytest.mark.usefixtures("handlers_are_put_back")
SUCCESS, FAILURE, STARTED = DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.STARTED
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
    with open_instance(workplace) as instance:
        for each, stored in runs:
            instance.add_run(each)
            instance.report_dagster_event(stores(stored), each.run_id)
    assert status_by_runs(workplace, "marcus@1.0.0", "E") == status


def test_a_run_is_known_by_its_evaluation_and_those_of_it_that_were_killed_have_failed(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    @dg.asset(partitions_def=dg.DynamicPartitionsDefinition(name=PARTITIONS))
    def step() -> None: ...

    monkeypatch.setattr("stoic_assets.defs.assembly.build_definitions", lambda _: dg.Definitions(assets=[step]))
    workplace.evidence.begin(make_manifest())
    with open_instance(workplace) as instance:
        for each in (run(1, STARTED, of="E1"), run(2, STARTED, of="E2"), run(3, SUCCESS, of="E1")):
            instance.add_run(each[0])
    materialise(workplace, "marcus@1.0.0", "E1", ("step",), {})
    with open_instance(workplace) as instance:
        runs = instance.get_runs(dg.RunsFilter(tags={EVALUATION_TAG: "E1"}))
        assert [each.status for each in runs] == [SUCCESS, SUCCESS, FAILURE]
        assert runs[0].tags["dagster/partition"] == "marcus@1.0.0"
        assert instance.get_dynamic_partitions(PARTITIONS) == ["marcus@1.0.0"]
        assert [each.run_id for each in instance.get_runs(dg.RunsFilter(statuses=[STARTED]))] == ["run-2"]


def test_with_a_partition_go_its_runs_also_those_that_a_kill_left(workplace: Workplace) -> None:
    versions = ["marcus@1.0.0", "marcus@1.1.0"]
    statuses = (SUCCESS, FAILURE, DagsterRunStatus.CANCELED, STARTED, DagsterRunStatus.CANCELING)
    with open_instance(workplace) as instance:
        instance.add_dynamic_partitions(PARTITIONS, versions)
        for version in versions:
            tags = {"dagster/partition": version}
            for status in statuses:
                instance.add_run(DagsterRun("job", run_id=f"{status.value} of {version}", status=status, tags=tags))
    forget_partition(workplace, "marcus@1.0.0")
    with open_instance(workplace) as instance:
        left = sorted(each.run_id for each in instance.get_runs())
        assert left == sorted(f"{status.value} of marcus@1.1.0" for status in statuses)
        assert instance.get_dynamic_partitions(PARTITIONS) == ["marcus@1.1.0"]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_with_a_run_goes_what_its_steps_printed(workplace: Workplace, tmp_path: Path, elsewhere: bool) -> None:
    records = dagster_home(workplace)
    if elsewhere:
        place = f"class: {LocalComputeLogManager.__name__}, config: {{base_dir: {tmp_path / 'printed'}}}"
        logs = f"compute_logs: {{module: {LocalComputeLogManager.__module__}, {place}}}"
        (records / "dagster.yaml").write_text(f"telemetry: {{enabled: false}}\n{logs}")
    with open_instance(workplace) as instance:
        keeper = instance.get_ref().compute_log_manager
        for version in ("marcus@1.0.0", "marcus@1.1.0"):
            instance.add_run(DagsterRun("job", run_id=version, status=SUCCESS, tags={"dagster/partition": version}))
            with keeper.open_log_stream([version, "compute_logs", "step"], ComputeIOType.STDERR) as stream:
                assert stream is not None
                stream.write("what a user said")
    forget_partition(workplace, "marcus@1.0.0")
    storage = tmp_path / "printed" if elsewhere else records / "storage"
    assert [folder.name for folder in storage.iterdir()] == ["marcus@1.1.0"]
    assert [file.name for file in storage.rglob("*.err")] == ["step.err"]
