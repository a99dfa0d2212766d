"""Files that a disk or a person damaged: each command names the file, and what it advises helps."""

import os
import re
import shlex
from pathlib import Path

import pytest
from agents import EmbabelAgent
from model_server import ModelServer
from stoic_command import Stoic

pytestmark = pytest.mark.long
OLD, NEW = ("eval", "--agent-version", "my-agent@p"), ("eval", "--agent-version", "my-agent@q")


def advised(line: str) -> list[str]:
    """The arguments of the command that a message names first."""
    [command, *_] = re.findall("`stoic ([^`]+)`", line)
    return shlex.split(command)


def told(stoic: Stoic, subject: str, code: int) -> dict[str, str]:
    """What `stoic doctor` finds of a subject."""
    findings = stoic("doctor", "--json", code=code).document["findings"]
    return next(each for each in findings if each["subject"] == subject)


def newest(stoic: Stoic, table: str) -> Path:
    """The file with the rows of `table` that count for the version p."""
    files = (stoic.home / "warehouse" / table / "agent_version=my-agent@p").glob("*.parquet")
    return max(files, key=lambda path: int(path.name.split(".")[1]))


def test_a_damaged_table_is_named_before_anything_is_paid_and_the_advice_repairs_it(
    stoic: Stoic, model: ModelServer, agent: EmbabelAgent
) -> None:
    stoic.job()
    first = stoic(*OLD, "--json").document
    paid = agent.told(), len(model.of("judge"))
    for table, needed in (("evaluations", True), ("turns", False), ("virtue_scores", False)):
        file = newest(stoic, table)
        os.truncate(file, 100)
        refusals = [stoic("report", "--agent-version", "my-agent@p", code=2).line]
        refusals += [stoic(*each, code=2).line for each in ((*NEW,), ("list",)) if needed]
        refusals.append(stoic("export", "--csv", stoic.home / "csv", code=2).line)
        for line in refusals:
            assert f"table {table} of evaluation {first['evaluation_id']} (my-agent@p): {file} is damaged" in line
        assert told(stoic, "tables", code=2 if needed else 0)["state"] == ("missing" if needed else "note")
        file.rename(stoic.home / file.name)
        stoic(*advised(refusals[0]))
    assert stoic(*OLD, "--resume", first["evaluation_id"], "--json").document == first
    assert (agent.told(), len(model.of("judge"))) == paid
    stoic(*NEW)


def test_damaged_records_of_dagster_are_named_and_can_be_moved_away(stoic: Stoic) -> None:
    stoic.job()
    stoic(*OLD)
    file = stoic.home / "dagster" / "history" / "runs.db"
    file.write_bytes(b"no database")
    for command in (NEW, ("regrade",)):
        assert stoic(*command, code=2).line.startswith(f"stoic: {file} is damaged; move it away, with runs.db-wal if")
    assert told(stoic, "dagster", code=2)["state"] == "missing"
    file.rename(stoic.home / "runs.old")
    stoic("regrade")
    stoic(*NEW)


def test_what_was_lost_is_said_to_be_lost_and_the_journal_gives_it_back(stoic: Stoic, agent: EmbabelAgent) -> None:
    stoic.job()
    first = stoic(*OLD, "--json").document
    evaluation_id, told_agent = first["evaluation_id"], agent.told()
    newest(stoic, "trials").unlink()
    line = stoic("report", code=2).line
    assert f"table trials of evaluation {evaluation_id} (my-agent@p) is missing" in line
    stoic(*advised(line))
    stoic("report")
    manifest = stoic.home / "evidence" / "my-agent@p" / evaluation_id / "manifest.json"
    manifest.rename(stoic.home / "kept.json")
    for command in (("report",), ("regrade", "--agent-version", "my-agent@p"), (*OLD, "--resume", evaluation_id)):
        line = stoic(*command, code=2).line
        assert f"evaluation {evaluation_id} of my-agent@p has lost {manifest}; restore the file" in line
    (stoic.home / "kept.json").rename(manifest)
    assert stoic("regrade", "--json").document == first
    assert agent.told() == told_agent
    journal = manifest.with_name("journal.jsonl")
    journal.write_bytes(b'{"trial": \xff}\n' + journal.read_bytes())
    line = stoic(*OLD, "--resume", evaluation_id, code=2).line
    assert line == f"stoic: {journal}:1 is damaged; restore the file from a backup, or begin again"
    manifest.unlink()
    assert stoic("delete", "my-agent@p", "--yes").out == "deleted my-agent@p with 1 evaluation\n"
