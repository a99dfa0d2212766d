"""What `stoic doctor` says of single subjects."""

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.project_status import LOOKS


def test_without_jobs_no_agent_was_asked(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    assert LOOKS["agent"](workplace) == ("note", "no job says where one listens")
