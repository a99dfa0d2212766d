"""What a fitness was measured with: the fitness of two versions can be compared only where this is the same."""

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from stoic_assets.core.table_rows import Row


@dataclass(frozen=True)
class Scale:
    """The judges that gave a verdict, the conditions of the trials, and the `key` of everything that must be the same.

    `key` is a SHA-256 of judges, their prompts, options and samples, simulated user, conditions and the content of the
    jobs; it does not depend on repeats. Empty where nothing is known.
    """

    judge_models: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    key: str = ""


UNKNOWN = Scale()


def scale_of(trials: Iterable[Row], verdicts: Iterable[Row], *, offline: bool = False) -> Scale:
    """The scale of an evaluation, from the rows of its valid `trials` and of `virtue_scores`.

    Holdout jobs do not count.
    """
    open_trials = {trial["trial_id"]: trial for trial in trials if not trial["holdout"]}
    given = [row for row in verdicts if row["trial_id"] in open_trials and row["error"] is None]
    judges = sorted({row["judge_model"] for row in given})
    prompts = {(row["virtue"], row["judge_model"], row["sample"], row["prompt_hash"]) for row in given}
    played = {
        (trial["job"], trial["job_hash"], trial["scenario"], trial["condition"], trial["evaluator_model"])
        for trial in open_trials.values()
    }
    content = json.dumps([offline, judges, _in_order(prompts), _in_order(played)])
    conditions = sorted({trial["condition"] for trial in open_trials.values()})
    return Scale(tuple(judges), tuple(conditions), hashlib.sha256(content.encode()).hexdigest())


def _in_order(found: Collection[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(found, key=repr)
