"""Which trials an evaluation holds, and which of them may run side by side."""

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from stoic_assets.core.conversation.evidence import Condition, Trial
from stoic_assets.core.jobs.job import Job

ConditionChoice = Literal["both", "withheld", "supplied"]


@dataclass(frozen=True)
class Planned:
    """A trial with the job that it plays."""

    trial: Trial
    job: Job


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


def _scenarios(job: Job) -> Sequence[str | None]:
    """The ids of a job's scenarios, each a trial of its own; one trial without an id where it has none."""
    return [scenario.id for scenario in job.scenarios] or [None]


def _trial(job: Job, evaluation_id: str, condition: Condition, repeat: int, scenario: str | None) -> Trial:
    own = [job.name, scenario, condition, str(repeat)]
    trial_id = ".".join([evaluation_id, *[part for part in own if part]])
    user = job.target.user.replace("{trial}", trial_id)
    return Trial(trial_id, job.name, condition, repeat, user, scenario)


def waves(planned: Sequence[Planned]) -> list[Wave]:
    """Orders trials so that none disturbs another.

    Isolated trials all run in the first wave. Trials that share a user: withheld ones end before supplied ones begin,
    since an agent remembers what it was told. Those with Cypher or seeds run alone, since a set-up such as
    `MATCH (n) DETACH DELETE n` would empty the graph under everybody else.
    """
    isolated = [p for p in planned if p.job.is_isolated()]
    shared = [p for p in planned if not p.job.is_isolated()]

    def pick(condition: Condition, alone: bool) -> list[Planned]:
        return [p for p in shared if p.trial.condition == condition and _needs_graph(p.job) == alone]

    ordered = [
        Wave(tuple(isolated + pick("withheld", False)), alone=False),
        Wave(tuple(pick("withheld", True)), alone=True),
        Wave(tuple(pick("supplied", False)), alone=False),
        Wave(tuple(pick("supplied", True)), alone=True),
    ]
    return [wave for wave in ordered if wave.trials]


def _needs_graph(job: Job) -> bool:
    return bool(job.cypher() or job.seeds)


def dice(trial: Trial) -> random.Random:
    """Chance that is the same for the same job, condition and repeat of every evaluation."""
    text = "|".join([trial.job, trial.scenario or "", trial.condition, str(trial.repeat)])
    return random.Random(hashlib.sha256(text.encode()).digest())  # noqa: S311 - picks a greeting, guards nothing
