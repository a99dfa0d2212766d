"""The loop around GEPA that `docs/evolution.md` shows, run as it stands; agent, evaluations and model are played."""

import dataclasses
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gepa.lm
import pytest
from documents import FENCE, text_of

import stoic_assets.gepa
from stoic_assets.core.evolution.gepa import Batch, Trace

BETTER = "You are Marcus. Read dates back."


@dataclasses.dataclass
class Played:
    """What the loop asked for, and what it gets: `scale` of every evaluation, `answer` of the reflection model."""

    scale: str = "one"
    answer: Callable[[], str] = lambda: f"```\n{BETTER}\n```"
    commands: list[list[str]] = dataclasses.field(default_factory=list)
    calls: int = 0

    def serve(self, candidate: dict[str, str]) -> str:
        return "marcus@better" if candidate["system_prompt"] == BETTER else "marcus@seed"

    def stoic(self, command: list[str], **_: Any) -> SimpleNamespace:
        """Plays `stoic eval --json` and `stoic compare`."""
        self.commands.append(command)
        version = command[command.index("--agent-version") + 1] if command[1] == "eval" else ""
        trials = [{"passed": "better" in version}, {"passed": None}]
        told = {"evaluation_id": f"e{len(self.commands)}", "agent_version": version, "trials": trials}
        return SimpleNamespace(stdout=json.dumps(told))

    def batch(self, _: Any, version: str, jobs: list[str]) -> Batch:
        """Plays `gepa_batch`, for which the manifest here is the version."""
        score = 0.9 if "better" in version else 0.5
        traces = [[Trace(job, job, score, (), None, "HTTP 500", scale=self.scale)] for job in jobs]
        return Batch([{} for _ in jobs], [score] * len(jobs), traces, [{"wisdom": score} for _ in jobs])

    def model(self, _: Any) -> str:
        self.calls += 1
        assert os.environ["OPENAI_API_KEY"] == "of the file"
        return self.answer()


Run = Callable[[], None]


@pytest.fixture
def played() -> Played:
    return Played()


@pytest.fixture
def run(played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    evidence = SimpleNamespace(manifest=lambda version, _: version)
    workplace = SimpleNamespace(evidence=evidence, env={"OPENAI_API_KEY": "of the file"})
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "run", played.stoic)
    monkeypatch.setattr(gepa.lm, "LM", lambda _: played.model)
    monkeypatch.setattr(stoic_assets.gepa, "open_workplace", lambda: workplace)
    monkeypatch.setattr(stoic_assets.gepa, "gepa_batch", lambda *arguments, jobs: played.batch(*arguments, jobs))
    [loop] = [code for _, code in FENCE.findall(text_of("docs/evolution.md")) if "gepa.optimize(" in code]
    code = compile(loop.replace("max_metric_calls=200", "max_metric_calls=20"), "docs/evolution.md", "exec")
    return lambda: exec(code, {"serve": played.serve})


def test_seed_and_winner_are_compared_afresh_and_by_what_passed(
    played: Played, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run()
    *_, seed, winner, compare = played.commands
    versions = [command[command.index("--agent-version") + 1] for command in (seed, winner)]
    assert versions == ["marcus@seed", "marcus@better"]
    assert seed[-10:] == winner[-10:]
    assert not {*seed[-10:]} & {"morning-reminder", "hard-decision", "long-talk", "two-dates"}
    evaluations = [f"e{len(played.commands) - back}" for back in (2, 1)]
    assert compare == ["stoic", "compare", *versions, "--evaluation", evaluations[0], "--evaluation", evaluations[1]]
    assert capsys.readouterr().out.endswith("marcus@seed passed 0 of 1\nmarcus@better passed 1 of 1\n")


def test_no_job_of_a_batch_counts_twice(played: Played, run: Run) -> None:
    run()
    assert {command.count("--job") for command in played.commands[:-3]} == {2}


def test_a_run_is_not_continued_on_another_scale(played: Played, run: Run) -> None:
    run()
    run()
    played.scale = "another"
    with pytest.raises(SystemExit, match="gepa-run was begun with other judges or jobs"):
        run()


def test_nothing_is_evaluated_if_the_reflection_model_cannot_be_asked(played: Played, run: Run) -> None:
    played.answer = {}.popitem  # raises KeyError
    with pytest.raises(SystemExit, match="reflection"):
        run()
    assert played.commands == []


def test_a_reflection_model_that_is_lost_later_ends_the_loop(played: Played, run: Run) -> None:
    answers = iter(["yes"])
    played.answer = lambda: next(answers)
    with pytest.raises(SystemExit, match="reflection"):
        run()
    assert (played.calls, len(played.commands)) == (2, 2)
