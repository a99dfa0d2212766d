"""The asset that compacts: what it reports, and that it waits for nobody's old files."""

import logging
from pathlib import Path

import dagster as dg
from evaluation_heads import evaluation_head

from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.defs.maintenance import compact


def test_it_reports_what_was_merged_and_what_is_left(tmp_path: Path) -> None:
    workplace = open_workplace({"STOIC_HOME": str(tmp_path / "home")}, start=tmp_path)
    for version in ("marcus@1", "marcus@2"):
        workplace.warehouse.write("evaluations", version, "e1", [evaluation_head()])
    config = dg.RunConfig({"compact": {"config": {"grace_minutes": 0}}})
    result = dg.materialize([compact], resources={"workplace": workplace}, run_config=config)
    [event] = result.get_asset_materialization_events()
    figures = {name: value.value for name, value in event.materialization.metadata.items()}
    assert (figures["merged_files"], figures["removed_files"]) == (2, 0)
    assert "- evaluations: 2 merged, 0 removed, 5 files left" in figures["tables"]
    assert len(workplace.warehouse.query("select * from evaluations")) == 2


def test_a_table_that_is_left_out_is_named_in_the_log_of_the_run(tmp_path: Path) -> None:
    workplace = open_workplace({"STOIC_HOME": str(tmp_path / "home")}, start=tmp_path)
    for version in ("marcus@1", "marcus@2"):
        damaged = workplace.warehouse.write("evaluations", version, "e1", [evaluation_head()])
    workplace.warehouse.publish()
    damaged.write_bytes(b"damaged")
    config = dg.RunConfig({"compact": {"config": {"grace_minutes": 0}}})
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([compact], instance=instance, resources={"workplace": workplace}, run_config=config)
        told = [entry.user_message for entry in instance.all_logs(result.run_id) if entry.level == logging.WARNING]
    assert len(told) == 1
    assert str(damaged) in told[0]
