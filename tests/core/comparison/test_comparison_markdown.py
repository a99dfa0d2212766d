"""A comparison in Markdown."""

from dataclasses import replace

from compared_sides import BROKEN

from stoic_assets.core.comparison.comparison import Comparison, compare
from stoic_assets.core.comparison.comparison_junit import comparison_junit
from stoic_assets.core.comparison.comparison_markdown import comparison_markdown, refusal_markdown
from stoic_assets.core.configuration.settings import MinimalDifferences


def test_markdown_has_a_row_for_each_measure_and_folds_the_rest(worse: Comparison) -> None:
    text = comparison_markdown(worse)

    gating, _, rest = text.partition("<details>")
    assert gating.startswith("### ❌ `marcus@1.1.0` is worse than `marcus@1.0.0`")
    assert len([line for line in gating.splitlines() if line.startswith("| ")]) == 2 + 9
    assert "| assertion | 1.00 | 0.60 | −0.40 | −0.41 to −0.39 | <0.001 | 0.11 | **regressed** |" in gating
    assert "assertion, withheld" in rest
    said = rest.partition("</summary>")[2].partition("| measure")[0]
    assert said.strip().startswith("**Not part of the verdict"), "where folds are dropped, nothing else heads it"


def test_markdown_shows_notes_as_plain_words(worse: Comparison) -> None:
    text = comparison_markdown(replace(worse, notes=("other users: [a](b) played <b>",)))

    assert "- other users: \\[a\\](b) played \\<b\\>" in text


def test_that_nothing_could_come_out_regressed_is_told_everywhere(worse: Comparison) -> None:
    job = {"job00": "hash"}
    few = compare(replace(worse.base, jobs=job), replace(worse.candidate, jobs=job), MinimalDifferences(), 0.1)
    said = "(here: 1) no measure can be called regressed, however far it dropped"
    assert said in comparison_junit(few)
    assert said in comparison_markdown(few)
    assert said in few.rows()[0]["notes"][-1]


def test_markdown_lists_them_before_the_measures(turned: Comparison, worse: Comparison) -> None:
    said = comparison_markdown(turned).split("| measure")[0]
    heading = "**2 assertions that always held for `marcus@1.0.0` never hold for `marcus@1.1.0`:**"
    assert f"{heading}\n\n- refund booked (held 3 of 3 times, now 0 of 2) in order (withheld)\n- MATCH" in said
    assert "always holds for `marcus@1.1.0`:**\n\n- m\\|a (held 0 of 2 times, now 2 of 2) in order (withheld)" in said
    assert "assertion that" not in comparison_markdown(worse)


def test_markdown_shows_commands_as_code_and_names_as_they_are(turned: Comparison) -> None:
    names = [f"refund booked {number}" for number in range(32)]
    quoted = [replace(BROKEN, job="`order`", candidate=replace(BROKEN.candidate, assertion=name)) for name in names]
    notes = ("an older one: `--evaluation e_1`",)
    said = comparison_markdown(replace(turned, assertions=tuple(quoted), notes=notes))
    assert "\n- and 2 more, which `stoic compare --json` names\n" in said
    assert said.count(") in \\`order\\` (withheld)\n") == 30
    assert "- an older one: `--evaluation e_1`\n" in said
    refusal = refusal_markdown("a@1", "a@2", "run `stoic eval`.")
    assert refusal == "### ❔ `a@2` was not compared with `a@1`\n\nrun `stoic eval`.\n"
