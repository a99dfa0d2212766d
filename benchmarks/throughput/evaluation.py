"""One evaluation by `stoic eval` with our own servers, observed from outside; and the bare client after it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.throughput.processes import STOIC, Server, environment, python, run, served
from benchmarks.throughput.workload import Workload


@dataclass(frozen=True)
class Measured:
    """One evaluation: seconds, MB and calls; `bare_` values are the bare client's for the same calls."""

    wall: float
    start_up: float
    working: float
    closing: float
    cpu: float
    peak_mb: float
    calls: int
    bare_wall: float
    bare_cpu: float


def evaluate(folder: Path, version: str, workload: Workload) -> Measured:
    """Evaluates in the project at `folder`. Raises `RuntimeError` if not exactly the workload was done."""
    with (
        served("agent", workload.latency, workload.bookkeeping) as agent,
        served("model", workload.latency, workload.bookkeeping) as model,
    ):
        options = ["--agent-version", version, "--max-conversations", str(workload.at_once), "--json"]
        ended = run([STOIC, "eval", *options], folder, environment(agent.url, model.url, folder / ".stoic"))
        asked = [agent.tally(), model.tally()]
        calls = sum(sum(tally["calls"].values()) for tally in asked)
        _refuse_other_work(json.loads(ended.out), calls, workload)
        first = min(tally["first"] for tally in asked)
        [composite] = folder.glob(f".stoic/warehouse/composite_scores/agent_version={version}/*.parquet")
        stored = composite.stat().st_mtime
        bare = _bare(agent, model, workload, asked[1]["bytes"])
    return Measured(
        wall=ended.wall, start_up=first - ended.started, working=stored - first,
        closing=ended.started + ended.wall - stored, cpu=ended.cpu, peak_mb=ended.peak_mb, calls=calls,
        bare_wall=bare["wall"], bare_cpu=bare["cpu"],
    )  # fmt: skip


def _refuse_other_work(outcome: dict[str, Any], calls: int, workload: Workload) -> None:
    trials = outcome["trials"]
    scored = [mark["score"] for trial in trials for mark in (*trial["virtues"].values(), *trial["tasks"])]
    whole = len(trials) == workload.trials and all(trial["outcome"] == "signed_off" for trial in trials)
    if not whole or None in scored or calls != workload.calls:
        raise RuntimeError(f"{len(trials)} trials with {calls} calls, {scored.count(None)} verdicts missing")


def _bare(agent: Server, model: Server, workload: Workload, sizes: dict[str, int]) -> dict[str, float]:
    asked = {"agent": agent.url, "model": model.url, "workload": asdict(workload), "bytes": sizes}
    return python("benchmarks.throughput.bare_client", json.dumps(asked))
