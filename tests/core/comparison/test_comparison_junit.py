"""A comparison as JUnit XML, and what is said there as in Markdown: of offline scores and refusals."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from compared_sides import BROKEN

from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.comparison_junit import comparison_junit, refusal_junit
from stoic_assets.core.comparison.comparison_markdown import comparison_markdown, refusal_markdown


def test_offline_is_said_first(worse: Comparison) -> None:
    offline = replace(worse, candidate=replace(worse.candidate, offline=True))

    assert "Scores mean nothing" in comparison_markdown(offline).split("|")[0]
    [suite] = ET.fromstring(comparison_junit(offline))
    assert "Scores mean nothing" in suite.findtext("system-out", "").splitlines()[1]
    against = "marcus@1.1.0 against marcus@1.0.0"
    assert {case.get("classname") for case in suite.iter("testcase")} == {f"{against} (offline)"}
    assert f'"{against}"' in comparison_junit(worse)


def test_junit_fails_on_regressions_and_skips_what_is_open(worse: Comparison) -> None:
    suite = ET.fromstring(comparison_junit(worse)).find("testsuite")

    assert suite is not None
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "9", "failures": "1", "errors": "0", "skipped": "6"}
    [failed] = [case for case in suite.iter("testcase") if case.find("failure") is not None]
    assert failed.get("name") == "assertion"
    assert "−0.40" in failed.find("failure").get("message")  # type: ignore[union-attr, operator]


def test_junit_shows_what_xml_cannot_write_and_what_nobody_sees(worse: Comparison) -> None:
    suite = ET.fromstring(comparison_junit(replace(worse, notes=("a\x00b\x1b\u202e & <c>",))))

    assert "a[U+0000]b[U+001B][U+202E] & <c>" in "".join(suite.itertext())


def test_a_refusal_is_an_error_for_the_build() -> None:
    suite = ET.fromstring(refusal_junit("a@1", "a@2", "half of the trials are invalid")).find("testsuite")

    assert suite is not None
    assert suite.get("errors") == "1"
    assert suite.find("testcase/error").get("message") == "half of the trials are invalid"  # type: ignore[union-attr]
    assert "was not compared with `a@1`" in refusal_markdown("a@1", "a@2", "why")


def test_junit_has_a_test_for_each_assertion_that_always_held(turned: Comparison) -> None:
    [suite] = ET.fromstring(comparison_junit(turned))
    cases = [case for case in suite.iter("testcase") if (case.get("name") or "").startswith("order")]
    found = {case.get("name"): [(part.tag, part.get("message")) for part in case] for case in cases}
    assert found == {
        "order (withheld): refund booked": [("failure", "held 3 of 3 times, now 0 of 2")],
        "order (withheld): 2: MATCH (r:Refund) RETURN count(r)": [
            ("skipped", "held 1 of 1 time, now 0 of 1; a single trial may be chance")
        ],
        "order (withheld): 4: MATCH (r:Refund) RETURN count(r)": [
            ("skipped", "held 3 of 3 times, now 1 of 3, which may be chance")
        ],
        "order (withheld): 5: MATCH (r:Refund) RETURN count(r)": [],
    }
    assert cases[0].findtext("failure") == BROKEN.text
    once = "1 assertion that always held for marcus@1.0.0 never holds for marcus@1.1.0; a single trial may be chance"
    assert once in suite.findtext("system-out", "").splitlines()
    assert "chance" not in comparison_junit(replace(turned, assertions=(BROKEN,)))
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "13", "failures": "2", "skipped": "8"
    }


def test_junit_fails_where_an_assertion_holds_significantly_less_often(forgetful: Comparison) -> None:
    [suite] = ET.fromstring(comparison_junit(forgetful))
    found = {case.get("name"): [(part.tag, part.get("message")) for part in case] for case in suite.iter("testcase")}
    over_all = "in all jobs that check it held 19 of 20 times, now 9 of 20; p <0.001"
    assert found["job00 (withheld): reminder stored"] == [("failure", f"held 5 of 5 times, now 2 of 5; {over_all}")]
    assert found["job03 (withheld): reminder stored"][0][0] == "failure"
    assert found["job02 (withheld): reminder stored"] == []
