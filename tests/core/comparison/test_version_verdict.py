"""The verdict on a version as it is read from stored rows."""

from typing import Any

import pytest
from compared_sides import BROKEN, KEPT, MENDED, ONCE, reminders

from stoic_assets.core.comparison.measures import NOT_MEASURED
from stoic_assets.core.comparison.paired_assertions import PairedAssertion
from stoic_assets.core.comparison.version_verdict import VersionVerdict, version_verdict

FEW = "measured by only 3 jobs in both versions; at least 5 are needed"


def row(
    measure: str, verdict: str, difference: float | None = None, why: str | None = None, **more: Any
) -> dict[str, Any]:
    """A row of `version_comparisons` with an interval of 0.1 to each side."""
    ends = {"low": None, "high": None} if difference is None else {"low": difference - 0.1, "high": difference + 0.1}
    place = {"base": "m@1", "candidate": "m@2", "gating": True, "measure": measure, "condition": "pooled", "jobs": 5}
    tested = {"notes": ["old"], "p_adjusted": None, "delta": 0.05, "low_90": None, "high_90": None}
    return {**place, **tested, "verdict": verdict, "difference": difference, "why": why, **ends, **more}


LACKING = row("task", "inconclusive", None, NOT_MEASURED)


def of(*rows: dict[str, Any]) -> VersionVerdict:
    """The verdict from these rows."""
    found = version_verdict(rows)
    assert found
    return found


def test_no_rows_no_verdict() -> None:
    assert version_verdict(()) is None
    assert version_verdict([row("task", "regressed", -0.3, gating=False)]) is None


TOO_FEW = ": only 2 jobs measured in both, and 5 are needed"


@pytest.mark.parametrize(
    ("rows", "headline", "what"),
    [
        (
            [
                row("practical_wisdom", "regressed", -0.21), row("assertion", "regressed", -0.33),
                row("task", "improved", 0.4),
            ],
            "Regressed against m@1",
            "assertion −0.33 (95 % interval −0.43 to −0.23), practical wisdom −0.21 (95 % −0.31 to −0.11)",
        ),
        (
            [row("task", "improved", 0.4), row("wisdom", "inconclusive", None, FEW)],
            "Improved against m@1", "task +0.40 (95 % interval +0.30 to +0.50)",
        ),
        ([row("task", "unchanged", 0.0)] * 9, "Unchanged against m@1", "all 9 measures differ by less than δ"),
        (
            [row("task", "unchanged", 0.0), row("wisdom", "inconclusive", None, FEW)],
            "Inconclusive against m@1", "no measure regressed or improved, but 1 of 2 is undecided",
        ),
        (
            [row("wisdom", "inconclusive", None, FEW, jobs=2), row("task", "inconclusive", None, FEW, jobs=1)],
            "Inconclusive against m@1",
            f"no measure regressed or improved, but 2 of 2 are undecided{TOO_FEW}",
        ),
        (
            [row("wisdom", "inconclusive", None, FEW), LACKING, LACKING | {"measure": "overall"}],
            "Inconclusive against m@1",
            "no measure regressed or improved, but 1 of 1 measured is undecided; task, overall were not measured",
        ),
        (
            [*[row("wisdom", "unchanged", 0.0)] * 8, LACKING], "Unchanged against m@1",
            "all 8 measures differ by less than δ; task was not measured",
        ),
        (
            [row("task", "improved", 0.4), row("wisdom", "inconclusive", -0.3, "failed trials", p_adjusted=0.01)],
            "Inconclusive against m@1",
            "task +0.40 (95 % interval +0.30 to +0.50), but failed trials leave open whether wisdom regressed",
        ),
        (
            [row("task", "unchanged", 0.0), row("wisdom", "inconclusive", -0.3, "failed trials", p_adjusted=0.01)],
            "Inconclusive against m@1", "failed trials leave open whether wisdom regressed",
        ),
    ],
)  # fmt: skip
def test_each_verdict_has_its_words(rows: list[dict[str, Any]], headline: str, what: str) -> None:
    found = of(*rows)
    assert (found.headline, found.what) == (headline, what)


def test_what_never_gates_decides_nothing() -> None:
    found = of(row("task", "unchanged", 0.0), row("task", "regressed", -0.5, gating=False, condition="lift"))
    assert found.verdict == "unchanged"
    assert [each["condition"] for each in found.others] == ["lift"]


def test_measures_that_stay_open_for_one_reason_are_told_together() -> None:
    found = of(*(row(name, "inconclusive", None, FEW) for name in ("wisdom", "courage")), row("task", "inconclusive"))
    assert found.open_questions == [f"wisdom, courage: {FEW}", "task: no reason was recorded"]
    assert of(row("wisdom", "inconclusive", None, FEW), LACKING).open_questions == [f"wisdom: {FEW}"]


def test_measures_that_as_many_jobs_leave_open_share_a_line_after_what_is_significant_by_itself() -> None:
    def weak(measure: str, detectable: float, **more: Any) -> dict[str, Any]:
        found = {"p": 0.2, "p_adjusted": 0.4, "low_90": -0.1, "high_90": 0.1, "detectable": detectable, "jobs": 26}
        return row(measure, "inconclusive", 0.01, f"open {measure}", **found | more)

    alone = weak("timing", 0.1, jobs=12)
    sure, sure_alone = weak("task", 0.1, p=0.01, p_adjusted=0.01), weak("assertion", 0.1, p=0.01, p_adjusted=0.08)
    vast = weak("overall", 1.2)
    found = of(weak("wisdom", 0.14), weak("practical_wisdom", 0.09), alone, sure, sure_alone, vast)
    assert found.open_questions == [
        "task: open task", "assertion: open assertion",
        "wisdom, practical wisdom: 26 jobs find only differences of 0.09–0.14 or more, with 90 % power",
        "timing: open timing", "overall: open overall",
    ]
    same = of(weak("wisdom", 0.09), weak("courage", 0.09))
    assert same.open_questions[0].endswith("find only differences of 0.09 or more, with 90 % power")


@pytest.mark.parametrize(
    ("assertions", "told"),
    [
        ([BROKEN, ONCE, KEPT], [("2 assertions that always held for m@1 never hold for m@2", 2)]),
        ([ONCE] * 9, [("9 assertions that always held for m@1 never hold for m@2; a single trial may be chance", 1)]),
        (
            [*reminders((5, 2), (5, 2), (5, 5)), ONCE],
            [
                ("1 assertion that always held for m@1 never holds for m@2; a single trial may be chance", 1),
                ("1 assertion holds significantly less often for m@2 than for m@1", 1),
            ],
        ),
        (reminders((5, 0), (5, 0)), [("2 assertions that always held for m@1 never hold for m@2", 1)]),
        ([MENDED, KEPT], []),
        ([], []),
    ],
)
def test_which_assertions_got_worse_is_told_whatever_the_measures_say(
    assertions: list[PairedAssertion], told: list[tuple[str, int]]
) -> None:
    found = version_verdict([row("assertion", "unchanged", 0.0, delta=0.1)], assertions)
    assert found
    assert found.verdict == "unchanged"
    assert [(each.heading, len(each.lines)) for each in found.worse_assertions()] == told


def test_notes_are_kept() -> None:
    assert of(row("task", "unchanged", 0.0)).notes == ["old"]
