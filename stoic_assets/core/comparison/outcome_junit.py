"""A comparison as JUnit XML: one test for each measure that gates and each assertion that held, for build servers."""

import re
from xml.etree import ElementTree as ET

from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.outcome_text import (
    CHANCE,
    assertion_name,
    change,
    confidence,
    headline,
    how_often,
    name,
)
from stoic_assets.core.comparison.paired_assertions import PairedAssertion
from stoic_assets.core.comparison.paired_jobs import Row
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def comparison_junit(comparison: Comparison) -> str:
    """A regressed measure is a failure; an inconclusive one is skipped, with the reason.

    So is an assertion that held in every trial of the base and holds in none now; where one trial alone says so it is
    skipped. An offline one says so beside every test: of one that passed a build server shows little else.
    """
    base, candidate = comparison.base.agent_version, comparison.candidate.agent_version
    offline = comparison.candidate.offline
    against = f"{candidate} against {base}{' (offline)' if offline else ''}"
    always_held = [pair for pair in comparison.assertions if pair.base.share == 1]
    suite = _suite(base, candidate, len(comparison.gating) + len(always_held))
    for finding in comparison.gating:
        _case(suite, against, finding.row())
    for pair in always_held:
        _assertion_case(suite, against, pair)
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    notes = [*([OFFLINE_NOTE] if offline else []), *comparison.notes]
    said = [headline(comparison), *notes, confidence(comparison)]
    ET.SubElement(suite, "system-out").text = _text("\n".join(said))
    return _document(suite)


def refusal_junit(base: str, candidate: str, why: str) -> str:
    """Where nothing could be compared, one test that ended in an error."""
    suite = _suite(base, candidate, 1)
    suite.set("errors", "1")
    case = ET.SubElement(suite, "testcase", classname=f"{candidate} against {base}", name="comparison")
    ET.SubElement(case, "error", message=_text(why))
    return _document(suite)


def _suite(base: str, candidate: str, tests: int) -> ET.Element:
    return ET.Element(
        "testsuite", name=f"stoic compare {base} {candidate}", tests=str(tests), failures="0", errors="0", skipped="0"
    )


def _case(suite: ET.Element, classname: str, row: Row) -> None:
    case = ET.SubElement(suite, "testcase", classname=classname, name=name(row))
    if row["verdict"] == "regressed":
        ET.SubElement(case, "failure", message=_text(change(row)))
    elif row["verdict"] == "inconclusive":
        ET.SubElement(case, "skipped", message=_text(row["why"] or ""))


def _assertion_case(suite: ET.Element, classname: str, pair: PairedAssertion) -> None:
    case = ET.SubElement(suite, "testcase", classname=classname, name=_text(assertion_name(pair)))
    if pair.broken and pair.repeated:
        ET.SubElement(case, "failure", message=how_often(pair)).text = _text(pair.text)
    elif pair.broken:
        ET.SubElement(case, "skipped", message=f"{how_often(pair)}; {CHANCE}")


def _document(suite: ET.Element) -> str:
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _text(text: str) -> str:
    """XML has no way to write some characters."""
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
