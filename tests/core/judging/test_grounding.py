import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.judging.grounding import grounded_share
from stoic_assets.core.text.clean_text import clean

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
        "'Agent: Start with one small step'",
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


TABLE = "At a glance:\n| 9:00 | Dentist |\n| 10:00 | Bank |"


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        (TABLE, TABLE),
        (TABLE, "| 9:00 | Dentist |\n| 10:00 | Bank |"),
        (TABLE, "| | 9:00 | Dentist |\n| | 10:00 | Bank |"),
        (TABLE, "At a glance:\n| | 9:00 | Dentist |"),
        (TABLE, "Agent: At a glance:\n| 9:00 | Dentist |"),
        ("|a|\n|b|", "|a|\n|b|"),
        ("|a|\n|b|", "| |a|\n| |b|"),
        ("cat x \\\n  | grep y", "cat x \\\n  | grep y"),
        ("one\ntwo", "| one\n| two"),
        ("Write so: `user: me`", "user: me"),
        ("user:", "user:"),
        ("user:", "'user:'"),
    ],
)
def test_bars_and_speakers_that_the_agent_wrote_itself_are_its_words(message: str, quote: str) -> None:
    assert grounded_share([quote], [message]) == 1


@pytest.mark.parametrize(
    ("message", "quote", "said"),
    [
        ("👍", "👍", 1),
        ("Great!👍🏽 Thanks", '"👍🏽"', 1),
        ("❤️", "❤", 1),
        ("👍", "👎", 0),
        ("???", " ??? ", 1),
        ('"?!"', '"?!"', 1),
        (":-)", ":-)", 1),
        ("…", "...", 1),
        ("Really???", "???", 0),
        ("**", "**", 0),
        ("", "''", 0),
    ],
)
def test_an_emoji_is_a_word_and_punctuation_may_be_a_whole_message(message: str, quote: str, said: int) -> None:
    assert grounded_share([quote], ["Hello.", message]) == said


def test_a_piece_of_a_chinese_quote_needs_half_the_characters() -> None:
    said = ["好的，我已设置提醒，就在明天。"]
    assert grounded_share(["我已设置……明天"], said) == 1
    assert grounded_share(["明天……我已设置"], said) == 0
    assert grounded_share(["已设置……明天"], said) == 0, "three characters are no half of eight"
    assert grounded_share(["好的……我……明天"], said) == 0, "pieces that are in every text"


def test_a_power_is_no_further_digit() -> None:
    said = ["It has 10² elements and 10⁻³ of H₂O, on 20 m²; don´t ask."]
    for quote in ("10² elements", "10^2 elements", "10-³ of", "of H2O", "20 m2", "don't ask"):
        assert grounded_share([quote], said) == (quote != "10-³ of"), quote
    assert grounded_share(["102 elements", "10-3"], said) == 0


def test_the_share_counts_quotes_and_skips_blank_ones() -> None:
    assert grounded_share(["one small step", "", "  ", "never said", "I can't sleep", "nor this"], SAID) == 0.5
    assert grounded_share([], SAID) is None
    assert grounded_share(["", " "], SAID) is None
    assert grounded_share(["anything"], []) == 0


def says_something(text: str) -> bool:
    return any(each.isalnum() or unicodedata.category(each) == "So" for each in unicodedata.normalize("NFKC", text))


@given(st.text(min_size=1, max_size=120), st.data())
def test_every_passage_of_a_message_is_grounded(message: str, data: st.DataObject) -> None:
    words = clean(message).split()  # what the judge was shown
    start = data.draw(st.integers(0, len(words)))
    quote = "  ".join(words[start : data.draw(st.integers(start, len(words)))])
    if says_something(quote):
        assert grounded_share([quote], [message]) == 1


LINES = st.lists(st.text("ab1 |:>-\"'*\\👍", max_size=8) | st.sampled_from(["user: a", "| ", "|", "...", "Agent:"]))


@given(LINES, st.booleans(), st.data())
def test_whole_lines_are_grounded_with_and_without_the_marks_of_the_record(
    lines: list[str], is_marked: bool, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(lines)))
    copied = lines[start : data.draw(st.integers(start, len(lines)))]
    if says_something("".join(copied)):
        quote = "\n".join(f"| {line}" if is_marked else line for line in copied)
        assert grounded_share([quote], ["\n".join(lines)]) == 1


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_the_share_is_a_share(quote: str, texts: list[str]) -> None:
    assert grounded_share([quote], texts) in (None, 0, 1)


def test_hostile_quotes_cost_little_time() -> None:
    assert grounded_share(["aaaaaaaa ... " * 2_000 + "b"], ["aaaaaaaa " * 5_000]) == 0
