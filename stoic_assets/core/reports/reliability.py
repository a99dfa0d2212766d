"""How dependably the agent did what was asked: pass^k over the jobs, and job by job."""

from collections.abc import Mapping
from dataclasses import dataclass

from stoic_assets.core.comparison.paired_jobs import cell_of
from stoic_assets.core.comparison.pass_power import PassPower, pass_powers
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.names import natural
from stoic_assets.core.table_rows import Row, Rows


@dataclass(frozen=True)
class CellReliability:
    """One job under one condition: `row` gives name and counts, `estimates` is pass^k by k, 0–1 or None."""

    row: Row
    estimates: Mapping[int, float | None]


@dataclass(frozen=True)
class Reliability:
    """pass^k for each k over all jobs, the counts of trials behind it, and the single jobs."""

    powers: list[PassPower]
    trials: int
    passed: int
    invalid: int
    cells: list[CellReliability]


def reliability(rows: Rows) -> Reliability | None:
    """The reliability from rows of `job_reliability`; None where there are none."""
    if not rows:
        return None
    by_cell = grouped((cell_of(row), row) for row in rows)
    cells = [CellReliability(cell[0], {row["k"]: row["estimate"] for row in cell}) for cell in by_cell.values()]
    trials, passed, invalid = (sum(cell.row[name] for cell in cells) for name in ("trials", "passed", "invalid_trials"))
    return Reliability(pass_powers(rows), trials, passed, invalid, sorted(cells, key=_least_reliable_first))


def _least_reliable_first(cell: CellReliability) -> tuple[float, str, str, str]:
    row = cell.row
    job, scenario = natural(row["job"]), natural(row.get("scenario") or "")
    return row["passed"] / max(1, row["trials"]), job, scenario, row["condition"]
