"""What the page says of the version against its base."""

import re
from dataclasses import replace

import pytest
from rendered_page import Make, Structure, render_report

from stoic_assets.core.reports.data import EvaluationRows
from stoic_assets.core.reports.version_comparison import differences

pytestmark = pytest.mark.usefixtures("charts_drawn_once")


def test_only_measures_in_the_family_are_counted_as_tested_together(make_data: Make, usual_page: str) -> None:
    assert "adjusted (Holm), because 8 measures are tested together." in usual_page
    data = make_data()
    alone, *rest = data.version_comparisons
    few = [{**row, "p_adjusted": None, "verdict": "inconclusive"} for row in rest]
    assert "p is one-sided.\n" in render_report(replace(data, version_comparisons=[alone, *few]))


def test_a_difference_that_no_jobs_detect_is_a_dash(make_data: Make) -> None:
    data = make_data()
    rows = [{**row, "detectable": row["detectable"] and 1.53} for row in data.version_comparisons]
    html = render_report(replace(data, version_comparisons=rows))
    assert ">1.53<" not in html
    assert 'title="too few jobs to detect any difference with 90\u00a0% power"' in html


def test_the_verdict_and_its_notes_come_first(usual_page: str) -> None:
    verdict = "Regressed against marcus@1.0.0:</strong> assertion −0.33 (95\u00a0% interval −0.45 to −0.21), wisdom "
    notes = ["was evaluated 9 days before", "each job counts once"]
    order = [verdict, *notes, "What changed most", "not part of the verdict", "Average score"]
    assert [usual_page.count(part) for part in order] == [1] * len(order)
    assert sorted(order, key=usual_page.index) == order
    assert "<title>marcus@1.1.0 regressed" in usual_page


@pytest.mark.parametrize(("reasons", "said"), [(4, "and 1 more reason, in"), (5, "and 2 more reasons, in")])
def test_reasons_that_are_not_shown_are_counted(make_data: Make, reasons: int, said: str) -> None:
    data = make_data(trials=4, turns=2)
    rows = enumerate(data.version_comparisons)
    untested = {"verdict": "inconclusive", "p": None, "p_adjusted": None}
    undecided = [row | untested | {"why": f"reason {n % reasons}"} for n, row in rows]
    assert f"<li>{said} the table below</li>" in render_report(replace(data, version_comparisons=undecided))


def test_without_a_comparison_nothing_is_set_against_another_version(make_data: Make) -> None:
    html = render_report(make_data(version_comparisons=(), base=None, uncompared="the two have no job in common"))
    assert "Not compared with another version: the two have no job in common." in html
    assert not re.search('id="(flips|comparison)"|Dashed line|score in ', html)


def test_a_base_without_scores_is_not_shown_beside_the_virtues(make_data: Make) -> None:
    """It was deleted, or no virtue was judged there."""
    data = make_data()
    assert data.base
    unscored = [{**row, "score": None} for row in data.base.evaluation_virtues]
    for rows in ((), unscored):
        html = render_report(replace(data, base=replace(data.base, evaluation_virtues=rows)))
        assert "Regressed against marcus@1.0.0:" in html
        assert not re.search("Dashed line|score in |The table below has the base", html)


def test_where_nothing_is_asked_the_virtues_tell_what_changed(make_data: Make) -> None:
    data = make_data()
    assert data.base
    asked = {"assertion_results": (), "task_scores": ()}
    unasked = {"task": None, "assertion": None, "passed": None, "overall": 0.9}
    bases, rows = (
        [{**row, **unasked, "virtue_overall": virtues} for row in each.composite_scores]
        for each, virtues in ((data.base, 0.74), (data, 0.27))
    )
    base = replace(data.base, composite_scores=bases, trial_virtues=data.trial_virtues, **asked)
    html = render_report(replace(data, composite_scores=rows, base=base, **asked))
    assert html.count('class="flip"') == html.count("virtues 0.74 → 0.27") / 2 == 8
    assert re.search(r'<a href="#(flip-1)">.*<div class="inside" id="\1">', html, re.DOTALL)
    assert "did an assertion hold more or less often" in html
    first = html.partition('id="changed-virtues-title"')[2].partition("</details>")[0]
    assert "<h4>Virtues</h4>" in first
    assert "Passed 0 of" not in first


def test_what_changed_most_counts_the_other_jobs_with_changed_assertions(
    make_data: Make, usual_page: str
) -> None:
    data = make_data()
    assert data.base
    alike = [{**row, "overall": 0.9} for row in data.composite_scores]
    base = replace(data.base, composite_scores=[{**row, "overall": 0.9} for row in data.base.composite_scores])
    found = differences(data)
    assert found
    jobs = len({(flip.job, flip.condition) for flip in found.flips})
    html = render_report(replace(data, composite_scores=alike, base=base))
    assert f'<a href="#flips">{jobs} jobs with changed assertions</a>, all of them worse' in " ".join(html.split())
    assert f'<a href="#flips">{jobs - 8} more jobs with changed assertions</a>, all' in " ".join(usual_page.split())


