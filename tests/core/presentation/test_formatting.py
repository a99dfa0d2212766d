"""Numbers, units and times as a reader sees them."""

import html
import json
import math
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from stoic_assets.core.presentation import formatting
from stoic_assets.core.presentation.formatting import (
    RAW_CHARS,
    beside,
    bounded,
    breakable,
    difference,
    dollars,
    explained,
    fenced,
    milliseconds,
    or_dash,
    percent,
    pretty,
    score,
    short_of,
    unbroken,
    utc,
    with_code,
)
from stoic_assets.core.text.foreign_text import visible

TEXT = st.text()


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (score, 0.125, "0.12"), (score, 0.615, "0.61"), (score, 1, "1.00"),
        (score, -0.084, "−0.08"), (score, -0.004, "0.00"),
        (difference, 0.05, "+0.05"), (difference, -0.12, "−0.12"), (difference, -0.0021, "−0.002"),
        (difference, -0.0001, "±0.00"),
        (difference, 0.6 - 0.335, "+0.27"),
        (difference, 0.335 - 0.6, "−0.27"),
        (milliseconds, 640.4, "640 ms"), (milliseconds, 999.7, "1.00 s"), (milliseconds, 1240, "1.24 s"),
        (milliseconds, 31000, "31.0 s"), (milliseconds, 59960, "1 min 0 s"), (milliseconds, 125000, "2 min 5 s"),
        (milliseconds, 12_000_000, "3 h 20 min"),
        (dollars, 0, "$0.00"), (dollars, 1234.5, "$1,234.50"), (dollars, 0.0842, "$0.084"),
        (dollars, 0.0999, "$0.10"), (dollars, 3e-5, "<$0.001"), (dollars, 0.04, "$0.040"),
        (dollars, 0.00599, "$0.0060"), (dollars, 0.00996, "$0.010"), (dollars, 0.001, "$0.0010"),
        (percent, 0.354, "35 %"), (percent, 0.001, "<1 %"), (percent, 0.0, "0 %"),
        (percent, 0.005, "<1 %"), (percent, 0.0051, "1 %"), (percent, 1.0, "100 %"), (percent, 299 / 300, ">99 %"),
        (percent, 0.995, ">99 %"), (percent, 0.994, "99 %"),
        (formatting.p_value, 0.03149, "0.031"), (formatting.p_value, 0.00099, "<0.001"),
        (formatting.p_value, 0.0499, "0.050"), (formatting.p_value, 0.0502, "0.0502"),
        (formatting.count, 12500.0, "12,500"), (formatting.words, "practical_wisdom", "Practical wisdom"),
    ],
)
def test_rounding_and_units(form: formatting.Form, value: float, text: str) -> None:
    assert form(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.205, "0.20"), (0.115, "0.12")])
def test_a_score_is_written_alike_however_its_sum_was_rounded(value: float, text: str) -> None:
    for near in (value, math.nextafter(value, 0), math.nextafter(value, 1)):
        assert (score(near), short_of(near, 0.7)) == (text, text)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.699, "0.699"), (0.69999, "0.69999"), (0.694, "0.69"), (0.7, "0.70"), (0.71, "0.71"), (0.7 - 1e-13, "0.70")],
)
def test_a_value_below_a_bound_is_seen_to_be(value: float, shown: str) -> None:
    assert short_of(value, 0.7) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.4969, "0.497"), (0.49978, "0.4998"), (0.603, "0.603"), (0.5, "0.50"), (0.6 + 1e-13, "0.60"), (0.55, "0.55"),
        (-0.104, "−0.10"), (-0.001, "0.00"),
    ],
)  # fmt: skip
def test_a_value_is_seen_to_be_on_its_side_of_each_line(value: float, shown: str) -> None:
    assert beside(value, 0.5, 0.6) == beside(value, 0.5, None, 0.6) == shown


def test_a_bound_is_shown_as_it_was_set() -> None:
    assert [formatting.as_set(bound) for bound in (0.03, 0.025, 0.1, 0.004)] == ["0.03", "0.025", "0.10", "0.004"]


def test_a_value_above_a_bound_is_not_written_as_one_below() -> None:
    assert short_of(0.6964, 0.6962) == "0.70"


def test_one_of_a_thing_is_no_plural() -> None:
    assert [formatting.plural(number, "trial") for number in (0, 1, 1200)] == ["0 trials", "1 trial", "1,200 trials"]
    assert formatting.plural(2, "reply", "replies") == "2 replies"


def test_of_many_names_the_first_are_listed() -> None:
    assert formatting.listed(["b", "a"]) == "b, a"
    assert formatting.listed(list("abcdefg")) == "a, b, c, d, e and 2 more"


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-21T14:02:03+00:00", "2026-11-21T14:02:03Z", "2026-11-21T14:02:03", "2026-11-21T16:02:03+02:00",
        datetime(2026, 11, 21, 14, 2, tzinfo=UTC), datetime(2026, 11, 21, 14, 2),
        datetime(2026, 11, 21, 9, 2, tzinfo=timezone(timedelta(hours=-5))),
    ],
)
def test_times_are_utc(value: datetime | str) -> None:
    assert utc(value) == "2026-11-21 14:02 UTC"


def test_what_is_no_time_is_shown_as_it_is() -> None:
    assert utc("yesterday") == "yesterday"
    assert formatting.lasted({"started_at": "yesterday", "ended_at": None}) is None
    set_back = {"started_at": "2026-11-22T02:00:00+00:00", "ended_at": "2026-11-22T01:00:05+00:00"}
    assert formatting.lasted(set_back) is None


