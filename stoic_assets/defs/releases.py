"""Evaluates a version automatically when its manifest appears in `releases/`."""

import hashlib
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime

import dagster as dg
from dagster._core.storage.dagster_run import NOT_FINISHED_STATUSES

from stoic_assets.adapters.disk.release_files import load_release
from stoic_assets.adapters.evaluation.live_releases import Releases, read_releases
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.order_of_releases import in_order, ready
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.releases import Release
from stoic_assets.core.stages import EVALUATION, PARTITION_TAG, PARTITIONS
from stoic_assets.defs.failures import RETRIED_TAG, REVIVED_WITHIN, has_ended
from stoic_assets.defs.partitions import agent_versions

REQUESTED = "release-"
"""How the ids of the evaluations begin that the sensor requests; what was requested follows."""

release_evaluation = dg.define_asset_job(
    "release_evaluation",
    selection=dg.AssetSelection.assets(*EVALUATION),
    description="Evaluates one version of an agent, from conversations to verdict and report.",
)


@dg.sensor(
    job=release_evaluation,
    description="Adds a partition for every manifest in `releases/`, and evaluates those that are new or have changed.",
    minimum_interval_seconds=15,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def new_releases(context: dg.SensorEvaluationContext, workplace: dg.ResourceParam[Workplace]) -> dg.SensorResult:
    """Requests an evaluation of each version whose manifest is new or has changed.

    The cursor contains the content that was last requested, by version: the same content is not requested again, even
    if its manifest was away in between. A version that was deleted since counts as new; one that was changed and
    changed back has changed twice. If the cursor was lost, runs and evidence say what was requested.
    """
    releases = read_releases(workplace)
    digests = {release.agent_version: digest_of(release) for release in releases.live}
    bases = releases.bases()
    requested = _requested(context, workplace, digests)
    wanted = [version for version, digest in digests.items() if _content(requested.get(version)) != digest]
    begun = ready(wanted, bases, _versions_running(context.instance))
    requested |= {version: _change(requested.get(version), digests[version]) for version in begun}
    for complaint in releases.complaints if begun else ():  # otherwise they are why the tick was skipped
        context.log.warning(complaint)
    known = [each.agent_version for each in in_order(releases.ordered.values()) if each.agent_version in releases.known]
    waiting = [f"{version} waits until {bases[version]} is evaluated" for version in wanted if version not in begun]
    return dg.SensorResult(
        run_requests=[_request(version, requested[version]) for version in begun],
        skip_reason=None if begun else _why_nothing(waiting, releases),
        dynamic_partitions_requests=missing_partitions(context.instance, known),
        cursor=json.dumps(requested, sort_keys=True),
    )


def digest_of(release: Release) -> str:
    """A digest of a manifest's content, not of its formatting: a comment makes no new release."""
    content = f"{release.agent_version}\n{release.model_dump_json(exclude_defaults=True)}"
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def refuse_replaced(workplace: Workplace, version: str, evaluation_id: str) -> None:
    """Raises `ConfigurationError` when the manifest is not the one any more that an evaluation was requested for.

    The new content has a run of its own, and would be paid for twice. An evaluation that has begun keeps its own.
    """
    release = load_release(workplace.project.releases, version)
    if not (release and evaluation_id.startswith(REQUESTED)):
        return
    changed = _content(evaluation_id.removeprefix(REQUESTED)) != digest_of(release)
    if changed and evaluation_id not in workplace.evidence.evaluation_ids(version):
        raise ConfigurationError(
            f"the manifest of {version} has changed, and another run evaluates it as it is now; nothing is evaluated"
        )


def _change(before: str | None, digest: str) -> str:
    """What is requested: a digest and, unless it is the version's first, the number of the change."""
    return f"{digest}-{_number(before) + 1}" if before else digest


def _number(change: str) -> int:
    return int(change.partition("-")[2] or 1)


def _content(change: str | None) -> str | None:
    """The digest in what was requested."""
    return change and change.partition("-")[0]


def _versions_running(instance: dg.DagsterInstance) -> set[str]:
    """The versions with a run of `release_evaluation` that works, waits, or is about to be started again."""
    name, failed, lately = release_evaluation.name, [dg.DagsterRunStatus.FAILURE], datetime.now(UTC) - REVIVED_WITHIN
    perhaps = (
        dg.RunsFilter(job_name=name, statuses=NOT_FINISHED_STATUSES),
        dg.RunsFilter(job_name=name, statuses=failed, tags={RETRIED_TAG: "true"}),
        dg.RunsFilter(job_name=name, statuses=failed, tags={RETRIED_TAG: "false"}, updated_after=lately),
    )
    runs = [run for each in perhaps for run in instance.get_runs(each)]
    return {run.tags[PARTITION_TAG] for run in runs if PARTITION_TAG in run.tags and not has_ended(instance, run)}


def _request(version: str, change: str) -> dg.RunRequest:
    tags = {EVALUATION_TAG: f"{REQUESTED}{change}"}
    return dg.RunRequest(run_key=f"{version}:{change}", partition_key=version, tags=tags)


def _requested(
    context: dg.SensorEvaluationContext, workplace: Workplace, digests: dict[str, str]
) -> dict[str, str]:
    """Requests so far for versions not deleted since; on the very first tick, versions that were evaluated already.

    Where the cursor does not know the content of now, it may be one that was lost, or is older than the last request.
    """
    known = _not_deleted(context.instance, workplace, json.loads(context.cursor or "{}"))
    for version, digest in digests.items():
        if _content(known.get(version)) == digest:
            continue
        if changes := [*filter(None, [known.get(version)]), *_recorded(context.instance, workplace, version)]:
            known[version] = max(changes, key=_number)
        elif not context.cursor and workplace.warehouse.evaluations(version):
            known[version] = digest
    return known


def _not_deleted(instance: dg.DagsterInstance, workplace: Workplace, requested: dict[str, str]) -> dict[str, str]:
    """A deleted version has neither partition nor evidence. Without its partition alone, its record was lost."""
    there = _partitions(instance)
    left = {version for version in requested if version in there or workplace.evidence.evaluation_ids(version)}
    return {version: change for version, change in requested.items() if version in left}


def _recorded(instance: dg.DagsterInstance, workplace: Workplace, version: str) -> list[str]:
    """What was requested of a version, as its runs and its evidence say."""
    runs = instance.get_runs(dg.RunsFilter(job_name=release_evaluation.name, tags={PARTITION_TAG: version}))
    ids = [*(run.tags.get(EVALUATION_TAG, "") for run in runs), *workplace.evidence.evaluation_ids(version)]
    return [made[1] for each in ids if (made := re.fullmatch(rf"{REQUESTED}([0-9a-f]{{12}}(?:-[0-9]+)?)", each))]


def missing_partitions(instance: dg.DagsterInstance, versions: Iterable[str]) -> list[dg.AddDynamicPartitionsRequest]:
    """What a sensor has to add beside its requests: Dagster rejects all of them if one version has no partition.

    A backfill begins versions in the order in which they were added, so their bases have to come first.
    """
    there = _partitions(instance)
    missing = [version for version in dict.fromkeys(versions) if version not in there]
    return [agent_versions.build_add_request(missing)] if missing else []


def _partitions(instance: dg.DagsterInstance) -> set[str]:
    return set(instance.get_dynamic_partitions(PARTITIONS))


def _why_nothing(waiting: list[str], releases: Releases) -> str:
    """One line for the tick's page."""
    faults = [f"not read: {complaint}" for complaint in releases.complaints]
    reasons = [*waiting, *faults] or ["no live version is new or has changed"]
    if releases.elsewhere:
        reasons.append(listed([*releases.elsewhere.values()]))
    return "; ".join(reasons)
