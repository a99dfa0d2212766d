"""`stoic ui`: serves Dagster's web UI and runs its daemon."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from stoic_assets.adapters.http.api_keys import sent_value
from stoic_assets.adapters.http.known_callers import SETTING, login_link
from stoic_assets.adapters.process.runs_at_work import runs_at_work
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.dagster_instance import open_instance, refuse_misread_folders
from stoic_assets.cli.dagster_servers import answers, only_servers, running_servers
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable
from stoic_assets.core.presentation.formatting import listed, plural
from stoic_assets.core.stages import PARTITION_TAG


def ui(
    port: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=65535, show_default=False, help="Port to listen on. (default: 3000)"),
    ] = 3000
) -> None:
    """Serves Dagster's web UI for this project on loopback, and runs its daemon."""
    workplace = open_workplace()
    refuse_misread_folders(workplace)
    token = sent_value(workplace.env, SETTING)
    with only_servers(workplace.project.home) as lock, _runs_told(workplace):
        _refuse_taken(port)
        with open_instance(workplace):  # else server and daemon, started together, would both make a home's databases
            pass
        console.err.print("starting Dagster, which takes some seconds; Ctrl-C stops it")
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup has the hang-up ignored
                signal.signal(number, lambda *_: sys.exit(0))
        with running_servers(workplace, port, token, lock) as servers:
            _attend(servers, port, _way_in(f"http://127.0.0.1:{port}", token))
    raise ServiceUnreachable("Dagster's web server or daemon ended unexpectedly; see its output above for the reason")


def _refuse_taken(port: int) -> None:
    """Raises `ConfigurationError` when something else listens on a port of loopback."""
    if answers(port):
        raise ConfigurationError(
            f"port {port} is in use; end the program that listens there, or choose another port with --port"
        )


def _attend(processes: Sequence["subprocess.Popen[str]"], port: int, way_in: str) -> None:
    """Says how to open the web UI once it answers, and returns when one of the processes has ended."""
    told = False
    while True:
        if not told and answers(port):
            console.err.print(way_in)
            told = True
        if any(process.poll() is not None for process in processes):
            return
        time.sleep(0.5)


def _way_in(url: str, token: str) -> str:
    """How to open the web UI. Only a terminal is shown the token: other output may be kept."""
    if not token:
        return f"Dagster on {url}; Ctrl-C stops it"
    if sys.stderr.isatty():
        return f"Dagster on {login_link(url, token)} (the link logs your browser in); Ctrl-C stops it"
    link = login_link(url, "VALUE")
    return f"Dagster on {url}, for any user with the value of {SETTING} as password, or on {link}; Ctrl-C stops it"


@contextmanager
def _runs_told(workplace: Workplace) -> Iterator[None]:
    """Names at the end the runs that go on unattended: their code server stays until they have ended."""
    try:
        yield
    finally:
        if left := runs_at_work(workplace.project.home):
            named = f"{plural(len(left), 'run')} still at work: {listed(_names(workplace, left))}"
            console.err.print(f"{named}; start `stoic ui` again to watch or terminate any")


def _names(workplace: Workplace, run_ids: Iterable[str]) -> list[str]:
    """The partition of each run, or its job if it has none."""
    with open_instance(workplace) as instance:
        runs = {run_id: instance.get_run_by_id(run_id) for run_id in run_ids}
    return [run.tags.get(PARTITION_TAG, run.job_name) if run else run_id for run_id, run in runs.items()]
