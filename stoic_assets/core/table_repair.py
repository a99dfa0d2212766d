"""How the rows of a table are made again when its file is damaged or lost: from what else is stored."""

from stoic_assets.core.evaluation import CONVERSED, judge_again, way_to_finish
from stoic_assets.core.feedback.human_evaluation import FEEDBACK, RATINGS
from stoic_assets.core.releases import ALL_VERSIONS

EVIDENCE = ("turns", "observations", "trials")
"""The tables of an evaluation's conversations."""
_FROM_JOURNAL = ("evaluations", "llm_calls", *EVIDENCE)
_OF_PEOPLE = {
    "human_ratings": "collect the raters' files again with `stoic ratings collect`",
    "rater_reliability": "run `stoic ratings analyze`",
    "rater_checks": "run `stoic ratings analyze`",
    "judge_calibration": "run `stoic ratings calibrate`",
    "human_feedback_evaluations": "run `stoic feedback`",
}


def way_to_remake(table: str, agent_version: str, evaluation_id: str, has_evidence: bool = True) -> str:
    """What to do to get the rows of one evaluation in `table` again; empty if nothing makes them again.

    Without the tables of its conversations (`has_evidence`) it cannot be judged.
    """
    if table in _OF_PEOPLE:
        return _OF_PEOPLE[table]
    if agent_version == ALL_VERSIONS:
        return ""
    if table == "events" and evaluation_id in (FEEDBACK, RATINGS):
        return "run `stoic feedback`"
    if table in _FROM_JOURNAL or not has_evidence:
        return f"run {way_to_finish(agent_version, evaluation_id, CONVERSED)}"
    return f"run {judge_again(agent_version, evaluation_id)}"
