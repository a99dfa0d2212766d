"""The smallest job: one task."""

from typing import Any


def smallest_job(chatbot: str = "marcus", **keys: Any) -> dict[str, Any]:
    """What its file holds; further keys of job files as keyword arguments."""
    task = {"task": "t", "acceptanceCriteria": "a"}
    return {"target": {"user": "u", "chatbot": chatbot}, "tasks": [task], **keys}
