from typing import Any

from stoic_assets.cli.outcome_tables import MOST_TRIALS, worst_trials


def trial(number: int, overall: float | None, virtues: float | None = None) -> dict[str, Any]:
    return {"trial_id": number, "scores": {"overall": overall}, "virtue_overall": {"score": virtues}}


def test_of_many_trials_the_worst_are_shown_in_their_usual_order() -> None:
    few = [trial(number, 0.5) for number in range(MOST_TRIALS)]
    assert worst_trials(few) == few
    best = [trial(1000, 0.9), trial(1001, None, 0.8)]
    worst = [trial(1002, None), trial(1003, None, 0.1), trial(1004, 0.0)]
    shown = worst_trials([best[0], *few[:50], worst[2], best[1], *few[50:97], worst[0], worst[1]])
    assert [each["trial_id"] for each in shown] == [*range(50), 1004, *range(50, 97), 1002, 1003]
