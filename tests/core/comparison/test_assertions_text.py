"""What is said of assertions that broke, hold less often, or were fixed."""

from dataclasses import replace

from compared_sides import BROKEN, MENDED, ONCE, reminders

from stoic_assets.core.comparison.assertions_text import broken, fixed, told, told_apart, weaker
from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.comparison_markdown import comparison_markdown
from stoic_assets.core.comparison.comparison_text import headline
from stoic_assets.core.comparison.paired_assertions import Held, PairedAssertion
from stoic_assets.core.comparison.weaker_assertions import weaker_assertions
from stoic_assets.core.presentation.markdown import plain

VERSIONS = "m@1", "m@2"


def test_assertions_that_broke_and_were_mended_are_named(turned: Comparison) -> None:
    assert (turned.broken, turned.fixed) == ((BROKEN, ONCE), (MENDED,))
    assert turned.versions == ("marcus@1.0.0", "marcus@1.1.0")
    assert broken(turned.broken, *VERSIONS) == "2 assertions that always held for m@1 never hold for m@2"
    assert broken([ONCE], *VERSIONS) == "1 assertion that always held for m@1 never holds for m@2"
    assert fixed(turned.fixed, *VERSIONS) == "1 assertion that never held for m@1 always holds for m@2"
    broke, mended = told(turned.broken, (), turned.fixed, VERSIONS, 2)
    assert (broke.turn, broke.heading, broke.more, broke.rest) == ("broken", broken(turned.broken, *VERSIONS), 0, [])
    assert broke.lines == [
        "refund booked (held 3 of 3 times, now 0 of 2) in order (withheld)",
        "MATCH (r:Refund) RETURN count(r) (held 1 of 1 time, now 0 of 1) in order (withheld)",
    ]
    assert mended.lines == ["m|a (held 0 of 2 times, now 2 of 2) in order (withheld)"]
    [short] = told(turned.broken, (), (), VERSIONS, 1)
    assert (short.lines, short.rest) == (broke.lines[:1], ["and 1 more, which `stoic compare --json` names"])


def test_what_broke_in_several_jobs_is_one_line() -> None:
    def pair(job: str, number: str, text: str = "no error") -> PairedAssertion:
        return PairedAssertion(job, "withheld", text, Held(number, 2, 2), Held(number, 0, 2))

    alike = [pair(f"job{number}", str(number)) for number in range(40)]
    pairs = [*alike, pair("order", "1", "paid"), pair("z", "1", "y")]
    [found] = told(pairs, (), (), VERSIONS, 2)
    assert [*found.lines, *found.rest] == [
        "no error (held 80 of 80 times, now 0 of 80) in job0 (withheld), job1 (withheld) and 38 more",
        "paid (held 2 of 2 times, now 0 of 2) in order (withheld)",
        "and 1 more, which `stoic compare --json` names",
    ]
    assert [line.count("job") for line in told(pairs, (), (), VERSIONS, len(pairs))[0].lines] == [40, 0, 0]


def test_what_holds_less_often_is_told_over_all_jobs_that_check_it(forgetful: Comparison) -> None:
    line = (
        "reminder stored (held 19 of 20 times, now 9 of 20; p <0.001), less often in "
        "job01 (withheld), job03 (withheld), job00 (withheld)"
    )
    said = "1 assertion holds significantly less often for marcus@1.1.0 than for marcus@1.0.0"
    [found] = told((), forgetful.weaker, (), forgetful.versions)
    assert (found.turn, found.heading, found.lines, found.rest) == ("weaker", said, [line], [])
    assert (forgetful.verdict, headline(forgetful).partition("; but ")[2]) == ("unchanged", said)
    markdown = comparison_markdown(forgetful)
    assert markdown.startswith("### ⚠️ `marcus@1.1.0` shows no relevant difference from `marcus@1.0.0`; but 1 assertion")
    assert f"**{plain(said)}:**\n\n- {plain(line)}\n\n" in markdown
    assert weaker(forgetful.weaker * 2, *VERSIONS) == "2 assertions hold significantly less often for m@2 than for m@1"


def test_one_job_is_named_as_several_are() -> None:
    [pair] = reminders((5, 0))
    [found] = told((), weaker_assertions([pair], 0.1), (), VERSIONS)
    assert found.lines == ["reminder stored (held 5 of 5 times, now 0 of 5; p 0.004), less often in job00 (withheld)"]


def test_what_broke_wherever_it_fell_is_told_once(forgetful: Comparison) -> None:
    broke = replace(forgetful, assertions=tuple(reminders((5, 0), (5, 5), (5, 0))))
    assert (len(broke.weaker), told_apart(broke.weaker)) == (1, [])
    also_fell = replace(forgetful, assertions=tuple(reminders((5, 0), (5, 4), (5, 0))))
    assert told_apart(also_fell.weaker) == [*also_fell.weaker]
    assert headline(also_fell).partition("; but ")[2] == (
        "2 assertions that always held for marcus@1.0.0 never hold for marcus@1.1.0, and "
        "1 assertion holds significantly less often for marcus@1.1.0 than for marcus@1.0.0"
    )
    once = replace(also_fell, assertions=tuple(replace(p, candidate=Held("r", 0, 1)) for p in reminders(*[(5, 5)] * 4)))
    assert told_apart(once.weaker) == [*once.weaker]
