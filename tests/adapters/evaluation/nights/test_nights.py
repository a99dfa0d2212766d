"""Whom a night reaches, round by round, with real agents over HTTP and the embedded graph."""

from dataclasses import replace

import pytest
from held_nights import JOB, NIGHT, Agent, hold

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.adapters.models.stand_in import OFFLINE, StandIn
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.errors import Busy, ConfigurationError
from stoic_assets.core.nights.night_record import night_evaluation_id


def test_live_versions_converse_in_turn_and_nothing_is_held_twice(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    versions = [agent("1.0.0"), agent("1.1.0")]
    found = hold(workplace)
    assert said == ["1.0.0", "1.1.0"] * 3
    assert [len(found.held[version].trials) for version in versions] == [3, 3]
    ids = {version: night_evaluation_id(NIGHT, version, "first") for version in versions}
    assert all(workplace.warehouse.has("turns", *key) for key in ids.items())
    record = workplace.nights.read(NIGHT).first
    assert record == found.record
    assert {version: each.evaluation_id for version, each in record.evaluations.items()} == ids
    assert [each.base for each in record.evaluations.values()] == [None, versions[0]]

    hold(workplace)
    assert len(said) == 6
    hold(workplace, "again", (versions[1],))
    assert said[6:] == ["1.1.0"] * 3
    again = workplace.nights.read(NIGHT).again
    assert again is not None
    assert list(again.evaluations) == [versions[1]]


def test_a_version_that_cannot_be_talked_to_stops_no_other(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    good, gone, locked = agent("1.0.0"), agent("1.1.0", reachable=False), agent("1.2.0", refuses=True)
    (workplace.project.releases / "odd.yml").write_text("agent: marcus\nversion: 2\nurl: http://[\n")
    found = hold(workplace)
    assert list(found.held) == [good]
    assert said == ["1.0.0"] * 3
    assert "/[redacted] refuses the key" in found.record.faults[locked]
    assert "1.1.0" in gone
    assert set(found.record.faults) == {gone, locked}
    [night], _ = workplace.nights.recent()
    assert night.first is not None
    assert list(night.first.evaluations) == [good]


def test_a_night_that_another_run_holds_is_refused_and_keeps_its_record(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    version = agent("1.0.0")
    record = hold(workplace).record
    lock = workplace.evidence.folder(version, record.evaluations[version].evaluation_id) / "lock"
    with locked(lock), pytest.raises(Busy, match=rf"of {version} is running in another process"):
        hold(workplace)
    assert workplace.nights.read(NIGHT).first == record
    other = agent("1.1.0")
    with locked(lock):
        found = hold(workplace)
    assert (list(found.held), list(found.record.faults)) == ([other], [version])


def test_where_no_version_can_be_talked_to_the_night_names_them_all(workplace: Workplace, agent: Agent) -> None:
    versions = {agent("1.1.0", reachable=False), agent("1.2.0", refuses=True)}
    assert set(hold(workplace).record.faults) == versions


def test_a_version_at_its_cost_ceiling_stops_no_other_and_is_named(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    (workplace.project.root / "eval_jobs" / "hello.yml").write_text(JOB.replace("maxTurns: 2", "maxTurns: 4"))
    spent, other = agent("1.0.0"), agent("1.1.0")
    held = hold(capped(workplace, 0), versions=(spent,)).held[spent]
    ledger = Ledger(StandIn(), workplace.evidence.journal_file(held.manifest), {})
    ledger.note(ChatRequest("evaluator", OFFLINE, (), 0.0), ChatReply("", cost_usd=9.0))

    found = hold(capped(workplace, 1))
    assert {version: len(each.trials) for version, each in found.held.items()} == {spent: 0, other: 3}
    assert found.record.faults == {
        spent: "0 of 3 trials were run before the cost ceiling was reached; continue with `stoic eval --agent-version "
        f"marcus@1.0.0 --resume {held.manifest.evaluation_id}` and a higher --max-cost"
    }
    assert said.count("1.0.0") == 1  # the greeting, before any model was asked
    assert hold(workplace).record.faults == {}


def capped(workplace: Workplace, dollars: float) -> Workplace:
    """The same, with a cost ceiling in stoic.yml."""
    return replace(workplace, settings=workplace.settings.model_copy(update={"max_cost": dollars}))


def test_the_second_round_remembers_whom_the_first_one_missed(workplace: Workplace, agent: Agent) -> None:
    version = agent("1.0.0")
    (workplace.project.releases / "gone.yml").write_text("agent: marcus\nversion: 1.2.0\nurl: http://127.0.0.1:9\n")
    first = hold(workplace)
    assert (list(first.record.faults), first.missed) == (["marcus@1.2.0"], {})
    again = hold(workplace, "again", (version,))
    assert (again.record.faults, again.missed) == ({}, first.record.faults)


def test_without_a_live_version_there_is_no_night(workplace: Workplace) -> None:
    with pytest.raises(ConfigurationError, match=r"releases/\*\.yml"):
        hold(workplace)


def test_a_night_of_a_version_that_is_not_live_names_it(workplace: Workplace, agent: Agent, said: list[str]) -> None:
    agent("1.0.0")
    with pytest.raises(ConfigurationError, match=r"^not live: marcus@8; live: marcus@1\.0\.0; give the version a"):
        hold(workplace, versions=("marcus@8",))
    assert said == []


def test_a_manifest_that_cannot_be_read_is_left_out_of_the_night_and_named(workplace: Workplace, agent: Agent) -> None:
    version = agent("1.0.0")
    broken = workplace.project.releases / "broken.yml"
    broken.write_text("agent: marcus\nversion: 1.1.0\nurl: nowhere\n")
    night = hold(workplace)
    assert list(night.held) == [version]
    [line] = night.unread
    assert line.startswith("left out: ")
    assert "broken.yml:3" in line
    assert hold(workplace, "first", (version,)).unread == (), "by hand, for this version alone"
    assert hold(workplace, "again", (version,)).unread == night.unread
    (workplace.project.releases / "1.0.0.yml").unlink()
    with pytest.raises(ConfigurationError, match=r"^no version is live; .*; left out: .*broken\.yml:3"):
        hold(workplace)
