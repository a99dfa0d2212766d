"""Rating pages and rating files on a real disk and a real warehouse."""

import json
import re
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.project import Project
from stoic_assets.adapters.ratings.feedback_files import rated_replies
from stoic_assets.adapters.ratings.rating_analysis import analyse_ratings
from stoic_assets.adapters.ratings.rating_keys import forget_version, keys_file, ratings_folder, read_keys
from stoic_assets.adapters.ratings.ratings_store import build, collect, rated_items, scenario_replies
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.progress import Unwatched
from stoic_assets.core.ratings.rubric import rubric_version
from stoic_assets.core.settings import Settings

VERSION = "marcus@1.0"
MARKS = {
    "appropriateness": 5, "helpfulness": 4, "stoic_authenticity": 3, "emotional_intelligence": 4, "actionability": None,
}  # fmt: skip


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    home = tmp_path / "home"
    return Workplace(Project(tmp_path, home, home / "warehouse"), Settings(redact=("sesame",)), {}, Unwatched())


def trial(evaluation: str, scenario: str | None, **columns: Any) -> dict[str, Any]:
    row = {"job": "counsel", "scenario": scenario, "condition": "withheld", "repeat": 1, "outcome": "signed_off"}
    row |= columns
    trial_id = ".".join(str(part) for part in (evaluation, row["job"], scenario, row["condition"], row["repeat"]))
    rest = {"holdout": False, "failure_count": 0, "planned_tasks": 0, "turns": 2}
    return {"trial_id": trial_id, **row, **rest}


EVENTS = {"user": "[]", "agent": json.dumps([{"metrics": {"effectiveness": 0.7}}])}


def store(
    workplace: Workplace, evaluation: str, trials: list[dict[str, Any]], version: str = VERSION, day: int = 1
) -> None:
    """An evaluation with these trials; in each the agent says something of its own, unless it failed."""
    place = (version, evaluation)
    head = {"agent": "marcus", "started_at": f"2026-01-{day:02}T00:00:00Z", "status": "finished", "offline": True}
    turns = []
    for row in trials:
        said = [("user", f"I write about {row['scenario']}.")]
        said += [("agent", f"{version} says of {row['trial_id']}: bear it.")] if row["outcome"] != "agent_error" else []
        turns += [
            {"trial_id": row["trial_id"], "turn": turn, "speaker": who, "content": text, "events": EVENTS[who]}
            for turn, (who, text) in enumerate(said)
        ]
    workplace.warehouse.write("evaluations", *place, [head | {"planned_trials": 9}])
    workplace.warehouse.write("trials", *place, trials)
    workplace.warehouse.write("turns", *place, turns)


def ratings_of(workplace: Workplace, rater: str = "ann", **fields: Any) -> list[dict[str, Any]]:
    """One rating of every item of every page."""
    return [
        {
            "test_id": test_id, "rater_id": rater, "timestamp": "2026-02-01T10:00:00Z", "ratings": dict(MARKS),
            "overall": "yes", "comments": "", "meta": {"seconds": 20.5, "order_index": number, "page_id": key.page_id},
        } | fields
        for number, (test_id, key) in enumerate(read_keys(workplace.project.home).items())
    ]  # fmt: skip


