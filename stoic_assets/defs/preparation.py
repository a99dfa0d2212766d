"""What precedes any conversation: the job files, and the agent's nodes in the stoic graph."""

import hashlib

import dagster as dg

from stoic_assets.adapters.disk.job_files import readable_jobs
from stoic_assets.adapters.disk.release_files import load_releases
from stoic_assets.adapters.evaluation.job_choice import job_files
from stoic_assets.adapters.evaluation.stoic_graph_projection import introduce_version
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.graph_address import subject_address
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.plan import plan
from stoic_assets.core.jobs.slips import doubts
from stoic_assets.core.moments import utc_text
from stoic_assets.core.presentation.markdown import bulleted
from stoic_assets.core.releases import check_agent_version
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.defs.asset_metadata import OWNERS, shown
from stoic_assets.defs.evaluation_run import version_of
from stoic_assets.defs.failures import RETRIES, reported
from stoic_assets.defs.partitions import agent_versions


@dg.asset(group_name="preparation", kinds={"yaml"}, owners=OWNERS)
def job_configs(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
    """Checks and lists the jobs of this project.

    A faulty file is only shown here. An evaluation that needs it is refused before its first conversation.
    """
    jobs, complaints = readable_jobs(job_files(workplace.project))
    for problem in [*complaints, *doubts(jobs, subject_address(workplace.env) is None)]:
        context.log.warning(str(problem))
    asked = hashlib.sha256("".join(sorted(f"{job.name} {job.hash()}\n" for job in jobs)).encode())
    return dg.MaterializeResult(
        # Else Dagster would call all that was evaluated before out of date, though no job was changed.
        data_version=dg.DataVersion(asked.hexdigest()),
        metadata={
            "dagster/row_count": len(jobs),
            "trials": len(plan(jobs, "")),
            "assertions": sum(len(job.assertions) for job in jobs),
            "folder": dg.MetadataValue.path(workplace.project.jobs),
            "jobs": shown((_shown(job, workplace.redactor) for job in jobs), _SCHEMA),
            "unreadable_files": len(complaints),
            **({"file_faults": dg.MetadataValue.md(bulleted(map(str, complaints)))} if complaints else {}),
        }
    )


_SCHEMA = dg.TableSchema(
    [dg.TableColumn("job"), dg.TableColumn("chatbot"), dg.TableColumn("tags")]
    + [dg.TableColumn(name, "int") for name in ("tasks", "scenarios", "facts", "assertions", "trials")]
)


def _shown(job: Job, redactor: Redactor) -> dict[str, str | int]:
    return {
        "job": job.name,
        "chatbot": job.target.chatbot,
        "tags": redactor.text(", ".join(job.tags)),
        "tasks": len(job.tasks),
        "scenarios": len(job.scenarios),
        "facts": len(job.facts),
        "assertions": len(job.assertions),
        "trials": len(plan([job], "")),
    }


@dg.asset(
    group_name="preparation",
    kinds={"neo4j"},
    owners=OWNERS,
    partitions_def=agent_versions,
    retry_policy=RETRIES,
    deps=[job_configs],
)
def graph_setup(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
    """Writes the constraints of the stoic graph, and the node of this agent version with its parents."""
    with reported(workplace, context):
        version = check_agent_version(version_of(context))  # the web UI adds any text as a partition
        releases, complaints = load_releases(workplace.project.releases)
        released_at, parents = introduce_version(workplace, version, releases.get(version)) or (None, ())
    return dg.MaterializeResult(
        metadata={
            "parents": ", ".join(parents) or "none",
            "released_at": utc_text(released_at) if released_at else "no date",
            "unreadable_manifests": len(complaints),
            **({"manifest_faults": dg.MetadataValue.md(bulleted(map(str, complaints)))} if complaints else {}),
        }
    )
