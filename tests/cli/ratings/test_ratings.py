"""What `stoic ratings` says of pages, of what was collected, and of its analysis."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.ratings import calibration_store
from stoic_assets.adapters.ratings.rating_analysis import analyse_ratings
from stoic_assets.adapters.ratings.rating_keys import ratings_folder, write_keys
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.console import err
from stoic_assets.cli.feedback import feedback
from stoic_assets.cli.ratings import REMAINS, analyze, build, calibrate, collect
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.ratings.blinding import Key
from stoic_assets.core.ratings.rater_checks import RaterChecks, RaterFlag
from stoic_assets.core.ratings.reliability.estimate import Estimate

MARKS = dict.fromkeys(
    ("appropriateness", "helpfulness", "stoic_authenticity", "emotional_intelligence", "actionability"), 3
)


def test_what_raters_are_told_makes_no_other_page(
    workplace: Workplace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, trial = ("bank@1.0", "e1"), {"trial_id": "e1.loan", "job": "j", "scenario": "loan", "condition": "withheld"}
    workplace.warehouse.write("evaluations", *key, [evaluation_head(agent="bank")])
    count = {"holdout": False, "repeat": 1, "failure_count": 0, "planned_tasks": 0, "turns": 2}
    workplace.warehouse.write("trials", *key, [trial | count | {"outcome": "signed_off"}])
    said = (("user", "May I have a loan?"), ("agent", "You may."))
    workplace.warehouse.write("turns", *key, [
        {"trial_id": "e1.loan", "turn": turn, "speaker": who, "content": text} for turn, (who, text) in enumerate(said)
    ])
    pages = []
    for about, told in ((None, "People wrote a message, and each"), ("We asked a bank.", "We asked a bank. You read")):
        build(out=tmp_path / "page.html", about=about, as_json=True)
        pages.append(json.loads(capsys.readouterr().out))
        assert f"<p>{told}" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert pages[0] == pages[1]
    build(out=Path("page.html"), as_json=True)
    assert json.loads(capsys.readouterr().out)["path"] == str(Path.cwd() / "page.html")
    build(out=Path("page.html"))
    assert ": 1 reply, 3 items with attention items\n" in capsys.readouterr().out


def test_no_page_is_written_among_the_tables(workplace: Workplace) -> None:
    with pytest.raises(ConfigurationError, match="is in the warehouse"):
        build(out=workplace.warehouse.root / "page.html")


def test_collecting_says_what_came_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rating = {"test_id": "x", "rater_id": "ann", "timestamp": "2026-01-01T00:00:00Z", "overall": "yes"}
    (tmp_path / "ann.json").write_text(json.dumps([rating | {"ratings": MARKS}]))
    collect([tmp_path / "ann.json"])
    counts, unknown = capsys.readouterr().out.splitlines()
    assert counts == "1 file, 1 new rating, 0 changed, 0 unchanged, 0 superseded, 1 unknown"
    assert unknown.startswith("unknown: these ratings belong to no page that is known here: ")
    (tmp_path / "another ann.json").write_text(json.dumps([rating | {"ratings": MARKS, "timestamp": "2025-12-31"}]))
    collect([tmp_path / "another ann.json"])
    counts, advice, _ = capsys.readouterr().out.splitlines()
    assert counts == "1 file, 0 new ratings, 0 changed, 0 unchanged, 1 superseded, 1 unknown"
    assert "if two people used one rater id, change it in one" in advice
    practice = rating | {"ratings": MARKS, "rater_id": "bob", "meta": {"practice": True}}
    (tmp_path / "b.json").write_text(json.dumps([practice]))
    collect([tmp_path / "b.json"])
    assert "1 file, 1 new rating (1 of practice or attention items), 0 changed" in capsys.readouterr().out


@pytest.mark.parametrize("command", [lambda: collect([]), analyze, calibrate, feedback])
def test_a_command_says_that_it_waits_for_another(
    workplace: Workplace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    command: Callable[[], None],
) -> None:
    held, told, say = threading.Event(), threading.Event(), err.print
    monkeypatch.setattr(err, "print", lambda *said, **how: (say(*said, **how), told.set()))

    def other() -> None:
        with locked(ratings_folder(workplace.project.home) / ".lock"):
            held.set()
            told.wait(60)

    thread = threading.Thread(target=other)
    thread.start()
    held.wait()
    with suppress(ConfigurationError):
        command()
    thread.join()
    assert capsys.readouterr().err == "another process uses the ratings; this waits for that\n"


def given(workplace: Workplace, folder: Path, **ids: str | None) -> Path:
    """A file with ratings of these ids, each the id of a trial of ours or of none."""
    keys = {
        name: Key(origin=name, rubric="r", agent_version="marcus@1", evaluation_id="E", trial_id=trial, words=9)
        for name, trial in ids.items() if trial
    }  # fmt: skip
    write_keys(workplace.project.home, keys)
    common = {"rater_id": "ann", "timestamp": "2026-01-01T00:00:00Z", "overall": "yes", "ratings": MARKS}
    (folder / "ann.json").write_text(json.dumps([common | {"test_id": name} for name in ids]))
    return folder / "ann.json"


def test_the_step_that_remains_is_named(
    workplace: Workplace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = given(workplace, tmp_path, x="t")
    collect([file])
    assert REMAINS in capsys.readouterr().out
    collect([file])
    assert REMAINS not in capsys.readouterr().out  # nothing came in
    analyze()
    assert REMAINS in capsys.readouterr().out
    calibration_store.store_calibration(workplace.warehouse, [])
    analyze()
    assert REMAINS not in capsys.readouterr().out


def test_the_versions_that_were_rated_are_named(
    workplace: Workplace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collect([given(workplace, tmp_path, x="t", y="u")])
    capsys.readouterr()
    analyze()
    assert "\nversions: marcus@1 (2 items)\n" in capsys.readouterr().out
    analyze(as_json=True)
    [version] = json.loads(capsys.readouterr().out)["versions"]
    assert (version["agent_version"], version["yes"]["estimate"]) == ("marcus@1", 1.0)


def test_a_check_that_could_not_be_made_is_said_and_not_taken_for_passed(
    workplace: Workplace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collect([given(workplace, tmp_path, x=None)])
    capsys.readouterr()
    analyze()
    said = "not checked: straight lining, since no rater gave 10 marks; always high, since no rater gave 10 marks; outl"
    assert said in capsys.readouterr().out
    analyze(as_json=True)
    not_checked = json.loads(capsys.readouterr().out)["not_checked"]
    assert not_checked["inconsistent_repeats"] == "no rater marked an item twice"


def test_raters_who_were_inattentive_are_told_of_before_any_figure(
    workplace: Workplace, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    collect([given(workplace, tmp_path, x=None)])
    found = analyse_ratings(workplace)
    checks = RaterChecks([RaterFlag("ann", "missed_attention", "1 of 1")], {})
    analysis = replace(found.analysis, checks=checks)
    for flagged in (False, True):
        told = replace(found, analysis=analysis) if flagged else found
        monkeypatch.setattr("stoic_assets.cli.ratings.analyse_ratings", lambda *_, told=told: told)
        capsys.readouterr()
        analyze()
        before, _ = capsys.readouterr().out.split("ordinal alpha")
        assert ("1 of 1 rater missed attention items: talk to them before" in before) is flagged


def test_a_figure_does_not_contradict_its_gate(
    workplace: Workplace, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    collect([given(workplace, tmp_path, x=None)])
    found = analyse_ratings(workplace)
    coefficients = {"alpha_ordinal": Estimate(0.4, 0.28, 0.4969, None)}
    decided = replace(found.analysis.dimensions["helpfulness"], coefficients=coefficients)
    analysis = replace(found.analysis, dimensions={"helpfulness": decided})
    monkeypatch.setattr("stoic_assets.cli.ratings.analyse_ratings", lambda *_: replace(found, analysis=analysis))
    capsys.readouterr()
    analyze()
    assert "0.28 to 0.497 " in capsys.readouterr().out


def test_ratings_of_replies_that_are_not_ours_need_no_further_step(
    workplace: Workplace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collect([given(workplace, tmp_path, x=None)])
    analyze()
    assert REMAINS not in capsys.readouterr().out


@pytest.mark.parametrize("files", [{}, {"ann.json": "[]"}])
def test_collecting_nothing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str]) -> None:
    folder = tmp_path / "received"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    collect([folder])
    found = "no rating found in 1 JSON file" if files else "no JSON file found"
    assert capsys.readouterr().out == f"{found}; collect the files that raters saved on the page\n"


def test_subfolders_that_were_passed_over_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sent = tmp_path / "sent"
    for name in ("monday/ann.json", "notes/readme.txt", ".trash/ben.json"):
        (sent / name).parent.mkdir(parents=True)
        (sent / name).write_text("[]")
    collect([sent, sent / "monday"])
    assert not capsys.readouterr().err
    collect([sent])
    told = " ".join(capsys.readouterr().err.split())
    assert told == f"not searched, name them to collect from them: {sent / 'monday'}"
