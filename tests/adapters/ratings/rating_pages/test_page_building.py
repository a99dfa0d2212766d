"""Which replies a rating page shows, and what is kept apart from it."""

import json
import re
from pathlib import Path

import pytest
from rated_trials import VERSION, store, trial

from stoic_assets.adapters.ratings.rating_keys import keys_file, read_keys
from stoic_assets.adapters.ratings.ratings_store import build, scenario_replies
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError


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
    with pytest.raises(ConfigurationError, match=r"nothing was evaluated yet in .*, or continue one that was cut"):
        build(workplace, [])
    store(workplace, "E1", [trial("E1", "work")], day=2)
    store(workplace, "E2", [trial("E2", "work")], version="marcus@1.1", day=1)
    assert build(workplace, []).page_id == build(workplace, [VERSION]).page_id
    assert build(workplace, []).page_id != build(workplace, ["marcus@1.1"]).page_id


def test_a_page_and_its_keys_are_kept_apart(workplace: Workplace, tmp_path: Path) -> None:
    store(workplace, "e1", [trial("e1", f"s{n}") for n in range(21)])
    built = build(workplace, [VERSION])
    assert (built.replies, built.repeats, built.items) == (21, 5, 21 + 5 + 2)
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
