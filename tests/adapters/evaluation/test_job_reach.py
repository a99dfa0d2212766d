"""What jobs reach beside the agent's words."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from stoic_assets.adapters.disk.job_files import load_job
from stoic_assets.adapters.evaluation.job_reach import files_outside, variables_sent
from stoic_assets.core.jobs.job import Job

FOREIGN, OWN, KNOWLEDGE = "https://elsewhere.example", "http://localhost:8081", "http://localhost:8080"


def job(file: Path, headers: dict[str, str] | None = None, **fields: Any) -> Path:
    target = {"user": "ada", "chatbot": "helpdesk", "headers": headers or {}}
    tasks = [{"task": "Greet", "acceptanceCriteria": "Greeted"}]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump({"target": target, "tasks": tasks, **fields}))
    return file


@pytest.mark.parametrize(
    ("env", "sent"),
    [
        ({}, {FOREIGN: ["CRM", "NEO_PASSWORD"]}),
        ({"AGENT_API_KEY": "k"}, {FOREIGN: ["AGENT_API_KEY", "CRM", "NEO_PASSWORD"], OWN: ["AGENT_API_KEY"]}),
        ({"BOOGIE_URL": KNOWLEDGE}, {FOREIGN: ["CRM", "NEO_PASSWORD"]}),
        (
            {"AGENT_API_KEY": "k", "BOOGIE_URL": KNOWLEDGE},
            {FOREIGN: ["AGENT_API_KEY", "CRM", "NEO_PASSWORD"], OWN: ["AGENT_API_KEY"], KNOWLEDGE: ["AGENT_API_KEY"]},
        ),
    ],
)
def test_an_address_is_sent_what_headers_name_and_the_agents_key(
    tmp_path: Path, env: dict[str, str], sent: dict[str, list[str]]
) -> None:
    headers = {"X-A": "${NEO_PASSWORD}:${CRM}", "X-B": "Bearer ${CRM}", "X-C": "plain"}
    addresses = {"far": FOREIGN, "far-too": FOREIGN, "near": OWN}
    written = {"far": headers, "far-too": {}, "near": {}}
    jobs = [load_job(job(tmp_path / f"{name}.yml", each)) for name, each in written.items()]
    assert variables_sent(jobs, addresses, env) == sent


def test_files_that_are_read_outside_of_the_project_are_told(tmp_path: Path) -> None:
    root, away = tmp_path / "project", tmp_path / "notes.txt"
    away.write_text("RETURN 1")
    jobs = root / "eval_jobs"
    far = job(
        jobs / "far.yml", name="renamed", setups=[{"file": "../../notes.txt"}, {"cypher": "RETURN 1"}],
        prompts={"wisdom": "../../notes.txt"}, scorer={"prompt": "file:link.jinja"}, evaluator={"prompt": "own.jinja"},
    )  # fmt: skip
    (jobs / "own.jinja").write_text("You are the user.")
    (jobs / "link.jinja").symlink_to(away)
    near = job(jobs / "near.yml", prompts={"tasks": "own.jinja"})
    other = job(jobs / "other.yml", prompts={"tasks": "../../notes.txt"})
    (jobs / "faulty.yml").write_text("target: [")
    chosen: list[Job] = [load_job(far), load_job(near)]
    assert files_outside(root, [far, near, other, jobs / "faulty.yml"], chosen) == {"renamed": [away.resolve()]}
