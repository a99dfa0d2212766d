"""What `stoic doctor` says of single subjects."""

import json
import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluate import default_version
from stoic_assets.cli.project_status import LOOKS
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable
from stoic_assets.core.evaluation import EvaluationRequest


def test_without_jobs_no_agent_was_asked(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    assert LOOKS["agent"](workplace) == ("note", "no job says where one listens")


@pytest.mark.parametrize(
    ("chatbots", "state", "advice"),
    [
        (["marcus"], "ok", ""),
        (["marcus", "seneca"], "note", "the jobs address several agents (marcus, seneca); say which one with"),
        (["marcus aurelius"], "note", "say which version this is with"),
    ],
)
def test_jobs_that_leave_open_which_version_is_meant_are_told_as_eval_tells_them(
    workplace: Workplace, chatbots: list[str], state: str, advice: str
) -> None:
    workplace.project.jobs.mkdir()
    for number, chatbot in enumerate(chatbots):
        job = {
            "name": f"chat-{number}", "target": {"user": "ada", "chatbot": chatbot},
            "tasks": [{"task": "Greet", "acceptanceCriteria": "Greeted"}],
        }  # fmt: skip
        (workplace.project.jobs / f"{number}.yml").write_text(json.dumps(job))
    found, said = LOOKS["jobs"](workplace)
    assert found == state
    assert said.startswith(f"{len(chatbots)} in {workplace.project.jobs}")
    assert advice in said
    if advice:
        with pytest.raises(ConfigurationError) as refusal:
            default_version(EvaluationRequest(), workplace)
        assert said.endswith(f"; {refusal.value}")


def test_a_job_with_more_tasks_than_turns_is_told(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    task = {"task": "Greet", "acceptanceCriteria": "Greeted"}
    job = {"target": {"user": "ada", "chatbot": "marcus"}, "tasks": [task] * 12}
    (workplace.project.jobs / "long.yml").write_text(json.dumps(job))
    found, said = LOOKS["jobs"](workplace)
    assert found == "note"
    assert "; job long: `maxTurns: 20` lets the user speak 9 times" in said


@pytest.fixture
def place() -> Iterator[str]:
    """An address where somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def nowhere() -> str:
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def write(workplace: Workplace, **urls: str) -> None:
    """A job for Marcus, and releases of his by their names."""
    job = {"target": {"user": "u", "chatbot": "marcus"}, "tasks": [{"task": "t", "acceptanceCriteria": "a"}]}
    workplace.project.jobs.mkdir()
    (workplace.project.jobs / "chat.yml").write_text(json.dumps(job))
    workplace.project.releases.mkdir()
    for name, url in urls.items():
        manifest = {"agent": "marcus", "version": name, "url": url}
        (workplace.project.releases / f"{name}.yml").write_text(json.dumps(manifest))


def test_an_agent_is_looked_for_where_its_releases_listen(workplace: Workplace, place: str, nowhere: str) -> None:
    write(workplace, new=place)
    assert LOOKS["agent"](workplace) == ("ok", place)
    gone = {"agent": "marcus", "version": "old", "url": nowhere}
    (workplace.project.releases / "old.yml").write_text(json.dumps(gone))
    silence = f"agent: nothing answers at {nowhere.removeprefix('http://')}"
    assert LOOKS["agent"](workplace) == ("note", f"{place}; {silence}"), "an earlier release may be gone"
    (workplace.project.releases / "new.yml").unlink()
    with pytest.raises(ServiceUnreachable, match=silence):
        LOOKS["agent"](workplace)


def test_jobs_are_counted_where_they_lie(workplace: Workplace) -> None:
    write(workplace)
    classic = workplace.project.root / "data" / "eval"
    classic.mkdir(parents=True)
    (classic / "agent.yml").write_text((workplace.project.jobs / "chat.yml").read_text())
    assert LOOKS["jobs"](workplace) == ("ok", f"2 in {classic} and {workplace.project.jobs}")


def test_what_waits_for_an_address_that_is_set_is_told(workplace: Workplace, place: str) -> None:
    workplace.outbox.put("events", {"a": {}, "b": {}}, "marcus@1")
    unset = "fitness updates stay in the outbox (EVOLUTION_URL is not set)"
    state, said = LOOKS["delivery"](workplace)
    assert (state, said) == ("note", f"events stay in the outbox (STOIC_WEBHOOK_URL is not set); {unset}")
    heard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": place})
    waiting = "2 events in the outbox; the next evaluation tries STOIC_WEBHOOK_URL again"
    assert LOOKS["delivery"](heard) == ("note", f"{waiting}; {unset}")
    workplace.outbox.delete("marcus@1")
    all_heard = replace(heard, env={**heard.env, "EVOLUTION_URL": place})
    assert LOOKS["delivery"](all_heard) == ("ok", "nothing waits in the outbox")
