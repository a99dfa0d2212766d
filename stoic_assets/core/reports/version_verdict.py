"""What the comparison with a base found, as a page tells it: the verdict in words, and the rows behind it.

The statistics are the comparison's business; here its rows (table `version_comparisons`) are read.
"""

from dataclasses import dataclass
from functools import cached_property

from stoic_assets.core.comparison.family import Verdict, overall
from stoic_assets.core.reports.data import Row, Rows, values
from stoic_assets.core.reports.formatting import difference, is_missing


@dataclass(frozen=True)
class VersionVerdict:
    """The verdict on a version against `base`: nine `gating` rows that decide, and `others` that never do."""

    base: str
    gating: list[Row]
    others: list[Row]
    notes: list[str]

    @cached_property
    def verdict(self) -> Verdict:
        """That of the gating rows together."""
        return overall(row["verdict"] for row in self.gating)

    @property
    def headline(self) -> str:
        """`Regressed against marcus@1.0.0`."""
        return f"{self.verdict.capitalize()} against {self.base}"

    @property
    def what(self) -> str:
        """The verdict's grounds: `assertion −0.33 [−0.50, −0.10], wisdom −0.12 [−0.20, −0.04]`."""
        match self.verdict:
            case "regressed" | "improved":
                return self.changes(self.verdict)
            case "unchanged":
                return f"all {len(self.gating)} measures are within their δ"
            case _:
                open_ones = f"{len(self.undecided)} of {len(self.gating)} measures stay open"
                return f"nothing regressed or improved, but {open_ones}"

    def changes(self, verdict: Verdict) -> str:
        """The gating measures of that verdict with difference and 95 % interval, the largest difference first."""
        rows = [row for row in self.gating if row["verdict"] == verdict]
        return ", ".join(map(change, sorted(rows, key=lambda row: -abs(row["difference"] or 0))))

    @property
    def undecided(self) -> list[Row]:
        """The gating rows of which nothing can be told."""
        return [row for row in self.gating if row["verdict"] == "inconclusive"]

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Why measures stay open: each reason with the measures that it holds for."""
        found: dict[str, list[str]] = {}
        for row in self.undecided:
            found.setdefault(row.get("why") or "no reason was recorded", []).append(named(row))
        return [(", ".join(measures), why) for why, measures in found.items()]


def version_verdict(rows: Rows) -> VersionVerdict | None:
    """The verdict from the rows of `version_comparisons` that speak of one base; None where there are none."""
    gating = [row for row in rows if row["gating"]]
    if not gating:
        return None
    others = [row for row in rows if not row["gating"]]
    return VersionVerdict(gating[0]["base"], gating, others, list(gating[0].get("notes") or ()))


def named(row: Row) -> str:
    """The measure as a sentence says it."""
    return str(row["measure"]).replace("_", " ")


def change(row: Row) -> str:
    """`assertion −0.33 [−0.50, −0.10]`; without an interval where nothing was tested."""
    if is_missing(row["difference"]):
        return named(row)
    ends = values([row], "low") + values([row], "high")
    interval = f" [{', '.join(map(difference, ends))}]" if len(ends) == 2 else ""
    return f"{named(row)} {difference(row['difference'])}{interval}"
