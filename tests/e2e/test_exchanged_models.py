"""A provider that has another model answer to the same name between two evaluations."""

import pytest
from model_server import ModelServer
from stoic_command import Stoic

pytestmark = pytest.mark.long
MODEL = "gpt-4.1-mini"


def test_a_comparison_says_so_until_the_base_is_judged_again(stoic: Stoic, model: ModelServer) -> None:
    stoic.job("fine")
    stoic("eval", "--agent-version", "my-agent@1", "--condition", "withheld")
    model.serves = "m-2"
    stoic("eval", "--agent-version", "my-agent@2", "--condition", "withheld")
    user, judge = _exchanged(stoic)
    assert user == f"the simulated user {MODEL} was answered by m, then by m-2"
    told, _, command = judge.partition("; it may judge differently: judge the base again with ")
    assert told == f"judge {MODEL} was answered by m, then by m-2"
    _, again, *_ = command.split("`")
    stoic(*again.removeprefix("stoic ").split())
    assert _exchanged(stoic) == [user]


def _exchanged(stoic: Stoic) -> list[str]:
    """The notes of a comparison that tell of models that were exchanged."""
    notes = stoic("compare", "my-agent@1", "my-agent@2", "--json").document["notes"]
    return [note for note in notes if "was answered by" in note]
