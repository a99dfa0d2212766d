"""The comparison of an evaluation with its base, or why it was refused."""

import asyncio
from dataclasses import dataclass, replace

from stoic_assets.adapters.disk.release_files import load_releases, nameless, releases_by_version
from stoic_assets.adapters.evaluation.stored_comparison import why_outdated
from stoic_assets.adapters.evaluation.version_comparison import base_version, compare_versions, is_first_under_way
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.comparison_text import name
from stoic_assets.core.comparison.family import by_size
from stoic_assets.core.comparison.side import ComparisonRefused
from stoic_assets.core.comparison.version_verdict import VersionVerdict, version_verdict
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.order_of_releases import first_of
from stoic_assets.core.releases import agent_of
from stoic_assets.core.reports.trend_chart import versions_before
from stoic_assets.core.table_rows import Rows

LOOK_AGAIN_SECONDS = 2.0
_LOOKED_AT = 10
"""Earlier versions that may share a job."""
_LAST_COMPARED = """
select found.* from version_comparisons as found join evaluations using (agent_version, evaluation_id)
where found.agent_version = ? and found.base = ? and found.evaluation_id <> ? and not found.offline
qualify rank() over (order by evaluations.started_at desc, found.evaluation_id desc) = 1
"""


@dataclass(frozen=True)
class Uncompared:
    """Why an evaluation is not compared; `regressed` if its version did by the last comparison with the base."""

    why: str
    regressed: bool = False


async def await_first_evaluation(workplace: Workplace, version: str, base: str) -> None:
    """Waits for the first evaluation of `base`, with which `version` is to be compared, and says so.

    It waits only while another process makes that evaluation: versions that are evaluated side by side, as in a
    backfill, end in any order. Of versions that would wait for each other, the first does not wait.
    """
    line = f"{base} is being evaluated by another process; the comparison with it waits for that"
    while is_first_under_way(workplace, base) and not _goes_first(workplace, version, base):
        if line:
            workplace.progress.note(line)
        line = ""
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


def _goes_first(workplace: Workplace, version: str, base: str) -> bool:
    """Whether the base waits for this version, perhaps through others, and this version is the first of them all.

    That happens where manifests name each other as parents, and each evaluation ended at its cost ceiling: nobody
    waits for an evaluation that is finished.
    """
    circle, each = {version}, base
    while each not in circle and is_first_under_way(workplace, each):
        circle.add(each)
        each = base_version(workplace, workplace.evidence.manifests(each)[-1]) or each
    if each != version or not is_first_under_way(workplace, version):
        return False
    return first_of(circle, releases_by_version(workplace.project.releases).values()) == version


def compared_with(workplace: Workplace, manifest: Manifest, base: str) -> Comparison | Uncompared:
    """The comparison of an evaluation with a base, or why there can be none."""
    try:
        held_with = workplace.nights.held_with(manifest.evaluation_id, base)
        found = compare_versions(
            workplace, base, manifest.agent_version, candidate_id=manifest.evaluation_id, held_with=held_with
        )
    except (ComparisonRefused, ConfigurationError) as refusal:
        return _uncompared(str(refusal), _last_verdict(workplace, manifest, base))
    return replace(found, notes=(*found.notes, *_doubts(workplace, manifest)))


def _uncompared(refusal: str, last: VersionVerdict | None) -> Uncompared:
    """A refusal, beside the verdict of an evaluation of the same version that was compared: that still holds."""
    if last is None:
        return Uncompared(refusal)
    moved = last.verdict in ("regressed", "improved")
    which = f" ({', '.join(map(name, by_size(last.gating, last.verdict)))})" if moved else ""
    side = f"{last.gating[0]['candidate']} (evaluation {last.gating[0]['evaluation_id']})"
    found = f"{side} was compared with {last.base}: {last.verdict}{which}"
    return Uncompared(f"{refusal}; {found}", last.verdict == "regressed")


def _last_verdict(workplace: Workplace, manifest: Manifest, base: str) -> VersionVerdict | None:
    """The verdict on the newest other evaluation of the version that was compared with a base, while it holds."""
    rows = workplace.warehouse.query(_LAST_COMPARED, [manifest.agent_version, base, manifest.evaluation_id])
    return None if why_outdated(workplace, rows) else version_verdict(rows)


def _doubts(workplace: Workplace, manifest: Manifest) -> list[str]:
    """Why the release before an evaluation's may be another; none where its first parent is the base."""
    if manifest.parents:
        return []
    _, faults = load_releases(workplace.project.releases)
    version = manifest.agent_version
    doubt = f"the release before {version} may be another one, whose manifest cannot be read"
    return [workplace.redactor.text(f"{doubt}: {fault}") for fault in nameless(faults, agent_of(version))]


def why_uncompared(workplace: Workplace, manifest: Manifest) -> str | None:
    """Why no comparison of an evaluation is stored, and what to do; None where no base is known."""
    base, version = base_version(workplace, manifest), manifest.agent_version
    if base is None:
        return None
    later = f"that was not possible when it was judged; `stoic compare {base} {version}` compares the two, job by job"
    found = compared_with(workplace, manifest, base)
    return found.why if isinstance(found, Uncompared) else later


def comparable_version(workplace: Workplace, manifest: Manifest, trends: Rows) -> str | None:
    """The newest earlier version that was evaluated by a job of the same content; None where there is none."""
    own = manifest.job_hashes.items()
    for version in versions_before(manifest.agent_version, trends)[:_LOOKED_AT]:
        if any((row["job"], row["job_hash"]) in own for row in workplace.warehouse.jobs(version)):
            return version
    return None
