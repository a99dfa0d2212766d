"""Pairs two versions assertion by assertion: in how many of its trials each one held, before and now.

No statistics and no verdict. But no judge decides an assertion: where one held in every trial and now holds in none,
the agent behaves differently, however little that changes the mean over all jobs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stoic_assets.core.assertions.counting import counts
from stoic_assets.core.assertions.wording import has_name, label, name_or_text
from stoic_assets.core.comparison.paired_jobs import cell_of
from stoic_assets.core.jobs.names import job_of
from stoic_assets.core.presentation.names import natural
from stoic_assets.core.table_rows import Row

AssertionKey = tuple[str, str, str, str]
"""Job (or scenario of it), condition, text, and what distinguishes the assertion from others with that text."""
REPEATED = 2
"""Trials of each side that are needed so that a broken assertion is not due to chance in a single trial."""


@dataclass(frozen=True)
class Held:
    """How often an assertion held: `passed` of `decided` trials; `assertion` is its name, else its number.

    `expected` is what one without a name expects, as JSON: with another value the same text checks something else.
    """

    assertion: str
    passed: int = 0
    decided: int = 0
    expected: str | None = None

    @property
    def share(self) -> float:
        """0–1."""
        return self.passed / self.decided


@dataclass(frozen=True)
class PairedAssertion:
    """An assertion that was checked in both versions; `job` names the scenario too, where there is one."""

    job: str
    condition: str
    text: str
    base: Held
    candidate: Held

    @property
    def label(self) -> str:
        """Its name, else its number and its text on one line."""
        return label(self.candidate.assertion, self.text)

    @property
    def what(self) -> str:
        """Its name, else its text on one line: the same in all jobs that check the same."""
        return " ".join(name_or_text(self.candidate.assertion, self.text).split())

    @property
    def change(self) -> float:
        """How much more often it holds than in the base, −1 to 1."""
        return self.candidate.share - self.base.share

    @property
    def broken(self) -> bool:
        """Whether it held in every trial of the base and holds in none of the candidate."""
        return self.change == -1

    @property
    def fixed(self) -> bool:
        """Whether it held in no trial of the base and holds in every one of the candidate."""
        return self.change == 1

    @property
    def repeated(self) -> bool:
        """Whether each side decided it in at least `REPEATED` trials."""
        return min(self.base.decided, self.candidate.decided) >= REPEATED

    def row(self) -> dict[str, Any]:
        """An entry of `flipped_assertions`, as commands print it with --json."""
        sides = {
            side: {"held": each.passed, "of": each.decided}
            for side, each in (("base", self.base), ("candidate", self.candidate))
        }
        place = {"job": self.job, "condition": self.condition, "assertion": self.candidate.assertion}
        return place | {"text": self.text, "change": self.change, **sides}


def paired_assertions(
    base: Mapping[AssertionKey, Held], candidate: Mapping[AssertionKey, Held]
) -> list[PairedAssertion]:
    """The assertions that were checked in both versions, the greatest loss first."""
    pairs = (PairedAssertion(*key[:3], base[key], candidate[key]) for key in base.keys() & candidate.keys())
    return sorted(pairs, key=greatest_loss_first)


def asked_alike(
    pairs: Iterable[PairedAssertion], base: Iterable[Row], candidate: Iterable[Row]
) -> list[PairedAssertion]:
    """Those of jobs of the same content; `base` and `candidate` are the rows of `trials` of both."""
    before, after = ({row["job"]: row.get("job_hash") for row in trials} for trials in (base, candidate))
    return [pair for pair in pairs if before.get(job_of(pair.job)) == after.get(job_of(pair.job))]


def held(scores: Iterable[Row], results: Iterable[Row]) -> dict[AssertionKey, Held]:
    """In how many scored trials each assertion held; those of weight 0 are left out.

    `scores` and `results` are rows of `composite_scores` and `assertion_results`.
    """
    places = {row["trial_id"]: row for row in scores if row["valid"]}
    found: dict[AssertionKey, Held] = {}
    for row, which in distinguished(sorted(results, key=lambda row: natural(row["assertion"]))):
        place = places.get(row["trial_id"])
        if place is None or not counts(row):
            continue
        key = (*cell_of(place), row["text"], which)
        before = found.get(key, Held(row["assertion"]))
        expected = None if has_name(row["assertion"]) else row.get("expected")
        found[key] = Held(row["assertion"], before.passed + row["passed"], before.decided + 1, expected)
    return found


def distinguished(results: Iterable[Row]) -> Iterator[tuple[Row, str]]:
    """Each row of `assertion_results` with what distinguishes its assertion from others of the same text in its trial.

    That is its name, else its place among those without one, since in a changed job it may have another number.
    """
    places: Counter[tuple[str, str]] = Counter()
    for row in results:
        if has_name(row["assertion"]):
            yield row, row["assertion"]
        else:
            places[row["trial_id"], row["text"]] += 1
            yield row, str(places[row["trial_id"], row["text"]])


def greatest_loss_first(pair: PairedAssertion) -> tuple[float, Sequence[str]]:
    """To sort by how much less often it holds, then by job, condition, text and number."""
    return pair.change, (natural(pair.job), pair.condition, pair.text, natural(pair.candidate.assertion))
