"""The exit code of an evaluation whose trials have nothing that makes up a total."""

from pathlib import Path

import pytest
import typer

from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli.outcome import GATE_SAYS_NO, Outcome, finish


def test_a_gate_says_no_where_there_is_no_average(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trial = {"trial_id": "t", "outcome": "signed_off"}
    document = {"trials": [trial], "average_score": None, "invalid_trials": 0}
    outcome = Outcome(document, planned=1, finished=True, conclusive=True, reasons={})
    workplace = open_workplace({"STOIC_HOME": str(tmp_path)}, start=tmp_path)
    with pytest.raises(typer.Exit) as left:
        finish(outcome, workplace, as_json=True, fail_under=0.5)
    assert left.value.exit_code == GATE_SAYS_NO
    finish(outcome, workplace, as_json=True, fail_under=None)
