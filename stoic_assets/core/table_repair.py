"""How the rows of a table are made again when its file is damaged or lost: from what else is stored."""

from stoic_assets.core.evaluation.next_command import judge_again, resume
from stoic_assets.core.evaluation.status import WITH_SCORES
from stoic_assets.core.feedback.human_evaluation import FEEDBACK, RATINGS
from stoic_assets.core.releases import ALL_VERSIONS

EVIDENCE = ("turns", "observations", "trials")
"""The tables of an evaluation's conversations."""
_JUDGED = (
    "virtue_scores", "task_scores", "tone_scores", "assertion_results", "trial_virtues", "composite_scores",
    "evaluation_virtues", "evaluation_scores", "weak_virtues", "job_measures", "job_reliability",
)  # fmt: skip
"""The tables that judging makes. One that a release adds is no part: evaluations that were finished before lack it."""
_FROM_JOURNAL = ("evaluations", "llm_calls", *EVIDENCE)
_OF_PEOPLE = {
    "human_ratings": "collect the raters' files again with `stoic ratings collect`",
    "rater_reliability": "run `stoic ratings analyze`",
    "rater_checks": "run `stoic ratings analyze`",
    "judge_calibration": "run `stoic ratings calibrate`",
    "human_feedback_evaluations": "run `stoic feedback`",
}


def tables_at(status: str) -> tuple[str, ...]:
    """The tables, with or without rows, without which an evaluation of this status has lost a file."""
    return (*EVIDENCE, *(_JUDGED if status in WITH_SCORES else ()))


def loss(table: str, agent_version: str, evaluation_id: str) -> str:
    """The message about an evaluation that has lost one of its tables, and how that is made again."""
    way = way_to_remake(table, agent_version, evaluation_id)
    free = ": that makes it again from the journal, without a message to the agent" if table in EVIDENCE else ""
    return f"table {table} of evaluation {evaluation_id} ({agent_version}) is missing; {way}{free}"


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
        return f"run {resume(agent_version, evaluation_id)}"
    return f"run {judge_again(agent_version, evaluation_id)}"
