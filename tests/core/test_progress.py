from collections.abc import Iterator

from stoic_assets.core.progress import EVERY_SECONDS, StageLines


def test_lines_come_now_and_then_and_at_the_end_of_a_stage() -> None:
    said: list[str] = []
    ticks: Iterator[float] = iter(range(100))
    lines = StageLines(said.append, clock=lambda: next(ticks) * EVERY_SECONDS / 5)
    for total in (9, 1):
        lines.begin("judging tasks", total)
        for _ in range(total):
            lines.advance("judging tasks")
    told = ["9 trials", "5 of 9 trials done", "9 of 9 trials done", "1 trial", "1 of 1 trial done"]
    assert said == [f"judging tasks: {each}" for each in told]
