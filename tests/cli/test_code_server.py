"""What Dagster's processes make of `.env`, seen by a code location that notes its environment."""

import ast
import os
import socket
import time
from pathlib import Path

import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.child_process import child_process
from stoic_assets.cli.dagster_servers import _commands

LOCATION = """
import os
from pathlib import Path
import dagster as dg
Path("noting").write_text(repr(dict(os.environ)))
Path("noting").rename("noted")
defs = dg.Definitions()
"""


@pytest.fixture
def root(workplace: Workplace) -> Path:
    """A project whose `.env` contradicts the environment, and would mislead Dagster."""
    root, records = workplace.project.root, workplace.project.home / "dagster"
    (root / ".env").write_text("OPENAI_API_KEY=\nAGENT_URL=http://of-the-file\nDAGSTER_HOME=nowhere\n")
    (root / "location.py").write_text(LOCATION)
    (root / "workspace.yaml").write_text("load_from: [python_file: location.py]")
    records.mkdir(parents=True)
    (records / "dagster.yaml").write_text("telemetry: {enabled: false}")
    return root


@pytest.fixture
def port() -> int:
    """One that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.long
@pytest.mark.parametrize("number", [0, 1], ids=["web server", "daemon"])
def test_code_has_the_environment_of_who_serves_it_and_reads_the_file_itself(
    workplace: Workplace, root: Path, port: int, number: int
) -> None:
    given = {"OPENAI_API_KEY": "sk-of-the-shell", "DAGSTER_HOME": str(workplace.project.home / "dagster")}
    env = {**os.environ, **given, "STOIC_HOME": str(workplace.project.home), "DAGSTER_DISABLE_TELEMETRY": "1"}
    env.pop("AGENT_URL", None)
    with child_process(_commands(workplace, port)[number], env, 30, root) as process:
        while not (root / "noted").exists():
            assert process.poll() is None
            time.sleep(0.05)
    noted = ast.literal_eval((root / "noted").read_text())
    assert {name: noted.get(name) for name in (*given, "AGENT_URL")} == {**given, "AGENT_URL": None}
