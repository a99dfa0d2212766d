"""What `stoic doctor` says of single subjects."""

import json

import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluate import default_version
from stoic_assets.cli.project_status import LOOKS
from stoic_assets.core.errors import ConfigurationError
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
