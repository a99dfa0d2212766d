"""Trials in GEPA's shape, held against the installed package and run through its engine."""

import dataclasses
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast, get_type_hints

import gepa
import pytest
from gepa.adapters.default_adapter.default_adapter import DefaultReflectiveRecord
from gepa.core.adapter import EvaluationBatch, GEPAAdapter

from stoic_assets.core.evolution.gepa import (
    Batch,
    NothingToLearn,
    ReflectiveRecord,
    Trace,
    evaluation_batch,
    reflective_dataset,
)
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding
from stoic_assets.core.virtues import VIRTUES

HEAD = EvaluationHead("marcus@1.1.0", "night-7", "2026-03-01T02:00:00Z")
Row = dict[str, Any]


@dataclasses.dataclass
class Evaluated:
    """An evaluation as its tables tell it."""

    evaluations: list[StoicEvaluation] = dataclasses.field(default_factory=list)
    trials: list[Row] = dataclasses.field(default_factory=list)
    turns: list[Row] = dataclasses.field(default_factory=list)

    def trial(self, trial_id: str, job: str, holdout: bool = False, **virtues: float) -> "Evaluated":
        """A trial; without virtues the agent failed in it."""
        reply = f"A reply in {trial_id}."
        row = {"trial_id": trial_id, "job": job, "holdout": holdout, "outcome": "signed_off", "detail": None}
        self.trials.append(row if virtues else {**row, "outcome": "agent_error", "detail": "HTTP 500"})
        for number, (speaker, content) in enumerate((("agent", reply), ("user", f"A wish in {trial_id}.")), 1):
            self.turns.append(
                {"trial_id": trial_id, "turn": number, "speaker": speaker, "content": content, "events": "[]"}
            )
        found: Any = {
            virtue: VirtueFinding(score, f"why {virtue}", (reply, "never said"), (f"more {virtue}",), 0.9)
            for virtue, score in virtues.items()
        }
        overall = sum(virtues.values()) / len(virtues) if virtues else None
        self.evaluations.append(StoicEvaluation(trial_id, HEAD, job, found, overall, overall and 0.9, holdout))
        return self

    def batch(self, jobs: Sequence[str] | None = None) -> Batch:
        return evaluation_batch(self.evaluations, self.trials, self.turns[::-1], jobs)


def test_each_trial_is_one_aligned_entry_and_becomes_gepas_own_type() -> None:
    batch = Evaluated().trial("t2", "b", wisdom=0.4, courage=0.8).trial("t1", "a", wisdom=0.9).batch()
    own = EvaluationBatch[list[Trace], Any](**vars(batch))
    assert own.scores == [0.9, pytest.approx(0.6)]
    assert own.objective_scores == [{"wisdom": 0.9}, {"wisdom": 0.4, "courage": 0.8}]
    assert own.outputs == [{"t1": ["A reply in t1."]}, {"t2": ["A reply in t2."]}]
    assert own.trajectories is not None
    assert [[trace.trial_id for trace in traces] for traces in own.trajectories] == [["t1"], ["t2"]]


def test_what_the_agent_did_not_do_is_an_objective_and_comes_first_in_the_feedback() -> None:
    found = Evaluated().trial("t1", "a", wisdom=0.9).trial("t2", "a", wisdom=0.9).trial("t3", "b", wisdom=0.9)
    results = [
        {"trial_id": "t1", "assertion": "one reminder", "text": "MATCH …", "weight": 3.0, "passed": False},
        {"trial_id": "t1", "assertion": "2", "text": "1 < 2", "weight": 1.0, "passed": True},
        {"trial_id": "t2", "assertion": "2", "text": "1 < 2", "weight": 1.0, "passed": False},
        {"trial_id": "t3", "assertion": "1", "text": "x", "weight": 1.0, "passed": None},
        {"trial_id": "t3", "assertion": "withdrawn", "text": "x", "weight": 0.0, "passed": False},
    ]
    batch = evaluation_batch(found.evaluations, found.trials, found.turns, ["a", "b"], results)
    assert batch.scores == [0.9, 0.9]
    assert batch.objective_scores == [{"wisdom": 0.9, "assertion": 0.125}, {"wisdom": 0.9}]
    records = reflective_dataset(batch.trajectories, ["prompt"])["prompt"]
    assert [record["Feedback"].splitlines()[0] for record in records] == [
        "Of 2 checks of what the agent did, 1 failed: one reminder.",
        "Of 1 check of what the agent did, 1 failed: 1 < 2.",
        "Virtue overall 0.90 of 1.",
    ]


