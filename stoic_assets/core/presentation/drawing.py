"""What all charts share: creating a figure, colours, and converting a figure to SVG text.

Figures are made without pyplot, which keeps them in a global registry.
"""

import io
import logging
import re
import warnings
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from stoic_assets.core.text.foreign_text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#71767e"
"""Lines and text on an unknown background: contrast 4.5:1 with white and with black."""
PAGE_INK = "currentColor"
"""The ink of charts in a page: the colour of its text, in light and dark mode."""
PALETTE = ("#3b82c4", "#d97706", "#2a9d6f", "#a463c8", "#d6537a")
"""Mid-tones with a contrast of 3:1 with white and with black."""
STRONG, WEAK = PALETTE[0], PALETTE[1]
INK_MARK = "#010203"
"""Placeholder for the ink of the page in charts: matplotlib does not know `currentColor`."""
LABEL_COLUMNS = 22
"""A longer label is shortened, so that there is room for the chart; a broad character takes two columns."""

_REFERENCE = re.compile(r'( id="|href="#|url\(#)')
_BROAD = re.compile("[^\u0000-\u08ff\u10a0-\u10ff\u1e00-\u2bff]")
"""The scripts of South and East Asia, and emoji: as broad as two letters, or measured so."""
_NOT_IN_FONT = r"Glyph \d+ .* missing from font"
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


class Margins(NamedTuple):
    """Inches around the axes, for their labels and the legend."""

    left: float
    right: float
    bottom: float
    top: float


def axes(
    width: float, height: float, margins: Margins | None = None, projection: str | None = None
) -> "tuple[Figure, Axes]":
    """A figure of that size in inches with one pair of axes, without a frame.

    With `margins` matplotlib need not measure its labels, which takes half the time of a chart.
    """
    figure = _figure_class()(figsize=(width, height), layout=None if margins else "constrained")
    plot = figure.add_subplot(projection=projection)
    if margins:
        left, right, bottom, top = margins
        figure.subplots_adjust(left / width, bottom / height, 1 - right / width, 1 - top / height)
    plot.spines[:].set_visible(False)
    plot.tick_params(length=0, colors=INK_MARK, labelsize=9)
    plot.set_axisbelow(True)
    return figure, plot


@cache
def _figure_class() -> "type[Figure]":
    """matplotlib's `Figure`, imported without generating the docstring of every artist's `set`: saves 0.17 of 0.4 s."""
    # It warns where it cannot write its font cache, but still draws.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from matplotlib.artist import Artist

    Artist._update_set_signature_and_docstring = classmethod(lambda cls: None)  # type: ignore[attr-defined]
    from matplotlib.figure import Figure

    return Figure


def label(text: str) -> str:
    """A text as charts can write it: in one short line, with `$` escaped.

    A long one lacks its middle: versions may differ in their first or their last letters only.
    """
    line = " ".join(visible(text).split())
    if columns(line) > LABEL_COLUMNS:
        before, after = LABEL_COLUMNS // 2, (LABEL_COLUMNS - 1) // 2
        line = f"{line[: _fitting(line, before)]}…{line[len(line) - _fitting(line[::-1], after) :]}"
    return line.replace("$", r"\$")


def columns(line: str) -> int:
    """How broad a line is, in letters."""
    return len(line) + len(_BROAD.findall(line))


def _fitting(line: str, room: int) -> int:
    """How many of the first characters fit into `room` columns."""
    return sum(end <= room for end in accumulate(map(columns, line)))


def svg(figure: "Figure", name: str, ink: str = PAGE_INK) -> str:
    """The figure as an `<svg>` element, the same for the same data.

    `name` makes its ids different from those of other charts in a page; `ink` is the CSS colour of lines and text.
    """
    import matplotlib as mpl

    out = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}), warnings.catch_warnings():
        # The text is drawn by the fonts of the browser; matplotlib's own only measures it.
        warnings.filterwarnings("ignore", _NOT_IN_FONT)
        figure.savefig(out, format="svg", transparent=True, metadata=_NO_METADATA)
    text = out.getvalue()
    element = text[text.index("<svg") :].replace(INK_MARK, ink)
    return _REFERENCE.sub(rf"\g<1>{name}-", element)
