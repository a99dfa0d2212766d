"""Rating files on their way from a real disk into a real warehouse."""

import threading
from pathlib import Path

import pytest
from rated_trials import MARKS, VERSION, ratings_of, rows, save, store, trial

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.ratings.rating_keys import keys_file, ratings_folder
from stoic_assets.adapters.ratings.ratings_store import build, collect
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_in_which_files_are_named_is_of_no_account(
    workplace: Workplace, tmp_path: Path, order: int
) -> None:
    rating = {"test_id": "x", "rater_id": "ann", "timestamp": "2026-02-01T10:00:00Z", "overall": "yes"}
    paths = [
        save(tmp_path / "sent", [rating | {"ratings": MARKS | {"helpfulness": mark}}], f"{name}.json")
        for name, mark in (("first", 5), ("second", 2))
    ]
    assert collect(workplace, paths[::order]).merged.superseded == 1
    assert [row["helpfulness"] for row in rows(workplace)] == [2]


def test_what_comes_back_finds_its_trial(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    collected = collect(workplace, [save(tmp_path / "in", ratings_of(workplace))])
    assert (collected.files, collected.merged.new, collected.merged.unknown) == (1, 8, 0)
    [row] = [row for row in rows(workplace) if row["trial_id"]]
    assert (row["agent_version"], row["evaluation_id"]) == (VERSION, "e1")
    assert row["trial_id"] == "e1.counsel.grief.withheld.1"
    assert (row["helpfulness"], row["actionability"], row["seconds"], row["practice"]) == (4, None, 20.5, False)
    others = [row for row in rows(workplace) if not row["trial_id"]]
    assert {(row["agent_version"], row["evaluation_id"]) for row in others} == {("unknown@unknown", "elsewhere")}
    assert sorted((row["practice"], row["attention"]) for row in others) == [(False, True)] * 2 + [(True, False)] * 5


def test_collecting_is_idempotent_and_takes_changes(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    file = save(tmp_path / "in", ratings_of(workplace))
    collect(workplace, [file])
    save(tmp_path / "in", "of an editor", "._ann.json")
    again = collect(workplace, [file, tmp_path / "in"])
    assert (again.files, again.merged.rows) == (1, {})
    assert (again.merged.new, again.merged.changed, again.merged.unchanged) == (0, 0, 8)
    changed = ratings_of(workplace, overall="no", timestamp="2026-02-02T10:00:00Z", comments="open sesame")
    later = collect(workplace, [save(tmp_path / "in", changed, "ann (2).json")])
    assert (later.merged.new, later.merged.changed, later.merged.unchanged) == (0, 8, 0)
    assert {(row["overall"], row["comments"]) for row in rows(workplace)} == {("no", "open [redacted]")}
    assert collect(workplace, [tmp_path / "in"]).merged.changed == 0


def test_studies_made_elsewhere_are_taken(workplace: Workplace, tmp_path: Path) -> None:
    ratings = [
        {
            "test_id": f"eff_{n:03}", "rater_id": rater, "timestamp": "2025-11-25T10:00:00Z", "ratings": MARKS,
            "overall": "maybe",
        }
        for n in range(3) for rater in ("rater_001", "rater_002")
    ]  # fmt: skip
    collected = collect(workplace, [save(tmp_path / "in", ratings)])
    assert (collected.merged.new, collected.merged.unknown) == (6, 6)
    assert {row["trial_id"] for row in rows(workplace)} == {None}


def test_nothing_is_taken_when_one_file_is_wrong(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    save(tmp_path / "in", ratings_of(workplace))
    save(tmp_path / "in", ratings_of(workplace, rater="bob", overall="perhaps"), "bob.json")
    with pytest.raises(ConfigurationError, match=r"bob\.json: item 1 \(test_id '\w+'\): overall: "):
        collect(workplace, [tmp_path / "in"])
    assert rows(workplace) == []


def test_a_rating_from_the_future_is_refused(workplace: Workplace, tmp_path: Path) -> None:
    rating = {"test_id": "x", "rater_id": "ann", "timestamp": "2999-01-01T00:00:00Z", "ratings": MARKS}
    rating["overall"] = "yes"
    with pytest.raises(ConfigurationError, match="timestamp: '2999-01-01T00:00:00Z' is in the future"):
        collect(workplace, [save(tmp_path, rating)])


def test_a_missing_file_is_named(workplace: Workplace, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.json cannot be read: No such file"):
        collect(workplace, [tmp_path / "nowhere.json"])


def test_the_ending_of_a_file_may_be_in_capitals(workplace: Workplace, tmp_path: Path) -> None:
    for name in ("ann.JSON", "ben.Json", "notes.txt"):
        save(tmp_path, [], name)
    assert collect(workplace, [tmp_path]).files == 2


def test_the_folder_of_keys_can_be_collected(workplace: Workplace) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    folder = ratings_folder(workplace.project.home)
    save(folder, ratings_of(workplace))
    assert collect(workplace, [folder]).files == 1
    assert collect(workplace, []).files == 0


def test_damaged_keys_stop_everything(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    file = save(tmp_path / "in", ratings_of(workplace))
    keys_file(workplace.project.home).write_text("{")
    for action in (lambda: build(workplace, [VERSION]), lambda: collect(workplace, [file])):
        with pytest.raises(ConfigurationError, match=r"keys\.json cannot be read; restore it"):
            action()
    assert keys_file(workplace.project.home).read_text() == "{"


def test_a_home_that_cannot_be_written_is_named(workplace: Workplace, tmp_path: Path) -> None:
    workplace.project.home.mkdir()
    ratings_folder(workplace.project.home).write_text("a file stands in the way")
    with pytest.raises(StorageError, match="ratings cannot be written"):
        collect(workplace, [save(tmp_path / "in", [])])


def test_two_at_once_lose_nothing(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    files = [save(tmp_path, ratings_of(workplace, rater_id=f"r{n}"), f"{n}.json") for n in range(6)]
    threads = [threading.Thread(target=collect, args=(workplace, [file])) for file in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rows(workplace)) == 6 * 8
    assert {row["rater_id"] for row in rows(workplace)} == {f"r{n}" for n in range(6)}