def test_for_a_batch_of_jobs_there_is_one_entry_for_each_in_their_order() -> None:
    evaluated = Evaluated().trial("t1", "a", wisdom=0.4).trial("t2", "b", wisdom=0.7).trial("t3", "a", courage=0.8)
    batch = evaluated.batch(["b", "a", "b"])
    assert batch.scores == [0.7, pytest.approx(0.6), 0.7]
    assert batch.objective_scores[1] == {"wisdom": 0.4, "courage": 0.8}
    assert len(batch.outputs) == len(batch.trajectories) == 3


def test_a_failing_agent_scores_nothing_and_the_reason_is_told() -> None:
    batch = Evaluated().trial("t1", "a", wisdom=0.8).trial("t2", "a").batch(["a"])
    assert batch.scores == [0.4]
    assert batch.objective_scores == [{"wisdom": 0.8}]
    [_, failed] = reflective_dataset(batch.trajectories, ["prompt"])["prompt"]
    assert failed["Feedback"] == "The agent failed and scores 0: HTTP 500"


def test_a_trial_that_failed_for_other_reasons_than_the_agent_scores_nothing_at_all() -> None:
    evaluated = Evaluated().trial("t1", "a", wisdom=0.8)
    evaluated.trials.append(evaluated.trials[0] | {"trial_id": "t2", "outcome": "infra_error", "detail": "no graph"})
    assert evaluated.batch(["a"]).scores == [0.8]


def test_a_job_of_which_nothing_can_be_learned_is_refused_instead_of_scored() -> None:
    evaluated = Evaluated().trial("t1", "a", wisdom=0.8).trial("t2", "secret", holdout=True, wisdom=0.1)
    with pytest.raises(NothingToLearn, match="no scored trial to learn from: secret, unknown; evaluate again"):
        evaluated.batch(["a", "secret", "unknown"])


def test_a_job_in_which_no_virtue_was_exercised_is_called_so() -> None:
    evaluated = Evaluated().trial("t1", "a", wisdom=0.8).trial("t2", "idle", wisdom=0.5)
    evaluated.evaluations[1] = dataclasses.replace(evaluated.evaluations[1], virtue_scores={}, overall_score=None)
    with pytest.raises(NothingToLearn, match="no virtue was exercised in idle; leave the job out, or give it more"):
        evaluated.batch(["a", "idle", "idle"])
    evaluated.trials[1]["holdout"] = True
    with pytest.raises(NothingToLearn, match="leave holdout jobs out"):
        evaluated.batch(["idle"])


def test_holdout_jobs_leave_no_trace() -> None:
    def told(evaluated: Evaluated) -> str:
        batch = evaluated.batch()
        return json.dumps([batch.scores, batch.objective_scores, batch.outputs]) + json.dumps(
            reflective_dataset(batch.trajectories, ["prompt"])
        )

    usual = told(Evaluated().trial("t1", "a", wisdom=0.5))
    hidden = Evaluated().trial("secret 1", "secret", holdout=True, wisdom=0.1).trial("secret 2", "secret", holdout=True)
    assert told(hidden.trial("t1", "a", wisdom=0.5)) == usual
    assert "secret" not in usual
    hidden.trials = [row | {"holdout": False} for row in hidden.trials if row["outcome"] != "agent_error"]
    assert told(hidden) == usual, "nor does one that only its evaluation calls a holdout"


def test_the_feedback_begins_with_the_worst_and_quotes_only_what_was_said() -> None:
    batch = Evaluated().trial("t1", "a", wisdom=0.8, courage=0.3).batch()
    dataset = reflective_dataset(batch.trajectories, ["system_prompt", "tools"])
    assert list(dataset) == ["system_prompt", "tools"]
    assert dataset["tools"] == dataset["system_prompt"] == [
        {
            "Inputs": {"job": "a", "message 2": "A wish in t1."},
            "Generated Outputs": {"message 1": "A reply in t1."},
            "Feedback": (
                "Virtue overall 0.55 of 1.\n"
                "Courage (Andreia): 0.30 (confidence 0.90). why courage Said: “A reply in t1.” Advice: more courage\n"
                "Wisdom (Sophia): 0.80 (confidence 0.90). why wisdom Said: “A reply in t1.” Advice: more wisdom\n"
                "Not scored: Justice (Dikaiosyne), Temperance (Sophrosyne), Practical Wisdom (Phronesis)."
            ),
        }
    ]
    assert json.loads(json.dumps(dataset)) == dataset


