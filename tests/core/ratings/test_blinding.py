"""Ids, repeats, attention items and keys of a page."""

from itertools import count

import pytest

from stoic_assets.core.ratings import blinding
from stoic_assets.core.ratings.blinding import ENOUGH_FOR_REPEATS, REPEATS, BlindPage, Key, Reply, blind


def replies(number: int, version: str = "marcus@1.0") -> list[Reply]:
    return [Reply(version, "e1", f"e1.job.s{n}", f"I ask {n}", f"I answer {n} times") for n in range(number)]


def drawn(number: int, known: dict[str, Key] | None = None, version: str = "marcus@1.0") -> BlindPage:
    ids = count(len(known or {}))
    return blind(replies(number, version), known or {}, lambda: f"{next(ids) * 7919 % 10007:05d}")


def test_every_item_has_an_id_of_its_own_and_a_key() -> None:
    page = drawn(30)
    shown = [item.test_id for item in page.items] + [each.test_id for each in page.practice]
    assert len(set(shown)) == len(shown) == 30 + REPEATS + 2 + 5
    assert set(page.keys) == set(shown)
    assert {key.page_id for key in page.keys.values()} == {page.page_id}


def test_a_key_leads_back_to_the_trial() -> None:
    page = drawn(3)
    said = {f"I answer {n} times": f"e1.job.s{n}" for n in range(3)}
    for item in page.items:
        key = page.keys[item.test_id]
        assert key.trial_id == said.get(item.reply)
        assert key.words == len(item.input.split()) + len(item.reply.split())
    places = {(key.agent_version, key.evaluation_id) for key in page.keys.values() if key.trial_id}
    assert places == {("marcus@1.0", "e1")}


@pytest.mark.parametrize(
    ("number", "repeats"), [(0, 0), (ENOUGH_FOR_REPEATS - 1, 0), (ENOUGH_FOR_REPEATS, REPEATS), (80, REPEATS)]
)
def test_some_replies_are_shown_twice_when_there_are_enough(number: int, repeats: int) -> None:
    page = drawn(number)
    texts = {item.test_id: (item.input, item.reply) for item in page.items}
    again = {test_id: key for test_id, key in page.keys.items() if key.repeat_of}
    assert len(again) == len({key.repeat_of for key in again.values()}) == repeats
    for test_id, key in again.items():
        assert key.repeat_of is not None
        assert texts[test_id] == texts[key.repeat_of]
        assert key.trial_id == page.keys[key.repeat_of].trial_id


def test_attention_items_know_their_answers_and_practice_is_marked() -> None:
    page = drawn(2)
    asked = [key.attention for key in page.keys.values() if key.attention]
    assert [set(answers.values()) for answers in asked] == [{2, "no"}, {4, "maybe"}]
    assert all(len(answers) == 6 for answers in asked)
    assert sum(key.practice for key in page.keys.values()) == 5
    assert not [key for key in page.keys.values() if key.trial_id and (key.practice or key.attention)]


def test_the_same_replies_make_the_same_page() -> None:
    first = drawn(25)
    assert drawn(25, first.keys) == first
    assert blind(replies(25)[::-1], first.keys, str) == first, "whatever their order"


def test_another_rubric_makes_another_page_with_ids_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    first = drawn(25)
    monkeypatch.setattr(blinding, "rubric_version", lambda: "sharper")
    second = drawn(25, first.keys)
    assert not set(second.keys) & set(first.keys)
    assert second.page_id != first.page_id
    assert {key.rubric for key in second.keys.values()} == {"sharper"}


def test_the_order_of_items_tells_nothing() -> None:
    page = drawn(25)
    assert [item.test_id for item in page.items] == sorted(item.test_id for item in page.items)
    assert [page.keys[item.test_id].trial_id for item in page.items[:25]] != [reply.trial_id for reply in replies(25)]


def test_a_growing_study_keeps_its_ids() -> None:
    first = drawn(25)
    grown = blind(replies(25) + replies(25, "marcus@1.1"), first.keys, iter(map(str, range(10**6, 2 * 10**6))).__next__)
    assert {item.test_id for item in first.items if not first.keys[item.test_id].repeat_of} <= set(grown.keys)
    assert grown.page_id != first.page_id
    assert len(grown.items) == 50 + REPEATS + 2


@pytest.mark.parametrize("blank", ["", "   \n\t "])
def test_hidden_characters_are_named_and_silence_is_left_for_the_page_to_tell(blank: str) -> None:
    exchanges = [Reply("a@1", "e", "t1", "hi\u202ethere", blank), Reply("a@1", "e", "t2", "x\ud800", "y")]
    page = blind(exchanges, {}, iter("abcdefghi").__next__)
    texts = {page.keys[item.test_id].trial_id: item for item in page.items}
    assert (texts["t1"].input, texts["t1"].reply) == ("hi[U+202E]there", "")
    assert texts["t2"].input == "x[U+D800]"
