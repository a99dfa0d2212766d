"""One evaluation that is killed and resumed until it ends, observed from outside: command line, tables, servers."""

import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.kills.bill import Kill, Process, calls_too_many, kills_of, missing_calls
from benchmarks.kills.doubles import Call, Doubles
from benchmarks.kills.project import FACT, JUDGES, OTHER_FACT, calls_needed, write_job, write_project
from benchmarks.kills.tables import Rows, paid_calls, rows_of
from benchmarks.throughput.processes import STOIC, environment

NOTHING_TO_RESUME = "there is no unfinished evaluation"


@dataclass
class Evaluated:
    """An evaluation that ended; `seconds` are those of its last process."""

    seconds: float
    calls: int
    rows: Rows
    kills: list[Kill]
    problems: list[str]


class Evaluation:
    """An evaluation in a new project with a home of its own."""

    def __init__(self, folder: Path, version: str, doubles: Doubles, trials: int, latency: float) -> None:
        self._folder, self._home, self._version = folder, folder / ".stoic", version
        self._doubles, self._trials, self._latency = doubles, trials, latency
        self._began = len(doubles.calls)
        self._processes: list[Process] = []
        write_project(folder, trials)

    def run(self, kill_time: Callable[[], float | None], changed_job: bool = False) -> Evaluated:
        """Starts it and resumes it until a process ends; each is killed after the seconds that `kill_time` gives.

        With `changed_job`, one attempt in between is made with another job.
        """
        try:
            problems = self._run(kill_time, changed_job)
        finally:
            self._stop_graph()
        process = self._processes[-1]
        if process.code:
            raise RuntimeError(f"{self._version} ended with {process.code}: {process.err[-2000:]}")
        needed, ledger = calls_needed(self._trials), paid_calls(self._home, self._version)
        problems += [*missing_calls(self._processes, needed, ledger), *calls_too_many(self._processes)]
        rows, kills = rows_of(self._home, self._version), kills_of(self._processes, needed, self._latency)
        shutil.rmtree(self._home)
        return Evaluated(process.seconds, len(self._calls()), rows, kills, problems)

    def _run(self, kill_time: Callable[[], float | None], changed_job: bool) -> list[str]:
        problems: list[str] = []
        while (process := self._step(kill_time())).code is None:
            if changed_job and process.calls:
                changed_job, problems = False, self._not_refused()
        return problems

    def _step(self, kill_after: float | None) -> Process:
        """The next process. With nothing to resume, it starts from scratch, or only the last output was missing."""
        process = self._process(["--resume"] if self._processes else [], kill_after)
        if process.code == 2 and NOTHING_TO_RESUME in process.err:
            process = replace(process, code=0) if self._calls() else self._process([], kill_after)
        self._processes.append(process)
        return process

    def _process(self, options: Sequence[str], kill_after: float | None) -> Process:
        command = [STOIC, "eval", "--agent-version", self._version, "--max-conversations", str(self._trials), *options]
        before, start, code = self._calls(), time.monotonic(), None
        with (self._folder / "out").open("w") as out, (self._folder / "err").open("w") as err:
            process = subprocess.Popen(
                command, cwd=self._folder, env=self._env(), stdin=subprocess.DEVNULL, stdout=out, stderr=err
            )
            try:
                code = process.wait(kill_after)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        ended, calls = time.monotonic(), self._calls()[len(before) :]
        return Process(code, ended - start, ended, (self._folder / "err").read_text(), before, calls)

    def _env(self) -> dict[str, str]:
        servers = environment(self._doubles.agent_url, self._doubles.model_url, self._home)
        return servers | {"STOIC_JUDGE_MODEL": ",".join(JUDGES)}

    def _calls(self) -> list[Call]:
        return self._doubles.calls[self._began :]

    def _not_refused(self) -> list[str]:
        """The problem, if resuming with a changed job is not refused before any call.

        There is none if the kill came when everything was done except the last output.
        """
        write_job(self._folder, 0, OTHER_FACT)
        process = self._process(["--resume"], None)
        write_job(self._folder, 0, FACT)
        refused = process.code == 2 and "cannot resume, because this changed since the evaluation began" in process.err
        if (refused or NOTHING_TO_RESUME in process.err) and not process.calls:
            return []
        return [f"a changed job was not refused: exit {process.code}, {len(process.calls)} calls; {process.err}"]

    def _stop_graph(self) -> None:
        """Stops the embedded graph, which a killed command leaves running."""
        subprocess.run([STOIC, "graph", "--stop"], cwd=self._folder, env=self._env(), capture_output=True, check=False)