def test_replies_are_in_the_order_in_which_they_were_given() -> None:
    told = Evaluated().trial("t1", "a", wisdom=0.8)
    told.turns += [{**told.turns[0], "turn": number, "content": f"reply {number}"} for number in (11, 9, 3)]
    assert told.batch().outputs == [{"t1": ["A reply in t1.", "reply 3", "reply 9", "reply 11"]}]


def test_feedback_is_ordered_by_score_and_says_nothing_of_what_there_is_not() -> None:
    batch = Evaluated().trial("t1", "a", **{virtue: 0.5 - 0.1 * n for n, virtue in enumerate(VIRTUES)})
    silent = dataclasses.replace(
        batch.evaluations[0].virtue_scores["wisdom"], supporting_examples=(), improvement_suggestions=()
    )
    batch.evaluations[0] = dataclasses.replace(
        batch.evaluations[0], virtue_scores={**batch.evaluations[0].virtue_scores, "wisdom": silent}
    )
    [record] = reflective_dataset(batch.batch().trajectories, ["prompt"])["prompt"]
    overall, *lines = record["Feedback"].splitlines()
    assert overall == "Virtue overall 0.30 of 1."
    assert [line.split(" why ")[1].split(" Said")[0] for line in lines] == list(VIRTUES[::-1])
    assert lines[-1] == "Wisdom (Sophia): 0.50 (confidence 0.90). why wisdom"


def test_the_shape_is_that_of_the_installed_package() -> None:
    required = {field.name for field in dataclasses.fields(EvaluationBatch)} - {"num_metric_calls"}
    assert {field.name for field in dataclasses.fields(Batch)} == required
    assert get_type_hints(ReflectiveRecord).keys() == get_type_hints(DefaultReflectiveRecord).keys()
    for name in ("evaluate", "make_reflective_dataset"):
        ours, theirs = (inspect.signature(getattr(owner, name)) for owner in (Loop, GEPAAdapter))
        assert list(ours.parameters) == list(theirs.parameters)


class Loop:
    """What a user writes around the two functions; the evaluation of a candidate is played by `evaluate_with`."""

    propose_new_texts = None

    def __init__(self, evaluate_with: Callable[[str, Sequence[str]], Evaluated]) -> None:
        self.evaluate_with = evaluate_with

    def evaluate(
        self, batch: list[str], candidate: dict[str, str], capture_traces: bool = False
    ) -> EvaluationBatch[list[Trace], Any]:
        return EvaluationBatch(**vars(self.evaluate_with(candidate["system_prompt"], batch).batch(batch)))

    def make_reflective_dataset(
        self,
        candidate: dict[str, str],
        eval_batch: EvaluationBatch[list[Trace], Any],
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return reflective_dataset(eval_batch.trajectories or [], components_to_update)


class Silent:
    """GEPA's log."""

    def log(self, message: str) -> None:
        """Kept from the test's output."""


@pytest.mark.parametrize("frontier", ["instance", "hybrid", "cartesian"])
def test_gepas_engine_learns_from_it(frontier: Any) -> None:
    def evaluate_with(prompt: str, jobs: Sequence[str]) -> Evaluated:
        evaluated = Evaluated()
        for number, job in enumerate(dict.fromkeys(jobs)):
            score = 0.9 if "Read dates back." in prompt else 0.3
            evaluated.trial(f"t{number}", job, **dict.fromkeys(VIRTUES[:4 + number % 2], score))
        return evaluated

    asked: list[str] = []

    def reflect(prompt: Any) -> str:
        asked.append(str(prompt))
        return "```\nYou are Marcus. Read dates back.\n```"

    result = gepa.optimize(
        seed_candidate={"system_prompt": "You are Marcus."}, trainset=["a", "b", "c"], valset=["d", "e"],
        adapter=cast(Any, Loop(evaluate_with)), reflection_lm=reflect, reflection_minibatch_size=2, max_metric_calls=8,
        frontier_type=frontier, logger=Silent(), seed=1,
    )  # fmt: skip
    assert result.best_candidate == {"system_prompt": "You are Marcus. Read dates back."}
    assert result.val_aggregate_scores == [pytest.approx(0.3), pytest.approx(0.9)]
    assert result.val_aggregate_subscores is not None
    assert result.val_aggregate_subscores[1] == pytest.approx(dict.fromkeys(VIRTUES, 0.9))
    assert "more wisdom" in asked[0]
    assert "never said" not in asked[0]
