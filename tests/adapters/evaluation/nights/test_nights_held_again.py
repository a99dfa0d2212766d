"""What a night held stays, and what is missing of it is held or made again."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from held_nights import JOB, Agent, hold

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation.beginning import Wanted
from stoic_assets.adapters.evaluation.conversations import hold_evaluation
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.conversation import journal as entries
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.resuming import ResumeRefused
from stoic_assets.core.table_repair import EVIDENCE


def test_what_is_judged_stays_judged_until_a_trial_is_held_again(
    workplace: Workplace, agent: Agent, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    version = agent("1.0.0")
    found = hold(workplace).held[version]
    assert found.files.keys() >= {"evaluations", "trials", "turns", "observations"}
    store = EvaluationTables(workplace, found.manifest)
    store.write_head("finished", planned_trials=3, scored_trials=3, invalid_trials=0)
    found = hold(workplace).held[version]
    assert (found.files.keys(), len(found.trials)) == ({"llm_calls"}, 3)
    assert store.read("evaluations")[0]["status"] == "finished"


def test_a_night_whose_judge_is_gone_can_be_judged_by_another(
    workplace: Workplace, agent: Agent, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    version = agent("1.0.0")
    held = hold(workplace).held[version]
    monkeypatch.setattr("stoic_assets.adapters.evaluation.specification.judge_panel", lambda _: ("another",))
    again = hold(workplace)
    assert (again.record.faults, again.held[version].manifest, len(said)) == ({}, held.manifest, 3)
    wanted = Wanted(version, held.manifest.evaluation_id, EvaluationRequest())
    with pytest.raises(ResumeRefused, match="judge_models"):
        asyncio.run(hold_evaluation(workplace, wanted, "run-2"))


@pytest.mark.parametrize("table", ["llm_calls", "evaluations", "turns", "trials"])
def test_what_is_held_again_is_stored_whole_however_often_that_is_cut_off(
    workplace: Workplace, agent: Agent, said: list[str], monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    version = agent("1.0.0")
    found = hold(workplace).held[version]
    store = EvaluationTables(workplace, found.manifest)
    store.write_head("finished", planned_trials=3, scored_trials=2, invalid_trials=1)
    missed = entries.ended(now(), "infra_error", "no graph", 0, [])
    asyncio.run(workplace.evidence.journals(found.manifest).of(found.trials[0]["trial_id"]).append(missed))
    write = EvaluationTables.write

    def full_disk(self: EvaluationTables, name: str, rows: Any) -> Path:
        if name == table:
            raise StorageError("the disk is full")
        return write(self, name, rows)

    with monkeypatch.context() as patch:
        patch.setattr(EvaluationTables, "write", full_disk)
        assert hold(workplace).record.faults == {version: "the disk is full"}
    again = hold(workplace).held[version]
    assert len(said) == 4, "what was invalid was held once more"
    assert store.read("evaluations")[0]["status"] == "conversed", "what is judged is not what was held"
    trials, turns = store.read("trials"), store.read("turns")
    assert {row["ended_at"].isoformat() for row in trials} == {row["ended_at"] for row in again.trials}
    assert len(turns) == sum(row["turns"] for row in trials)
    assert f"{found.trials[0]['trial_id']}-2" in {row["user"].removeprefix("u-") for row in trials}


@pytest.mark.parametrize("table", ["turns", "trials"])
def test_what_was_held_again_and_not_stored_is_not_judged_by_what_was_there_before(
    workplace: Workplace, agent: Agent, said: list[str], monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    version = agent("1.0.0")
    found = hold(workplace).held[version]
    missed = entries.ended(now(), "infra_error", "no graph", 0, [])
    asyncio.run(workplace.evidence.journals(found.manifest).of(found.trials[0]["trial_id"]).append(missed))
    write = EvaluationTables.write

    def killed(self: EvaluationTables, name: str, rows: Any) -> Path:
        if name == table:
            raise KeyboardInterrupt
        return write(self, name, rows)

    with monkeypatch.context() as patch:
        patch.setattr(EvaluationTables, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            hold(workplace)
    later = open_workplace(workplace.env, start=workplace.project.root)
    with pytest.raises(ConfigurationError, match="are not complete; continue with `stoic eval "):
        EvaluationTables(later, found.manifest).evidence()
    again = hold(later).held[version]
    assert len(EvaluationTables(later, again.manifest).evidence()) == 3


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda text: "", "lacks 3 of 3 calls that the evaluation made; restore the file"),
        (lambda text: text + '{"call": \n', ":.* is damaged"),
        (lambda text: text.replace('{"trial":', '{"trial":,'), ":1 is damaged"),  # found in its first trial
        (lambda text: "\0" + text, ":1 is damaged"),
    ],
)
def test_a_damaged_journal_stops_only_its_own_version(
    workplace: Workplace, agent: Agent, said: list[str], damage: Callable[[str], str], told: str
) -> None:
    (workplace.project.root / "eval_jobs" / "hello.yml").write_text(JOB.replace("maxTurns: 2", "maxTurns: 4"))
    damaged, whole = agent("1.0.0"), agent("1.1.0")
    journal = workplace.evidence.journal_file(hold(workplace, versions=(damaged,)).held[damaged].manifest)
    said.clear()
    journal.write_text(damage(journal.read_text()))
    found = hold(workplace)
    assert (list(found.held), said) == ([whole], ["1.1.0"] * 6)
    assert list(found.record.faults) == [damaged]
    assert re.match(f"{re.escape(str(journal))} ?{told}", found.record.faults[damaged])


@pytest.mark.parametrize("table", EVIDENCE)
def test_a_table_that_was_lost_is_made_again_without_a_conversation(
    workplace: Workplace, agent: Agent, said: list[str], table: str
) -> None:
    version = agent("1.0.0")
    store = EvaluationTables(workplace, hold(workplace).held[version].manifest)
    rows, columns = store.read(table), {"evaluated_at": None}
    [file] = (workplace.warehouse.root / table / f"agent_version={version}").iterdir()
    file.unlink()
    with pytest.raises(ConfigurationError, match="are not complete; continue with `stoic eval "):
        store.evidence()
    hold(workplace)
    assert [row | columns for row in store.read(table)] == [row | columns for row in rows]
    assert (len(said), len(store.evidence())) == (3, 3)


def test_what_was_held_below_the_ceiling_stays_though_some_of_it_was_to_be_held_again(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    (workplace.project.root / "eval_jobs" / "hello.yml").write_text(JOB.replace("maxTurns: 2", "maxTurns: 4"))
    version = agent("1.0.0")
    found = hold(workplace).held[version]
    journals, missed = workplace.evidence.journals(found.manifest), entries.ended(now(), "infra_error", "", 0, [])
    for trial in found.trials[:2]:
        asyncio.run(journals.of(trial["trial_id"]).append(missed))
    said.clear()
    key = version, found.manifest.evaluation_id
    again = asyncio.run(hold_evaluation(workplace, Wanted(*key, EvaluationRequest()), "run-2", max_cost=0.0))
    outcomes = [row["outcome"] for row in workplace.warehouse.read("trials", *key)]
    assert outcomes == ["infra_error", "infra_error", found.trials[2]["outcome"]]
    assert len(again.trials) == 3
    assert len(said) == 1  # the greeting, before any model was asked


def test_a_finished_evaluation_that_is_resumed_is_unfinished_until_its_verdicts_are_there(
    workplace: Workplace, agent: Agent, said: list[str]
) -> None:
    """A kill in between is to be gone on from with `--resume`."""
    version = agent("1.0.0")
    found = hold(workplace).held[version]
    tables = EvaluationTables(workplace, found.manifest)
    tables.write_head("finished", planned_trials=3, scored_trials=3, invalid_trials=0)
    said.clear()
    wanted = Wanted(version, found.manifest.evaluation_id, EvaluationRequest())
    again = asyncio.run(hold_evaluation(workplace, wanted, "run-2"))
    assert (said, again.files["evaluations"].exists()) == ([], True)
    assert tables.read("evaluations")[0]["status"] == "conversed"
