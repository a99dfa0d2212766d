"""Feedback files on their way into the table."""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb
from imported_feedback import VERSION, conversed, evaluated, rated, table, taken

from stoic_assets.adapters.ratings.feedback_files import read_feedback, store_feedback
from stoic_assets.adapters.workplace import Workplace


def test_files_become_rows_once(workplace: Workplace, put: Callable[..., Path]) -> None:
    evaluated(workplace, VERSION)
    put("a.json", timestamp="2026-03-01T10:00:00Z")
    copy = put("copy.json", timestamp="2026-03-01T10:00:00Z")
    copy.write_text(copy.read_text(), encoding="utf-8-sig")
    put("b.json", dimension_feedback=[{"dimension": "clarity", "score": 0, "confidence": 1}])
    found = taken(workplace)
    assert (len(found.rows), found.complaints, found.unmapped) == (2, (), ["clarity"])
    row = next(each for each in table(workplace) if each["unmapped_dimensions"] == [])
    assert (row["agent_version"], row["origin"], row["kind"]) == (VERSION, "a.json", "metrics")
    assert row["given_at"] == datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_taking_the_same_in_again_writes_nothing(workplace: Workplace, put: Callable[..., Path]) -> None:
    put()
    conversed(workplace)
    rated(workplace, "anna", "ben")
    before = asyncio.run(read_feedback(workplace, None))
    assert len(store_feedback(workplace, before)) == 2
    assert store_feedback(workplace, asyncio.run(read_feedback(workplace, None))) == {}
    with duckdb.connect(str(workplace.warehouse.published), read_only=True) as people:
        assert people.execute("select count(*) from human_feedback_evaluations").fetchall() == [(2,)]


def test_a_file_whose_name_is_not_in_utf_8_is_taken_in_once(workplace: Workplace, put: Callable[..., Path]) -> None:
    put(os.fsdecode(b"caf\xe9.json"))
    taken(workplace)
    assert [row["origin"] for row in table(workplace)] == ["caf\ufffd.json"]
    assert store_feedback(workplace, asyncio.run(read_feedback(workplace, None))) == {}


def test_a_file_taken_away_is_taken_out_of_the_table(workplace: Workplace, put: Callable[..., Path]) -> None:
    path = put()
    taken(workplace)
    path.unlink()
    taken(workplace)
    assert table(workplace) == []


def test_a_wrong_file_keeps_no_other_out(workplace: Workplace, put: Callable[..., Path]) -> None:
    put("good.json")
    put("wrong.json", overall_satisfaction=3)
    put("._good.json").write_text("of an editor")
    found = taken(workplace)
    assert len(found.rows) == 1
    assert "wrong.json:1: overall_satisfaction" in found.complaints[0]
    assert not any("._good" in complaint for complaint in found.complaints)


def test_a_file_that_is_half_written_keeps_its_row_version_and_time(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    evaluated(workplace, "marcus@1.0.0")
    path = put(agent_version=None, agent_id="marcus")
    taken(workplace)
    evaluated(workplace, VERSION, "2026-03-02T02:00:00Z")
    before, text = table(workplace), path.read_text()
    path.write_text(text[:60])
    [complaint] = taken(workplace).complaints
    assert complaint.endswith("what it said before still counts, until it is corrected or removed")
    assert table(workplace) == before
    copy = path.with_name("copy.json")
    copy.write_text(text)
    assert "still counts" not in taken(workplace).complaints[0]
    assert [row["origin"] for row in table(workplace)] == ["copy.json"]
    copy.unlink()
    path.write_text(text)
    assert taken(workplace).complaints == ()
    assert [(row["agent_version"], row["given_at"]) for row in table(workplace)] == [
        (row["agent_version"], row["given_at"]) for row in before
    ]
    path.unlink()
    taken(workplace)
    assert table(workplace) == []


def test_an_agent_means_its_newest_version_and_stays_with_it(workplace: Workplace, put: Callable[..., Path]) -> None:
    put(agent_version=None, agent_id="marcus")
    assert "agent 'marcus' was never evaluated; set agent_version" in taken(workplace).complaints[0]
    evaluated(workplace, "marcus@1.0.0")
    taken(workplace)
    evaluated(workplace, VERSION, "2026-03-02T02:00:00Z")
    taken(workplace)
    assert [row["agent_version"] for row in table(workplace)] == ["marcus@1.0.0"]
    put("new.json", agent_version=None, agent_id="marcus", task_id="other")
    taken(workplace)
    assert sorted(row["agent_version"] for row in table(workplace)) == ["marcus@1.0.0", VERSION]


def test_a_version_that_was_never_evaluated_is_named_and_its_feedback_kept(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    evaluated(workplace, "marcus@1.0.0")
    put()
    said = f"{VERSION} was never evaluated: its feedback counts once it is; correct agent_version if that is a slip"
    assert taken(workplace).complaints == (f"a.json: {said}",)
    for number in range(7):
        put(f"b{number}.json", task_id=f"task {number}")
    assert taken(workplace).complaints == (f"a.json, b0.json, b1.json, b2.json, b3.json and 3 more: {said}",)
    assert {row["agent_version"] for row in table(workplace)} == {VERSION}
    evaluated(workplace, VERSION)
    assert taken(workplace).complaints == ()
