"""Which evaluation `stoic eval` means: a new one, or one that is continued as it began."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from smallest_job import smallest_job

from stoic_assets.adapters.evaluation.beginning import Wanted, begin_or_resume
from stoic_assets.adapters.evaluation.specification import resolve
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.asked_evaluation import asked_evaluation, evaluation_meant
from stoic_assets.cli.options import NEWEST
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.resuming import ResumeRefused, refuse_change
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.jobs.job import Job

Make = Callable[..., Manifest]


def test_what_names_no_job_means_those_of_the_evaluation_it_resumes_or_the_single_one(
    workplace: Workplace, make_manifest: Make
) -> None:
    content = smallest_job()
    single = workplace.project.root / "data" / "eval" / "agent.yml"
    for file in (single, workplace.project.jobs / "chat.yml"):
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(content))
    begun = make_manifest(jobs=(Job.model_validate({"name": "agent", **content}),))
    workplace.evidence.begin(begun)
    plain, version = EvaluationRequest(), begun.agent_version

    alone = EvaluationRequest(files=(str(single),))
    assert evaluation_meant(plain, None, None, workplace) == (alone, "marcus@dev", None)
    assert evaluation_meant(plain, version, None, workplace) == (plain, version, None)
    resumed, *_ = evaluation_meant(plain, version, begun.evaluation_id, workplace)
    assert resumed.jobs == ("agent",), "the command that an interrupt names goes on with its jobs"
    found = evaluation_meant(plain, None, begun.evaluation_id, workplace)
    assert found == (resumed, version, begun), "its id tells its version"
    with pytest.raises(ConfigurationError, match=f"E1: it belongs to {version}; name that version"):
        evaluation_meant(plain, "marcus@2", begun.evaluation_id, workplace)
    tagged = EvaluationRequest(tags=("x",))
    assert evaluation_meant(tagged, version, begun.evaluation_id, workplace)[0].jobs == ()


@pytest.mark.parametrize("resume", [None, NEWEST])
def test_where_the_jobs_are_for_several_agents_an_id_helps_whoever_resumes(
    workplace: Workplace, resume: str | None
) -> None:
    workplace.project.jobs.mkdir()
    for chatbot in ("marcus", "zeno"):
        (workplace.project.jobs / f"{chatbot}.yml").write_text(json.dumps(smallest_job(chatbot)))
    with pytest.raises(ConfigurationError, match="choose one with --agent-version AGENT@VERSION") as refused:
        evaluation_meant(EvaluationRequest(), None, resume, workplace)
    assert ("`--resume ID`; `stoic list` shows it" in str(refused.value)) is (resume is not None)


@pytest.mark.parametrize("resume", ["E1", NEWEST])
def test_what_is_resumed_goes_on_as_it_began_where_no_option_says_otherwise(
    workplace: Workplace, make_manifest: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resume: str
) -> None:
    content = smallest_job()
    for turns, folder in enumerate(("eval_jobs", "elsewhere"), start=2):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "chat.yml").write_text(json.dumps({**content, "maxTurns": turns}))
    monkeypatch.chdir(tmp_path)
    asked = EvaluationRequest(files=("elsewhere/chat.yml",), repeats=6, conditions="supplied", agent_url="http://a:1")
    version = "marcus@1.0.0"
    resolved = resolve(workplace, asked, version)
    begin_or_resume(workplace, Wanted(version, "E1", asked), "r", resolved)
    monkeypatch.chdir(tmp_path / "eval_jobs")

    def resumed(**given: Any) -> EvaluationSpec:
        request, *_ = evaluation_meant(EvaluationRequest(**given), version, resume, workplace)
        return resolve(workplace, request, version).spec

    begun = workplace.evidence.manifest(version, "E1")
    assert begun is not None
    refuse_change(begun, resumed(), workplace.redactor)
    refuse_change(begun, resumed(repeats=6, files=["../elsewhere/chat.yml"]), workplace.redactor)
    for given, changed in (
        ({"repeats": 3}, r"repeats \(it was 6\)"), ({"files": ["chat.yml"]}, r"jobs \(chat\)"),
        ({"conditions": "both"}, r"conditions \(it was supplied\)"), ({"agent_url": "http://a:2"}, "addresses"),
    ):  # fmt: skip
        with pytest.raises(ResumeRefused, match=changed):
            refuse_change(begun, resumed(**given), workplace.redactor)
    (tmp_path / "elsewhere" / "chat.yml").write_text(json.dumps(content))
    with pytest.raises(ResumeRefused, match=r"jobs \(chat\)"):
        refuse_change(begun, resumed(), workplace.redactor)


@pytest.mark.parametrize("files", [(), ("eval_jobs/gone.yml",)])
def test_what_is_resumed_says_which_of_its_jobs_are_gone(workplace: Workplace, files: tuple[str, ...]) -> None:
    version, project = "marcus@1.0.0", workplace.project
    job = smallest_job()
    project.jobs.mkdir()
    for name in ("gone", "kept"):
        (project.jobs / f"{name}.yml").write_text(json.dumps(job))
    asked = EvaluationRequest(files=tuple(str(project.root / file) for file in files))
    resolved = resolve(workplace, asked, version)
    begun = begin_or_resume(workplace, Wanted(version, "E1", asked), "r", resolved)
    plain = EvaluationRequest()
    assert asked_evaluation(plain, version, "E1", workplace, None).resolved.spec == begun.spec
    (project.jobs / "gone.yml").unlink()
    with pytest.raises(ConfigurationError) as refused:
        asked_evaluation(plain, version, "E1", workplace, None)
    [note] = refused.value.__notes__
    assert note.startswith("evaluation E1 needs jobs that are gone: gone; restore their files, or leave --resume out")
    assert note.endswith(f"`stoic regrade --agent-version {version} --evaluation E1` needs no job files")
    with pytest.raises(ConfigurationError) as refused:
        asked_evaluation(EvaluationRequest(jobs=("gone",)), version, None, workplace, None)
    assert not getattr(refused.value, "__notes__", [])
