"""`stoic ui`: what it refuses before it begins, what it says and starts, and how it ends."""

import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.process.runs_at_work import at_work
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import dagster_servers
from stoic_assets.cli import ui as ui_module
from stoic_assets.cli.dagster_instance import open_instance
from stoic_assets.cli.ui import ui
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.stages import PARTITION_TAG

SERVING = """
import sys
from stoic_assets.cli import dagster_servers, ui
dagster_servers._commands = lambda *_: [[sys.executable, "-c", "input()"]] * 2
ui.ui(port=1)
"""

TELLING = """
import sys
from stoic_assets.cli import dagster_servers, ui
LOOK = "import os; print(*(os.environ[name] for name in ('STOIC_HOME', 'STOIC_WAREHOUSE')), flush=True)"
dagster_servers._commands = lambda *_: [[sys.executable, "-c", LOOK]]
ui.ui(port=1)
"""

STARTING = """
import os, sys
from stoic_assets.cli import dagster_servers, ui
LOOK = "import os; print(os.path.exists(os.environ['DAGSTER_HOME'] + '/history/runs.db'), os.getpgrp() == os.getpid())"
dagster_servers._commands = lambda *_: [[sys.executable, "-c", LOOK]]
ui.ui(port=1)
"""

SIGNALLED = """
import signal, sys
from stoic_assets.cli import dagster_servers, ui
SEND = f"import os, time; os.kill(os.getppid(), {sys.argv[1]}); time.sleep(1)"
dagster_servers._commands = lambda *_: [[sys.executable, "-c", SEND]]
signal.signal(signal.SIGHUP, signal.SIG_IGN if sys.argv[2] else signal.SIG_DFL)
ui.ui(port=1)
"""

ENTERING = """
import os, sys
from stoic_assets.cli import dagster_servers, ui
ui._refuse_taken, ui.answers = (lambda _: None), (lambda _: True)
LOOK = "import os; print(os.environ['STOIC_UI_TOKEN'], flush=True)"
dagster_servers._commands = lambda *_: [[sys.executable, "-c", LOOK]]
ui.ui(port=3000)
"""

NAMED = "for any user with the value of STOIC_UI_TOKEN as password"


@dg.job
def work() -> None: ...


@pytest.fixture
def home(workplace: Workplace, in_project: Path) -> Path:
    """Of the project that is the current one."""
    return workplace.project.home


def test_a_second_ui_of_a_project_is_refused(home: Path) -> None:
    refused = pytest.raises(ConfigurationError, match=rf"another `stoic ui` already serves {home}, .*or end its .*$")
    with locked(home / "ui.lock"), refused:
        ui(port=1)


def test_of_noted_processes_those_that_still_run_are_named(home: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    home.mkdir(exist_ok=True)
    dagster_servers._note_processes(home, [os.getpid(), ended.pid])
    refused = pytest.raises(ConfigurationError, match=rf"or end its processes: kill {os.getpid()}$")
    with locked(home / "ui.lock"), refused:
        ui(port=1)


@pytest.mark.usefixtures("home")
def test_a_port_where_something_else_listens_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ConfigurationError, match=rf"^port {port} is in use; .* choose another port with --port$"):
            ui(port=port)


@pytest.mark.parametrize(
    ("token", "screen", "told"),
    [
        ("", True, "http://ui; Ctrl-C stops it"),
        ("a/token", True, "http://ui/?token=a%2Ftoken (the link logs your browser in); Ctrl-C stops it"),
        ("a/token", False, f"http://ui, {NAMED}, or on http://ui/?token=VALUE; Ctrl-C stops it"),
    ],
)
def test_a_token_is_shown_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, token: str, screen: bool, told: str
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: screen)
    assert ui_module._way_in("http://ui", token) == f"Dagster on {told}"


