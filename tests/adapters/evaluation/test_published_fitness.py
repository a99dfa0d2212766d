"""What evolution is told: beside people's words, against its base, for GEPA, and never of a holdout job."""

import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from publications import Make, Say, Sent, published

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.evaluation import version_comparison
from stoic_assets.adapters.evaluation.publishing import gepa_batch
from stoic_assets.adapters.evaluation.version_comparison import compare_versions, store_comparison
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.measures import JUDGED
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest


def test_people_count_beside_the_judges(workplace: Workplace, manifest: Manifest, say: Say) -> None:
    alone = published(workplace, manifest).update
    assert (alone.fitness, alone.weak_virtues) == (0.8, [])
    person = say(manifest.agent_version, 0.2)
    together = published(workplace, manifest).update
    assert together.fitness == pytest.approx(0.5)
    assert together.fitness_of_trials == alone.fitness_of_trials == 0.8
    assert together.improvement_areas == {"wisdom": ["Read dates back.", "Mind mentor."]}
    assert set(together.trial_ids) == {*alone.trial_ids, person}
    [stored] = workplace.warehouse.read("fitness_updates", manifest.agent_version, "night")
    assert stored["idempotency_key"] == together.idempotency_key != alone.idempotency_key


def test_what_the_agent_did_not_do_is_told_but_not_of_holdout_jobs(
    workplace: Workplace, evaluate: Make, updates_sent: Sent
) -> None:
    version = f"agent{uuid.uuid4().hex}@1.0.0"
    manifest = evaluate(version, {"order": 0.9, "secret": 0.9}, {"secret"})
    checked = {"kind": "cypher", "text": "MATCH (o:Order) RETURN count(o)", "assertion": "one order", "weight": 1.0}
    results = [{**checked, "trial_id": f"{version}.t{number}", "passed": False} for number in (1, 2)]
    workplace.warehouse.write("assertion_results", version, "night", results)
    composites = workplace.warehouse.read("composite_scores", version, "night")
    workplace.warehouse.write(
        "composite_scores", version, "night", [{**row, "passed": row["job"] == "secret"} for row in composites]
    )
    published(workplace, manifest)
    [sent] = updates_sent(workplace, manifest)
    assert (sent["fitness_score"], sent["scored_trials"], sent["passed_trials"]) == (0.9, 1, 0)
    [failed] = sent["failed_assertions"]
    assert (failed["task_id"], failed["assertion"], failed["trial_ids"]) == ("order", "one order", [f"{version}.t1"])
    [stored] = workplace.warehouse.read("fitness_updates", version, "night")
    assert (stored["passed_trials"], stored["fitness_of_trials"]) == (0, 0.9)
    batch = gepa_batch(workplace, manifest)
    assert batch.objective_scores == [{"wisdom": 0.9, "assertion": 0.0}]
    assert batch.scale == sent["scale"] != ""


def test_without_feedback_nothing_changes(workplace: Workplace, manifest: Manifest, say: Say) -> None:
    before = published(workplace, manifest).update
    say(f"other{manifest.agent_version}", 0.1)
    assert published(workplace, manifest).update == before


def test_what_is_sent_is_stored_with_its_grounds(workplace: Workplace, evaluate: Make, updates_sent: Sent) -> None:
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"a": 0.2, "b": 0.4, "c": 0.3})
    update = published(workplace, manifest).update
    [sent] = updates_sent(workplace, manifest)
    assert sent == json.loads(json.dumps(update.payload()))
    advice = {each["suggestion"]: each["quotes"] for each in sent["improvements"]}
    assert advice == {"Mind a.": ["said in a"], "Mind b.": ["said in b"], "Mind c.": ["said in c"]}
    [stored] = workplace.warehouse.read("fitness_updates", manifest.agent_version, "night")
    assert stored["floor_violations"] == ["wisdom"]
    assert stored["parents"] == sent["parents"] == list(manifest.parents)
    assert json.loads(stored["floors"]) == workplace.settings.evolution.floors
    assert published(workplace, manifest).update == update
    assert len(updates_sent(workplace, manifest)) == 1


