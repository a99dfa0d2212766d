"""What the launchpad accepts and a step refuses: in one line, and without another try."""

from collections.abc import Callable

import dagster as dg
import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs.judging import verdicts
from stoic_assets.defs.maintenance import compact
from stoic_assets.defs.transcripts import ConversationConfig, transcripts

VERSION = "marcus@1.0.0"


@pytest.mark.parametrize(
    ("asset", "wanted", "least"),
    [
        (transcripts, {"at_once": 0}, 1),
        (transcripts, {"max_cost": -1.0}, 0),
        (transcripts, {"repeats": 0}, 1),
        (verdicts, {"samples": 0}, 1),
        (verdicts, {"max_cost": -1.0}, 0),
        (compact, {"grace_minutes": -1.0}, 0),
    ],
)
def test_a_number_that_is_out_of_bounds_is_told_in_one_line_and_not_tried_again(
    workplace: Workplace, make_manifest: Callable[..., Manifest], instance: dg.DagsterInstance,
    asset: dg.AssetsDefinition, wanted: dict[str, float], least: int,
) -> None:
    workplace.evidence.begin(make_manifest(agent_version=VERSION))
    failed = dg.materialize(
        [asset], resources={"workplace": workplace}, instance=instance, raise_on_error=False,
        partition_key=VERSION if asset.partitions_def else None,
        run_config=dg.RunConfig({asset.node_def.name: {"config": wanted}}),
    )  # fmt: skip
    failure = failed.failure_data_for_node(asset.node_def.name)
    assert failure is not None
    assert failure.user_failure_data is not None
    [key] = wanted
    assert failure.user_failure_data.description == f"{key}: Input should be greater than or equal to {least}"
    assert not [event for event in failed.all_events if event.is_step_up_for_retry]


def test_a_wrong_address_is_named_as_in_the_launchpad() -> None:
    with pytest.raises(ConfigurationError, match=r"^agent_url: not an http or https address"):
        ConversationConfig(agent_url="ftp://x").request()


@pytest.mark.parametrize("asset", [transcripts, verdicts])
def test_a_run_without_a_partition_is_asked_for_one(
    workplace: Workplace, instance: dg.DagsterInstance, asset: dg.AssetsDefinition
) -> None:
    with pytest.raises(dg.Failure, match="this asset needs an agent version; choose a partition"):
        dg.materialize([asset], resources={"workplace": workplace}, instance=instance)