def test_the_verdict_names_the_assertions_that_broke(make_data: Make) -> None:
    data = make_data(trials=24, turns=2)
    assert data.base
    results = [
        [{**row, "assertion": f"no. <{number % 11}>", "text": str(number % 11), "passed": passed}
         for number, row in enumerate(each.assertion_results)]
        for each, passed in ((data.base, True), (data, False))
    ]  # fmt: skip
    base = replace(data.base, assertion_results=results[0])
    html = render_report(replace(data, assertion_results=results[1], base=base))
    box = html.partition('class="verdict-box')[2].partition("</div>")[0]
    assert re.search(r"<p>\d+ assertions that always held for marcus@1.0.0 never hold for marcus@1.1.0", box)
    assert re.search(r"<li>(.+: )?no. &lt;\d&gt; \(held \d+ of \d+ times?, now 0 of \d+\)", box)
    assert re.search(r'<li>and \d+ more, in the list of <a href="#flips">jobs with changed results</a></li>', box)
    assert "stoic compare" not in box, "whoever reads a report may have no terminal"
    alike = replace(base, assertion_results=results[1])
    assert "assertions hold significantly less often" in box, "which single trials that broke do not show"
    assert "always held" not in render_report(replace(data, assertion_results=results[1], base=alike))


def test_an_assertion_that_holds_less_often_in_several_jobs_is_named_beside_the_verdict(make_data: Make) -> None:
    data = make_data()
    assert data.base
    before, after = (
        [
            {**version.assertion_results[0], "trial_id": trial, "assertion": "stored", "text": "RETURN 1",
             "weight": 1.0, "passed": version is data.base or place % 2 == 0}
            for place, trial in enumerate(sorted({row["trial_id"] for row in version.assertion_results}))
        ]
        for version in (data.base, data)
    )  # fmt: skip
    html = render_report(replace(data, assertion_results=after, base=replace(data.base, assertion_results=before)))
    box = html.partition('class="verdict-box')[2].partition("</div>")[0]
    assert "<p>1 assertion holds significantly less often for marcus@1.1.0 than for marcus@1.0.0:</p>" in box
    assert re.search(r"<li>stored \(held (\d+) of \1 times, now \d+ of \d+; p [&<\d].*\), less often in ", box)


def test_an_assertion_without_a_name_is_not_headed_by_its_number(make_data: Make) -> None:
    html = render_report(make_data())
    expression, numbers = '<span class="note">expression', r"<strong>2</strong>|· 2\s*<code|>2 · expression"
    assert expression in html
    assert "<strong>reminder stored</strong>" in html
    assert re.findall(numbers, html.partition('id="flips"')[2]) == []


def test_one_assertion_that_flipped_is_no_plural(make_data: Make) -> None:
    data = make_data()
    found = differences(data)
    assert found
    assert data.base
    place = f".{found.flips[0].job}.{found.flips[0].condition}."
    fewer, base_fewer = (
        [row for row in version.assertion_results if place in row["trial_id"]] for version in (data, data.base)
    )
    alone = replace(data, assertion_results=fewer, base=replace(data.base, assertion_results=base_fewer))
    html = render_report(alone)
    assert "The assertion with changed results</summary>" in html
    assert f"All {len(found.flips)} assertions with changed results</summary>" in render_report(data)


def test_one_trial_and_one_reply_are_no_plural(make_data: Make) -> None:
    data = make_data()
    assert data.base
    reply, base_reply = (
        [row for row in version.turns if row["speaker"] == "agent"][:1] for version in (data, data.base)
    )
    html = render_report(replace(data, turns=reply, base=replace(data.base, turns=base_reply)))
    text = " ".join(Structure(html).text.split())
    for said in (
        "Passed 1 of 1 trial, now 0 of 1.", "held 1 of 1 time, now 0 of 1", "1 reply of the agent, retries included:",
        " over 1 reply.",
    ):  # fmt: skip
        assert said in text
    assert "Histogram of 1 reply time;" in html


NO_PARENT = (
    "no release manifest names its parent. stoic compare marcus@1.0.0 marcus@1.1.0 compares the two, job by job. For a "
    "comparison here, with the conversations side by side, run stoic release add marcus@1.1.0 --parent marcus@1.0.0, "
    "then stoic regrade --agent-version marcus@1.1.0."
)


@pytest.mark.parametrize(
    ("uncompared", "said"),
    [
        (None, NO_PARENT),
        ("marcus@1.0.9: run `stoic eval`", "marcus@1.0.9: run stoic eval.\n"),
    ],
)
def test_a_report_without_comparison_says_why_and_what_to_do(
    make_data: Make, uncompared: str | None, said: str
) -> None:
    data = make_data(compared=False, uncompared=uncompared, comparable="marcus@1.0.0")
    assert f"Not compared with another version: {said}" in Structure(render_report(data)).text
    unfinished = replace(data, evaluation={**data.evaluation, "status": "incomplete"})
    assert "Not compared" not in Structure(render_report(unfinished)).text, "no command could compare it"


def test_a_base_whose_trials_are_gone_leaves_the_verdict(make_data: Make) -> None:
    base = EvaluationRows({"agent_version": "marcus@1.0.0", "evaluation_id": "eval-1.0.0"})
    html = render_report(make_data(base=base))
    assert "Regressed against marcus@1.0.0" in html
    assert "the base’s trials are not stored here" in html
