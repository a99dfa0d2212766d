import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.conversation.trials import hold_all
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.plan import Planned, plan

Make = Callable[..., Any]


class Stage:
    """Holds trials by doing nothing for a moment, and notes who is on it together."""

    def __init__(self) -> None:
        self.now: set[str] = set()
        self.seen: list[set[str]] = []
        self.access: list[bool] = []
        self.faults: dict[str, BaseException] = {}
        self.cancelled: list[str] = []
        self.held: list[str] = []

    async def hold(self, item: Planned) -> Any:
        trial = item.trial.trial_id
        self.now.add(trial)
        self.seen.append(set(self.now))
        try:
            if trial in self.faults:
                raise self.faults[trial]
            await asyncio.sleep(0.002)
        except asyncio.CancelledError:
            self.cancelled.append(trial)
            raise
        finally:
            self.now.discard(trial)
        self.held.append(trial)

    @asynccontextmanager
    async def graph(self, alone: bool) -> AsyncIterator[None]:
        self.access.append(alone)
        yield

    def run(self, planned: list[Planned], at_once: int = 16) -> None:
        simulated(hold_all(planned, self.hold, at_once, self.graph))


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_all_trials_are_held_wave_after_wave(stage: Stage, make_job: Make) -> None:
    planned = plan([make_job(assertions=[], repeats=2)], "E")
    ids = [f"E.chat.{condition}.{repeat}" for condition in ("withheld", "supplied") for repeat in (1, 2)]
    stage.run(planned)
    assert stage.held == ids
    assert max(map(len, stage.seen)) == 2, "the two withheld ones, then the two supplied ones"
    assert stage.access == [False, False]


def test_no_more_at_once_than_allowed(stage: Stage, make_job: Make) -> None:
    planned = plan([make_job(target_user="u-{trial}", repeats=4)], "E")
    stage.run(planned, at_once=3)
    assert len(stage.held) == 8
    assert max(map(len, stage.seen)) == 3


def test_trials_that_are_not_isolated_have_the_graph_to_themselves(stage: Stage, make_job: Make) -> None:
    stage.run(plan([make_job(repeats=2)], "E"))
    assert max(map(len, stage.seen)) == 1
    assert stage.access == [True, True]


def test_an_error_that_concerns_everybody_cancels_what_runs_and_is_raised(stage: Stage, make_job: Make) -> None:
    planned = plan([make_job(target_user="u-{trial}", repeats=2)], "E")
    stage.faults = {planned[2].trial.trial_id: ConfigurationError("wrong key")}
    with pytest.raises(ConfigurationError, match="wrong key"):
        stage.run(planned)
    assert set(stage.cancelled) == {planned[number].trial.trial_id for number in (0, 1, 3)}


def test_an_error_of_ours_goes_before_one_that_is_nobodys(stage: Stage, make_job: Make) -> None:
    planned = plan([make_job(target_user="u-{trial}", repeats=2)], "E")
    for item, error in zip(planned, [KeyError("x"), ConfigurationError("wrong key"), KeyError("y")], strict=False):
        stage.faults[item.trial.trial_id] = error
    with pytest.raises(ConfigurationError, match="wrong key"):
        stage.run(planned)


def test_cancelling_the_whole_is_cancelling_each(stage: Stage, make_job: Make) -> None:
    planned = plan([make_job(target_user="u-{trial}")], "E")

    async def main() -> None:
        task = asyncio.create_task(hold_all(planned, stage.hold, 16, stage.graph))
        while len(stage.now) < 2:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    simulated(main())
    assert len(stage.cancelled) == 2
