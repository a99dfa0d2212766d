"""Which trials an evaluation consists of, and which of them may run side by side."""

import hashlib
import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Literal, get_args

from stoic_assets.core.grouping import grouped
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.names import played
from stoic_assets.core.jobs.trial import Condition, Trial

ConditionChoice = Literal["both", "withheld", "supplied"]


@dataclass(frozen=True)
class Planned:
    """A trial with the job that it runs."""

    trial: Trial
    job: Job

    def at(self, attempt: int) -> Trial:
        """The trial at its nth attempt: where every trial has a user of its own, so has every attempt."""
        trial = replace(self.trial, attempt=attempt)
        return replace(trial, user=_user(self.job, trial.played_as))

    def may_restart(self) -> bool:
        """Whether it can be run again once other trials of the job were run.

        It cannot if it withholds facts and shares its user with trials that tell them to the agent.
        """
        return self.job.has_own_users() or self.trial.condition == "supplied" or not self.job.facts


@dataclass(frozen=True)
class Wave:
    """Trials that run together, or (`alone`) one after the other with the subject graph to themselves."""

    trials: tuple[Planned, ...]
    alone: bool


def conditions_of(job: Job, choice: ConditionChoice | None) -> tuple[Condition, ...]:
    """Both conditions where facts make a difference, else `withheld`, unless the user chose."""
    if choice is None:
        return get_args(Condition) if job.facts and not job.scenarios else ("withheld",)
    return get_args(Condition) if choice == "both" else (choice,)


def plan(
    jobs: Iterable[Job], evaluation_id: str, choice: ConditionChoice | None = None, repeats: int | None = None
) -> list[Planned]:
    """Every trial of an evaluation, in a stable order; `repeats` overrides the jobs' own."""
    return [
        Planned(_trial(job, evaluation_id, condition, repeat, scenario), job)
        for job in jobs
        for condition in conditions_of(job, choice)
        for repeat in range(1, (repeats or job.repeats) + 1)
        for scenario in _scenarios(job)
    ]


def alternated(plans: Iterable[Sequence[Planned]]) -> list[Planned]:
    """Several evaluations interleaved: the same trial of each in turn, so that a slow hour affects all alike."""
    every = itertools.chain.from_iterable(plans)
    key = attrgetter("job", "condition", "repeat", "scenario")
    return list(itertools.chain.from_iterable(grouped((key(each.trial), each) for each in every).values()))


def _scenarios(job: Job) -> Sequence[str | None]:
    """The ids of a job's scenarios, one for each trial; one None for a job without scenarios."""
    return [scenario.id for scenario in job.scenarios] or [None]


def _trial(job: Job, evaluation_id: str, condition: Condition, repeat: int, scenario: str | None) -> Trial:
    trial_id = f"{evaluation_id}.{played(job.name, scenario)}.{condition}.{repeat}"
    return Trial(trial_id, job.name, condition, repeat, _user(job, trial_id), scenario)


def _user(job: Job, trial_id: str) -> str:
    return job.target.user.replace("{trial}", trial_id)


def waves(planned: Sequence[Planned]) -> list[Wave]:
    """Orders trials so that none disturbs another.

    Where trials share a user, withheld ones end before supplied ones begin, since an agent remembers what it was told.
    Those with Cypher or seeds run alone unless they are isolated, since a setup such as `MATCH (n) DETACH DELETE n`
    would empty the graph while the other trials use it.
    """

    def pick(late: bool, alone: bool) -> Wave:
        return Wave(tuple(p for p in planned if _tells_others(p) == late and _needs_graph(p.job) == alone), alone)

    ordered = [pick(late, alone) for late in (False, True) for alone in (False, True)]
    return [wave for wave in ordered if wave.trials]


def _tells_others(planned: Planned) -> bool:
    """Whether the agent learns in this trial what it must not know in other trials of the same user."""
    return planned.trial.condition == "supplied" and not planned.job.has_own_users()


def _needs_graph(job: Job) -> bool:
    """Whether trials of this job need the subject graph to themselves."""
    return bool(job.cypher() or job.seeds) and not job.is_isolated()


def seeded_random(trial: Trial) -> random.Random:
    """A random generator with the same seed for the same job, condition and repeat of every evaluation."""
    text = "|".join([trial.job, trial.scenario or "", trial.condition, str(trial.repeat)])
    return random.Random(hashlib.sha256(text.encode()).digest())  # noqa: S311 - picks a greeting, protects nothing
