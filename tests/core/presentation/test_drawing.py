"""What charts are drawn with."""

from xml.etree import ElementTree

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.presentation.drawing import INK, INK_MARK, axes, label, svg


def luminance(colour: str) -> float:
    """As WCAG defines it, 0 for black, 1 for white."""
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("background", ["#ffffff", "#000000"])
def test_labels_can_be_read_on_white_and_on_black(background: str) -> None:
    darker, lighter = sorted(map(luminance, (INK, background)))
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("bøb-2", "bøb-2"), ("日本", "日本"), ("a\n b", "a b"), ("\u202ea", "[U+202E]a"), ("5 $", r"5 \$"),
        ("x" * 22, "x" * 22), ("x" * 12 + "y" * 11, "x" * 11 + "…" + "y" * 10), ("日" * 11, "日" * 11),
        ("日" * 12, "日" * 5 + "…" + "日" * 5),
    ],
)
def test_a_label_is_one_short_line_in_any_script(text: str, shown: str) -> None:
    assert label(text) == shown


@examples(1 / 4)
@given(st.text(min_size=1).filter(lambda text: text.strip() and INK_MARK not in text))
def test_a_chart_writes_every_label_as_text(text: str) -> None:
    figure, plot = axes(3, 1)
    plot.set_yticks([0], [label(text)])
    written = [element.text for element in ElementTree.fromstring(svg(figure, "any")).iter()]
    assert label(text).replace(r"\$", "$") in written
