"""What an analysis learns of the pages that were rated, and what it stores."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
from rated_trials import MARKS, VERSION, ratings_of, save, store, trial

from stoic_assets.adapters.ratings import rating_analysis
from stoic_assets.adapters.ratings.feedback_files import rated_replies
from stoic_assets.adapters.ratings.rating_analysis import analyse_ratings
from stoic_assets.adapters.ratings.rating_keys import read_keys
from stoic_assets.adapters.ratings.ratings_store import build, collect, rated_items
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.ratings.rubric import rubric_version


def test_analysis_learns_what_was_shown(workplace: Workplace) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    keys = read_keys(workplace.project.home)
    items = rated_items(workplace.warehouse, keys)
    assert set(items) == set(keys)
    [shown] = [items[test_id] for test_id, key in keys.items() if key.trial_id]
    assert (shown.input, shown.words, shown.effectiveness) == ("I write about grief.", 4 + 6, 0.7)
    assert (shown.agent_version, shown.scenario) == (VERSION, "grief")
    assert sum(bool(item.attention) for item in items.values()) == 2


def test_the_effectiveness_that_an_agent_reported_last_is_known(workplace: Workplace) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    turns = workplace.warehouse.read("turns", VERSION, "e1")
    again = {**turns[-1], "turn": 3, "events": json.dumps([{"effectiveness": 0.9}])}
    workplace.warehouse.write("turns", VERSION, "e1", [again, *turns])
    items = rated_items(workplace.warehouse, read_keys(workplace.project.home))
    assert {item.effectiveness for item in items.values()} == {0.9, None}


def test_the_page_that_was_rated_last_is_analysed(workplace: Workplace, tmp_path: Path) -> None:
    for version, day in ((VERSION, 1), ("marcus@1.1", 2)):
        store(workplace, f"e{day}", [trial(f"e{day}", "grief")], version=version)
        page = build(workplace, [version]).page_id
        ids = {test_id for test_id, key in read_keys(workplace.project.home).items() if key.agent_version == version}
        given = ratings_of(workplace, timestamp=f"2026-02-0{day}T10:00:00Z")
        collect(workplace, [save(tmp_path, [each for each in given if each["test_id"] in ids])])
    found = analyse_ratings(workplace).analysis
    assert (found.study.page_id, found.study.rubric, found.table.ratings) == (page, rubric_version(), 1)
    assert workplace.warehouse.query("select distinct page_id, rubric from rater_reliability") == [
        {"page_id": page, "rubric": rubric_version()}
    ]
    [other] = found.study.others
    assert analyse_ratings(workplace, other).analysis.study.others == (page,)


def test_what_the_checks_of_raters_found_is_stored(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    page = build(workplace, [VERSION]).page_id
    collect(workplace, [save(tmp_path, ratings_of(workplace))])
    analyse_ratings(workplace)
    [found] = workplace.warehouse.query("select * from rater_checks")
    assert (found["rater_id"], found["check"], found["page_id"]) == ("ann", "missed_attention", page)


def test_no_rating_comes_in_while_a_study_is_analysed(
    workplace: Workplace, tmp_path: Path, steps_alone: Callable[..., list[str]]
) -> None:
    """From the moment when ratings are read to the end of what is written."""
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    collect(workplace, [save(tmp_path, ratings_of(workplace))])
    called = steps_alone(
        workplace.project.home, (rating_analysis, "chosen_study"), (type(workplace.warehouse), "publish")
    )
    analyse_ratings(workplace)
    assert called == ["chosen_study", "publish"]


def test_a_study_without_an_evaluation_stands_in_the_file_for_people_too(workplace: Workplace, tmp_path: Path) -> None:
    rating = {"test_id": "r1", "rater_id": "ann", "timestamp": "2026-02-01T10:00:00Z", "ratings": MARKS}
    given = [rating | {"overall": "yes", "comments": "", "meta": {}}]
    for command, table in (
        (lambda: collect(workplace, [save(tmp_path, given)]), "human_ratings"),
        (lambda: analyse_ratings(workplace), "rater_reliability"),
    ):
        workplace.warehouse.published.unlink(missing_ok=True)
        command()
        with duckdb.connect(str(workplace.warehouse.published), read_only=True) as people:
            assert people.execute(f"select count(*) > 0 from {table}").fetchall() == [(True,)]


def test_going_on_on_a_second_page_leaves_the_first_as_it_was(workplace: Workplace, tmp_path: Path) -> None:
    for version, evaluation in ((VERSION, "e1"), ("marcus@1.1", "f1")):
        store(workplace, evaluation, [trial(evaluation, "grief")], version=version)
    one = build(workplace, [VERSION]).page_id
    for rater in ("ann", "ben"):
        save(tmp_path / "in", ratings_of(workplace, rater), f"{rater} one.json")
    first = collect(workplace, [tmp_path / "in"])
    two = build(workplace, [VERSION, "marcus@1.1"]).page_id
    for rater in ("ann", "ben"):
        save(tmp_path / "in", ratings_of(workplace, rater), f"{rater} 2.json")
    assert collect(workplace, [tmp_path / "in"]).merged.new == first.merged.new + 2
    for page, rated in ((one, 2), (two, 4)):
        found = analyse_ratings(workplace, page).analysis
        assert (found.table.ratings, len(found.study.rows)) == (rated, rated + 2 * 7)
    assert [found.metrics.interpretation_confidence for found in asyncio.run(rated_replies(workplace))] == [0.5, 0.5]
    again = collect(workplace, [tmp_path / "in" / "ann one.json"])
    assert (again.merged.unchanged, again.merged.rows) == (first.merged.new // 2, {})
