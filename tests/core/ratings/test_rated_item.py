"""What is known about a rated item: how much there is to read in it, and how effective the agent says it was."""

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.ratings.rated_item import reported_effectiveness, words_to_read

LETTERS = st.text(st.sampled_from("abcdéж가א"), min_size=1, max_size=8)
HAN = st.text(st.sampled_from("今天跑了马拉松カな"), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("What is up to you?", 5),
        ("It's well-meant – and 3 words", 5),
        ("그는 오늘 마라톤을 뛰었다", 4),
        ("今天我跑了我的第一个马拉松！", 7),
        ("今日は、初めてのマラソンを走りました。", 9),
        ("วันนี้ฉันวิ่งมาราธอนครั้งแรก", 6),
        ("我用 Python 写代码。", 4),
    ],
)
def test_words_to_read(text: str, count: int) -> None:
    assert words_to_read(text) == count


@given(st.lists(LETTERS), st.lists(HAN))
def test_words_add_up_whatever_the_script(spaced: list[str], unspaced: list[str]) -> None:
    count = len(spaced) + ceil(len("".join(unspaced)) / 2)
    assert words_to_read(*spaced, *unspaced) == words_to_read(" ".join([*unspaced, *spaced])) == count


@given(st.text())
def test_reading_on_never_makes_it_less(text: str) -> None:
    assert 0 <= words_to_read(text[: len(text) // 2]) <= words_to_read(text, text) <= 2 * len(text)


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([{"effectiveness": 0.7}], 0.7),
        ([{"metrics": {"effectiveness": 1, "quadrant": "Exuberant"}}], 1.0),
        ([{"effectiveness": 0.2}, {"output": "x"}, {"effectiveness": 0.4}], 0.4),
        ([], None),
        ([{"output": "saved"}, {"metrics": "good"}, "garbled"], None),
        ([{"effectiveness": 17}], None),
        ([{"effectiveness": True}, {"effectiveness": "0.5"}, {"effectiveness": float("nan")}], None),
    ],
)
def test_only_a_number_on_the_scale_counts_and_the_last_one_wins(events: list[object], told: object) -> None:
    assert reported_effectiveness(events) == told
