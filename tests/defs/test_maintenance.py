"""The asset that compacts: what it reports, and that it waits for nobody's old files."""

from pathlib import Path

import dagster as dg

from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.defs.maintenance import compact

HEAD = {"agent": "marcus", "started_at": "2026-01-01T00:00:00Z", "status": "finished", "offline": True}


def test_it_reports_what_was_merged_and_what_is_left(tmp_path: Path) -> None:
    workplace = open_workplace({"STOIC_HOME": str(tmp_path / "home")}, start=tmp_path)
    for version in ("marcus@1", "marcus@2"):
        workplace.warehouse.write("evaluations", version, "e1", [HEAD | {"planned_trials": 1}])
    config = dg.RunConfig({"compact": {"config": {"grace_minutes": 0}}})
    result = dg.materialize([compact], resources={"workplace": workplace}, run_config=config)
    [event] = result.get_asset_materialization_events()
    figures = {name: value.value for name, value in event.materialization.metadata.items()}
    assert (figures["merged_files"], figures["removed_files"]) == (2, 0)
    assert "- evaluations: 2 merged, 0 removed, 5 files left" in figures["tables"]
    assert len(workplace.warehouse.query("select * from evaluations")) == 2
