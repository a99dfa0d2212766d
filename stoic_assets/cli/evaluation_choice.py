"""Which stored evaluation a command works on: the named one, the newest, or the one that `--resume` continues."""

from collections.abc import Collection, Sequence

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.run_records import status_by_runs
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.next_command import half_judged
from stoic_assets.core.evaluation.resuming import newest_unfinished
from stoic_assets.core.evaluation.status import DONE, FINISHED, REGRADING
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.presentation.names import SHOWN, instead_of, natural
from stoic_assets.core.releases import check_agent_version


def checked_version(workplace: Workplace, key: str) -> str:
    """As `check_agent_version`; the refusal of an agent or a version alone names the evaluated ones that have it."""
    try:
        return check_agent_version(key)
    except ConfigurationError as refusal:
        if meant := [each for each in workplace.evidence.agent_versions() if key in each.split("@")]:
            refusal.add_note(f"did you mean {listed(sorted(meant, key=natural), SHOWN)}?")
        raise


def _newest_evaluation(workplace: Workplace, version: str) -> Manifest:
    """The newest evaluation of a version with stored conversations.

    Raises `ConfigurationError` if there is none, or if its manifest is missing: no older one takes its place.
    """
    if not (rows := workplace.warehouse.evaluations(version)):
        raise ConfigurationError(f"{version} {workplace.unevaluated(version)}")
    if manifest := workplace.evidence.manifest(version, rows[0]["evaluation_id"]):
        return manifest
    raise ConfigurationError(_lost(workplace, version, rows[0]["evaluation_id"]))


def evaluation_of(workplace: Workplace, version: str | None, evaluation_id: str | None) -> Manifest:
    """The evaluation with this id, which tells its version; without an id, the newest of the version or of all.

    Raises `ConfigurationError` if there is none, if it belongs to another version, or if several versions have this id.
    """
    if evaluation_id is None:
        named = checked_version(workplace, version) if version else workplace.warehouse.newest_version()
        return _newest_evaluation(workplace, named)
    own = version or _version_of(workplace, evaluation_id)
    if manifest := workplace.evidence.manifest(own, evaluation_id):
        return manifest
    if workplace.warehouse.has("evaluations", own, evaluation_id):
        raise ConfigurationError(_lost(workplace, own, evaluation_id))
    if others := _versions_with(workplace, evaluation_id):
        advice = f"it belongs to {listed(others)}; name that version, or leave --agent-version out"
        raise ConfigurationError(f"{own} has no evaluation {evaluation_id}: {advice}")
    if not (manifests := workplace.evidence.manifests(own)):
        raise ConfigurationError(f"{own} {workplace.unevaluated(own)}")
    named = instead_of(evaluation_id, [each.evaluation_id for each in manifests])
    raise ConfigurationError(f"{own} has no evaluation {evaluation_id}; {named}; or run `stoic eval` for a new one")


def _lost(workplace: Workplace, version: str, evaluation_id: str) -> str:
    """The complaint that an evaluation is in the tables but has no manifest."""
    file = workplace.evidence.folder(version, evaluation_id) / "manifest.json"
    advice = f"run a new evaluation, or delete the whole version with `stoic delete {version}`"
    return f"evaluation {evaluation_id} of {version} has lost {file}; restore the file from a backup, {advice}"


def _versions_with(workplace: Workplace, evaluation_id: str) -> list[str]:
    """The versions that have an evaluation with this id: one, but in old homes several may share an id."""
    versions = sorted(workplace.evidence.agent_versions())
    return [each for each in versions if workplace.has_evaluation(each, evaluation_id)]


def _version_of(workplace: Workplace, evaluation_id: str) -> str:
    """The only version with this evaluation. Raises `ConfigurationError` if none has it, or several."""
    match _versions_with(workplace, evaluation_id):
        case [version]:
            return version
        case []:
            raise ConfigurationError(f"there is no evaluation {evaluation_id}; `stoic list` shows the ids")
        case several:
            whose = f"several versions have an evaluation {evaluation_id}: {listed(several)}"
            raise ConfigurationError(f"{whose}; choose one with --agent-version")


def newest_to_resume(version: str, jobs: Collection[str], workplace: Workplace) -> Manifest:
    """The newest unfinished evaluation of this version and these jobs.

    An evaluation also counts as unfinished if too many of its trials are invalid: these run again from the beginning.
    One whose journal is empty is skipped if a later one was finished. Raises `ConfigurationError` if there is none, or
    if the newest was judged again but not completely.
    """
    manifests = workplace.evidence.manifests(version)
    alike = [manifest for manifest in manifests if {job.name for job in manifest.spec.jobs} == {*jobs}]
    rows = {row["evaluation_id"]: row for row in workplace.warehouse.evaluations(version)}
    status = {evaluation_id: row["status"] for evaluation_id, row in rows.items()}
    newest = alike[-1].evaluation_id if alike else ""
    if status.get(newest) == FINISHED:
        status[newest] = _status_of_scored(workplace, version, newest)
    if status.get(newest) == REGRADING:
        again = f"{half_judged(version, newest)}, or judge it by the original jobs with --resume {newest}"
        raise ConfigurationError(again)
    if unfinished := newest_unfinished(alike, status, workplace.evidence.has_begun):
        return unfinished
    others = [each.evaluation_id for each in manifests if each not in alike]
    invalid = newest if newest in rows and rows[newest]["invalid_trials"] else None
    open_ones = [each for each in others if status.get(each) not in DONE]
    raise ConfigurationError(_nothing_to_resume(version, open_ones, invalid))


def _status_of_scored(workplace: Workplace, version: str, evaluation_id: str) -> str:
    """`finished` unless the last run of the evaluation was cut short, or it has no verdict."""
    status = status_by_runs(workplace, version, evaluation_id)
    [scores] = workplace.warehouse.read("evaluation_scores", version, evaluation_id)
    return status if status != FINISHED or scores["conclusive"] else "without verdict"


def _nothing_to_resume(version: str, others: Sequence[str], invalid: str | None) -> str:
    """The complaint that there is nothing to resume, but `others`, with other jobs, or one with `invalid` trials."""
    named = f" (with other jobs: {', '.join(others)}; --resume ID continues one of these)"
    elsewhere = named if others else ""
    again = f"; --resume {invalid} runs the invalid trials of the newest again" if invalid else ""
    new = "leave --resume out to start a new one"
    return f"there is no unfinished evaluation of {version} with these jobs{elsewhere}{again}; {new}"
