import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.judging.fence import clean
from stoic_assets.core.judging.grounding import grounded_share

ADVICE = """It is not things that trouble us – it is our *judgement* about them.
Start with one small step: write it down, and say "enough" to the rest. I may be wrong…"""
SAID = ["Hello, I can't sleep.", ADVICE]


@pytest.mark.parametrize(
    "quote",
    [
        "it is our judgement about them",
        "IT IS OUR JUDGEMENT ABOUT THEM",
        "“It is not things that trouble us — it is our judgement about them.”",
        "trouble us - it is our",
        "judgement about them. Start with   one small step",
        "say 'enough' to the rest",
        "It is not things … write it down",
        "It is not things that trouble us [...] small step",
        "I may be wrong...",
        "us … write it",
        "Agent: Start with one small step",
        "| Start with one small step",
        "I can’t sleep",
    ],
)
def test_a_careful_copy_is_grounded(quote: str) -> None:
    assert grounded_share([quote], SAID) == 1


@pytest.mark.parametrize(
    "quote",
    [
        "it is our opinion about them",
        "write it down … It is not things that trouble us",
        "I can't sleep … one small step",
        "us … it … to",
        "trouble … small",
        "one small … small step",
        "…",
        "!!!",
    ],
)
def test_what_was_not_said_is_not_grounded(quote: str) -> None:
    assert grounded_share([quote], SAID) == 0


def test_the_share_counts_quotes_and_skips_blank_ones() -> None:
    assert grounded_share(["one small step", "", "  ", "never said", "I can't sleep", "nor this"], SAID) == 0.5
    assert grounded_share([], SAID) is None
    assert grounded_share(["", " "], SAID) is None
    assert grounded_share(["anything"], []) == 0


@given(st.text(min_size=1, max_size=120), st.data())
def test_every_passage_of_a_message_is_grounded(message: str, data: st.DataObject) -> None:
    words = clean(message).split()  # what the judge was shown
    start = data.draw(st.integers(0, len(words)))
    quote = "  ".join(words[start : data.draw(st.integers(start, len(words)))])
    assert grounded_share([quote], [message]) in ((1, None) if any(map(str.isalnum, quote)) else (0, None))


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_the_share_is_a_share(quote: str, texts: list[str]) -> None:
    assert grounded_share([quote], texts) in (None, 0, 1)


def test_hostile_quotes_cost_little_time() -> None:
    assert grounded_share(["aaaaaaaa ... " * 2_000 + "b"], ["aaaaaaaa " * 5_000]) == 0
