import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.release_files import load_release
from stoic_assets.adapters.evaluation.job_choice import as_stored, by_default, chosen_jobs, job_files
from stoic_assets.adapters.project import Project
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.releases import Release

Write = Callable[..., None]


def names(project: Project, version: str = "marcus@1.1.0", release: Release | None = None, **request: Any) -> list[str]:
    return [job.name for job in chosen_jobs(EvaluationRequest(**request), version, project, release)]


def test_without_a_choice_the_jobs_addressed_to_this_agent_run(project: Project, write: Write) -> None:
    write("for_marcus", "tags: [x]")
    write("for_zeno", "tags: [x]", target="chatbot: zeno")
    assert names(project) == ["for_marcus"]
    assert names(project, "zeno@2") == ["for_zeno"]
    assert names(project, "stranger@1") == ["for_marcus", "for_zeno"]
    assert names(project, tags=("x",)) == ["for_marcus"]
    assert names(project, jobs=("for_zeno",)) == ["for_zeno"]
    assert names(project, files=(str(project.jobs / "for_zeno.yml"),)) == ["for_zeno"]
    release = Release(agent="marcus", version="1", jobs=("for_zeno",))
    assert names(project, release=release) == ["for_zeno"]
    assert names(project, release=release, jobs=("for_marcus",)) == ["for_marcus"]
    assert names(project, release=release, tags=("x",)) == ["for_marcus"]


