"""The page as a file: whole, alone and blind. What it does in a browser is tested in tests/browser."""

import base64
import hashlib
import json
import re
from itertools import count
from pathlib import Path

from stoic_assets.adapters.disk.job_files import load_jobs
from stoic_assets.core.ratings.blinding import BlindPage, Reply, blind
from stoic_assets.core.ratings.page.build import build_page
from stoic_assets.core.ratings.rubric import DIMENSIONS, OVERALL

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)> & \u2028 \u0000 {{ 7 * 7 }}"
JOBS = load_jobs(sorted((Path(__file__).parents[4] / "eval_jobs").glob("marcus_*.yml")))
BLOCK = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def page_of(replies: list[Reply]) -> BlindPage:
    ids = count()
    return blind(replies, {}, lambda: f"{next(ids) * 7919 % 10007:05x}")


def scenario_page() -> BlindPage:
    place = ("marcus@1.2.3", "evaluation-7")
    return page_of([
        Reply(*place, f"evaluation-7.{job.name}.{scenario.id}.withheld.1", scenario.input, "So be it.")
        for job in JOBS for scenario in job.scenarios
    ])


def test_nothing_that_is_hidden_stands_in_the_page() -> None:
    blind_page = scenario_page()
    html = build_page(blind_page)
    hidden = {"marcus@1.2.3", "1.2.3", "evaluation-7", "signed_off", "withheld", *(job.name for job in JOBS)}
    for key in blind_page.keys.values():
        hidden |= {key.origin, key.trial_id or key.origin}
    for scenario in (scenario for job in JOBS for scenario in job.scenarios):
        hidden |= {scenario.id, scenario.category, str(scenario.rationale)}
        hidden |= {*scenario.expected, *(scenario.pad_baseline or {}), *scenario.expected["padDirection"].values()}
        hidden |= {scenario.expected["strategy"], scenario.expected.get("pattern", scenario.id)}
        hidden |= {f"{bound}" for bound in scenario.expected["effectivenessRange"]}
    texts = {item.input for item in blind_page.items}
    own = html
    for text in texts:  # what a person may write is not ours to hide
        own = own.replace(json.dumps(text)[1:-1], "")
    assert not [value for value in hidden if value in own]
    assert "attention" not in own.lower()


def test_the_page_knows_how_much_there_is_to_read_and_what_is_right_in_practice() -> None:
    blind_page = scenario_page()
    [block] = BLOCK.findall(build_page(blind_page))
    data = json.loads(block)
    assert {each["words"] == blind_page.keys[each["test_id"]].words for each in data["items"]} == {True}
    right = [{**each.item.marks, "overall": each.item.overall} for each in blind_page.practice]
    assert [each["reference"] for each in data["practice"]] == right


def test_raters_are_told_what_is_true_of_any_agent_or_what_the_study_lead_says() -> None:
    page = page_of([])
    [welcome] = re.findall(r'<section id="welcome".*?</section>', build_page(page), re.DOTALL)
    assert "People wrote a message, and each got a reply. You read 2 of these exchanges" in welcome
    assert not re.search("Marcus|Stoic|mentor", welcome)
    assert "<p>People wrote to a &lt;bank&gt;. You read 2 of" in build_page(page, "People wrote to a <bank>.")
    assert "<p>People[U+202E] wrote. You read 2 of" in build_page(page, "People\u202e wrote.")


def test_hidden_repeats_look_like_any_other_item() -> None:
    data = json.loads(BLOCK.findall(build_page(scenario_page()))[0])
    assert {tuple(item) for item in data["items"]} == {("test_id", "input", "reply", "words")}
    assert len(data["items"]) == 87


def test_hostile_text_stays_data() -> None:
    html = build_page(page_of([Reply("a@1", "e", "t", HOSTILE, HOSTILE)]))
    assert html.count("<script") == html.count("</script>") == 2
    [block] = BLOCK.findall(html)
    assert block.isascii()
    assert not set("<>&") & set(block)
    texts = [item["reply"] for item in json.loads(block)["items"]]
    assert HOSTILE.replace("\u2028", "[U+2028]").replace("\u0000", "[U+0000]") in texts


def test_the_policy_allows_our_own_style_and_script_alone() -> None:
    html = build_page(page_of([]))
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    [style] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    [script] = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    for text, directive in ((style, "style-src"), (script, "script-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_nothing_outside_is_named_and_no_markup_is_made() -> None:
    html = build_page(page_of([]))
    assert not re.findall(r"https?:|//\w+\.|url\(|@import", html)
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", html)
    assert not re.findall(r"\sstyle=|\son\w+=", html)


def test_every_question_stands_there_with_its_anchors() -> None:
    html = build_page(page_of([]))
    words = [text for each in DIMENSIONS for text in (each.title, each.question, *each.anchors)]
    words += [each.not_applicable for each in DIMENSIONS if each.not_applicable]
    words += [text for choice in OVERALL for text in (choice.title, choice.anchor)]
    assert not [text for text in words if text not in html.replace("&#39;", "'")]
