"""What the jobs of a project show in Dagster."""

import dagster as dg
import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.releases import Release
from stoic_assets.defs.preparation import graph_setup, job_configs

JOB = "target: {user: u, chatbot: c}\ntasks: [{task: t, acceptanceCriteria: a}]\n"


def test_a_faulty_job_file_is_shown_and_stops_nobody(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    (workplace.project.jobs / "good.yml").write_text(JOB)
    assert configured(workplace)["unreadable_files"].value == 0
    (workplace.project.jobs / "bad.yml").write_text("taskz: []\n")
    shown = configured(workplace)
    assert (shown["dagster/row_count"].value, shown["unreadable_files"].value) == (1, 1)
    assert "bad.yml" in str(shown["file_faults"].value)


def test_a_job_that_may_not_be_meant_so_is_told(workplace: Workplace, capfd: pytest.CaptureFixture[str]) -> None:
    workplace.project.jobs.mkdir()
    (workplace.project.jobs / "brief.yml").write_text(f"{JOB}maxTurns: 2\n")
    assert configured(workplace)["unreadable_files"].value == 0
    assert "job brief: `maxTurns: 2` lets the user speak 0 times after the greeting" in capfd.readouterr().err


@pytest.mark.parametrize("key", ["marcus", "../x@1"])
def test_a_partition_that_is_no_agent_version_is_refused_before_anything_is_done(
    workplace: Workplace, key: str
) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("agent_version", [key])
        failed = dg.materialize(
            [graph_setup], resources={"workplace": workplace}, instance=instance, partition_key=key,
            raise_on_error=False,
        )  # fmt: skip
    failure = failed.failure_data_for_node("graph_setup")
    assert failure is not None
    assert failure.user_failure_data is not None
    assert f"{key!r} is not an agent version" in (failure.user_failure_data.description or "")
    assert not (workplace.project.home / "graph").exists()


def test_a_version_is_introduced_with_its_manifest_whatever_is_wrong_with_others(
    workplace: Workplace, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    introduced: list[Release | None] = []

    def introduce(_: Workplace, version: str, release: Release | None) -> tuple[str | None, tuple[str, ...]] | None:
        introduced.append(release)
        return (release.released_at, release.parent_versions) if release else None

    monkeypatch.setattr("stoic_assets.defs.preparation.introduce_version", introduce)
    workplace.project.releases.mkdir()
    (workplace.project.releases / "broken.yml").write_text("agent: [")
    (workplace.project.releases / "1.1.0.yml").write_text(
        "{agent: marcus, version: 1.1.0, parents: [1.0.0], releasedAt: '2026-11-01'}"
    )
    told = []
    for version in ("marcus@1.1.0", "marcus@1.0.0"):
        result = dg.materialize(
            [graph_setup], resources={"workplace": workplace}, instance=instance, partition_key=version
        )
        [made] = result.asset_materializations_for_node("graph_setup")
        told.append((made.metadata["parents"].value, made.metadata["released_at"].value))
    assert [release and release.agent_version for release in introduced] == ["marcus@1.1.0", None]
    assert told == [("marcus@1.0.0", "2026-11-01T00:00:00+00:00"), ("none", "no date")]
    assert made.metadata["unreadable_manifests"].value == 1
    assert "broken.yml" in str(made.metadata["manifest_faults"].value)


def test_what_was_evaluated_is_out_of_date_only_once_a_job_was_changed(workplace: Workplace) -> None:
    def version() -> str | None:
        return configured_with(workplace).tags["dagster/data_version"]

    workplace.project.jobs.mkdir()
    file = workplace.project.jobs / "good.yml"
    file.write_text(JOB)
    before = version()
    file.write_text(f"# Nothing that counts.\n{JOB}")
    assert version() == before
    file.write_text(f"{JOB}repeats: 2\n")
    assert version() != before


def configured(workplace: Workplace) -> dict[str, dg.MetadataValue]:
    """The metadata of the materialised asset."""
    return dict(configured_with(workplace).metadata)


def configured_with(workplace: Workplace) -> dg.AssetMaterialization:
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([job_configs], resources={"workplace": workplace}, instance=instance)
    (materialisation,) = result.asset_materializations_for_node("job_configs")
    return materialisation
