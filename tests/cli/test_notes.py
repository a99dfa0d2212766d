"""What is noted before an evaluation, and what is not worth a note."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.evaluation.specification import ResolvedRequest
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.graph.embedded_graph import _record
from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.adapters.process.process_identity import start_time
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.asked_evaluation import AskedEvaluation
from stoic_assets.cli.notes import finished_before, graph_doubts, notes_before, unfinished_before
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.releases import Release

Make = Callable[..., Manifest]


def job(name: str, chatbot: str) -> dict[str, Any]:
    task = {"task": "Greet", "acceptanceCriteria": "Greeted"}
    return {"name": name, "target": {"user": "ada", "chatbot": chatbot}, "tasks": [task]}


def asked(spec: EvaluationSpec, version: str = "sales@1") -> AskedEvaluation:
    return AskedEvaluation(version, EvaluationRequest(), ResolvedRequest(spec, None), None)


@pytest.mark.parametrize(
    ("version", "request_", "released", "noted"),
    [
        ("helpdeks@1", {}, None, True),
        ("helpdeks@1", {"tags": ("money", "time")}, None, True),
        ("helpdeks@1", {}, (), True),
        ("helpdeks@1", {}, ("order",), False),
        ("helpdeks@1", {"files": ("order.yml",)}, None, False),
        ("helpdeks@1", {"jobs": ("order",)}, None, False),
        ("sales@1", {}, None, False),
    ],
)
def test_jobs_that_another_agent_is_evaluated_with_are_told(
    workplace: Workplace, make_manifest: Make, version: str, request_: dict[str, Any],
    released: tuple[str, ...] | None, noted: bool,
) -> None:  # fmt: skip
    spec = make_manifest(jobs=(job("order", "helpdesk"), job("offer", "sales"), job("more", "sales"))).spec
    agent, _, number = version.partition("@")
    release = None if released is None else Release(agent=agent, version=number, jobs=released)
    of_command = AskedEvaluation(version, EvaluationRequest(**request_), ResolvedRequest(spec, release), None)
    told = list(notes_before(of_command, workplace))
    which = " tagged money or time" if "tags" in request_ else ""
    expected = f"no job{which} has `chatbot: helpdeks`; the jobs of helpdesk, sales run as helpdeks@1 instead; did you "
    expected += "mean helpdesk@1?"
    assert told == ([expected] if noted else [])


@pytest.mark.parametrize(("other", "noted"), [("Help Desk", False), ("sales", True)])
def test_an_agent_with_a_name_that_no_version_can_have_is_not_offered(
    workplace: Workplace, make_manifest: Make, other: str, noted: bool
) -> None:
    spec = make_manifest(jobs=(job("order", "Help Desk"), job("offer", other))).spec
    told = list(notes_before(asked(spec, "HelpDesk@1"), workplace))
    expected = "no job has `chatbot: HelpDesk`; the jobs of Help Desk, sales run as HelpDesk@1 instead"
    assert told == ([expected] if noted else [])


def test_samples_that_a_judge_would_repeat_are_told(workplace: Workplace, make_manifest: Make) -> None:
    spec = make_manifest(jobs=(job("order", "sales"),), judge_samples=3).spec
    [told] = notes_before(asked(spec), workplace)
    assert told.startswith("3 samples of one judge at temperature 0 are nearly the same")
    judging = workplace.settings.judging.model_copy(update={"temperature": 0.7})
    warm = replace(workplace, settings=workplace.settings.model_copy(update={"judging": judging}))
    assert list(notes_before(asked(spec), warm)) == []


def test_an_address_that_looks_like_one_of_the_other_protocol_is_told_once(
    workplace: Workplace, make_manifest: Make
) -> None:
    spec = make_manifest(jobs=(job("order", "sales"), job("more", "sales"))).spec
    spec = spec.model_copy(update={"addresses": dict.fromkeys(("order", "more"), "http://agents/v1")})
    [told] = notes_before(asked(spec), workplace)
    assert told.startswith("http://agents/v1 looks like an address of chat completions")


LOOKING = {"assertions": [{"cypher": "RETURN 1", "expected": 1}]}


@pytest.mark.parametrize("part", [LOOKING, {"setups": [{"cypher": "CREATE (:A)"}]}])
def test_cypher_that_looks_where_no_own_agent_writes_is_told_unless_the_server_is_known(
    workplace: Workplace, part: dict[str, Any]
) -> None:
    jobs = [Job.model_validate(job("order", "sales") | part)]
    [told] = graph_doubts(jobs, workplace)
    assert "set NEO_URI to the graph that it writes to" in told
    assert graph_doubts([Job.model_validate(job("order", "sales"))], workplace) == []
    known = replace(workplace, env={**workplace.env, "NEO_URI": "bolt://localhost:7687"})
    assert graph_doubts(jobs, known) == []
    graph = workplace.project.home / "graph"
    graph.mkdir(parents=True)
    for started, doubted in (("another start", True), (start_time(os.getpid()), False)):
        _record(graph, GraphServer(os.getpid(), started, "bolt://127.0.0.1:1", "root", "p", "observer", "p", ""))
        assert bool(graph_doubts(jobs, workplace)) is doubted


def test_where_cypher_looks_is_told_before_an_evaluation(workplace: Workplace, make_manifest: Make) -> None:
    spec = make_manifest(jobs=(job("order", "sales") | LOOKING,)).spec
    [told] = notes_before(asked(spec), workplace)
    assert told.startswith("Cypher assertions and setups use the embedded graph")


@pytest.mark.parametrize(
    ("section", "model", "noted"),
    [("judging", "m", True), ("judging", "j", False), ("conversations", "m", False), ("conversations", "j", True)],
)
def test_options_of_a_model_that_is_not_asked_are_told(
    workplace: Workplace, make_manifest: Make, section: str, model: str, noted: bool
) -> None:
    spec = make_manifest(jobs=(job("order", "sales"),)).spec
    spec = spec.model_copy(update={"evaluator_model": "m", "judge_models": ("j",)})
    changed = getattr(workplace.settings, section).model_copy(update={"model_options": {model: {"seed": 1}}})
    settings = workplace.settings.model_copy(update={section: changed})
    online = replace(workplace, settings=settings, env={"OPENAI_API_KEY": "k"})
    told = list(notes_before(asked(spec), online))
    requested = {"judging": "j", "conversations": "m"}[section]
    assert told == ([f"{section}.model_options has {model}, but the requests go to {requested}"] if noted else [])
    offline = replace(online, env={"STOIC_LLM": "offline"})
    assert list(notes_before(asked(spec), offline)) == []


def begun(workplace: Workplace, manifest: Manifest, status: str | None = None) -> Manifest:
    """An evaluation in which something happened; with a status, one that tables know."""
    workplace.evidence.begin(manifest)
    asyncio.run(workplace.evidence.journals(manifest).append("t1", {"kind": "began", "at": manifest.started_at}))
    if status:
        EvaluationTables(workplace, manifest).write_head(status, planned_trials=1)
    return manifest


@pytest.mark.parametrize("status", [None, "conversed", "incomplete"])
def test_the_last_evaluation_of_the_same_is_named_where_it_was_cut_short(
    workplace: Workplace, make_manifest: Make, status: str | None
) -> None:
    first = begun(workplace, make_manifest(started_at="2025-01-01T00:00:00+00:00"), "finished")
    cut = begun(workplace, make_manifest(evaluation_id="E2"), status)
    again_asked = asked(cut.spec, first.agent_version)
    again = "`stoic eval --agent-version marcus@1.0.0 --resume E2`"
    told = f"evaluation E2 of the same jobs and settings was cut short; to continue it, run {again}"
    assert list(unfinished_before(again_asked, workplace)) == [told]
    otherwise = asked(make_manifest(agent_model="other").spec, first.agent_version)
    assert list(unfinished_before(otherwise, workplace)) == []
    begun(workplace, make_manifest(evaluation_id="E3", started_at="2027-01-01T00:00:00+00:00"), "finished")
    assert list(unfinished_before(again_asked, workplace)) == [], "somebody began it anew"


def test_one_that_runs_or_in_which_nothing_happened_is_not_told(workplace: Workplace, make_manifest: Make) -> None:
    manifest = make_manifest()
    alike = asked(manifest.spec, manifest.agent_version)
    workplace.evidence.begin(manifest)
    assert list(unfinished_before(alike, workplace)) == []
    begun(workplace, manifest)
    assert len(list(unfinished_before(alike, workplace))) == 1
    with locked(workplace.evidence.journal_file(manifest).with_name("lock")):  # by another handle, as a process would
        assert list(unfinished_before(alike, workplace)) == []


@pytest.mark.parametrize(
    ("status", "invalid", "noted"), [("finished", 0, True), ("finished", 1, False), ("conversed", 0, False)]
)
def test_an_evaluation_in_which_nothing_is_missing_is_told_to_be_finished(
    workplace: Workplace, make_manifest: Make, status: str, invalid: int, noted: bool
) -> None:
    begun = make_manifest()
    counts = {"planned_trials": 4, "scored_trials": 4 - invalid, "invalid_trials": invalid}
    EvaluationTables(workplace, begun).write_head(status, **counts)
    EvaluationTables(workplace, make_manifest(evaluation_id="E2")).write_head("finished", **counts)
    told = list(finished_before(begun, workplace))
    assert [line.partition("; ")[0] for line in told] == (
        ["evaluation E1 was finished: 4 of 4 trials are stored"] if noted else []
    )
