"""Trials of scenarios in a warehouse, and ratings of their replies in files."""

import json
from pathlib import Path
from typing import Any

from evaluation_heads import evaluation_head

from stoic_assets.adapters.ratings.rating_keys import read_keys
from stoic_assets.adapters.workplace import Workplace

VERSION = "marcus@1.0"
MARKS = {
    "appropriateness": 5, "helpfulness": 4, "stoic_authenticity": 3, "emotional_intelligence": 4, "actionability": None,
}  # fmt: skip


def trial(evaluation: str, scenario: str | None, **columns: Any) -> dict[str, Any]:
    row = {"job": "counsel", "scenario": scenario, "condition": "withheld", "repeat": 1, "outcome": "signed_off"}
    row |= columns
    trial_id = ".".join(str(part) for part in (evaluation, row["job"], scenario, row["condition"], row["repeat"]))
    rest = {"holdout": False, "failure_count": 0, "planned_tasks": 0, "turns": 2}
    return {"trial_id": trial_id, **row, **rest}


EVENTS = {"user": "[]", "agent": json.dumps([{"metrics": {"effectiveness": 0.7}}])}


def store(
    workplace: Workplace, evaluation: str, trials: list[dict[str, Any]], version: str = VERSION, day: int = 1
) -> None:
    """An evaluation with these trials; in each the agent says something of its own, unless it failed."""
    place = (version, evaluation)
    head = evaluation_head(started_at=f"2026-01-{day:02}T00:00:00Z", planned_trials=9)
    turns = []
    for row in trials:
        said = [("user", f"I write about {row['scenario']}.")]
        said += [("agent", f"{version} says of {row['trial_id']}: bear it.")] if row["outcome"] != "agent_error" else []
        turns += [
            {"trial_id": row["trial_id"], "turn": turn, "speaker": who, "content": text, "events": EVENTS[who]}
            for turn, (who, text) in enumerate(said)
        ]
    workplace.warehouse.write("evaluations", *place, [head])
    workplace.warehouse.write("trials", *place, trials)
    workplace.warehouse.write("turns", *place, turns)


def ratings_of(workplace: Workplace, rater: str = "ann", **fields: Any) -> list[dict[str, Any]]:
    """One rating of every item of every page."""
    return [
        {
            "test_id": test_id, "rater_id": rater, "timestamp": "2026-02-01T10:00:00Z", "ratings": dict(MARKS),
            "overall": "yes", "comments": "", "meta": {"seconds": 20.5, "order_index": number, "page_id": key.page_id},
        } | fields
        for number, (test_id, key) in enumerate(read_keys(workplace.project.home).items())
    ]  # fmt: skip


def save(folder: Path, ratings: Any, name: str = "ann.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(ratings), encoding="utf-8")
    return folder / name


def rows(workplace: Workplace) -> list[dict[str, Any]]:
    return workplace.warehouse.query("select * from human_ratings order by rater_id, test_id")