def test_runs_that_go_on_are_named_at_the_end(
    workplace: Workplace, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_instance(workplace) as instance:
        run = instance.create_run_for_job(work, tags={PARTITION_TAG: "bot@1.0"})
        night = instance.create_run_for_job(work)
    with at_work(home, run.run_id), at_work(home, night.run_id), ui_module._runs_told(workplace):
        pass
    assert re.match(r"2 runs still at work: (bot@1\.0, work|work, bot@1\.0); start `s", capsys.readouterr().err)


@pytest.mark.long
def test_a_ui_is_refused_while_servers_of_a_killed_one_run_and_told_how_to_end_them(home: Path) -> None:
    command = [sys.executable, "-c", SERVING]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as first:
        while not (home / "ui.pids").exists():
            assert first.poll() is None
            time.sleep(0.01)
        first.kill()
        first.wait()
        with pytest.raises(ConfigurationError, match="or end its processes: kill ") as refused:
            ui(port=1)
        left = re.findall(r"\d+", str(refused.value).rpartition("kill")[2])
        assert len(left) == 2
        for pid in left:
            os.kill(int(pid), signal.SIGTERM)
        with locked(home / "ui.lock", wait=60):
            pass


@pytest.mark.long
def test_servers_have_the_folders_that_the_command_had(tmp_path: Path) -> None:
    (tmp_path / "eval_jobs").mkdir()
    (tmp_path / "here").mkdir()
    env = {**os.environ, "STOIC_HOME": "state", "STOIC_WAREHOUSE": "facts"}
    command = [sys.executable, "-c", TELLING]
    told = subprocess.run(command, cwd=tmp_path / "here", env=env, capture_output=True, text=True)
    assert told.stdout.split() == [str(tmp_path / "here" / name) for name in ("state", "facts")], told.stderr


@pytest.mark.long
@pytest.mark.usefixtures("home")
def test_servers_begin_with_databases_that_are_set_up_and_hear_nothing_of_the_terminal() -> None:
    """Two that set up the same new database would damage it, and on Ctrl-C Dagster prints tracebacks."""
    told = subprocess.run([sys.executable, "-c", STARTING], capture_output=True, text=True)
    assert told.stdout.split() == ["True", "True"], told.stderr


@pytest.mark.long
@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("number", "nohup", "code"), [(signal.SIGTERM, "", 0), (signal.SIGHUP, "", 0), (signal.SIGHUP, "nohup", 1)]
)
def test_a_ui_ends_in_good_order_with_its_terminal_but_not_under_nohup(
    number: int, nohup: str, code: int
) -> None:
    """There the hang-up is ignored, and it ends by a fault when its only server does."""
    command = [sys.executable, "-c", SIGNALLED, str(int(number)), nohup]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, "ended unexpectedly" in ended.stderr) == (code, code == 1)


@pytest.mark.long
def test_a_ui_that_is_stopped_names_the_runs_that_go_on(workplace: Workplace, home: Path) -> None:
    command = [sys.executable, "-c", SIGNALLED, str(int(signal.SIGTERM)), ""]
    with open_instance(workplace) as instance:
        run = instance.create_run_for_job(work, tags={PARTITION_TAG: "bot@1.0"})
        night = instance.create_run_for_job(work)
    with at_work(home, run.run_id):
        stopped = subprocess.run(command, capture_output=True, text=True)
        assert "\n1 run still at work: bot@1.0; start `stoic ui` again to watch or term" in stopped.stderr
        with at_work(home, night.run_id):
            stopped = subprocess.run(command, capture_output=True, text=True)
    assert stopped.returncode == 0
    assert "2 runs still at work: " in stopped.stderr
    assert "still" not in subprocess.run(command, capture_output=True, text=True).stderr


def test_the_way_in_is_told_when_the_server_answers(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as server, subprocess.Popen(["sleep", "1"]) as process:
        server.bind(("127.0.0.1", 0))
        ui_module._attend([process], server.getsockname()[1], "open it")
        assert capsys.readouterr().err == "", "nobody listens yet"
        server.listen()
        ui_module._attend([process], server.getsockname()[1], "open it")
    assert capsys.readouterr().err == "open it\n"


@pytest.mark.usefixtures("home")
def test_a_token_that_no_program_could_send_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOIC_UI_TOKEN", "Schlüssel-zum-Garten")
    with pytest.raises(ConfigurationError, match=r"^STOIC_UI_TOKEN: contains .* not ASCII"):
        ui(port=1)


@pytest.mark.long
@pytest.mark.parametrize("where", ["environment", "file"])
def test_whoever_starts_a_ui_with_a_token_reads_how_to_get_in(home: Path, tmp_path: Path, where: str) -> None:
    """A link on a terminal; what goes into a log names the variable."""
    env = {**os.environ, "STOIC_UI_TOKEN": "a/token"}
    if where == "file":
        (tmp_path / ".env").write_text(f"STOIC_UI_TOKEN={env.pop('STOIC_UI_TOKEN')}\n")
    command, (ours, theirs) = [sys.executable, "-c", ENTERING], pty.openpty()
    logged = subprocess.run(command, env=env, capture_output=True, text=True)
    assert f"http://127.0.0.1:3000, {NAMED}" in logged.stderr
    assert "a/token" not in logged.stderr
    assert "a%2Ftoken" not in logged.stderr
    assert logged.stdout == "a/token\n"  # what the servers get
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=theirs)
    assert "Dagster on http://127.0.0.1:3000/?token=a%2Ftoken " in os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(theirs)
