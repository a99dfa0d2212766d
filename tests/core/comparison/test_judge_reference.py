"""Which transcripts a judge is watched by, and what several judgings of them add up to."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from stoic_assets.core.comparison.judge_reference import (
    Mean,
    Member,
    Reference,
    chosen,
    judge_id,
    panel_scores,
    reference_id,
)
from stoic_assets.core.configuration.settings import Drift, Judging, Settings
from stoic_assets.core.judging.scores import VirtueScore


def member(evaluation: str, number: int) -> Member:
    return Member(trial_id=f"{evaluation}.{number}", agent_version="a@1", evaluation_id=evaluation)


def test_the_choice_is_spread_over_evaluations_and_does_not_depend_on_the_order() -> None:
    candidates = [member("large", number) for number in range(50)] + [member("small", number) for number in range(3)]
    found = chosen(candidates, 10)
    assert Counter(each.evaluation_id for each in found) == {"large": 7, "small": 3}
    assert chosen(reversed(candidates), 10) == found
    assert [each.trial_id for each in found if each.evaluation_id == "large"] != [f"large.{n}" for n in range(7)]
    assert len(chosen(candidates, 100)) == 53


def test_the_same_score_again_leaves_the_mean_as_it_is() -> None:
    mean = Mean()
    for _ in range(7):
        mean = mean.including(0.7)
    assert mean == Mean(mean=0.7, judgings=7)
    assert mean.including(0.3).mean == pytest.approx(0.65)


def test_rounds_add_up_and_what_got_no_score_waits_for_the_next() -> None:
    reference = Reference(reference_id="r", judge_models=("gpt",), members=(member("e", 1), member("e", 2)))
    reference = reference.judged({"e.1": {"wisdom": 0.4}}).judged({"e.1": {"wisdom": 0.6}, "e.2": {"justice": 1.0}})
    assert reference.rounds == 2
    wisdom = reference.members[0].virtues["wisdom"]
    assert (wisdom.mean, wisdom.judgings, wisdom.squares) == (0.5, 2, pytest.approx(0.02))
    assert reference.members[1].virtues == {"justice": Mean(mean=1.0, judgings=1)}
    assert [each.trial_id for each in reference.keeping({"e.2"}).members] == ["e.2"]
    assert Reference.model_validate_json(reference.model_dump_json()) == reference


def test_a_virtue_counts_only_when_the_whole_panel_scored_it() -> None:
    def verdict(trial: str, judge: str, score: float | None) -> VirtueScore:
        return VirtueScore(trial, "wisdom", judge, 0, "p", score=score)

    verdicts = [verdict("t1", "a", 0.9), verdict("t1", "b", 0.5), verdict("t2", "a", 0.9), verdict("t2", "b", None)]
    assert panel_scores(verdicts) == {"t1": {"wisdom": pytest.approx(0.7)}}


def test_another_judge_or_another_watch_has_another_id() -> None:
    plain = Settings()
    others = [
        judge_id(("a", "b"), "", plain), judge_id(("a",), "http://127.0.0.1:1/v1", plain),
        judge_id(("a",), "", Settings(judging=Judging(temperature=0.5))),
        judge_id(("a",), "", Settings(drift=Drift(reference_judgings=3))),
    ]  # fmt: skip
    same = judge_id(("a",), "", Settings(judging=Judging(samples=3)))
    assert same == judge_id(("a",), "", plain)
    assert len({same, *others}) == 5


def test_another_prompt_is_another_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    before = judge_id(("a",), "", Settings())
    monkeypatch.setattr("stoic_assets.core.text.templates.source", lambda package, name: f"other {name}")
    assert judge_id(("a",), "", Settings()) != before


def test_a_new_reference_sorts_last_even_if_the_clock_was_ahead_once() -> None:
    night = datetime(2026, 11, 22, 2, tzinfo=UTC)
    first = reference_id("judge", night)
    assert (first, reference_id("judge", night, "judge-20261121T020000")) == ("judge-20261122T020000",) * 2
    assert reference_id("judge", night, first) == "judge-20261122T020001"
    assert reference_id("judge", night, "judge-20271231T235959") == "judge-20280101T000000"
