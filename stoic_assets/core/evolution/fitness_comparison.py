"""The comparison of a fitness with that of a base: what must have been the same for both, and the verdict."""

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypedDict

from stoic_assets.core.comparison.family import Verdict, by_size
from stoic_assets.core.comparison.version_verdict import version_verdict
from stoic_assets.core.comparison.weaker_assertions import stored_as_weaker
from stoic_assets.core.table_rows import Row, Rows


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


class AgainstBase(TypedDict):
    """The verdict on a version against `base`.

    `regressed` and `improved` name measures, the largest change first; `weaker_assertions`, which do not change the
    verdict, those that hold significantly less often.
    """

    base: str
    base_evaluation_id: str
    verdict: Verdict
    regressed: list[str]
    improved: list[str]
    weaker_assertions: list[str]


def against_base(rows: Rows) -> AgainstBase | None:
    """The verdict in rows of `version_comparisons` with one base; None where no measure decides."""
    found = version_verdict(rows)
    if not found:
        return None
    return {
        "base": found.base,
        "base_evaluation_id": found.gating[0]["base_evaluation_id"],
        "verdict": found.verdict,
        "regressed": [row["measure"] for row in by_size(found.gating, "regressed")],
        "improved": [row["measure"] for row in by_size(found.gating, "improved")],
        "weaker_assertions": stored_as_weaker(found.gating),
    }
