"""The chart of calibration."""

import re
from xml.etree import ElementTree as ET

import pytest

from stoic_assets.core.calibration.reliability_diagram import reliability_diagram_svg
from stoic_assets.core.judging.confidence_map import ConfidenceMap, ReliabilityBin
from stoic_assets.core.presentation.drawing import WEAK

FOUND = ConfidenceMap(
    virtue="wisdom", judges=("gpt",), signal="spread", prompt_hashes=("p",), points=((0.0, 0.9), (0.3, 0.4)),
    before=(ReliabilityBin(confidence=0.95, right=0.6, verdicts=40),),
    after=(
        ReliabilityBin(confidence=0.4, right=0.45, verdicts=10), ReliabilityBin(confidence=0.9, right=0.9, verdicts=30),
    ),
)  # fmt: skip


def test_it_is_one_element_with_both_confidences_and_the_same_for_the_same_data() -> None:
    drawn = reliability_diagram_svg(FOUND)
    assert ET.fromstring(drawn).tag.endswith("svg")
    for words in ("uncalibrated", ">calibrated", "confidence", "share that was right"):
        assert words in drawn
    assert drawn == reliability_diagram_svg(FOUND)
    assert drawn != reliability_diagram_svg(FOUND.model_copy(update={"after": ()}))


def test_a_dot_is_at_its_confidence() -> None:
    drawn = reliability_diagram_svg(FOUND)
    uncalibrated, _in_legend = re.findall(rf'<use [^>]* x="([\d.]+)"[^>]* style="fill: {WEAK}', drawn)
    never, always = (float(re.findall(rf' x="([\d.]+)"[^>]*>{tick}<', drawn)[0]) for tick in ("0.00", "1.00"))
    assert (float(uncalibrated) - never) / (always - never) == pytest.approx(0.95)