def save(folder: Path, ratings: Any, name: str = "ann.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(ratings), encoding="utf-8")
    return folder / name


def rows(workplace: Workplace) -> list[dict[str, Any]]:
    return workplace.warehouse.query("select * from human_ratings order by rater_id, test_id")


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


def test_the_newest_evaluation_with_scenarios_is_shown(workplace: Workplace) -> None:
    store(workplace, "e1", [trial("e1", "grief")], day=1)
    store(workplace, "e2", [trial("e2", "grief"), trial("e2", "anger")], day=2)
    store(workplace, "e3", [trial("e3", None)], day=3)
    replies = scenario_replies(workplace, VERSION)
    assert {(reply.evaluation_id, reply.input) for reply in replies} == {
        ("e2", "I write about grief."), ("e2", "I write about anger."),
    }
    assert all("bear it" in reply.reply for reply in replies)


@pytest.mark.parametrize("order", [1, -1])
def test_each_scenario_is_shown_once_with_a_reply_that_counts(workplace: Workplace, order: int) -> None:
    trials = [
        trial("e1", "grief", repeat=2), trial("e1", "grief"), trial("e1", "grief", condition="supplied"),
        trial("e1", "anger", repeat=1, outcome="infra_error"), trial("e1", "anger", repeat=2),
        trial("e1", "envy", outcome="evaluator_error"), trial("e1", "fear", outcome="agent_error"),
    ]  # fmt: skip
    store(workplace, "e1", trials[::order])
    assert {reply.trial_id for reply in scenario_replies(workplace, VERSION)} == {
        "e1.counsel.grief.withheld.1", "e1.counsel.anger.withheld.2",
    }


def test_scenarios_of_two_jobs_are_two_and_the_first_exchange_of_each_is_shown(workplace: Workplace) -> None:
    trials = [trial("e1", "grief"), trial("e1", "grief", job="consolation")]
    store(workplace, "e1", trials)
    turns = workplace.warehouse.read("turns", VERSION, "e1")
    later = [{**turn, "turn": turn["turn"] + 10, "content": "And then?", "events": "[]"} for turn in turns]
    workplace.warehouse.write("turns", VERSION, "e1", [*later, *turns[::-1]])
    replies = scenario_replies(workplace, VERSION)
    assert {reply.trial_id for reply in replies} == {each["trial_id"] for each in trials}
    assert {reply.input for reply in replies} == {"I write about grief."}
    assert all("bear it" in reply.reply for reply in replies)


def test_a_version_without_replies_is_refused(workplace: Workplace) -> None:
    store(workplace, "e1", [trial("e1", None)])
    advice = r"marcus@1\.0 has no replies to rate; run `stoic eval --agent-version marcus@1\.0` with a job for"
    with pytest.raises(ConfigurationError, match=advice):
        build(workplace, [VERSION])
    assert not keys_file(workplace.project.home).exists()


def test_a_version_whose_scenarios_all_failed_is_not_told_to_run_some(workplace: Workplace) -> None:
    store(workplace, "e1", [trial("e1", "grief", outcome="agent_error"), trial("e1", "fear", outcome="infra_error")])
    store(workplace, "e2", [trial("e2", None)], day=2)
    with pytest.raises(ConfigurationError, match=r"all its trials with a scenario failed; correct .* again$"):
        build(workplace, [VERSION])


def test_without_a_version_the_one_evaluated_last_is_shown(workplace: Workplace) -> None:
    with pytest.raises(ConfigurationError, match="nothing was evaluated yet"):
        build(workplace, [])
    store(workplace, "E1", [trial("E1", "work")], day=2)
    store(workplace, "E2", [trial("E2", "work")], version="marcus@1.1", day=1)
    assert build(workplace, []).page_id == build(workplace, [VERSION]).page_id
    assert build(workplace, []).page_id != build(workplace, ["marcus@1.1"]).page_id


def test_a_page_and_its_keys_are_kept_apart(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", f"s{n}") for n in range(21)])
    built = build(workplace, [VERSION])
    assert (built.replies, built.items) == (21, 21 + 5 + 2)
    assert built.path.parent == workplace.reports / "ratings"
    assert [path.stat().st_mode & 0o777 for path in (built.path, built.keys)] == [0o644, 0o600]
    html, keys = built.path.read_text(encoding="utf-8"), json.loads(built.keys.read_text())
    assert set(keys) <= set(re.findall(r'"test_id":"(\w+)"', html))
    for key in keys.values():
        assert key["origin"] not in html
        assert f'"{key["trial_id"]}"' not in html
    assert built.page_id in html
    assert build(workplace, [VERSION], tmp_path / "out.html").path.read_text(encoding="utf-8") == html


def test_versions_share_a_page_and_keep_their_ids(workplace: Workplace) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    store(workplace, "f1", [trial("f1", "grief")], version="marcus@1.1")
    build(workplace, [VERSION])
    before = read_keys(workplace.project.home)
    assert build(workplace, [VERSION, "marcus@1.1", VERSION]).replies == 2
    after = read_keys(workplace.project.home)
    assert set(before) < set(after)
    assert {key.agent_version for key in after.values()} == {None, VERSION, "marcus@1.1"}


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
    again = collect(workplace, [file, tmp_path / "in"])
    assert (again.files, again.written) == (1, ())
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


def test_analysis_learns_what_was_shown(workplace: Workplace) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    items = rated_items(workplace)
    keys = read_keys(workplace.project.home)
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
    assert {item.effectiveness for item in rated_items(workplace).values()} == {0.9, None}


def test_the_page_that_was_rated_last_is_analysed(workplace: Workplace, tmp_path: Path) -> None:
    for version, day in ((VERSION, 1), ("marcus@1.1", 2)):
        store(workplace, f"e{day}", [trial(f"e{day}", "grief")], version=version)
        page = build(workplace, [version]).page_id
        ids = {test_id for test_id, key in read_keys(workplace.project.home).items() if key.agent_version == version}
        given = ratings_of(workplace, timestamp=f"2026-02-0{day}T10:00:00Z")
        collect(workplace, [save(tmp_path, [each for each in given if each["test_id"] in ids])])
    found = analyse_ratings(workplace)
    assert (found.study.page_id, found.study.rubric, found.analysis.table.ratings) == (page, rubric_version(), 1)
    assert workplace.warehouse.query("select distinct page_id, rubric from rater_reliability") == [
        {"page_id": page, "rubric": rubric_version()}
    ]
    [other] = found.study.others
    assert analyse_ratings(workplace, other).study.others == (page,)


def test_what_the_checks_of_raters_found_is_stored(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    page = build(workplace, [VERSION]).page_id
    collect(workplace, [save(tmp_path, ratings_of(workplace))])
    analyse_ratings(workplace)
    [found] = workplace.warehouse.query("select * from rater_checks")
    assert (found["rater_id"], found["check"], found["page_id"]) == ("ann", "missed_attention", page)


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
        found = analyse_ratings(workplace, page)
        assert (found.analysis.table.ratings, len(found.study.rows)) == (rated, rated + 2 * 7)
    assert [found.metrics.interpretation_confidence for found in rated_replies(workplace)] == [0.5, 0.5]
    again = collect(workplace, [tmp_path / "in" / "ann one.json"])
    assert (again.merged.unchanged, again.written) == (first.merged.new // 2, ())


def test_ratings_of_hidden_repeats_are_no_further_items_once_their_version_is_forgotten(
    workplace: Workplace, tmp_path: Path
) -> None:
    store(workplace, "e1", [trial("e1", f"grief {n}") for n in range(40)])
    build(workplace, [VERSION])
    sent = [save(tmp_path / "in", ratings_of(workplace, rater), f"{rater}.json") for rater in ("ann", "ben")]
    collect(workplace, sent)
    items = len(analyse_ratings(workplace).analysis.table.items)
    forget_version(workplace.project.home, tmp_path, VERSION)
    (workplace.project.warehouse / "human_ratings" / f"agent_version={VERSION}").rename(tmp_path / "deleted")
    collect(workplace, sent)
    assert len(analyse_ratings(workplace).analysis.table.items) == items == 40
    forgotten = [key for key in read_keys(workplace.project.home).values() if key.repeat_of]
    assert forgotten
    assert {(key.agent_version, key.evaluation_id, key.trial_id) for key in forgotten} == {(None, None, None)}
    assert not any("grief" in key.origin for key in forgotten)


def test_a_version_that_is_forgotten_leaves_no_page_with_its_replies(workplace: Workplace) -> None:
    for version, evaluation in ((VERSION, "e1"), ("marcus@1.1", "f1")):
        store(workplace, evaluation, [trial(evaluation, "grief")], version=version)
    both = build(workplace, [VERSION, "marcus@1.1"])
    alone = [build(workplace, [version]).path for version in (VERSION, "marcus@1.1")]
    for rater, overall in (("ann", "yes"), ("ben", "no")):
        ratings = ratings_of(workplace, rater, overall=overall, meta={"page_id": both.page_id})
        collect(workplace, [save(workplace.project.home / "sent", ratings)])
    analysed, known = analyse_ratings(workplace), read_keys(workplace.project.home)
    assert f"{VERSION} says of" in analysed.discussion_sheet.read_text(encoding="utf-8").replace("\\", "")
    forget_version(workplace.project.home, both.path.parent, VERSION)
    made = (both.path, *alone, analysed.report, analysed.discussion_sheet)
    assert [path.exists() for path in made] == [False, False, True, False, False]
    kept = {test_id: key for test_id, key in known.items() if key.agent_version != VERSION}
    assert read_keys(workplace.project.home) == kept != known


def test_a_version_that_is_forgotten_is_named_by_no_analysis(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    texts = {"own": f"Replies of x@1, {VERSION}.", "later": f"Replies of {VERSION}.1", "other": f"a-{VERSION}"}
    for test_id, key in read_keys(workplace.project.home).items():
        texts |= {"page" if key.agent_version else "training": f'{{"test_id":"{test_id}"}}'}
    for name, text in texts.items():
        (tmp_path / f"{name}.html").write_text(text)
    forget_version(workplace.project.home, tmp_path, VERSION)
    assert {path.stem for path in tmp_path.glob("*.html")} == {"later", "other", "training"}
