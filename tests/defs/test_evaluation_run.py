"""A run keeps to one evaluation from its first step on, and nobody else works on it between two steps."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs.evaluation_run import current_evaluation
from stoic_assets.defs.failures import reported
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.resources import WorkplaceResource

pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")  # Dagster's own
VERSION = "marcus@1.1.0"
TAKE = """
import sys
from pathlib import Path
from typing import Any
from stoic_assets.adapters.disk.evidence_store import EvidenceStore
with EvidenceStore(Path(sys.argv[1])).locked(*sys.argv[2:]):
    print("begun")
"""
Run = Callable[..., dg.ExecuteInProcessResult]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state of a project in the current folder."""
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def begin(home: Path, make_manifest: Callable[..., Manifest]) -> Callable[[str, str], None]:
    """Begins an evaluation: its id and the day."""

    def make(identity: str, day: str) -> None:
        started = f"2026-11-{day}T00:00:00+00:00"
        manifest = make_manifest(evaluation_id=identity, agent_version=VERSION, started_at=started)
        open_workplace().evidence.begin(manifest)

    return make


@pytest.fixture
def run(home: Path) -> Run:
    """Runs assets with the resource of Dagster's own runs."""

    def materialise(
        assets: list[dg.AssetsDefinition], tags: dict[str, str] | None = None
    ) -> dg.ExecuteInProcessResult:
        with dg.DagsterInstance.ephemeral() as instance:
            instance.add_dynamic_partitions(str(agent_versions.name), [VERSION])
            return dg.materialize(
                assets, resources={"workplace": WorkplaceResource()}, instance=instance, partition_key=VERSION,
                raise_on_error=False, tags=tags,
            )  # fmt: skip

    return materialise


def elsewhere(home: Path, identity: str) -> str:
    """What another process says that wants to work on the evaluation."""
    command = [sys.executable, "-c", TAKE, home, VERSION, identity]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr


@dg.asset(partitions_def=agent_versions)
def step(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> None:
    with reported(workplace):
        current_evaluation(context, workplace)


def said(failed: dg.ExecuteInProcessResult) -> str | None:
    """Why `step` failed."""
    failure = failed.failure_data_for_node("step")
    assert failure is not None
    assert failure.user_failure_data is not None
    return failure.user_failure_data.description


def test_between_two_steps_of_a_run_its_evaluation_stays_locked_and_the_same(
    home: Path, begin: Callable[[str, str], None], run: Run
) -> None:
    seen: list[str] = []

    @dg.asset(partitions_def=agent_versions)
    def first(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> None:
        seen.append(current_evaluation(context, workplace).evaluation_id)

    @dg.asset(partitions_def=agent_versions, deps=[first])
    def between() -> None:
        seen.append(elsewhere(home, "E1"))
        begin("E2", "22")

    @dg.asset(partitions_def=agent_versions, deps=[between])
    def last(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> None:
        seen.append(current_evaluation(context, workplace).evaluation_id)

    begin("E1", "21")
    assert run([first, between, last]).success
    assert seen[0] == seen[2] == "E1"
    assert "evaluation E1 of marcus@1.1.0 is running in another process" in seen[1]
    assert elsewhere(home, "E1") == "begun\n"


@pytest.mark.parametrize("given", [{}, {EVALUATION_TAG: "E1"}])
def test_a_run_is_tagged_with_the_evaluation_that_it_works_on(
    home: Path, begin: Callable[[str, str], None], given: dict[str, str]
) -> None:
    """Whether an evaluation came to its end is told by its runs, those of the web UI included."""
    begin("E1", "21")
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(str(agent_versions.name), [VERSION])
        dg.materialize(
            [step], resources={"workplace": WorkplaceResource()}, instance=instance, partition_key=VERSION, tags=given
        )
        [found] = instance.get_runs(dg.RunsFilter(tags={EVALUATION_TAG: "E1"}))
    assert found.status == dg.DagsterRunStatus.SUCCESS


def test_a_step_whose_evaluation_another_process_works_on_fails_with_one_line(
    home: Path, begin: Callable[[str, str], None], run: Run
) -> None:
    begin("E1", "21")
    hold = TAKE.replace('print("begun")', 'print("begun", flush=True); sys.stdin.read()')
    command = [sys.executable, "-c", hold, home, VERSION, "E1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "begun\n"
        failed = run([step])
        other.communicate("")
    assert said(failed) == "evaluation E1 of marcus@1.1.0 is running in another process; wait for it, or end it"


def test_an_evaluation_that_is_not_there_is_named(begin: Callable[[str, str], None], run: Run) -> None:
    first = "materialise `transcripts` first"
    assert said(run([step])) == f"there is no evidence for marcus@1.1.0; {first}"
    begin("E1", "21")
    assert run([step]).success
    failed = run([step], {EVALUATION_TAG: "E2"})
    assert said(failed) == f"there is no evidence for evaluation E2 of marcus@1.1.0; {first}"


def test_a_run_works_on_the_evaluation_it_names_else_on_the_newest_that_can_be_read(
    home: Path, begin: Callable[[str, str], None]
) -> None:
    seen: list[str] = []

    @dg.asset(partitions_def=agent_versions)
    def step(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> None:
        with reported(workplace):
            seen.append(current_evaluation(context, workplace).evaluation_id)

    def run(**options: Any) -> dg.ExecuteInProcessResult:
        with dg.DagsterInstance.ephemeral() as instance:
            instance.add_dynamic_partitions(str(agent_versions.name), [VERSION])
            resources = {"workplace": WorkplaceResource()}
            return dg.materialize(
                [step], resources=resources, instance=instance, partition_key=VERSION, raise_on_error=False, **options
            )

    for number, identity in enumerate(("E1", "E2", "E3"), 21):
        begin(identity, str(number))
    (open_workplace().evidence.folder(VERSION, "E3") / "manifest.json").write_text("{}")
    assert run(tags={EVALUATION_TAG: "E1"}).success
    assert run().success
    assert seen == ["E1", "E2"]
    assert not run(tags={EVALUATION_TAG: "E3"}).success
    assert not run(tags={EVALUATION_TAG: "E4"}).success