def test_plain_text_has_a_dash_for_what_is_missing() -> None:
    assert [formatting.dashed(difference, value) for value in (None, math.nan, -0.12)] == ["–", "–", "−0.12"]


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_what_is_missing_is_a_dash_with_its_reason(value: float | None) -> None:
    assert or_dash(score)(value, 'no "task"') == '<abbr class="none" title="no &#34;task&#34;">–</abbr>'


def test_reasons_of_dashes_stand_below_them_once() -> None:
    dashes = [or_dash(score)(None, why) for why in ('no "task"', "not judged", "not judged", "<b>")]
    part = Markup("<table>{}</table><p>not judged</p>").format(Markup("").join(dashes))
    assert explained(part) == part + Markup('<p class="note">– no &#34;task&#34;; &lt;b&gt;</p>')
    assert explained(Markup("<p>0.50</p>")) == "<p>0.50</p>"


def test_a_number_stays_with_its_percent_sign() -> None:
    assert unbroken("(95 % −0.1 to 0.2), <1 %") == "(95\u00a0% −0.1 to 0.2), <1\u00a0%"
    assert unbroken("{% if x == 9 %} a % b") == "{% if x == 9 %} a % b"
    assert with_code("<b> 90 % of `x = 7 % 2`") == "&lt;b&gt; 90\u00a0% of <code>x = 7 % 2</code>"


def test_a_name_may_break_after_its_parts() -> None:
    assert breakable("a_job.case-1__x") == "a_<wbr>job.<wbr>case-<wbr>1__<wbr>x"
    assert breakable("<b>.&") == "&lt;b&gt;.<wbr>&amp;"
    assert breakable("internationalisation") == "internationalisation"
    assert breakable("x" * 22) == "x" * 20 + "<wbr>x<wbr>x"


def test_a_filter_escapes_what_it_writes() -> None:
    assert or_dash(str)("<b>\x00") == "&lt;b&gt;[U+0000]"


CODE = re.compile('<code class="block" dir="ltr">(.*?)</code>', re.DOTALL)


@pytest.mark.parametrize(
    ("message", "blocks"),
    [
        ("Run:\n\n```sh\n  ls\n```\nDone.", ["```sh\n  ls\n```\n"]),
        ("```\na\n```\n\n~\n\n````\n```\n````", ["```\na\n```\n", "````\n```\n````"]),
        ("  ```\n| a |\n```  \nb", ["  ```\n| a |\n```  \n"]),
        ("```\nnever closed", ["```\nnever closed"]),
        ("```ls``` and ``x``", []),
        ("so ```\nno block", []),
    ],
)
def test_fenced_blocks_are_code(message: str, blocks: list[str]) -> None:
    assert CODE.findall(fenced(message)) == blocks
    assert "<span" not in fenced(message)
    assert CODE.findall(fenced(f"سأذكرك\n{message}")) == blocks


def test_where_some_is_read_from_the_right_each_line_has_a_direction_of_its_own() -> None:
    line = '<span class="line" dir="auto">{}</span>'
    message = "سأذكرك\n\n(Ref. <1>)\n```\nls\n```\nb"
    lines = [line.format(text) for text in ("سأذكرك\n", "\n", "(Ref. &lt;1&gt;)\n")]
    assert fenced(message) == "".join([*lines, '<code class="block" dir="ltr">```\nls\n```\n</code>', line.format("b")])


PIECES = st.sampled_from(["سأ", "```", "````", "py", " ", "\n", "\r\n", "<b>", "</code>", "&amp;", "\u202e"]) | TEXT


@given(st.lists(PIECES).map("".join))
def test_a_message_with_code_loses_nothing_and_stays_text(message: str) -> None:
    shown = str(fenced(message))
    line = {'<span class="line" dir="auto">', "</span>"}
    assert set(re.findall("<[^>]*>", shown)) <= {'<code class="block" dir="ltr">', "</code>"} | line
    assert html.unescape(re.sub("<[^>]*>", "", shown)) == visible(message)


def test_pretty_indents_json_and_leaves_other_text() -> None:
    assert pretty('{"a": ["ü"]}') == '{\n  "a": [\n    "ü"\n  ]\n}'
    assert pretty("not json") == "not json"
    assert pretty([1]) == "[\n  1\n]"
    assert pretty({"a": "é"}) == '{\n  "a": "é"\n}'


def test_of_a_message_of_megabytes_a_page_shows_the_beginning_and_how_much_is_left_out() -> None:
    assert bounded("x" * RAW_CHARS) == "x" * RAW_CHARS
    assert bounded("x" * 25_000) == "x" * RAW_CHARS + "\n[5,000 characters left out of this page; the tables have them]"


def test_pretty_survives_nesting_and_says_what_it_cuts() -> None:
    assert pretty("[" * 200_000).endswith("[180,000 characters left out of this page; the tables have them]")
    assert pretty("9" * 5_000) == "9" * 5_000


@given(st.recursive(st.none() | st.integers() | st.text(), lambda part: st.lists(part) | st.dictionaries(TEXT, part)))
def test_pretty_loses_nothing(value: object) -> None:
    assert json.loads(pretty(json.dumps(value))) == value


@pytest.mark.parametrize("text", ["1.10", "1e400", '"a \\u0041"', "true", "{a: 1}", "[1", "[" * 250 + "]" * 250])
def test_pretty_leaves_text_that_is_no_object_or_list(text: str) -> None:
    assert pretty(text) == text
