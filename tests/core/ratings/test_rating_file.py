"""Rating files: what is taken, and what every fault is called."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.errors import DocumentError
from stoic_assets.core.ratings.rating_file import Rating, parse_ratings

MARKS = {
    "appropriateness": 5, "helpfulness": 4, "stoic_authenticity": 5, "emotional_intelligence": 4, "actionability": 4,
}  # fmt: skip


def entry(**fields: Any) -> dict[str, Any]:
    """A rating as the rating system describes it; a field that is `...` is left out."""
    whole = {
        "test_id": "eff_001", "rater_id": "rater_001", "timestamp": "2025-11-25T10:30:00.000Z",
        "ratings": dict(MARKS), "overall": "yes", "comments": "well said",
    } | fields  # fmt: skip
    return {key: value for key, value in whole.items() if value is not ...}


def parsed(*entries: Any) -> list[Rating]:
    return parse_ratings(json.dumps(list(entries)).encode(), "ann.json")


def test_the_form_of_the_rating_system_is_taken() -> None:
    [rating] = parsed(entry())
    assert (rating.test_id, rating.rater_id) == ("eff_001", "rater_001")
    assert (rating.overall, rating.comments) == ("yes", "well said")
    assert rating.timestamp == datetime(2025, 11, 25, 10, 30, tzinfo=UTC)
    assert rating.ratings.model_dump() == MARKS
    assert (rating.meta.seconds, rating.meta.practice, rating.meta.repeat_of) == (None, False, None)


def test_one_rating_alone_and_a_byte_order_mark_are_taken() -> None:
    assert parse_ratings(b"\xef\xbb\xbf" + json.dumps(entry()).encode(), "x") == parsed(entry())
    assert parse_ratings(b"[]", "x") == []


def test_what_our_page_adds_is_taken() -> None:
    meta = {"page_id": "p1", "seconds": 12, "order_index": 3, "practice": True, "edits": 1, "mood": "fine"}
    [rating] = parsed(entry(meta=meta))
    assert (rating.meta.seconds, rating.meta.order_index, rating.meta.edits) == (12.0, 3, 1)
    assert rating.meta.practice


def test_a_whole_number_may_be_written_with_a_point() -> None:
    [rating] = parsed(entry(ratings=MARKS | {"helpfulness": 3.0}, meta={"order_index": 17.0, "edits": 0.0}))
    assert (rating.ratings.helpfulness, rating.meta.order_index, rating.meta.edits) == (3, 17, 0)
    assert isinstance(rating.ratings.helpfulness, int)


@pytest.mark.parametrize(("timestamp", "taken"), [("2026-03-02T09:00:00Z", True), ("2026-03-02T09:01:00Z", False)])
def test_a_rating_from_the_future_is_refused(timestamp: str, taken: bool) -> None:
    content, now = json.dumps(entry(timestamp=timestamp)).encode(), datetime(2026, 3, 1, 9, tzinfo=UTC)
    if taken:
        assert parse_ratings(content, "ann.json", now)
        return
    with pytest.raises(DocumentError) as caught:
        parse_ratings(content, "ann.json", now)
    assert str(caught.value) == (
        "ann.json: item 1 (test_id 'eff_001'): timestamp: '2026-03-02T09:01:00Z' is in the future: "
        "it is 2026-03-01 09:00 UTC here; correct it in the file"
    )


def test_not_applicable_is_a_missing_mark() -> None:
    [rating] = parsed(entry(ratings=MARKS | {"actionability": None}))
    assert rating.ratings.actionability is None


def test_a_rater_is_one_person_however_the_id_is_spelt() -> None:
    spellings = ["Ren\u00e9", "REN\u00c9", "Rene\u0301", "ren\u00e9"]
    content = json.dumps([entry(rater_id=spelling) for spelling in spellings]).encode()
    assert {rating.rater_id for rating in parse_ratings(content, "r.json")} == {"ren\u00e9"}
    capital, small = parsed(entry(rater_id="J\u030c"), entry(rater_id="\u01f0"))  # only the small letter is one sign
    assert capital.rater_id == small.rater_id


@pytest.mark.parametrize("name", ["\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", "\U0001f469\u200d\U0001f467 one"])
def test_joiners_inside_a_name_are_part_of_its_spelling(name: str) -> None:
    assert parsed(entry(rater_id=name))[0].rater_id == name


@pytest.mark.parametrize("comments", [..., None, ""])
def test_no_comment_is_no_fault(comments: Any) -> None:
    assert parsed(entry(comments=comments))[0].comments == ""


def test_half_an_emoji_in_a_comment_is_what_a_table_makes_of_it() -> None:
    """Else the rating would differ from its row, and count as changed each time."""
    assert parsed(entry(comments="cut \ud83d"))[0].comments == "cut \ufffd"
    assert parsed(entry(comments="\ud83d\ude00"))[0].comments == "\U0001f600"


@pytest.mark.parametrize(
    ("written", "hour"), [("2025-11-25T10:30:00", 10), ("2025-11-25T10:30:00+02:00", 8), ("2025-11-25T10:30:00Z", 10)]
)
def test_times_are_utc(written: str, hour: int) -> None:
    assert parsed(entry(timestamp=written))[0].timestamp.hour == hour


FAULTS = {
    f"ratings.helpfulness: a whole number from 1 to 5 is expected, not {json.dumps(mark)}":
        entry(ratings=MARKS | {"helpfulness": mark})
    for mark in (6, 0, 4.5, None, True, "5")
} | {
    'ratings.actionability: a whole number from 1 to 5 is expected (or null for not applicable), not "n/a"':
        entry(ratings=MARKS | {"actionability": "n/a"}),
    "ratings.actionability: is required": entry(ratings={k: v for k, v in MARKS.items() if k != "actionability"}),
    "ratings.wisdom: is not a field of a rating": entry(ratings=MARKS | {"wisdom": 3}),
    "ratings: an object in braces is expected": entry(ratings=[5, 4, 5, 4, 4]),
    "overall: Input should be 'yes', 'maybe' or 'no'": entry(overall="Yes"),
    "overall: is required": entry(overall=...),
    "test_id: is required": entry(test_id=...),
    "rater_id: String should have at least 1 character": entry(rater_id=""),
    "rater_id: must not contain U+000A, which cannot be shown": entry(rater_id="ann\n"),
    "rater_id: must not contain U+202E, which cannot be shown": entry(rater_id="a\u202eb"),
    "rater_id: must not begin or end with a space": entry(rater_id="ann\u200d"),
    "comment: is not a field of a rating; put what is your own under `meta`": entry(comment="x"),
    "timestamp: a time as text is expected": entry(timestamp=1700000000),
    "timestamp: 'yesterday' is not a time": entry(timestamp="yesterday"),
    "timestamp: '0001-01-01T00:00:00+09:00' is not a time": entry(timestamp="0001-01-01T00:00:00+09:00"),
    "meta.seconds: Input should be greater than or equal to 0": entry(meta={"seconds": -1}),
    "meta.order_index: Input should be a valid integer": entry(meta={"order_index": "3"}),
    "an object in braces is expected": 3,
}  # fmt: skip


@pytest.mark.parametrize("complaint", FAULTS)
def test_a_fault_is_named_with_file_item_and_field(complaint: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parsed(entry(), FAULTS[complaint])
    message = str(caught.value)
    assert message.startswith("ann.json: item 2")
    assert complaint in message
    assert "\n" not in message
    if isinstance(FAULTS[complaint], dict) and "test_id" in FAULTS[complaint]:
        assert "(test_id 'eff_001')" in message


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "ann.json:1: is not valid JSON"),
        (b'[{"test_id": \n "x" "y"}]', "ann.json:2: is not valid JSON"),
        (b'[{"seconds": NaN}]', "NaN is not a number"),
        (json.dumps(entry(meta={"seconds": 5})).replace(": 5}", ": 1e999}").encode(), "seconds: .* finite number"),
        (b"[" * 100_000, "^ann.json: is not valid JSON: nested too deeply; save it again on the page$"),
        (b"9" * 5_000, "^ann.json: is not valid JSON: a number has thousands of digits; save it again on the page$"),
        ("[„]".encode("latin-1", "replace") + b"\xff", "is not UTF-8"),
    ],
)
def test_what_is_no_json_is_refused(content: bytes, complaint: str) -> None:
    with pytest.raises(DocumentError, match=complaint):
        parse_ratings(content, "ann.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*entry(), *MARKS, "meta", "x"]), inner),
    max_leaves=20,
)


@given(json_values)
def test_whatever_stands_in_a_file_is_taken_or_refused_in_one_line(data: Any) -> None:
    refused, ratings = "", list[Rating]()
    try:
        ratings = parse_ratings(json.dumps(data).encode(), "x.json")
    except DocumentError as error:
        refused = str(error)
    assert refused.startswith("x.json") or data == [] or ratings
    assert "\n" not in refused
