"""The data of a report on a realistic evaluation, with hostile text wherever a text of others can stand."""

import json
from dataclasses import fields, replace
from datetime import timedelta
from math import comb
from typing import Any

from sample_rows import JOBS, START, Sample

from stoic_assets.core.reports.data import EvaluationRows, ReportData
from stoic_assets.core.virtues import VIRTUES

Row = dict[str, Any]
OURS = {
    "condition", "outcome", "virtue", "speaker", "kind", "trend", "confidence_source", "status", "aspect", "measure",
    "verdict",
}
"""Columns whose texts are words of ours and never a stranger's."""


def asked(job: str) -> Row:
    """What a job asked, as the evaluation's manifest tells it."""
    wanted = {"type": "task", "task": "Have a reminder set for Friday at nine.", "difficulty": "medium"}
    judged = {"acceptance_criteria": "It repeats day and hour.", "requirements": {"most words": 60}, "context": None}
    facts = ["The landlord answers before ten alone."]
    before = {"told": ["I live in <Oslo>."], "setups": ["CREATE (:User)", "MATCH (n) DELETE n"]}
    return {"name": job, "facts": facts, "tasks": [wanted | judged], "scenarios": [], "corrected": False, **before}


def finding(
    measure: str, difference: float | None, verdict: str, condition: str = "pooled", why: str | None = None
) -> Row:
    """A row of `version_comparisons`; without a difference nothing was tested."""
    tested = difference is not None
    low, high = (difference - 0.12, difference + 0.12) if difference is not None else (None, None)
    return {
        "base": "marcus@1.0.0", "candidate": "marcus@1.1.0", "measure": measure, "condition": condition,
        "gating": condition == "pooled" and measure != "passed", "jobs": 8, "base_mean": 0.8 if tested else None,
        "candidate_mean": 0.8 + difference if difference is not None else None, "difference": difference, "low": low,
        "high": high, "low_90": low, "high_90": high, "p": 0.0004 if tested else None,
        "p_adjusted": 0.0021 if tested else None, "detectable": 0.11 if tested else None,
        "delta": 0.1 if measure in ("assertion", "task") else 0.05, "verdict": verdict, "why": why,
        "base_evaluation_id": "eval-1.0.0", "base_started_at": START, "offline": False,
        "notes": [
            "marcus@1.0.0 was evaluated 9 days before marcus@1.1.0", "invalid trials left out: 1 of marcus@1.1.0",
        ],
    }


def findings() -> list[Row]:
    """Rows of a version that regressed on two measures, improved on one and left the others open or unchanged."""
    possible = (
        "the 90 % interval, −0.09 to +0.09, is not within ±δ (0.05); these 8 jobs detect only differences of 0.14 or "
        "more with 90 % power"
    )
    few = "measured by only 3 jobs in both versions; at least 5 are needed"
    return [
        finding("wisdom", -0.21, "regressed"), finding("justice", None, "inconclusive", why=few),
        finding("courage", 0.01, "inconclusive", why=possible), finding("temperance", 0.15, "improved"),
        finding("practical_wisdom", 0.0, "unchanged"), finding("task", -0.02, "unchanged"),
        finding("assertion", -0.33, "regressed"), finding("timing", 0.004, "unchanged"),
        finding("overall", -0.04, "inconclusive", why=possible), finding("passed", -0.4, "regressed"),
        *(finding("assertion", size, "regressed", scope) for scope, size in (("withheld", -0.3), ("supplied", -0.36))),
        finding("assertion", -0.06, "inconclusive", "lift", possible),
    ]


def reliabilities(composite: list[Row]) -> list[Row]:
    """Rows of `job_reliability` with k of 1 and 2; one estimate is missing where there are too few valid trials."""
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in composite:
        cells.setdefault((row["job"], row["condition"]), []).append(row)
    found = []
    for (job, condition), rows in cells.items():
        valid, passed = sum(row["valid"] for row in rows), sum(bool(row["passed"]) for row in rows)
        for k in (1, 2):
            estimate = comb(passed, k) / comb(valid, k) if valid >= k else None
            found.append({
                "job": job, "scenario": None, "condition": condition, "trials": valid, "passed": passed,
                "invalid_trials": len(rows) - valid, "k": k, "estimate": estimate,
            })
    return found


def make(trials: int = 20, turns: int = 6, compared: bool = True, **changes: Any) -> ReportData:
    """Version 1.1.0, which says so and does not, compared with 1.0.0; `changes` replace fields of the data."""
    this, base = Sample(trials, turns, 0.3, "1.1.0"), Sample(trials, turns, 1.0, "1.0.0")
    totals = [row["overall"] for row in this.rows["composite_scores"] if row["overall"] is not None]
    scored = sum(row["valid"] for row in this.rows["composite_scores"])
    data = ReportData(
        evaluation=this.evaluation, jobs=[asked(job) for job in JOBS], **this.rows,
        evaluation_virtues=this.virtues(0.0),
        evaluation_scores={
            "average_overall": sum(totals) / len(totals) if totals else None, "fitness": 0.66,
            "planned_trials": trials + 1, "scored_trials": scored, "invalid_trials": trials - scored,
        },
        weak_virtues=[
            {"virtue": virtue, "score": score, "confidence": 0.81, "severity": (1 - score) * 0.81, "trials": 16,
             "suggestions": ["Say less before the question.", "Name what was not done, and why."]}
            for virtue, score in (("courage", 0.62), ("temperance", 0.47))
        ],
        virtue_trends=[
            {"agent": "marcus", "virtue": virtue, "agent_version": f"marcus@{version}",
             "evaluation_id": f"eval-{version}", "mean": mean - 0.04 * place,
             "n": place + 1, "slope": -0.04 if place else None, "trend": "declining" if place else "stable",
             "released_at": START + timedelta(days=place), "place": place + 1, "slope_n": place + 1}
            for virtue, mean in zip(VIRTUES, (0.86, 0.7, 0.74, 0.6, 0.8), strict=True)
            for place, version in enumerate(("0.9.0", "1.0.0", "1.1.0"))
        ],
        fitness_updates=[
            {"fitness": 0.66, "fitness_low": 0.61, "fitness_high": 0.71, "delivered_at": None,
             "conclusive": True, "scored_trials": 6, "revision": 1,
             "objectives": '{"wisdom": 0.83}', "improvement_areas": '{"temperance": ["Say less before the question."]}'}
        ],
        version_comparisons=findings() if compared else (),
        job_reliability=reliabilities(this.rows["composite_scores"]),
        base=EvaluationRows(base.evaluation, evaluation_virtues=base.virtues(0.08), **{
            name: base.rows[name] for name in
            ("composite_scores", "assertion_results", "trials", "turns", "observations", "task_scores")
        }) if compared else None,
    )
    return replace(data, **changes)


def with_text(data: ReportData, text: str) -> ReportData:
    """The data with `text` behind every text that is not ours, also inside JSON texts."""

    def changed(value: Any, name: str = "") -> Any:
        match value:
            case str() if name in ("events", "result", "parameters", "objectives", "improvement_areas"):
                return json.dumps(changed(json.loads(value)))
            case str():
                return value if name in OURS else value + text
            case list():
                return [changed(item, name) for item in value]
            case dict():
                return {key: changed(item, key) for key, item in value.items()}
            case EvaluationRows():
                return replace(value, **{f.name: changed(getattr(value, f.name)) for f in fields(value)})
            case _:
                return value

    return changed(data)
