"""What a run configuration may ask of judges, and what Dagster shows of their verdicts."""

from collections.abc import Callable

import dagster as dg
import pytest
from pydantic import ValidationError

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import Manifest
from stoic_assets.defs.judging import JudgingConfig, verdicts
from stoic_assets.defs.partitions import agent_versions


@pytest.mark.parametrize("wanted", [{"samples": 0}, {"samples": 51}, {"max_cost": -1.0}])
def test_numbers_that_a_command_refuses_are_refused(wanted: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match="than or equal"):
        JudgingConfig(**wanted)


def test_nothing_need_be_said() -> None:
    assert (JudgingConfig().samples, JudgingConfig(samples=50, max_cost=0).samples) == (None, 50)


@pytest.mark.parametrize("offline", [True, False])
def test_where_there_is_nothing_to_judge_it_is_still_shown_whether_all_was_offline(
    workplace: Workplace, make_manifest: Callable[..., Manifest], offline: bool
) -> None:
    manifest = make_manifest(offline=offline)
    version = manifest.agent_version
    workplace.evidence.begin(manifest)
    for table in ("trials", "turns", "observations"):
        workplace.warehouse.write(table, version, manifest.evaluation_id, [])
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(str(agent_versions.name), [version])
        result = dg.materialize(
            [verdicts], resources={"workplace": workplace}, instance=instance, partition_key=version
        )
        shown = [event.materialization.metadata for event in result.get_asset_materialization_events()]
    assert [(each["dagster/row_count"].value, each["offline"].value) for each in shown] == [(0, offline)] * 2
