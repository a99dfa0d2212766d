"""What the jobs of a project show in Dagster."""

import dagster as dg

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.defs.preparation import job_configs

JOB = "target: {user: u, chatbot: c}\ntasks: [{task: t, acceptanceCriteria: a}]\n"


def test_a_faulty_job_file_is_shown_and_stops_nobody(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    (workplace.project.jobs / "good.yml").write_text(JOB)
    assert configured(workplace)["unreadable_files"].value == 0
    (workplace.project.jobs / "bad.yml").write_text("taskz: []\n")
    shown = configured(workplace)
    assert (shown["dagster/row_count"].value, shown["unreadable_files"].value) == (1, 1)
    assert "bad.yml" in str(shown["file_faults"].value)


def configured(workplace: Workplace) -> dict[str, dg.MetadataValue]:
    """The metadata of the materialised asset."""
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([job_configs], resources={"workplace": workplace}, instance=instance)
    (materialisation,) = result.asset_materializations_for_node("job_configs")
    return dict(materialisation.metadata)