def test_what_a_stand_in_scored_is_sent_as_such(workplace: Workplace, manifest: Manifest, updates_sent: Sent) -> None:
    key = ("evaluations", manifest.agent_version, manifest.evaluation_id)
    judged = published(workplace, manifest).update
    workplace.warehouse.write(*key, [{**row, "offline": True} for row in workplace.warehouse.read(*key)])
    assert published(workplace, manifest).update.scale.key != judged.scale.key
    assert [sent["offline"] for sent in updates_sent(workplace, manifest)] == [True]


def test_who_evolves_learns_how_often_the_agent_failed(
    workplace: Workplace, evaluate: Make, updates_sent: Sent
) -> None:
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"a": None, "b": 0.4, "secret": None}, {"secret"})
    published(workplace, manifest)
    [sent] = updates_sent(workplace, manifest)
    [stored] = workplace.warehouse.read("fitness_updates", manifest.agent_version, "night")
    for told in (sent, stored):
        assert (told["failed_trials"], told["scored_trials"]) == (1, 2)
        assert (told["judge_models"], told["conditions"], len(told["scale"])) == (["gpt"], ["withheld"], 64)


def test_a_job_of_which_no_trial_is_valid_is_no_part_of_what_fitness_was_measured_with(
    workplace: Workplace, evaluate: Make, updates_sent: Sent
) -> None:
    name, marks = f"agent{uuid.uuid4().hex}", {"a": 0.4, "b": 0.6}
    whole, partly, without = (
        evaluate(f"{name}@{number}", of) for number, of in (("1", marks), ("2", marks), ("3", {"a": 0.4}))
    )
    rows = workplace.warehouse.read("composite_scores", partly.agent_version, "night")
    kept = [{**row, "valid": row["job"] != "b"} for row in rows]
    workplace.warehouse.write("composite_scores", partly.agent_version, "night", kept)
    scales = []
    for manifest in (whole, partly, without):
        published(workplace, manifest)
        scales.append(updates_sent(workplace, manifest)[0]["scale"])
    assert scales[0] != scales[1] == scales[2]


def test_who_evolves_learns_that_a_version_failed_throughout(
    workplace: Workplace, evaluate: Make, updates_sent: Sent
) -> None:
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"a": None, "b": None, "secret": 0.9}, {"secret"})
    for _ in range(2):
        published(workplace, manifest)
        [sent] = updates_sent(workplace, manifest)
        assert (sent["fitness_score"], sent["failed_trials"], sent["scored_trials"]) == (None, 2, 2)
        assert (sent["revision"], sent["conclusive"]) == (1, True)


def scored(workplace: Workplace, manifest: Manifest, conclusive: bool) -> None:
    """Says whether enough of its trials count."""
    [scores] = workplace.warehouse.read("evaluation_scores", manifest.agent_version, "night")
    stored = [{**scores, "conclusive": conclusive}]
    workplace.warehouse.write("evaluation_scores", manifest.agent_version, "night", stored)


def test_fitness_that_was_told_is_withdrawn_when_too_many_trials_turn_out_invalid(
    workplace: Workplace, evaluate: Make, updates_sent: Sent, waiting: Callable[..., list[dict[str, Any]]]
) -> None:
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"a": 0.2, "b": 0.4})
    first = published(workplace, manifest).update
    assert {event["type"] for event in waiting(workplace)} > {"evolution.stoic_evaluation_applied"}
    scored(workplace, manifest, conclusive=False)
    for _ in range(2):
        assert not published(workplace, manifest).update.conclusive
        [told] = updates_sent(workplace, manifest)
        assert (told["revision"], told["fitness_score"], told["objectives"]) == (2, None, {})
        assert told["fitness_why"] == "the evaluation is not finished, or too many of its trials are invalid"
        [event] = [each for each in waiting(workplace) if each["type"] == "evolution.stoic_evaluation_applied"]
        assert event["data"].items() >= {"revision": 2, "conclusive": False, "fitness_score": None}.items()
        [stored] = workplace.warehouse.read("fitness_updates", manifest.agent_version, "night")
        assert (stored["fitness"], stored["fitness_why"]) == (None, told["fitness_why"])
    scored(workplace, manifest, conclusive=True)
    assert published(workplace, manifest).update == replace(first, revision=3)
    (workplace.project.home / "outbox" / "messages.sqlite").unlink()
    assert published(workplace, manifest).update == replace(first, revision=3)
    scored(workplace, manifest, conclusive=False)
    assert published(workplace, manifest).update.revision == 4