@pytest.mark.parametrize("written", ["chat.yml", "elsewhere/chat.yml", "chat"])
def test_a_file_that_is_not_there_is_told_which_of_the_project_is_meant(
    project: Project, write: Write, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    write("chat")
    monkeypatch.chdir(project.root)
    with pytest.raises(ConfigurationError, match=f"^{written}: there is no such file; did you mean eval_jobs/chat.yml"):
        names(project, files=(written,))
    with pytest.raises(ConfigurationError, match=r"other\.yml: there is no such file$"):
        names(project, files=("other.yml",))


def test_a_job_that_does_not_exist_is_told_by_the_release_that_names_it(project: Project, write: Write) -> None:
    write("chat")
    manifest = project.releases / "marcus-1.yml"
    manifest.parent.mkdir(exist_ok=True)
    manifest.write_text("agent: marcus\nversion: '1'\njobs:\n  - for_nobody\n")
    release = load_release(project.releases, "marcus@1")
    with pytest.raises(DocumentError, match=rf"^{re.escape(str(manifest))}:3: jobs: there is no job 'for_nobody'"):
        names(project, release=release)
    manifest.unlink()
    with pytest.raises(DocumentError, match=r"^release marcus@1: jobs: there is no job 'for_nobody'"):
        names(project, release=release)


def test_who_names_nothing_means_the_classic_place_of_a_single_job(project: Project, write: Write) -> None:
    write("chat")
    assert by_default(EvaluationRequest(), project) == EvaluationRequest()
    write("agent", folder=project.root / "data" / "eval")
    assert by_default(EvaluationRequest(), project).files == tuple(map(str, job_files(project)[:1]))
    assert by_default(EvaluationRequest(tags=("x",)), project) == EvaluationRequest(tags=("x",))
    assert [job.name for job in chosen_jobs(EvaluationRequest(), None, project, None)] == ["agent"]
    assert names(project, jobs=("chat",)) == ["chat"], "a name or a tag chooses among all"


def test_the_jobs_of_an_agent_are_looked_for_in_both_places(project: Project, write: Write) -> None:
    write("mine")
    write("other", target="chatbot: seneca")
    write("agent", folder=project.root / "data" / "eval", target="chatbot: zeno")
    assert (names(project), names(project, "zeno@1")) == (["mine"], ["agent"])
    assert names(project, "stranger@1") == ["agent"], "the default, for nobody addresses this one"
    write("agent", folder=project.root / "data" / "eval")
    assert names(project) == ["agent", "mine"]


def test_what_nobody_wants_may_be_faulty(project: Project, write: Write) -> None:
    write("good", "tags: [fast]")
    write("copied")
    write("agent", "name: copied", folder=project.root / "data" / "eval")
    (project.jobs / "bad.yml").write_text("target: {user: x\n")
    release = Release(agent="marcus", version="1", jobs=("good",))
    assert names(project, release=release) == ["good"]
    assert names(project, jobs=("good",)) == names(project, tags=("fast",)) == ["good"]
    with pytest.raises(DocumentError, match=r"eval_jobs.copied\.yml: name: 'copied' is already .*data.eval.agent\.yml"):
        names(project, jobs=("copied",))
    with pytest.raises(ConfigurationError, match=r"there is no job 'bad'; known: .*; not read: .*bad\.yml:2"):
        names(project, jobs=("bad",))
    (project.jobs / "bad.yml").write_text("tags: [fast]\ntarget: {user: x\n")
    with pytest.raises(DocumentError, match=r"bad\.yml"):
        names(project, tags=("fast",))
    assert names(project, jobs=("good",)) == ["good"]


def test_whoever_wants_all_is_told_of_a_faulty_file(project: Project, write: Write) -> None:
    write("good")
    (project.jobs / "bad.yml").write_text("target: {user: x\n")
    with pytest.raises(DocumentError, match=r"bad\.yml"):
        names(project)


def test_a_project_without_jobs_says_what_to_do(project: Project) -> None:
    with pytest.raises(ConfigurationError, match="eval_jobs: no jobs there; `stoic init` writes one to change"):
        names(project)


def test_the_same_file_twice_is_one_job(project: Project, write: Write) -> None:
    write("chat")
    file, again = str(project.jobs / "chat.yml"), str(project.jobs / ".." / project.jobs.name / "chat.yml")
    assert names(project, files=(file, again)) == ["chat"]


def stored(project: Project, *files: Path) -> list[str]:
    return list(as_stored(EvaluationRequest(files=tuple(map(str, files))), project).files)


def test_a_job_file_that_is_a_link_is_found_again_as_it_was_reached(project: Project, write: Write) -> None:
    """Its name and the files that it names follow from where the link is, not from where it leads."""
    write("v7", folder=project.root / "shared")
    (project.jobs / "clock.yml").symlink_to("../shared/v7.yml")
    assert stored(project, project.jobs / "clock.yml") == ["eval_jobs/clock.yml"]


def test_a_link_may_lead_elsewhere_when_an_evaluation_is_resumed(project: Project, write: Write) -> None:
    """As where Kubernetes mounts a ConfigMap anew."""
    folder = project.root / "config"
    write("agent", folder=folder / "..rev1")
    (folder / "..data").symlink_to("..rev1")
    (folder / "agent.yml").symlink_to("..data/agent.yml")
    [file] = stored(project, folder / "agent.yml")
    shutil.move(folder / "..rev1", folder / "..rev2")
    (folder / "..data").unlink()
    (folder / "..data").symlink_to("..rev2")
    assert names(project, files=(str(project.root / file),)) == ["agent"]


def test_a_file_in_the_project_is_stored_relative_to_it_however_it_was_reached(
    project: Project, write: Write, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    write("chat")
    (outside / "link").symlink_to(project.root)
    (outside / "jobs").symlink_to(project.jobs)
    monkeypatch.chdir(project.releases)
    reached = Path("../eval_jobs/chat.yml"), outside / "link/eval_jobs/chat.yml", outside / "jobs/../eval_jobs/chat.yml"
    assert stored(project, *reached) == ["eval_jobs/chat.yml"] * 3


def test_a_file_outside_the_project_is_stored_by_a_path_that_does_not_lead_through_it(
    project: Project, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    monkeypatch.chdir(project.root)
    there = Path(os.path.relpath(outside / "chat.yml"))
    assert ".." in there.parts
    assert stored(project, there, outside / "chat.yml") == [str(outside / "chat.yml")] * 2
