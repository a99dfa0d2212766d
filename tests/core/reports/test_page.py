"""The page: complete, self-contained, and dead whatever the transcripts say."""

import base64
import hashlib
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from itertools import cycle
from typing import get_args

import pytest

from stoic_assets.core.conversation.evidence import Outcome
from stoic_assets.core.presentation.formatting import words
from stoic_assets.core.reports.data import BaseVersion, ReportData
from stoic_assets.core.reports.page import report_parts
from stoic_assets.core.reports.version_comparison import differences
from stoic_assets.core.table_rows import Row, Rows

Make = Callable[..., ReportData]
PutText = Callable[[ReportData, str], ReportData]

HOSTILE = [
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)", "</style><style>*{background:url(http://evil)}", "<!-- ", "{{ 7 * 7 }}{% include 'x' %}",
    "</pre></details></main><base href=http://evil>", "]]><svg onload=alert(1)>", "javascript:alert(1)",
    "&lt;b&gt;&#60;script&#62;",
    "<iframe srcdoc='<script>alert(1)</script>'>", "<meta http-equiv=refresh content=0;url=http://evil>",
]
REACHING_OUT = {"href", "src", "action", "formaction", "xlink:href", "srcset", "data", "poster", "background"}


def render_report(data: ReportData) -> str:
    """The page in one piece."""
    return "".join(report_parts(data))


class Structure(HTMLParser):
    """The elements of a page with the names of their attributes, the values that could reach out, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, ...]] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if (tag, attrs) == ("wbr", []):  # a name may break where a hostile one has its dots
            return
        self.elements.append((tag, *(name for name, _ in attrs)))
        self.links += [value or "" for name, value in attrs if name in REACHING_OUT]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def test_hostile_text_is_shown_and_changes_no_element(make_data: Make, put_text: PutText) -> None:
    data = make_data(trials=2, turns=2)
    harmless = Structure(render_report(put_text(data, " harmless" * len(HOSTILE))))
    hostile = Structure(render_report(put_text(data, " ".join(HOSTILE))))
    assert hostile.elements == harmless.elements
    assert all(link.startswith(("#", "data:,")) for link in hostile.links)
    assert {text for text in HOSTILE if hostile.text.count(text) < 80} == set()


def test_hidden_characters_are_visible_and_the_page_can_be_written(make_data: Make, put_text: PutText) -> None:
    html = render_report(put_text(make_data(trials=4), "\u202e\x00\ud800"))
    html.encode("utf-8")
    assert not re.search("[\x00\u202e\ud800]", html)
    assert html.count("[U+202E][U+0000][U+D800]") > 100


def test_the_first_screen_says_what_went_wrong(make_data: Make) -> None:
    html = render_report(make_data(trials=24, compared=False))
    summary = Structure(html[html.index('id="summary"') : html.index('id="overview"')])
    said = " ".join(summary.text.split())
    assert said.index("2 × Agent error no reply in 4 attempts") < said.index("1 × Evaluator error it was empty twice")
    assert summary.links
    assert {link[1:] for link in summary.links} <= set(Structure(html).ids)
    assert "What went wrong" not in render_report(make_data(trials=3, compared=False))


def test_a_message_of_megabytes_makes_no_page_of_megabytes(make_data: Make) -> None:
    data = make_data()
    long = [{**turn, "content": "word " * 100_000} for turn in data.turns]
    page = render_report(replace(data, turns=long))
    assert "characters left out of this page; the tables have them]" in page
    assert len(page) < len(render_report(data)) + 50_000 * len(long)  # some are shown beside those of the base, too


def test_code_in_a_message_is_shown_as_code(make_data: Make) -> None:
    data = make_data(trials=2, turns=2)
    turns = [{**turn, "content": "So:\n```py\n  <b>\n```\nDone"} for turn in data.turns]
    page = render_report(replace(data, turns=turns))
    shown = '<p class="said" dir="auto">So:\n<code class="block" dir="ltr">```py\n  &lt;b&gt;\n```\n</code>Done</p>'
    assert page.count(shown) == page.count(">So:") > len(turns)  # some are shown beside those of the base, too


def test_the_policy_forbids_everything_but_our_script(usual_page: str) -> None:
    html = usual_page
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert html.index("Content-Security-Policy") < html.index("<style")
    assert "http" not in re.sub(r'http-equiv|xmlns(:xlink)?="[^"]*"', "", html).replace("HTTP 500", "")


def test_every_link_has_its_target_and_every_id_is_one(usual_page: str) -> None:
    page = Structure(usual_page)
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_no_table_is_called_as_a_section_is(usual_page: str) -> None:
    titles = {re.sub(r"\s+", " ", title) for title in re.findall(r"<h2[^>]*>(.*?)</h2>", usual_page)}
    tables = re.findall(r'role="region" aria-label="([^"]*)"', usual_page)
    assert {"Measures", "Jobs by condition"} <= titles
    assert "Table: Measures" in tables
    assert not titles & set(tables)


def test_the_reason_of_a_dash_can_be_read_without_a_pointer(usual_page: str) -> None:
    reasons = set(re.findall(r'<abbr class="none" title="([^"]*)">', usual_page))
    below = " ".join(re.findall(r'<p class="note">– (.*?)</p>', usual_page))
    assert len(reasons) > 5
    assert [why for why in reasons if why not in below and f">{why}<" not in usual_page] == []


COLUMNS = {
    "trials": ("job", "detail", "session_id", "user", "tags"),
    "turns": ("content", "events"),
    "observations": ("parameters", "result"),
    "virtue_scores": ("judge_model", "reasoning", "supporting_examples", "improvement_suggestions", "error"),
    "task_scores": ("task_text", "reason", "judge_model", "error"),
    "tone_scores": ("reason", "judge_model", "error"),
    "assertion_results": ("assertion", "text", "expected", "actual", "error"),
    "weak_virtues": ("suggestions",),
    "fitness_updates": ("objectives", "improvement_areas"),
    "llm_calls": ("role", "model"),
    "version_comparisons": ("base", "why", "notes", "base_evaluation_id"),
    "job_reliability": ("job",),
}
BASE_COLUMNS = {"turns": ("content",), "assertion_results": ("actual",), "observations": ("result",)}
"""What the side-by-side view shows of the base beside what both versions have in common."""


def test_every_column_finds_its_way_into_the_page(make_data: Make) -> None:
    data = make_data(trials=1)
    marked = {table: marked_rows(table, getattr(data, table), names) for table, names in COLUMNS.items()}
    evaluation = {name: mark("evaluations", name, value) for name, value in data.evaluation.items() if name != "agent"}
    text = Structure(render_report(replace(data, **marked, evaluation=evaluation))).text
    absent = [(table, name) for table, names in COLUMNS.items() for name in names if f"seen-{table}-{name}" not in text]
    assert not absent
    assert not [name for name, value in evaluation.items() if isinstance(value, str) and value not in text]


def test_the_evidence_of_the_base_stands_beside_that_of_this_version(make_data: Make) -> None:
    data = make_data(trials=1)
    assert data.base
    marked = {n: marked_rows(f"base_{n}", getattr(data.base, n), names) for n, names in BASE_COLUMNS.items()}
    text = Structure(render_report(replace(data, base=replace(data.base, **marked)))).text
    sought = [f"seen-base_{table}-{name}" for table, names in BASE_COLUMNS.items() for name in names]
    assert not [name for name in sought if name not in text]


def test_what_an_assertion_expected_and_found_is_read_in_letters(make_data: Make) -> None:
    data = make_data(trials=2)
    assert data.base
    escaped = {"expected": r'"\u58a8\u5c14\u672c"', "actual": r'"Z\u00fcrich \u202e"'}
    rows = [row | escaped for row in data.assertion_results]
    base = replace(data.base, assertion_results=[row | escaped for row in data.base.assertion_results])
    text = Structure(render_report(replace(data, assertion_results=rows, base=base))).text
    assert '"墨尔本"' in text
    assert '"Zürich [U+202E]"' in text
    assert r"\u" not in text


def marked_rows(table: str, rows: Rows, names: Sequence[str]) -> list[Row]:
    """The rows with their values in these columns replaced by where they stand."""
    return [{**row, **{name: mark(table, name, row[name]) for name in names}} for row in rows]


def mark(table: str, name: str, value: object) -> object:
    """A value of the same kind that says which column it stands in; times, numbers and flags as they are."""
    if isinstance(value, list):
        return [f"seen-{table}-{name}"]
    return f'"seen-{table}-{name}"' if value is None or isinstance(value, str) else value


def test_first_screen_of_a_good_run_has_no_banner(usual_page: str) -> None:
    assert "No verdict" not in usual_page
    assert "mean nothing" not in usual_page
    assert "not calibrated on people’s ratings" in usual_page
    assert ">Not calibrated: this judge has not been compared with people’s ratings yet" in usual_page
    assert "run <code>stoic ratings calibrate</code>.</p>" in usual_page


def test_how_scores_agree_with_peoples_is_told_first_in_short_and_below_in_figures(make_data: Make) -> None:
    row = {"virtue": "wisdom", "judge_model": "claude-opus,gpt-4.1", "why": None, "items": 80, "raters": 3}
    figures = {"estimate": -0.08, "low": -0.23, "high": 0.08}
    known = [row | figures | {"measure": measure} for measure in ("spearman", "alpha_people")]
    html = render_report(make_data(trials=2, turns=2, judge_calibration=known))
    glance, virtues = (html[html.index(f'id="{part}"') :].split("</section>")[0] for part in ("overview", "virtues"))
    assert "agree with people&#39;s: wisdom. <a href=\"#against-people\">" in glance
    assert "rank correlation" not in glance
    assert "<li>Wisdom by claude-opus,gpt-4.1: rank correlation with people −0.08" in virtues


@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_the_first_screen_explains_how_conversations_ended(make_data: Make, outcome: str) -> None:
    data = make_data(trials=2)
    ended = {
        table: [{**row, "outcome": outcome} for row in getattr(data, table)] for table in ("composite_scores", "trials")
    }
    html = render_report(replace(data, **ended))
    explained = re.findall(rf'<p class="note">{words(outcome)}: ([^<]+)\.</p>', html)
    assert len(explained) == 1
    assert f'<span title="{explained[0]}"' in html


def test_only_measures_in_the_family_are_counted_as_tested_together(make_data: Make, usual_page: str) -> None:
    assert "adjusted (Holm), because 8 measures are tested together." in usual_page
    data = make_data()
    alone, *rest = data.version_comparisons
    few = [{**row, "p_adjusted": None} for row in rest]
    assert "p is one-sided.\n" in render_report(replace(data, version_comparisons=[alone, *few]))


def test_a_difference_that_no_jobs_detect_is_a_dash(make_data: Make) -> None:
    data = make_data()
    rows = [{**row, "detectable": row["detectable"] and 1.53} for row in data.version_comparisons]
    html = render_report(replace(data, version_comparisons=rows))
    assert ">1.53<" not in html
    assert 'title="too few jobs to detect any difference with 90\u00a0% power"' in html


def test_judging_again_makes_no_conversation_longer(make_data: Make) -> None:
    data = make_data(trials=2, turns=2, compared=False)
    began = data.evaluation["started_at"]
    judged = [{**row, "evaluated_at": began + timedelta(hours=9, minutes=n)} for n, row in enumerate(data.task_scores)]
    evaluation = {**data.evaluation, "ended_at": began + timedelta(hours=10)}
    page = " ".join(render_report(replace(data, evaluation=evaluation, task_scores=judged)).split())
    ended = "the last conversation ended 31.0 s later, judged 2026-11-21 23:03 UTC, "
    assert f"evaluated 2026-11-21 14:02 UTC, {ended}" in page


def test_the_page_says_which_bound_held(make_data: Make, usual_page: str) -> None:
    assert "if its confidence is above" not in usual_page
    virtues = [{**row, "confidence_above": 0.5} for row in make_data().evaluation_virtues]
    page = render_report(make_data(evaluation_virtues=virtues))
    assert ">A virtue with a low score is weak if its confidence is above 0.50.<" in page


def test_offline_and_too_many_invalid_trials_are_told_first(make_data: Make) -> None:
    data = make_data(invalid_trials_threshold=0.01)
    html = render_report(replace(data, evaluation={**data.evaluation, "offline": True}))
    assert html.index("Scores mean nothing") < html.index("No verdict.") < html.index("Average score")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"fitness": 0.66, "conclusive": True, "scored_trials": 6, "revision": 1, "delivered_at": None},
            "Fitness 0.66 in the fitness update: waiting in the outbox.",
        ),
        (
            {"conclusive": True, "scored_trials": 6, "revision": 1, "fitness_why": "the agent failed in every trial"},
            "No fitness (the agent failed in every trial) in the fitness update: waiting in the outbox.",
        ),
        (
            {"conclusive": False, "scored_trials": 6, "revision": 1, "fitness_why": "too many trials are invalid"},
            "No fitness (too many trials are invalid) in the fitness update: not sent.",
        ),
        (
            {"conclusive": True, "scored_trials": 0, "revision": 1, "fitness_why": "no trial was scored"},
            "No fitness (no trial was scored) in the fitness update: not sent.",
        ),
        (
            {"conclusive": False, "scored_trials": 6, "revision": 2, "fitness_why": "too many trials are invalid"},
            "No fitness (too many trials are invalid) in the fitness update: waiting in the outbox.",
        ),
    ],
)
def test_a_fitness_update_that_is_never_sent_waits_nowhere(make_data: Make, row: Row, said: str) -> None:
    data = make_data(trials=1, turns=2, compared=False, fitness_updates=[{"fitness": None} | row])
    assert said in " ".join(Structure(render_report(data)).text.split())


def test_the_means_name_the_trials_that_have_one(make_data: Make) -> None:
    data, without = make_data(trials=4), {"overall": None}
    some = [row | (without if place else {}) for place, row in enumerate(data.composite_scores)]
    assert "Mean of the overall score of 4 scored trials, 0–1. Overall is" in render_report(data)
    assert "Mean of the overall score of 1 of 4 scored trials, 0–1; the others have none." in render_report(
        replace(data, composite_scores=some)
    )
    alone = render_report(make_data(trials=1, evaluation_scores={"fitness": None}))
    assert "Mean of the overall score of 1 scored trial, 0–1. Overall is" in alone
    assert "<p>No virtue was scored.</p>" in alone


def test_where_no_assertion_was_checked_none_is_said_to_have_held(make_data: Make) -> None:
    data = make_data(trials=2)
    held = [row | {"passed": True} for row in data.assertion_results]
    assert "No assertion failed in a scored trial." in render_report(replace(data, assertion_results=held))
    none = render_report(replace(data, assertion_results=()))
    assert "No assertion was checked in a scored trial." in none
    assert "No assertion was checked in both versions." in none
    untold = [row | {"passed": None} for row in data.assertion_results]
    assert "No assertion was checked in a scored trial." in render_report(replace(data, assertion_results=untold))


def test_the_verdict_and_its_notes_come_first(usual_page: str) -> None:
    verdict = "Regressed against marcus@1.0.0:</strong> assertion −0.33 (95\u00a0% −0.45 to −0.21), wisdom −0.21 "
    notes = ["was evaluated 9 days before", "each job counts once"]
    order = [verdict, *notes, "What changed most", "not part of the verdict", "Average score"]
    assert [usual_page.count(part) for part in order] == [1] * len(order)
    assert sorted(order, key=usual_page.index) == order
    assert "<title>marcus@1.1.0 regressed" in usual_page


def test_without_a_comparison_nothing_is_set_against_another_version(make_data: Make) -> None:
    html = render_report(make_data(version_comparisons=(), base=None, uncompared="the two have no job in common"))
    assert "Not compared with another version: the two have no job in common." in html
    assert not re.search('id="(flips|comparison)"|Dashed line|score in ', html)


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
    assert html.count('class="flip"') == html.count("virtues 0.74 → 0.27") / 2 == 5
    assert re.search(r'<a href="#(flip-1)">.*<div class="inside" id="\1">', html, re.DOTALL)
    assert "did an assertion hold more or less often" in html
    first = html.partition('id="changed-virtues-title"')[2].partition("</details>")[0]
    assert "<h4>Virtues</h4>" in first
    assert "Passed 0 of" not in first


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


def test_too_many_invalid_trials_leave_no_verdict_on_the_version(make_data: Make) -> None:
    html = render_report(make_data(invalid_trials_threshold=0.01))
    assert "No verdict." in html
    assert "Regressed against" not in html


@pytest.mark.parametrize(
    ("outcomes", "way"), [(("judge_error",), "regrade"), (("judge_error", "infra_error"), "eval")]
)
def test_without_a_verdict_the_way_on_is_named(make_data: Make, outcomes: tuple[str, ...], way: str) -> None:
    data = make_data(trials=2, turns=2, compared=False)
    invalid = [
        {**row, "outcome": outcome, "valid": False}
        for row, outcome in zip(data.composite_scores, cycle(outcomes), strict=False)
    ]
    page = " ".join(render_report(replace(data, composite_scores=invalid)).split())
    banner = page[page.index("<strong>No verdict.</strong>") :].partition("</p>")[0]
    assert banner.count("<code>") == banner.count(f"<code>stoic {way} --agent-version marcus@1.1.0 --") == 1


@pytest.mark.parametrize(("status", "said"), [("regrading", True), ("finished", False)])
def test_scores_and_criteria_that_may_be_of_earlier_verdicts_say_so(make_data: Make, status: str, said: bool) -> None:
    data = make_data()
    html = render_report(replace(data, evaluation={**data.evaluation, "status": status}))
    again = "<code>stoic regrade --agent-version marcus@1.1.0 --evaluation eval-1.1.0</code> (same options)."
    assert ("and verdicts on other criteria than those shown beside them." in html) is said
    assert (f"Judging it again was cut short; continue with {again}" in html) is said
    assert ("Regressed against" in html) is not said, "there is no verdict before it is finished"


@pytest.mark.parametrize(
    ("status", "planned", "why"),
    [
        ("incomplete", 4, "2 of 4 trials were run before the cost ceiling was reached; continue with stoic eval"),
        ("incomplete", 2, "The cost ceiling was reached before all verdicts were given; continue with stoic eval"),
        ("regrading", 2, "Judging it again was cut short; continue with stoic regrade"),
    ],
)
@pytest.mark.parametrize("valid", [True, False])
def test_at_the_cost_ceiling_a_report_asks_for_a_higher_one_however_much_was_scored(
    make_data: Make, status: str, planned: int, why: str, valid: bool
) -> None:
    data = make_data(trials=2, turns=2)
    unpaid = {**data.task_scores[0], "score": None, "error": "cost ceiling reached before the verdict: 1 USD"}
    ended = {"valid": valid, "outcome": "signed_off" if valid else "judge_error"}
    cut = replace(
        data, evaluation={**data.evaluation, "status": status}, evaluation_scores={"planned_trials": planned},
        task_scores=[unpaid], composite_scores=[row | ended for row in data.composite_scores],
    )
    text = Structure(render_report(cut)).text
    banner = text[text.index("No verdict.") :].partition("max-cost")[0]
    assert banner.startswith(f"No verdict. {why}")
    assert banner.endswith(" and a higher --")
    assert not re.search("Correct the causes|Regressed against|are invalid, more", text)


def test_a_base_whose_trials_are_gone_leaves_the_verdict(make_data: Make) -> None:
    html = render_report(make_data(base=BaseVersion({"agent_version": "marcus@1.0.0", "evaluation_id": "eval-1.0.0"})))
    assert "Regressed against marcus@1.0.0" in html
    assert "the base’s trials are not stored here" in html


def test_no_line_breaks_before_a_percent_sign_and_no_text_of_others_changes(
    make_data: Make, put_text: PutText, usual_page: str
) -> None:
    said = Structure(usual_page).text.partition("(() =>")[0]
    assert re.findall(r"\d+ %.{9}", said) == []
    assert {"95\u00a0%", "90\u00a0%"} <= set(re.findall("[0-9]+\u00a0%", said))
    assert "5 % 2" in Structure(render_report(put_text(make_data(trials=1, turns=2), "5 % 2"))).text


def test_empty_evaluations_and_absent_columns_make_a_page_without_nonsense() -> None:
    html = render_report(ReportData(evaluation={"agent_version": "m@1", "evaluation_id": "e", "offline": False}))
    text = Structure(html).text
    assert "No trial could be scored" in text
    assert not re.search(r"\b(None|nan|NaN|inf|Undefined)\b", text.partition("(() =>")[0])


@pytest.mark.parametrize("nothing", [None, math.nan])
def test_missing_numbers_are_dashes(make_data: Make, nothing: float | None) -> None:
    data = make_data(trials=8, compared=False)
    parts = ("timing", "task", "assertion", "overall", "tone", "virtue_overall", "virtue_confidence")
    rows = [{**row, **dict.fromkeys(parts, nothing)} for row in data.composite_scores]
    turns = [{**row, "response_ms": nothing} for row in data.turns]
    scores = {"average_overall": nothing}
    html = render_report(replace(data, composite_scores=rows, turns=turns, evaluation_scores=scores))
    assert not re.search(r"\b(None|nan|NaN)\b", Structure(html).text.partition("(() =>")[0])
    why = "In no scored trial was anything asked that an overall score measures: a task, an assertion, a time."
    assert f"{why} Overall is" in html


def test_trends_need_two_releases(make_data: Make, usual_page: str) -> None:
    data = make_data(trials=1)
    assert "Over releases" in usual_page
    one = [row for row in data.virtue_trends if row["agent_version"] == "marcus@1.1.0"]
    assert "Over releases" not in render_report(replace(data, virtue_trends=one))


def table_rows(html: str) -> list[list[str]]:
    """The words of each row of a page's tables; a name is one, wherever it may break."""
    rows = re.findall("<tr>.*?</tr>", html.replace("<wbr>", ""), re.DOTALL)
    return [" ".join(Structure(row).texts).split() for row in rows]


def test_every_number_of_the_virtue_charts_stands_in_a_table(usual_page: str) -> None:
    rows = table_rows(usual_page)
    assert ["Wisdom", "0.91", "0.83", "0.81", "16", "0"] in rows  # base, this version, its confidence
    assert ["marcus@0.9.0", "0.86", "0.70", "0.74", "0.60", "0.80"] in rows
    assert ["marcus@1.1.0", "0.78", "0.62", "0.66", "0.52", "0.72"] in rows


def test_a_virtue_that_a_release_did_not_score_has_a_dash_in_its_row(make_data: Make) -> None:
    data = make_data(trials=1, compared=False)
    later = [row for row in data.virtue_trends if row["virtue"] != "courage" and row["place"] < 3]
    page = render_report(replace(data, virtue_trends=later))
    assert ["marcus@1.0.0", "0.82", "–", "0.70", "0.56", "0.76"] in table_rows(page)
    assert "Mean score of each virtue in 2 releases, from marcus@0.9.0 to marcus@1.0.0." in page


def test_sample_score_and_confidence_of_a_verdict_stand_apart(usual_page: str) -> None:
    line = " ".join(Structure(usual_page.partition('<div class="verdict">')[2].partition("</p>")[0]).text.split())
    assert re.fullmatch(r"gpt-4\.1 sample 0 · score 0\.\d\d · stated confidence 0\.90", line)


def test_scenarios_stand_in_the_order_of_their_numbers(make_data: Make) -> None:
    data = make_data(trials=1, compared=False)
    names = ["s1", "s10", "s2"]
    places = [{"job": "suite", "scenario": name, "trial_id": f"e.suite.{name}.withheld.1"} for name in names]
    page = render_report(replace(
        data, trials=[data.trials[0] | place for place in places],
        composite_scores=[data.composite_scores[0] | place for place in places],
        job_reliability=[data.job_reliability[0] | place for place in places],
    ))  # fmt: skip
    links, cells, trials = (
        re.findall(before + r"(s\d+)", page) for before in (r'title="e\.suite\.', 'row">suite · ', "<h3>\n?suite · ")
    )
    assert [links[:3], cells, trials] == [["s1", "s2", "s10"]] * 3


def test_the_same_rows_give_the_same_page(make_data: Make, usual_page: str) -> None:
    assert render_report(make_data()) == usual_page


def test_a_large_evaluation_renders_in_time(make_data: Make) -> None:
    data = make_data(trials=200, turns=18)
    began = time.process_time()
    html = render_report(data)
    assert time.process_time() - began < 5
    assert html.count('class="trial') == 200
    assert html.count('class="flip"') == 10
