"""Tests and their results as JUnit XML, in the form that build servers read.

Characters that XML cannot represent are among those that `visible` shows as codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as ET

from stoic_assets.core.text.foreign_text import visible


@dataclass(frozen=True)
class Case:
    """One test, passed unless it has a `result`; `message` gives the reason in one line, `details` in full."""

    classname: str
    name: str
    result: Literal["failure", "error", "skipped"] | None = None
    message: str = ""
    details: str = ""


@dataclass(frozen=True)
class Suite:
    """Tests that belong together, and a text about all of them."""

    name: str
    cases: Sequence[Case]
    said: str = ""


def junit(suites: Sequence[Suite]) -> str:
    """The suites as one document."""
    root = ET.Element("testsuites")
    root.extend(map(_suite, suites))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(suite: Suite) -> ET.Element:
    results: list[str | None] = [case.result for case in suite.cases]
    ended = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {"tests": str(len(results))} | {name: str(results.count(result)) for name, result in ended.items()}
    element = ET.Element("testsuite", {"name": visible(suite.name), **counts})
    element.extend(map(_case, suite.cases))
    if suite.said:
        ET.SubElement(element, "system-out").text = visible(suite.said)
    return element


def _case(case: Case) -> ET.Element:
    element = ET.Element("testcase", classname=visible(case.classname), name=visible(case.name))
    if case.result:
        ET.SubElement(element, case.result, message=visible(case.message)).text = visible(case.details) or None
    return element
