"""A comparison in words."""

from collections import Counter
from dataclasses import replace

import pytest
from compared_sides import JOBS, side

from stoic_assets.core.comparison.comparison import Comparison, compare
from stoic_assets.core.comparison.comparison_junit import comparison_junit
from stoic_assets.core.comparison.comparison_markdown import comparison_markdown
from stoic_assets.core.comparison.comparison_text import (
    change,
    confidence,
    detectable,
    few_jobs,
    headline,
    open_questions,
    undecided,
    what_to_know,
)
from stoic_assets.core.configuration.settings import MinimalDifferences


def test_the_headline_names_what_regressed(worse: Comparison) -> None:
    assert headline(worse) == "marcus@1.1.0 is worse than marcus@1.0.0: assertion −0.40"
    [regressed] = worse.with_verdict("regressed")
    assert change(regressed) == "assertion −0.40 (95 % interval −0.41 to −0.39)"


def test_a_suite_that_lacks_measures_can_be_unchanged() -> None:
    same = {"wisdom": 0.8}
    found = compare(side("1", same), side("2", same, noisy=True), MinimalDifferences(), 0.1)

    assert headline(found) == "marcus@2 shows no relevant difference from marcus@1"
    assert found.with_verdict("unchanged")[0]["measure"] == "wisdom"
    assert "| courage | – | – | – | – | – | – | not measured |" in comparison_markdown(found)


def test_what_only_one_version_measured_leaves_the_verdict_open() -> None:
    found = compare(side("1", {"wisdom": 0.8, "task": 0.8}), side("2", {"wisdom": 0.8}, True), MinimalDifferences(), 1)

    assert found.verdict == "inconclusive"
    said = undecided(found.gating)
    assert said.startswith("no measure regressed or improved, but 1 of 2 measured is undecided; courage, ")


def test_open_questions_share_their_reason() -> None:
    has = {"wisdom": 0.8, "courage": 0.5, "task": 0.3}
    found = compare(side("1", has), side("2", {"task": 0.3}, noisy=True), MinimalDifferences(), 0.1)

    assert open_questions(found.gating) == [
        "wisdom, courage: measured only in marcus@1 (12 jobs)"
    ]


def test_a_reason_that_is_among_the_notes_is_not_told_twice() -> None:
    other = replace(side("2", {"wisdom": 0.8, "task": 0.8, "timing": 1.0}), judges=frozenset(["another"]))
    found = compare(side("1", {"wisdom": 0.8, "task": 0.8, "timing": 1.0}), other, MinimalDifferences(), 0.1)
    [note] = [each for each in found.notes if each.startswith("the judges differ")]

    told = open_questions(found.gating)
    assert told[0] == f"wisdom, task: {note}"
    assert open_questions(found.gating, found.notes) == ["wisdom, task: see the notes", *told[1:]]
    assert comparison_markdown(found).count("the judges differ") == 1


@pytest.mark.parametrize(("found", "shown"), [(0.02, "0.02"), (1.0, "1.00"), (1.53, None), (None, None)])
def test_no_difference_larger_than_any_is_said_to_be_found(found: float | None, shown: str | None) -> None:
    assert detectable({"detectable": found}) == shown


def trusting(comparison: Comparison, base: dict[str | None, int], candidate: dict[str | None, int]) -> Comparison:
    """The comparison where so many confidences of each side come from each source."""
    before = replace(comparison.base, confidences=Counter(base))
    return replace(comparison, base=before, candidate=replace(comparison.candidate, confidences=Counter(candidate)))


RATED = "are calibrated on people's ratings."


@pytest.mark.parametrize(
    ("base", "candidate", "told"),
    [
        ({"self": 2}, {"spread": 2}, "The confidences are not calibrated on people's ratings."),
        ({"calibrated": 1, "self": 1}, {"calibrated": 2, "spread": 2}, f"50 % of the confidences {RATED}"),
        (
            {"self": 13}, {"calibrated": 10, "self": 3},
            f"77 % of the confidences of marcus@1.1.0 and none of those of marcus@1.0.0 {RATED}",
        ),
        (
            {"calibrated": 2}, {"calibrated": 1, "self": 1},
            f"100 % of the confidences of marcus@1.0.0 and 50 % of those of marcus@1.1.0 {RATED}",
        ),
        ({}, {"calibrated": 1, "self": 1}, f"50 % of the confidences {RATED}"),
        ({}, {}, ""),
    ],
)
def test_how_far_the_confidences_of_each_version_are_calibrated(
    worse: Comparison, base: dict[str | None, int], candidate: dict[str | None, int], told: str
) -> None:
    found = trusting(worse, base, candidate)
    assert confidence(found) == told
    said = "Scores that do not agree with people's: wisdom."
    refuted = replace(found, candidate=replace(found.candidate, agreement=said))
    assert confidence(refuted) == f"{told} {said}".lstrip()


def test_whose_word_the_confidences_are_is_said_wherever_versions_are_compared(worse: Comparison) -> None:
    own = "The confidences are the judges' own, not calibrated on people's ratings."
    found = trusting(worse, {"self": 1}, {"self": 1})
    assert f"- {own}" in comparison_markdown(found)
    assert own in comparison_junit(found)
    assert what_to_know(found) == [*found.notes, own]
    assert what_to_know(worse) == [*worse.notes]


@pytest.mark.parametrize(
    ("jobs", "spread", "said"),
    [
        (6, 0.1, "6 jobs in common decide nothing: with 90 % power they detect only differences of 0.18 or more"),
        (11, 0.1, "with 90 % power they detect only differences of 0.11 or more (wisdom)."),
        (6, 0.7, "they are too few to detect any difference with 90 % power. Run at least 12 jobs;"),
        (12, 0.1, None),
        (4, 0.1, None),
        (6, 0.001, None),
    ],
)
def test_that_few_jobs_told_nothing_is_said(jobs: int, spread: float, said: str | None) -> None:
    before = side("1", {"wisdom": 0.5, "courage": 0.5})
    moved = [
        row | {"mean": 0.5 + (-1) ** place * spread * (1 + (row["measure"] == "courage"))}
        for place, row in enumerate(before.measures)
    ]
    after = replace(side("2", {}), measures=moved)
    few = dict.fromkeys(JOBS[:jobs], "hash")
    found = few_jobs(compare(replace(before, jobs=few), replace(after, jobs=few), MinimalDifferences(), 0.1))
    assert (found is None) == (said is None)
    assert (said or "") in (found or "")


def test_a_difference_that_was_found_and_is_open_for_another_reason_needs_no_more_jobs() -> None:
    before = side("1", {"wisdom": 0.5})
    moved = [row | {"mean": 0.3 + place % 2 / 50} for place, row in enumerate(before.measures)]
    few = dict.fromkeys(JOBS[:8], "hash")
    sides = replace(before, jobs=few), replace(side("2", {}), measures=moved, jobs=few)
    found = compare(*sides, MinimalDifferences(), 0.1)
    assert found.verdict == "regressed"
    opened = tuple(replace(each, verdict="inconclusive", why="failed trials") for each in found.findings)
    assert few_jobs(replace(found, findings=opened)) is None
