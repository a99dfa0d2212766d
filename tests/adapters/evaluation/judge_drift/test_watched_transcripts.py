"""Which stored transcripts the judge is watched over, how often, and what it sees of them."""

import json
from collections.abc import Callable
from dataclasses import replace

from watched_judge import JOB, Make, NoisyJudge, hold, watch

from stoic_assets.adapters.workplace import Workplace


def test_a_trial_without_a_score_is_not_chosen(workplace: Workplace) -> None:
    place = ("virtue_scores", "marcus@1.1.0", "second")
    rows = workplace.warehouse.read(*place)
    workplace.warehouse.write(*place, [{**row, "score": None} for row in rows[:1]] + rows[1:])
    assert watch(workplace, NoisyJudge(0.7)).transcripts == 7


def test_the_judge_sees_no_secret_that_redact_has_learned_since(
    opened: Callable[..., Workplace], make_manifest: Make
) -> None:
    workplace, own = opened(), JOB.model_copy(update={"prompts": {"wisdom": "Judge, and never say KD-4711."}})
    hold(workplace, make_manifest(jobs=(own,)), 9)
    workplace.redactor.learn(["KD-4711", "Hear both sides"])
    judge = NoisyJudge(0.7)
    watch(workplace, judge)
    asked = json.dumps([list(request.messages) for request in judge.requests])
    assert "never say [redacted]" in asked
    assert "| [redacted]." in asked
    assert "KD-4711" not in asked
    assert "Hear both sides" not in asked


def test_each_transcript_is_judged_once_however_many_samples_an_evaluation_takes(workplace: Workplace) -> None:
    judging = workplace.settings.judging.model_copy(update={"samples": 3})
    judge = NoisyJudge(0.7)
    watch(replace(workplace, settings=workplace.settings.model_copy(update={"judging": judging})), judge)
    assert len(judge.requests) == 2 * 8 * 5


def test_what_was_deleted_leaves_the_set(workplace: Workplace, make_manifest: Make) -> None:
    watch(workplace, NoisyJudge(0.7))
    workplace.warehouse.delete("marcus@1.1.0")
    workplace.evidence.delete("marcus@1.1.0")
    judge = NoisyJudge(0.7)
    thinned = watch(workplace, judge, 1)
    assert {thinned.transcripts, *(drift.transcripts for drift in thinned.measurement.drifts)} == {5}
    assert len(judge.requests) == 25
    workplace.warehouse.delete("marcus@1.0.0")
    left = watch(workplace, judge, 2)
    assert left.measurement.drifts[0].why == "stored transcripts that were judged: 0; at least 5 are needed"
    assert len(judge.requests) == 25
    hold(workplace, make_manifest(agent_version="marcus@1.2.0", evaluation_id="third", jobs=(JOB,)), 8)
    again = watch(workplace, judge, 3)
    assert again.measurement.drifts[0].why == "the reference was made tonight"
    assert again.measurement.drifts[0].transcripts == 7


def test_trials_whose_evidence_is_gone_enter_no_set(workplace: Workplace) -> None:
    workplace.evidence.delete("marcus@1.1.0")
    judge = NoisyJudge(0.7)
    assert watch(workplace, judge).transcripts == 5
    assert len(judge.requests) == 2 * 5 * 5
