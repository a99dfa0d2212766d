"""What charts are drawn with."""

import pytest

from stoic_assets.core.presentation.drawing import INK


def luminance(colour: str) -> float:
    """As WCAG defines it, 0 for black, 1 for white."""
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("background", ["#ffffff", "#000000"])
def test_labels_can_be_read_on_white_and_on_black(background: str) -> None:
    darker, lighter = sorted(map(luminance, (INK, background)))
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
