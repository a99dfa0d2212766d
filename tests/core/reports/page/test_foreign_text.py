"""The page is self-contained, and dead whatever the transcripts say; their texts are shown as they are."""

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from rendered_page import Make, PutText, Structure, render_report

pytestmark = pytest.mark.usefixtures("charts_drawn_once")
HOSTILE = [
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)", "</style><style>*{background:url(http://evil)}", "<!-- ", "{{ 7 * 7 }}{% include 'x' %}",
    "</pre></details></main><base href=http://evil>", "]]><svg onload=alert(1)>", "javascript:alert(1)",
    "&lt;b&gt;&#60;script&#62;",
    "<iframe srcdoc='<script>alert(1)</script>'>", "<meta http-equiv=refresh content=0;url=http://evil>",
]


def test_hostile_text_is_shown_and_changes_no_element(make_data: Make, put_text: PutText) -> None:
    data = make_data(trials=2, turns=2)
    harmless = Structure(render_report(put_text(data, " harmless" * len(HOSTILE))))
    hostile = Structure(render_report(put_text(data, " ".join(HOSTILE))))
    assert hostile.elements == harmless.elements
    assert all(link.startswith(("#", "data:,")) for link in hostile.links)
    assert {text for text in HOSTILE if hostile.text.count(text) < 80} == set()


def test_hidden_characters_are_visible_and_the_page_can_be_written(make_data: Make, put_text: PutText) -> None:
    html = render_report(put_text(make_data(trials=4), "\u202e\x00\ud800"))
    html.encode("utf-8")
    assert not re.search("[\x00\u202e\ud800]", html)
    assert html.count("[U+202E][U+0000][U+D800]") > 100


def test_a_message_of_megabytes_makes_no_page_of_megabytes(make_data: Make) -> None:
    data = make_data()
    long = [{**turn, "content": "word " * 100_000} for turn in data.turns]
    page = render_report(replace(data, turns=long))
    assert "characters left out of this page; the tables have them]" in page
    assert len(page) < len(render_report(data)) + 50_000 * len(long)  # some are shown beside those of the base, too


def test_code_in_a_message_is_shown_as_code(make_data: Make) -> None:
    data = make_data(trials=2, turns=2)
    turns = [{**turn, "content": "So:\n```py\n  <b>\n```\nDone"} for turn in data.turns]
    page = render_report(replace(data, turns=turns))
    shown = '<p class="said" dir="auto">So:\n<code class="block" dir="ltr">```py\n  &lt;b&gt;\n```\n</code>Done</p>'
    assert page.count(shown) == page.count(">So:") > len(turns)  # some are shown beside those of the base, too


def test_the_policy_forbids_everything_but_our_script(usual_page: str) -> None:
    html = usual_page
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert html.index("Content-Security-Policy") < html.index("<style")
    assert "http" not in re.sub(r'http-equiv|xmlns(:xlink)?="[^"]*"', "", html).replace("HTTP 500", "")


def test_what_an_assertion_expected_and_found_is_read_in_letters(make_data: Make) -> None:
    data = make_data(trials=2)
    assert data.base
    escaped = {"expected": r'"\u58a8\u5c14\u672c"', "actual": r'"Z\u00fcrich \u202e"'}
    rows = [row | escaped for row in data.assertion_results]
    base = replace(data.base, assertion_results=[row | escaped for row in data.base.assertion_results])
    text = Structure(render_report(replace(data, assertion_results=rows, base=base))).text
    assert '"墨尔本"' in text
    assert '"Zürich [U+202E]"' in text
    assert r"\u" not in text


def test_no_line_breaks_before_a_percent_sign_and_no_text_of_others_changes(
    make_data: Make, put_text: PutText, usual_page: str
) -> None:
    said = Structure(usual_page).text.partition("(() =>")[0]
    assert re.findall(r"\d+ %.{9}", said) == []
    assert {"95\u00a0%", "90\u00a0%"} <= set(re.findall("[0-9]+\u00a0%", said))
    assert "5 % 2" in Structure(render_report(put_text(make_data(trials=1, turns=2), "5 % 2"))).text
