"""Why a part of a valid trial's score is missing."""

_WHY = {
    "overall": "the trial has no part that could be scored",
    "task": "the job has no tasks, or none was judged",
    "assertion": "no assertion counts under this condition, or none could be decided",
    "timing": "the job has no aspirationalAverage, or the agent never replied",
    "tone": "the tone was not judged",
    "virtue_overall": "no virtue was scored",
}
_JUDGED = ("task", "tone", "virtue_overall")


def why_missing(part: str, outcome: str) -> str:
    """Why a column of `composite_scores` is null in a trial with this outcome."""
    unjudged = outcome == "agent_error" and part in _JUDGED
    return "the agent failed, so it was not judged" if unjudged else _WHY[part]
