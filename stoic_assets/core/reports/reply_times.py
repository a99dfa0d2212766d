"""How long the agent's replies took, in figures."""

from collections.abc import Mapping
from dataclasses import dataclass

from stoic_assets.core.reports.data import Rows, values
from stoic_assets.core.reports.response_time_chart import quantile

SHARES = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True)
class ReplyTimes:
    """Of `count` replies: the mean, and by share of the replies, 0–1, the time within which they came; milliseconds."""

    count: int
    mean: float
    within: Mapping[float, float]


def replies(turns: Rows) -> list[float]:
    """Milliseconds of every reply, retries included."""
    return values((row for row in turns if row["speaker"] == "agent"), "response_ms")


def reply_times(turns: Rows) -> ReplyTimes | None:
    """The figures of rows of `turns`; None where the agent never replied."""
    times = replies(turns)
    if not times:
        return None
    return ReplyTimes(len(times), sum(times) / len(times), {share: quantile(times, share) for share in SHARES})
