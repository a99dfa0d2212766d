"""With which words and which exit code an evaluation ends."""

from pathlib import Path

import pytest
import typer

from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli.outcome import GATE_SAYS_NO, NO_VERDICT, Outcome, finish


def test_a_gate_says_no_where_there_is_no_average(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trial = {"trial_id": "t", "outcome": "signed_off"}
    document = {"trials": [trial], "average_score": None, "invalid_trials": 0}
    outcome = Outcome(document, planned=1, finished=True, conclusive=True, reasons={})
    workplace = open_workplace({"STOIC_HOME": str(tmp_path)}, start=tmp_path)
    with pytest.raises(typer.Exit) as left:
        finish(outcome, workplace, as_json=True, fail_under=0.5)
    assert left.value.exit_code == GATE_SAYS_NO
    finish(outcome, workplace, as_json=True, fail_under=None)


def test_a_refusal_quotes_an_agent_as_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trial = {"trial_id": "t", "job": "chat", "condition": "withheld", "repeat": 1, "outcome": "infra_error"}
    document = {"trials": [trial], "average_score": None, "invalid_trials": 1}
    said = "503 [/INST] :boom: \x1b[2J"
    outcome = Outcome(document, planned=1, finished=True, conclusive=False, reasons={"t": said})
    workplace = open_workplace({"STOIC_HOME": str(tmp_path)}, start=tmp_path)
    with pytest.raises(typer.Exit) as left:
        finish(outcome, workplace, as_json=True, fail_under=None)
    assert left.value.exit_code == NO_VERDICT
    assert capsys.readouterr().err.endswith("chat withheld 1: 503 [/INST] :boom: [U+001B][2J\n")
