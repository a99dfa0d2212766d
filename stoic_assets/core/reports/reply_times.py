"""How long the agent's replies took, in figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from stoic_assets.core.reports.data import values
from stoic_assets.core.table_rows import Rows

SHARES = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True)
class ReplyTimes:
    """Mean and quantiles of `count` reply times in milliseconds; `within` maps a share of replies, 0–1, to a time."""

    count: int
    mean: float
    within: Mapping[float, float]


def replies(turns: Rows) -> list[float]:
    """Milliseconds of every reply, retries included."""
    return values((row for row in turns if row["speaker"] == "agent"), "response_ms")


def quantile(times: Sequence[float], share: float) -> float:
    """The smallest time that at least `share`, 0–1, of the times do not exceed."""
    return sorted(times)[max(0, math.ceil(len(times) * share) - 1)]


def reply_times(turns: Rows) -> ReplyTimes | None:
    """The figures of rows of `turns`; None where the agent never replied."""
    times = replies(turns)
    if not times:
        return None
    return ReplyTimes(len(times), fmean(times), {share: quantile(times, share) for share in SHARES})
