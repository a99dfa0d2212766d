"""A whole study: a page is built, rated by keyboard alone and collected."""

import json
from pathlib import Path
from typing import Any

import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.project import Project
from stoic_assets.adapters.ratings.ratings_store import build, collect
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.progress import Progress

DESKTOP = {"viewport": {"width": 1360, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 760}, "has_touch": True, "is_mobile": True}
PRACTICE = 5


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    """A project whose warehouse holds 22 replies of one version."""
    home = tmp_path / "home"
    place = Workplace(Project(tmp_path, home, home / "warehouse"), Settings(), {}, Progress())
    key, ids = ("marcus@1.0", "e1"), [f"e1.s{n}" for n in range(22)]
    trial = {"job": "j", "holdout": False, "condition": "withheld", "repeat": 1, "outcome": "signed_off"}
    trial |= {"failure_count": 0, "planned_tasks": 0, "turns": 2}
    said = [(name, 0, "user", f"I am {name[3:]}.") for name in ids]
    said += [(name, 1, "agent", f"So you are, {name[3:]}.") for name in ids]
    place.warehouse.write("evaluations", *key, [evaluation_head(planned_trials=22)])
    place.warehouse.write("trials", *key, [{"trial_id": name, "scenario": name[3:], **trial} for name in ids])
    place.warehouse.write("turns", *key, [
        {"trial_id": name, "turn": turn, "speaker": who, "content": text} for name, turn, who, text in said
    ])
    return place


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_whole_study_by_keyboard_alone(screen: Any, visit: Any, workplace: Workplace, tmp_path: Path) -> None:
    built = build(workplace, ["marcus@1.0"])
    rater = visit(built.path, **screen)
    rater.practise("Ann")
    assert rater.title == f"Reply 1 of {built.items}"
    half = built.items // 2
    rater.press("43512m>" * half + "521")
    before = rater.title, rater.text("#reply"), rater.chosen()
    rater.reload()
    assert (rater.title, rater.text("#reply"), rater.chosen()) == before
    assert before[2] == {"appropriateness": "5", "helpfulness": "2", "stoic_authenticity": "1"}
    assert rater.text("#progress-text").startswith(f"{half} of {built.items} rated")
    rater.press("30ncwise")
    rater.escape()
    rater.press(">" + "55555y>" * (built.items - half - 1))
    assert rater.text("#finished-text").startswith(f"{built.items} of {built.items} replies are rated")
    rater.page.keyboard.press("Tab")
    file = rater.save(tmp_path)
    assert file.name == f"ratings-ann-{built.page_id}.json"

    ratings = json.loads(file.read_text(encoding="utf-8"))
    assert [list(rating) for rating in ratings] == [
        ["test_id", "rater_id", "timestamp", "ratings", "overall", "comments", "meta"]
    ] * (built.items + PRACTICE)
    real = [rating for rating in ratings if not rating["meta"]["practice"]]
    assert [rating["meta"]["order_index"] for rating in real] == list(range(built.items))
    assert [list(rating["ratings"].values()) for rating in real[half - 1 : half + 2]] == [
        [4, 3, 5, 1, 2], [5, 2, 1, 3, None], [5, 5, 5, 5, 5],
    ]
    assert (real[half]["overall"], real[half]["comments"]) == ("no", "wise")
    assert all(rating["meta"]["seconds"] > 0 for rating in ratings)

    collected = collect(workplace, [file])
    assert (collected.merged.new, collected.merged.unknown) == (built.items + PRACTICE, 0)
    [counts] = workplace.warehouse.query(
        "select count(distinct trial_id) as trials, count(repeat_of) as repeats, sum(attention::int) as attention, "
        "sum(practice::int) as practice from human_ratings"
    )
    assert counts == {"trials": 22, "repeats": 5, "attention": 2, "practice": PRACTICE}
