"""The verdict on a version as it is read from stored rows: table `version_comparisons` has the statistics."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from stoic_assets.core.comparison.assertions_text import CHANCE, SHOWN_ASSERTIONS, Told, told, told_apart
from stoic_assets.core.comparison.comparison_text import changes, name, open_in_short, undecided, unmeasured
from stoic_assets.core.comparison.family import Verdict, by_size, family_size, measured, overall
from stoic_assets.core.comparison.paired_assertions import PairedAssertion
from stoic_assets.core.comparison.weaker_assertions import weaker_since
from stoic_assets.core.table_rows import Row, Rows


@dataclass(frozen=True)
class VersionVerdict:
    """The verdict on a version against `base`: nine `gating` rows that decide, and `others` that never do.

    `assertions` are those of jobs that ask the same in both.
    """

    base: str
    gating: list[Row]
    others: list[Row]
    notes: list[str]
    assertions: Sequence[PairedAssertion]

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict of the gating rows together."""
        return overall(self.gating)

    @property
    def headline(self) -> str:
        """`Regressed against marcus@1.0.0`."""
        return f"{self.verdict.capitalize()} against {self.base}"

    @property
    def what(self) -> str:
        """The reasons for the verdict: `assertion −0.33 (95 % interval −0.50 to −0.10), task …`."""
        match self.verdict:
            case "regressed" | "improved":
                return self.changes(self.verdict)
            case "unchanged":
                alike = measured(self.gating)
                all_of = f"all {len(alike)} measures differ" if len(alike) > 1 else f"{name(alike[0])} differs"
                return f"{all_of} by less than δ{unmeasured(self.gating)}"
            case _:
                improved, unsure = self.changes("improved"), undecided(self.gating)
                return f"{improved}, but {unsure}" if improved else unsure

    def worse_assertions(self, most: int = SHOWN_ASSERTIONS) -> list[Told]:
        """What is said of those that broke or hold less often, whatever the verdict, and whether that may be chance.

        At most so many lines of each, which name at most as many jobs.
        """
        broken = [pair for pair in self.assertions if pair.broken]
        fell = told_apart(weaker_since(self.assertions, self.gating))
        found = told(broken, fell, (), (self.base, self.gating[0]["candidate"]), most)
        sure = any(pair.repeated for pair in broken)
        return [
            replace(each, heading=f"{each.heading}; {CHANCE}") if each.turn == "broken" and not sure else each
            for each in found
        ]

    @property
    def tested_together(self) -> int:
        """How many of the gating measures are in the family for which each p is adjusted."""
        return family_size(self.gating)

    def changes(self, verdict: Verdict) -> str:
        """The gating measures with this verdict, with difference and 95 % interval, the largest difference first."""
        return changes(by_size(self.gating, verdict))

    @property
    def open_questions(self) -> list[str]:
        """Why measures are inconclusive, a line for each reason."""
        return open_in_short(self.gating, self.notes)


def version_verdict(rows: Rows, assertions: Sequence[PairedAssertion] = ()) -> VersionVerdict | None:
    """The verdict from the rows of `version_comparisons` with one base; None where there are none."""
    gating = [row for row in rows if row["gating"]]
    if not gating:
        return None
    others = [row for row in rows if not row["gating"]]
    return VersionVerdict(gating[0]["base"], gating, others, list(gating[0].get("notes") or ()), assertions)
