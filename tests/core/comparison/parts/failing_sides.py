"""Sides of a comparison in which the agent failed in some trials."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from stoic_assets.core.comparison.side import Side

Row = dict[str, Any]
JOBS = {"a", "b"}


def trial(job: str, condition: str = "withheld", **columns: Any) -> Row:
    """A row of `composite_scores` of a trial in which the agent did well."""
    plain = {"job": job, "scenario": None, "condition": condition, "outcome": "signed_off", "valid": True}
    return plain | {"assertion": 1.0, "timing": 1.0} | columns


def failed(job: str, condition: str = "withheld", **columns: Any) -> Row:
    return trial(job, condition, **{"outcome": "agent_error", "assertion": None, "timing": None} | columns)


def of_cells(side: Side, cells: Mapping[tuple[str, str], Sequence[Any]]) -> Side:
    """Trials with their wisdom; None where the agent failed, a text where the judge gave no score."""
    trials, virtues, rows = [], [], []
    for (job, condition), scores in cells.items():
        ids = [f"{job}/{condition}/{place}" for place in range(len(scores))]
        each = list(zip(ids, scores, strict=True))
        known = {id_: score for id_, score in each if isinstance(score, float)}
        trials += [(failed if score is None else trial)(job, condition, trial_id=id_) for id_, score in each]
        virtues += [{"trial_id": id_, "virtue": "wisdom", "score": score} for id_, score in known.items()]
        virtues += [{"trial_id": id_, "virtue": "courage", "score": 0.1} for id_ in known]
        row = {"measure": "wisdom", "job": job, "scenario": None, "condition": condition}
        rows += [{**row, "mean": fmean(known.values())}] if known else []
    return replace(side, trials=trials, virtues=virtues, measures=rows)
