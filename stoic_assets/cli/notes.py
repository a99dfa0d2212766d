"""Notes on stderr before an evaluation: none of them stops it."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from stoic_assets.adapters.graph.embedded_graph import is_served
from stoic_assets.adapters.models.connect import uses_stand_in
from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.asked_evaluation import AskedEvaluation
from stoic_assets.core.configuration.graph_address import subject_address
from stoic_assets.core.configuration.service_address import protocol_doubt
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.next_command import resume
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.evaluation.status import DONE, FINISHED
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.slips import doubts
from stoic_assets.core.judging.confidence import samples_alike
from stoic_assets.core.moments import in_utc
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.releases import agent_of, is_agent_version


def notes_before(asked: AskedEvaluation, workplace: Workplace) -> Iterator[str]:
    """What may be unintended in the evaluation that is about to run."""
    request, version, spec, agent = asked.request, asked.version, asked.resolved.spec, agent_of(asked.version)
    yield from doubts(spec.jobs, subject_address(workplace.env) is None)
    yield from graph_doubts(spec.jobs, workplace)
    named = request.files or request.jobs or ((release := asked.resolved.release) and release.jobs)
    chatbots, at = sorted({job.target.chatbot for job in spec.jobs}), version.removeprefix(agent)
    evaluable = [chatbot for chatbot in chatbots if is_agent_version(chatbot + at)]
    if evaluable and not named and agent not in chatbots:
        close = get_close_matches(agent, evaluable, n=1)
        meant = f"; did you mean {close[0]}{at}?" if close else ""
        tagged = f" tagged {' or '.join(request.tags)}" if request.tags else ""
        yield f"no job{tagged} has `chatbot: {agent}`; the jobs of {listed(chatbots)} run as {version} instead{meant}"
    protocols = {job.name: job.target.protocol for job in spec.jobs}
    doubted = (protocol_doubt(url, protocols[job]) for job, url in spec.addresses.items())
    yield from dict.fromkeys(filter(None, doubted))
    if alike := samples_alike(spec.judge_samples, len(spec.judge_models), workplace.settings.judging.temperature):
        yield alike
    if not uses_stand_in(workplace.env):
        yield from _unused_options(spec, workplace.settings)
    yield from finished_before(asked.begun, workplace) if asked.begun else unfinished_before(asked, workplace)


def graph_doubts(jobs: Iterable[Job], workplace: Workplace) -> list[str]:
    """A note if Cypher looks where no agent of the user's own can write: at a server that is only started for it.

    Its port is random. Where it runs already, `stoic agent` may use it, or another that `stoic graph` told where it is.
    """
    told = subject_address(workplace.env) or is_served(workplace.project.home)
    if told or not any(job.cypher() for job in jobs):
        return []
    looks = "Cypher assertions and setups use the embedded graph, which your agent does not know"
    return [f"{looks}; set NEO_URI to the graph that it writes to"]


def _unused_options(spec: EvaluationSpec, settings: Settings) -> Iterator[str]:
    """Names models with options that no request uses: a misspelt name would pass for an option that is sent."""
    roles = (
        ("conversations", settings.conversations.model_options, {spec.evaluator_model}),
        ("judging", settings.judging.model_options, {*spec.judge_models}),
    )
    for section, options, models in roles:
        if unused := options.keys() - models:
            asked = listed(sorted(models))
            yield f"{section}.model_options has {listed(sorted(unused))}, but the requests go to {asked}"


def unfinished_before(asked: AskedEvaluation, workplace: Workplace) -> Iterator[str]:
    """The note that the last evaluation with the same specification was not finished, and how to continue it.

    Says nothing if another process is running it.
    """
    begun = _last_unfinished(asked.version, asked.resolved.spec.hash(), workplace)
    if begun and not workplace.evidence.is_being_evaluated(*begun.key):
        same = f"evaluation {begun.evaluation_id} of the same jobs and settings"
        yield f"{same} was cut short; to continue it, run {resume(*begun.key)}"


def finished_before(begun: Manifest, workplace: Workplace) -> Iterator[str]:
    """The note that of an evaluation that is continued nothing is missing, invalid trials included."""
    head = StoredTables(workplace.warehouse, begun.key).head()
    if head and head["status"] == FINISHED and not head["invalid_trials"]:
        yield (
            f"evaluation {begun.evaluation_id} was finished: {head['scored_trials']} of {head['planned_trials']} "
            "trials are stored; none is run again, and judges are asked only what is not in their cache"
        )


def _last_unfinished(version: str, spec_hash: str, workplace: Workplace) -> Manifest | None:
    """The newest one with this specification and a journal, if no evaluation was finished since it began."""
    if not (begun := workplace.evidence.evaluation_ids(version)):
        return None
    rows = workplace.warehouse.evaluations(version)
    done = {row["evaluation_id"]: in_utc(row["started_at"]) for row in rows if row["status"] in DONE}
    alike = [
        manifest
        for manifest in (workplace.evidence.readable(version, each) for each in begun if each not in done)
        if manifest and manifest.spec_hash == spec_hash and workplace.evidence.has_begun(manifest)
    ]
    newest = max(alike, key=lambda manifest: in_utc(manifest.started_at), default=None)
    return newest if newest and in_utc(newest.started_at) > max(done.values(), default=in_utc("0001-01-01")) else None
