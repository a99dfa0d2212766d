"""Whether an evaluation came to its end is told by its last run."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg
import pytest
from dagster import DagsterInstance, DagsterRun, DagsterRunStatus

from stoic_assets.cli import partition_run
from stoic_assets.core.evaluation import EVALUATION_TAG
from stoic_assets.core.stages import EVALUATION, VERDICTS

SUCCESS, FAILURE, STARTED = DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.STARTED


def run(number: int, status: DagsterRunStatus, stages: tuple[str, ...] = EVALUATION, of: str = "E") -> DagsterRun:
    selection = frozenset(dg.AssetKey(name) for name in stages)
    tags = {EVALUATION_TAG: of}
    return DagsterRun("job", run_id=f"run-{number}", status=status, tags=tags, asset_selection=selection)


@pytest.mark.parametrize(
    ("runs", "cut_short"),
    [
        ([], False),  # Dagster's records were removed: the tables have the word
        ([run(1, SUCCESS)], False),
        ([run(1, STARTED)], True),  # killed
        ([run(1, FAILURE)], True),  # after the scores were stored: the stoic graph went away, the disk was full
        ([run(1, FAILURE), run(2, SUCCESS)], False),
        ([run(1, SUCCESS), run(2, FAILURE, VERDICTS)], False),  # a regrading is no part of `stoic eval`
        ([run(1, SUCCESS), run(2, FAILURE, of="another")], False),
    ],
)
def test_an_evaluation_is_over_when_its_last_run_succeeded(
    runs: list[DagsterRun], cut_short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def instance(_: Any) -> Iterator[DagsterInstance]:
        with DagsterInstance.ephemeral() as found:
            for each in runs:
                found.add_run(each)
            yield found

    monkeypatch.setattr(partition_run, "open_instance", instance)
    assert partition_run.was_cut_short(None, "E") is cut_short  # type: ignore[arg-type]
