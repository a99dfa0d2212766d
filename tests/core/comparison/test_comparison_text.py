"""A comparison in words, Markdown, JUnit XML."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest

from stoic_assets.core.comparison.comparison import Comparison, compare
from stoic_assets.core.comparison.comparison_junit import comparison_junit, refusal_junit
from stoic_assets.core.comparison.comparison_markdown import comparison_markdown, refusal_markdown
from stoic_assets.core.comparison.comparison_text import (
    assertions_named,
    broken,
    change,
    confidence,
    detectable,
    few_jobs,
    fixed,
    headline,
    open_questions,
    what_to_know,
)
from stoic_assets.core.comparison.paired_assertions import Held, PairedAssertion
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.settings import MinimalDifferences

JOBS = [f"job{number:02}" for number in range(12)]
NOISE = [(number % 5 - 2) / 100 for number in range(12)]


def side(version: str, levels: dict[str, float], noisy: bool = False) -> Side:
    """Twelve jobs in one condition at those levels, with a small spread where `noisy`."""
    rows = [
        {"job": job, "scenario": None, "condition": "withheld", "measure": measure, "mean": level + noise * noisy}
        for measure, level in levels.items()
        for job, noise in zip(JOBS, NOISE, strict=True)
    ]
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    return Side(
        f"marcus@{version}", f"evaluation-{version}", moment, moment, "finished", False, 12, 0, "gpt-4.1-mini",
        frozenset({"judge"}), {}, dict.fromkeys(JOBS, "hash"), rows,
    )


def assertion(name: str, before: tuple[int, int], now: tuple[int, int]) -> PairedAssertion:
    text = "MATCH (r:Refund)\n  RETURN count(r)"
    return PairedAssertion("order", "withheld", text, Held(name, *before), Held(name, *now))


BROKEN, ONCE = assertion("refund booked", (3, 3), (0, 2)), assertion("2", (1, 1), (0, 1))
MENDED, LESS, KEPT = (
    assertion("m|a", (0, 2), (2, 2)), assertion("4", (3, 3), (1, 3)), assertion("5", (2, 2), (2, 2))
)
"""Of `ONCE` one trial alone says that it broke; `LESS` holds less often."""


@pytest.fixture
def turned(worse: Comparison) -> Comparison:
    return replace(worse, assertions=(BROKEN, ONCE, LESS, KEPT, MENDED))


@pytest.fixture
def worse() -> Comparison:
    before = side("1.0.0", {"assertion": 1.0, "wisdom": 0.8, "task": 0.7})
    after = side("1.1.0", {"assertion": 0.6, "wisdom": 0.8, "task": 0.7}, noisy=True)
    return compare(before, after, MinimalDifferences(), 0.1)


def test_the_headline_names_what_regressed(worse: Comparison) -> None:
    assert headline(worse) == "marcus@1.1.0 is worse than marcus@1.0.0: assertion −0.40"
    [regressed] = worse.with_verdict("regressed")
    assert change(regressed) == "assertion −0.40 (95 % −0.41 to −0.39)"


def test_no_difference_is_said_to_be_none() -> None:
    same = {"wisdom": 0.8}
    found = compare(side("1", same), side("2", same, noisy=True), MinimalDifferences(), 0.1)

    assert headline(found) == "marcus@2 is neither clearly better nor clearly worse than marcus@1"
    assert found.with_verdict("unchanged")[0]["measure"] == "wisdom"


def test_open_questions_share_their_reason(worse: Comparison) -> None:
    [line] = [line for line in open_questions(found.row() for found in worse.gating) if "no job measured it" in line]

    assert line.startswith("courage, justice, temperance, practical wisdom, timing, overall: ")


def test_markdown_has_a_row_for_each_measure_and_folds_the_rest(worse: Comparison) -> None:
    text = comparison_markdown(worse)

    gating, _, rest = text.partition("<details>")
    assert gating.startswith("### ❌ marcus@1.1.0 is worse than marcus@1.0.0")
    assert len([line for line in gating.splitlines() if line.startswith("| ")]) == 2 + 9
    assert "| assertion | 1.00 | 0.60 | −0.40 | −0.41 to −0.39 | <0.001 | 0.11 | **regressed** |" in gating
    assert "assertion, withheld" in rest
    said = rest.partition("</summary>")[2].partition("| measure")[0]
    assert said.strip().startswith("**Not part of the verdict"), "where folds are dropped, nothing else heads it"


@pytest.mark.parametrize(("found", "shown"), [(0.02, "0.02"), (1.0, "1.00"), (1.53, "–"), (None, "–")])
def test_a_difference_larger_than_any_is_a_dash(found: float | None, shown: str) -> None:
    assert detectable({"detectable": found}) == shown


def test_markdown_shows_notes_as_plain_words(worse: Comparison) -> None:
    text = comparison_markdown(replace(worse, notes=("other users: [a](b) played <b>",)))

    assert "- other users: \\[a\\](b) played \\<b\\>" in text


def test_offline_is_said_first(worse: Comparison) -> None:
    offline = replace(worse, candidate=replace(worse.candidate, offline=True))

    assert "Scores mean nothing" in comparison_markdown(offline).split("|")[0]
    [suite] = ET.fromstring(comparison_junit(offline))
    assert "Scores mean nothing" in suite.findtext("system-out", "").splitlines()[1]
    against = "marcus@1.1.0 against marcus@1.0.0"
    assert {case.get("classname") for case in suite.iter("testcase")} == {f"{against} (offline)"}
    assert f'"{against}"' in comparison_junit(worse)


def test_junit_fails_on_regressions_and_skips_what_is_open(worse: Comparison) -> None:
    suite = ET.fromstring(comparison_junit(worse)).find("testsuite")

    assert suite is not None
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "9", "failures": "1", "errors": "0", "skipped": "6"}
    [failed] = [case for case in suite.iter("testcase") if case.find("failure") is not None]
    assert failed.get("name") == "assertion"
    assert "−0.40" in failed.find("failure").get("message")  # type: ignore[union-attr, operator]


def test_junit_shows_what_xml_cannot_write_and_what_nobody_sees(worse: Comparison) -> None:
    suite = ET.fromstring(comparison_junit(replace(worse, notes=("a\x00b\x1b\u202e & <c>",))))

    assert "a[U+0000]b[U+001B][U+202E] & <c>" in "".join(suite.itertext())


def test_that_nothing_could_come_out_regressed_is_told_everywhere(worse: Comparison) -> None:
    job = {"job00": "hash"}
    few = compare(replace(worse.base, jobs=job), replace(worse.candidate, jobs=job), MinimalDifferences(), 0.1)
    said = "(here: 1) no measure can be called regressed, however far it dropped"
    assert said in comparison_junit(few)
    assert said in comparison_markdown(few)
    assert said in few.rows()[0]["notes"][-1]


def test_a_refusal_is_an_error_for_the_build() -> None:
    suite = ET.fromstring(refusal_junit("a@1", "a@2", "half of the trials are invalid")).find("testsuite")

    assert suite is not None
    assert suite.get("errors") == "1"
    assert suite.find("testcase/error").get("message") == "half of the trials are invalid"  # type: ignore[union-attr]
    assert "was not compared with a@1" in refusal_markdown("a@1", "a@2", "why")


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


def test_assertions_that_broke_and_were_mended_are_named(turned: Comparison) -> None:
    assert (turned.broken, turned.fixed) == ((BROKEN, ONCE), (MENDED,))
    assert broken(turned, turned.broken) == "2 assertions that always held for marcus@1.0.0 never hold for marcus@1.1.0"
    assert broken(turned, [ONCE]) == "1 assertion that always held for marcus@1.0.0 never holds for marcus@1.1.0"
    assert fixed(turned) == "1 assertion that never held for marcus@1.0.0 always holds for marcus@1.1.0"
    assert assertions_named(turned.broken, 2) == [
        "order (withheld): refund booked (held 3 of 3 times, now 0 of 2)",
        "order (withheld): 2: MATCH (r:Refund) RETURN count(r) (held 1 of 1 time, now 0 of 1)",
    ]
    assert assertions_named(turned.broken, 1)[1:] == ["and 1 more, which `stoic compare --json` names"]


def test_what_broke_in_several_jobs_is_one_line() -> None:
    def pair(job: str, number: str, text: str = "no error") -> PairedAssertion:
        return PairedAssertion(job, "withheld", text, Held(number, 2, 2), Held(number, 0, 2))

    alike = [pair(f"job{number}", str(number)) for number in range(40)]
    pairs = [*alike, pair("order", "1", "paid"), pair("z", "1", "y")]
    assert assertions_named(pairs, 2) == [
        "no error (held 80 of 80 times, now 0 of 80) in job0 (withheld), job1 (withheld) and 38 more",
        "order (withheld): 1: paid (held 2 of 2 times, now 0 of 2)",
        "and 1 more, which `stoic compare --json` names",
    ]
    assert [line.count("job") for line in assertions_named(pairs, len(pairs))] == [40, 0, 0]


def test_markdown_lists_them_before_the_measures(turned: Comparison, worse: Comparison) -> None:
    said = comparison_markdown(turned).split("| measure")[0]
    heading = "**2 assertions that always held for marcus@1.0.0 never hold for marcus@1.1.0:**"
    assert f"{heading}\n\n- order (withheld): refund booked (held 3 of 3 times, now 0 of 2)\n- order" in said
    assert "always holds for marcus@1.1.0:**\n\n- order (withheld): m\\|a (held 0 of 2 times, now 2 of 2)" in said
    assert "assertion that" not in comparison_markdown(worse)


def test_markdown_shows_commands_as_code_and_names_as_they_are(turned: Comparison) -> None:
    names = [f"refund booked {number}" for number in range(32)]
    quoted = [replace(BROKEN, job="`order`", candidate=replace(BROKEN.candidate, assertion=name)) for name in names]
    notes = ("an older one: `--evaluation e_1`",)
    said = comparison_markdown(replace(turned, assertions=tuple(quoted), notes=notes))
    assert "\n- and 2 more, which `stoic compare --json` names\n" in said
    assert said.count("\n- \\`order\\` (withheld): refund booked") == 30
    assert "- an older one: `--evaluation e_1`\n" in said
    assert "run `stoic eval`." in refusal_markdown("a@1", "a@2", "run `stoic eval`.")


def test_junit_has_a_test_for_each_assertion_that_always_held(turned: Comparison) -> None:
    [suite] = ET.fromstring(comparison_junit(turned))
    cases = [case for case in suite.iter("testcase") if (case.get("name") or "").startswith("order")]
    found = {case.get("name"): [(part.tag, part.get("message")) for part in case] for case in cases}
    assert found == {
        "order (withheld): refund booked": [("failure", "held 3 of 3 times, now 0 of 2")],
        "order (withheld): 2: MATCH (r:Refund) RETURN count(r)": [
            ("skipped", "held 1 of 1 time, now 0 of 1; a single trial may be chance")
        ],
        "order (withheld): 4: MATCH (r:Refund) RETURN count(r)": [],
        "order (withheld): 5: MATCH (r:Refund) RETURN count(r)": [],
    }
    assert cases[0].findtext("failure") == BROKEN.text
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "13", "failures": "2", "skipped": "7"
    }


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