@pytest.mark.parametrize("flaw", ["unfinished", "inconclusive"])
def test_of_an_evaluation_that_says_nothing_no_fitness_leaves(
    workplace: Workplace, manifest: Manifest, evaluate: Make, flaw: str, updates_sent: Sent
) -> None:
    if flaw == "unfinished":
        manifest = evaluate(manifest.agent_version, {"mentor": 0.8}, status="failed")
    else:
        scored(workplace, manifest, conclusive=False)
    assert not published(workplace, manifest).update.conclusive
    [trial] = workplace.warehouse.read("composite_scores", manifest.agent_version, "night")
    found = [{**trial, "outcome": "agent_error", "virtue_overall": None}]
    workplace.warehouse.write("composite_scores", manifest.agent_version, "night", found)
    assert published(workplace, manifest).update.revision == 1
    assert updates_sent(workplace, manifest) == []
    with pytest.raises(ConfigurationError, match="is not finished or has too many invalid trials"):
        gepa_batch(workplace, manifest)


def test_nothing_is_learned_from_an_evaluation_that_is_not_scored_yet(
    workplace: Workplace, manifest: Manifest
) -> None:
    begun = manifest.model_copy(update={"evaluation_id": "day"})
    workplace.evidence.begin(begun)
    with pytest.raises(ConfigurationError, match=r"is not finished .* until `stoic eval .* --resume day` has"):
        gepa_batch(workplace, begun)
    with (
        locked(workplace.evidence.folder(begun.agent_version, "day") / "lock", ConfigurationError("busy")),
        pytest.raises(ConfigurationError, match=r"is not finished .* until its run has ended"),
    ):
        gepa_batch(workplace, begun)


def test_holdout_jobs_are_in_the_verdict_and_not_in_what_evolution_is_told(
    workplace: Workplace, evaluate: Make, updates_sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were they in it, a loop could breed for them; here they would even hide that the open jobs got worse."""
    agent = f"agent{uuid.uuid4().hex}"
    open_jobs = {f"job {number}": 0.7 + number / 100 for number in range(6)}
    secrets = {f"secret {number}": 0.3 for number in range(4)}
    worse = {job: score - 0.3 - number / 100 for number, (job, score) in enumerate(open_jobs.items())}
    better = {job: 1.0 - number / 100 for number, job in enumerate(secrets)}
    evaluate(f"{agent}@0.9.0", {**open_jobs, **secrets}, secrets)
    manifest = evaluate(f"{agent}@1.0.0", {**worse, **better}, secrets)
    comparison = compare_versions(workplace, f"{agent}@0.9.0", f"{agent}@1.0.0")
    assert comparison.verdict == "inconclusive"
    store_comparison(workplace, manifest, comparison)
    told = published(workplace, manifest).update
    assert told.comparison is not None
    assert (told.comparison["base"], told.comparison["verdict"]) == (f"{agent}@0.9.0", "regressed")
    assert {*told.comparison["regressed"]} & {*JUDGED}
    assert told.fitness == pytest.approx(sum(worse.values()) / len(worse))
    [sent] = updates_sent(workplace, manifest)
    batch = gepa_batch(workplace, manifest)
    assert len(batch.scores) == len(worse)
    assert "secret" not in json.dumps([sent, told.row(), batch.outputs])
    assert "secret" not in str(batch)
    assert gepa_batch(workplace, manifest, ["job 1", "job 3"]).scores == pytest.approx([worse["job 1"], worse["job 3"]])
    with monkeypatch.context() as patched:
        patched.setattr(version_comparison, "moved_between", lambda *_: "the judge itself changed between the two")
        excused = published(workplace, manifest).update.comparison
    assert excused is not None
    assert not {*excused["regressed"]} & {*JUDGED}
    workplace.warehouse.delete(f"{agent}@0.9.0")
    assert published(workplace, manifest).update.comparison is None, "with nothing to leave the holdout jobs out of"
