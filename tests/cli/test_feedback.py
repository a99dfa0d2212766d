"""What `stoic feedback` imports and says."""

import asyncio
import json
import signal
from typing import Any

import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import feedback as command
from stoic_assets.cli.feedback import feedback
from stoic_assets.cli.run_faults import Interrupted

pytestmark = pytest.mark.usefixtures("in_project")
VERSION = "marcus@1.1.0"
TIRESOME = {
    "agent_version": VERSION, "task_id": "mentor", "overall_satisfaction": 0.5, "interpretation_confidence": 0.8,
    "dimension_feedback": [
        {"dimension": "accuracy", "score": 0.4, "confidence": 0.9},
        {"dimension": "charm", "score": 0.1, "confidence": 1},
    ],
}  # fmt: skip


def put(workplace: Workplace, name: str, content: Any) -> None:
    folder = workplace.project.home / "feedback"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(content))


def evaluated(workplace: Workplace, monkeypatch: pytest.MonkeyPatch, *versions: str) -> None:
    """There are manifests of these versions alone."""
    monkeypatch.setattr(
        type(workplace.evidence), "evaluation_ids", lambda _, version: ["E"] if version in versions else []
    )


def test_feedback_is_stored_and_the_step_that_remains_is_named(
    workplace: Workplace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated(workplace, monkeypatch, VERSION)
    put(workplace, "a.json", TIRESOME)
    put(workplace, "b.json", {**TIRESOME, "agent_version": "marcus@9.9.9"})
    put(workplace, "broken.json", "no object")
    feedback()
    said, told = capsys.readouterr()
    changed, regrade, unmapped = said.splitlines()
    assert changed == f"2 feedback files, 0 rated replies; changed for {VERSION}, marcus@9.9.9"
    assert regrade == f"to count this in its fitness, run `stoic regrade --agent-version {VERSION}`"
    assert unmapped == "dimensions that no virtue is mapped to: charm"
    assert "broken.json:1: a mapping is expected, not str" in told
    assert "b.json: marcus@9.9.9 was never evaluated: its feedback counts once it is; correct agent_v" in told
    assert {row["agent_version"] for row in workplace.warehouse.query("select * from human_feedback_evaluations")} == {
        VERSION, "marcus@9.9.9",
    }
    assert workplace.outbox.waiting() == {"events": 2}


def test_raters_who_do_not_agree_are_told_of_before_their_ratings_count(
    workplace: Workplace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    head = {"virtue": "wisdom", "judge_model": "sage", "items": 30, "estimate": 0.0, "low": -0.1, "high": 0.1}
    rows = [head | {"measure": measure, "why": None} for measure in ("spearman", "alpha_people")]
    monkeypatch.setattr(command, "calibration_rows", lambda _: rows)
    put(workplace, "a.json", TIRESOME)
    feedback()
    told = (
        "The raters do not agree with each other over the 30 replies that the judge scored (wisdom: alpha 0.00, "
        "95 % interval −0.10 to 0.10): `stoic ratings analyze` takes all replies of a page."
    )
    assert capsys.readouterr().out.splitlines()[-1] == told


def test_without_feedback_it_is_said_where_to_put_some(
    workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    feedback()
    said = capsys.readouterr().out
    assert said.startswith("no feedback yet; put files into ")
    assert str(workplace.project.home / "feedback") in said.replace("\n", "")


def test_nothing_new_changes_nothing(
    workplace: Workplace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated(workplace, monkeypatch, VERSION)
    put(workplace, "a.json", TIRESOME)
    feedback(as_json=True)
    first = json.loads(capsys.readouterr().out)
    assert (first["evaluations"], first["changed_versions"], first["unmapped_dimensions"]) == (1, [VERSION], ["charm"])
    feedback()
    assert capsys.readouterr().out.splitlines()[0] == "1 feedback file, 0 rated replies; none is new"
    feedback(as_json=True)
    assert json.loads(capsys.readouterr().out)["changed_versions"] == []


def test_feedback_that_was_taken_away_has_changed_a_version_too(
    workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    put(workplace, "a.json", TIRESOME)
    feedback()
    (workplace.project.home / "feedback" / "a.json").unlink()
    capsys.readouterr()
    feedback()
    assert capsys.readouterr().out == f"0 feedback files, 0 rated replies; changed for {VERSION}\n"
    feedback()
    assert capsys.readouterr().out.startswith("no feedback yet; ")


def test_ctrl_c_says_how_to_continue(monkeypatch: pytest.MonkeyPatch) -> None:
    async def interrupted(_: Workplace) -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(10)

    monkeypatch.setattr(command, "import_feedback", interrupted)
    with pytest.raises(Interrupted, match="interrupted; what was read so far is kept; continue with `stoic feedback`"):
        feedback()
