"""How Dagster's web server and daemon are started."""

import pytest
from dagster._grpc.utils import default_grpc_timeout

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.dagster_instance import open_instance
from stoic_assets.cli.dagster_servers import _commands, _environment


def test_both_servers_serve_the_projects_own_workspace_if_it_has_one(workplace: Workplace) -> None:
    for location in (["-m", "stoic_assets.definitions"], ["-w", str(workplace.project.root / "workspace.yaml")]):
        server, daemon = _commands(workplace, 3000)
        assert server[2:] == ["stoic_assets.cli.web_server", "-h", "127.0.0.1", "-p", "3000", *location]
        quiet = ["--log-level", "warning", "--code-server-log-level", "error"]
        assert daemon[2:] == ["stoic_assets.cli.daemon", "run", *quiet, *location]
        (workplace.project.root / "workspace.yaml").touch()


@pytest.mark.parametrize(("own", "seconds"), [(None, 300), ("600", 600)])
def test_a_run_that_a_busy_machine_starts_slowly_is_waited_for(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, own: str | None, seconds: int
) -> None:
    """Dagster waits for a minute; whoever needs longer still may set it."""
    monkeypatch.delenv("DAGSTER_GRPC_TIMEOUT_SECONDS", raising=False)
    if own:
        monkeypatch.setenv("DAGSTER_GRPC_TIMEOUT_SECONDS", own)
    for name, value in _environment(workplace, "").items():
        monkeypatch.setenv(name, value)
    assert default_grpc_timeout() == seconds


def test_a_run_that_starts_slowly_has_not_failed_before_its_start_is_given_up(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DAGSTER_GRPC_TIMEOUT_SECONDS", raising=False)
    given_up = int(_environment(workplace, "")["DAGSTER_GRPC_TIMEOUT_SECONDS"])
    with open_instance(workplace) as instance:
        assert instance.run_monitoring_start_timeout_seconds > given_up
