"""The page is complete: every column, every link and its target, in an order that does not change, in time."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rendered_page import Make, Structure, render_report

from stoic_assets.core.table_rows import Row, Rows


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


def marked_rows(table: str, rows: Rows, names: Sequence[str]) -> list[Row]:
    """The rows with their values in these columns replaced by where they stand."""
    return [{**row, **{name: mark(table, name, row[name]) for name in names}} for row in rows]


def mark(table: str, name: str, value: object) -> object:
    """A value of the same kind that says which column it stands in; times, numbers and flags as they are."""
    if isinstance(value, list):
        return [f"seen-{table}-{name}"]
    return f'"seen-{table}-{name}"' if value is None or isinstance(value, str) else value


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


@pytest.mark.long
def test_a_large_evaluation_renders_in_time(make_data: Make) -> None:
    data = make_data(trials=200, turns=18)
    began = time.process_time()
    html = render_report(data)
    assert time.process_time() - began < 5
    assert html.count('class="trial') == 200
    assert html.count('class="flip"') == 10
