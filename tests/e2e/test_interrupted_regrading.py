"""Judged again and cut off, or after a cut: scores of verdicts that were replaced say so, no correction is undone."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from double import Double
from model_server import ModelServer
from stoic_command import Stoic
from stopping import end, stopped_at

from stoic_assets.core.stages import EVALUATION, PREPARATION

pytestmark = pytest.mark.long
WRONG, RIGHT = ({"expression": f"evaluation.transcript.size > {size}"} for size in (100, 1))
NOWHERE = "bolt://127.0.0.1:9"


@pytest.fixture
def corrected(stoic: Stoic) -> Path:
    """A job whose assertion fails by mistake is in the project, its correction elsewhere."""
    text = stoic.job(assertions=[RIGHT]).read_text()
    stoic.job(assertions=[WRONG])
    return stoic.write("corrected/chat.yml", text)


def again(evaluation_id: str) -> str:
    """What a user is told to type."""
    return f"`stoic regrade --agent-version my-agent@dev --evaluation {evaluation_id}` (same options)"


def stored(stoic: Stoic) -> tuple[Any, ...]:
    """The status of the first evaluation of `my-agent@dev`, whether its assertion passed, what that is scored by."""
    return stoic.sql(
        "select status, results.passed, scores.assertion from evaluations join assertion_results as results"
        " using (evaluation_id) join composite_scores as scores using (evaluation_id)"
        " where evaluations.agent_version = 'my-agent@dev' order by started_at"
    )[0]


@contextmanager
def unwritable(stoic: Stoic, table: str) -> Iterator[None]:
    """While the block runs, nothing can be stored in a table."""
    folder = stoic.home / "warehouse" / table
    kept = folder.rename(folder.with_suffix(".kept"))
    folder.touch()
    yield
    folder.unlink()
    kept.rename(folder)


def in_the_web_ui(stoic: Stoic, **env: str) -> int:
    """The exit code of a run without tags that makes all of an evaluation after its preparation."""
    stages = ",".join(stage for stage in EVALUATION if stage not in PREPARATION)
    command = [sys.executable, "-m", "dagster", "asset", "materialize", "--select", stages]
    command += ["--partition", "my-agent@dev", "-m", "stoic_assets.definitions"]
    environment = {"PATH": os.environ["PATH"], **stoic.env, "DAGSTER_HOME": str(stoic.home / "dagster"), **env}
    return subprocess.run(command, cwd=stoic.project, env=environment, capture_output=True).returncode


def refused(stoic: Stoic, *command: str, code: int = 2) -> str:
    """The line of a command that refuses."""
    return stoic(*command, code=code).line


def test_a_correction_that_sigterm_cut_off_goes_on_and_is_not_undone(
    stoic: Stoic, model: ModelServer, corrected: Path
) -> None:
    before = stoic("eval", "--json").document
    regrade = ("regrade", "--fresh", "--file", str(corrected))

    stopped = stoic.checked(end(stopped_at(model, "judge", 2, stoic, *regrade), signal.SIGTERM), 130)
    told = f"interrupted; results so far are stored; continue with {again(before['evaluation_id'])}"
    assert stopped.line == f"stoic: {told}"
    assert stored(stoic) == ("finished", False, 0.0)  # no verdict was replaced yet
    assert "there is no unfinished evaluation" in refused(stoic, "eval", "--resume")
    assert stoic(*regrade, "--json").document["evaluation_id"] == before["evaluation_id"]
    assert "there is no unfinished evaluation" in refused(stoic, "eval", "--resume")
    assert stored(stoic) == ("finished", True, 1.0)


def test_scores_of_verdicts_that_were_replaced_are_not_finished(
    stoic: Stoic, model: ModelServer, corrected: Path, tmp_path: Path
) -> None:
    first = stoic("eval", "--json").document
    stoic("eval", "--agent-version", "my-agent@2")
    regrade = ("regrade", "--agent-version", "my-agent@dev", "--file", str(corrected))

    with unwritable(stoic, "trial_virtues"):
        stoic(*regrade, code=2)
    cut = first["evaluation_id"]
    told = f"stoic: judging evaluation {cut} of my-agent@dev again was cut short; continue with {again(cut)}"
    assert f"{told}, or judge it by the original jobs with --resume" in refused(stoic, "eval", "--resume")
    assert f"is not finished (regrading); continue with {again(cut)}" in refused(
        stoic, "compare", "my-agent@dev", "my-agent@2", code=3
    )
    page = tmp_path / "report.html"
    assert stoic("report", "--agent-version", "my-agent@dev", "--out", page).line == told
    assert "Judging it again was cut short" in page.read_text()

    stoic("eval", "--file", stoic.job("newer"))
    assert f"continue with {again(cut)}" in refused(stoic, "eval", "--job", "chat", "--resume")
    assert stoic(*regrade, "--evaluation", cut, "--json").document["evaluation_id"] == cut
    assert stored(stoic) == ("finished", True, 1.0)
    assert "not to the end" not in (stoic.home / "reports" / "my-agent@dev" / f"{cut}.html").read_text()


def test_a_correction_after_a_kill_is_not_undone(
    stoic: Stoic, running: Callable[[Double], Any], model: ModelServer, corrected: Path
) -> None:
    hook = running(Double())
    stoic.env["STOIC_WEBHOOK_URL"] = hook.url
    end(stopped_at(hook, "POST /", 0, stoic, "eval"), signal.SIGKILL)
    assert stored(stoic) == ("finished", False, 0.0)

    stoic("regrade", "--file", corrected)
    assert "there is no unfinished evaluation" in refused(stoic, "eval", "--resume")
    stoic("regrade", "--file", corrected, code=2, STOIC_GRAPH_URI=NOWHERE)  # the last stage needs that graph
    held = stoic.sql("select evaluation_id from evaluations")[0][0]
    assert f"continue with {again(held)}" in refused(stoic, "eval", "--resume")
    assert stored(stoic) == ("finished", True, 1.0)

    told = "judged by the jobs of the conversations; corrections no longer used: chat"
    assert told in stoic("eval", "--resume", held).err  # by its name
    assert stored(stoic) == ("finished", False, 0.0)
    assert told not in stoic("eval", "--resume", held).err


def test_a_run_of_the_web_ui_that_was_cut_off_after_its_scores_is_resumed(stoic: Stoic, model: ModelServer) -> None:
    stoic.job()
    first = stoic("eval", "--json").document
    assert in_the_web_ui(stoic, STOIC_GRAPH_URI=NOWHERE) != 0
    [(cut,)] = stoic.sql(f"select evaluation_id from evaluations where evaluation_id <> '{first['evaluation_id']}'")
    model.calls.clear()

    assert stoic("eval", "--resume", "--json").document["evaluation_id"] == cut
    assert model.asked == []
    assert "there is no unfinished evaluation" in stoic("eval", "--resume", code=2).line
