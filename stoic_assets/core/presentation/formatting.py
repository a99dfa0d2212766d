"""How values are written for people: rounding, units, times in UTC, and the dash for missing values."""

import html
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from markupsafe import Markup, escape

from stoic_assets.core.moments import in_utc
from stoic_assets.core.rounding import as_shown
from stoic_assets.core.table_rows import Row
from stoic_assets.core.text.foreign_text import visible
from stoic_assets.core.text.json_text import in_letters, laid_out

DASH = "–"
RAW_CHARS = 20_000
"""The longest message or raw evidence that a page shows; the tables contain all of it."""

_BEFORE_PERCENT = re.compile(r"(?<=\d) %(?!\})")
"""A blank before a percent sign that is not the end of a tag in a template."""
_FROM_THE_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_FENCED = re.compile(r"(^ {0,3}(`{3,})[^`\n]*$(?:\n(?! {0,3}\2`*[ \t]*$).*)*(?:\n.*)?\n?)", re.MULTILINE)
"""A fenced block as Markdown has it, with its fences; one that is not closed goes on to the end."""
_FENCED_OR_LINE = re.compile(rf"{_FENCED.pattern}|.*\n|.+", re.MULTILINE)
_BREAKS = re.compile(r"(?<=[_.-])(?=[^_.-])|(?<=[A-Za-z0-9]{20})(?=[A-Za-z0-9])")
_REASON = re.compile(r'<abbr class="none" title="([^"]*)">')

Form = Callable[[Any], str]


def is_missing(value: object) -> bool:
    """Whether there is nothing to write: null, not a number, infinite."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def score(value: float) -> str:
    """Two decimals, half-even on the binary value: `0.62`, `−0.08`, never `−0.00`; equal scores are written alike."""
    return f"{as_shown(value):z.2f}".replace("-", "−")


def short_of(value: float, bound: float) -> str:
    """As `score`, but a value below a bound gets as many decimals as show that: 0.699 where the bound is 0.7."""
    return beside(value, bound) if as_shown(value) < bound else score(value)


def beside(value: float, *lines: float | None) -> str:
    """As `score`, but with as many decimals as show on which side of each line, if known, it lies: 0.497 for 0.5."""
    value, there = as_shown(value), [line for line in lines if line is not None]
    texts = (f"{value:z.{decimals}f}" for decimals in range(2, 11))
    found = (text for text in texts if all(_side(float(text), line) == _side(value, line) for line in there))
    return next(found, score(value)).replace("-", "−")


def _side(value: float, line: float) -> int:
    """−1 below the line, 0 on it, 1 above."""
    return (value > line) - (value < line)


def as_set(value: float) -> str:
    """A bound that a user set, with all its decimals and at least two: `0.03`, `0.025`, `0.10`."""
    return max(f"{value:.2f}", f"{value:g}", key=len)


def difference(value: float) -> str:
    """Two decimals with a sign, three where two would show nothing: `+0.05`, `−0.12`, `+0.004`, `±0.00`."""
    value = as_shown(value)
    if abs(value) < 0.0005:
        return "±0.00"
    return f"{value:+.{3 if abs(value) < 0.005 else 2}f}".replace("-", "−")


def p_value(value: float) -> str:
    """Three decimals, or the bound below them: `0.031`, `<0.001`; more where 0.050 would hide that it is above 0.05."""
    if value < 0.001:
        return "<0.001"
    texts = (f"{value:.{decimals}f}" for decimals in range(3, 11))
    return next((text for text in texts if (float(text) > 0.05) == (value > 0.05)), f"{value:.3f}")


def count(value: float) -> str:
    """A whole number with thousands separators: `12,500`."""
    return f"{value:,.0f}"


def plural(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 trial`, `2 trials`, `1 reply`; `many` is an irregular plural."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """The first of several names, and how many more there are: `a, b, c, d, e and 2 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def span(values: Iterable[float], form: Form, between: str = " to ") -> str:
    """The least and the greatest of some figures, or one where they look the same."""
    known = [*values]
    least, most = form(min(known)), form(max(known))
    return least if least == most else f"{least}{between}{most}"


def percent(value: float) -> str:
    """A share, 0–1, in percent: `12 %`, `<1 %`, `>99 %`; only none at all is `0 %`, and only all is `100 %`."""
    if 0 < value < 1 and not 0.005 < value < 0.995:
        return "<1 %" if value < 0.5 else ">99 %"
    return f"{value:.0%}".replace("%", " %")


def milliseconds(value: float) -> str:
    """`640 ms`, `1.24 s`, `31.0 s`, `2 min 5 s`, `3 h 20 min`."""
    seconds = value / 1000
    if value < 999.5:
        return f"{value:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.2f} s" if seconds < 9.995 else f"{seconds:.1f} s"
    if seconds < 3599.5:
        return f"{round(seconds) // 60} min {round(seconds) % 60} s"
    return f"{round(seconds) // 3600:,} h {round(seconds) % 3600 // 60} min"


def dollars(value: float) -> str:
    """US dollars; small sums keep two significant digits: `$1.24`, `$0.0060`, `<$0.001`."""
    return f"${value:,.2f}" if value >= 0.0995 or value == 0 else f"${value:#.2g}" if value >= 0.001 else "<$0.001"


def utc(value: datetime | str) -> str:
    """`2026-11-21 14:02 UTC`; a text that is no ISO time is left as it is."""
    moment = as_moment(value)
    return str(value) if moment is None else f"{moment:%Y-%m-%d %H:%M} UTC"


def as_moment(value: datetime | str | None) -> datetime | None:
    """The moment in UTC, which is assumed of a time without zone; None for what is no time."""
    try:
        return None if value is None else in_utc(value)
    except (ValueError, OverflowError):
        return None


def lasted(row: Row) -> float | None:
    """Milliseconds from `started_at` to `ended_at`; None where one is missing or the clock was set back in between."""
    start, end = as_moment(row.get("started_at")), as_moment(row.get("ended_at"))
    return None if start is None or end is None or end < start else (end - start).total_seconds() * 1000


def words(name: str) -> str:
    """An identifier in words: `practical_wisdom` is `Practical wisdom`."""
    return name.replace("_", " ").capitalize()


def pretty(value: object) -> str:
    """An object or a list, or a text of one in JSON, on indented lines; any other text as it is; a long one is cut."""
    return bounded(laid_out(value if isinstance(value, str) else json.dumps(value, default=str)))


def bounded(text: str) -> str:
    """The text, or `RAW_CHARS` of it with a note on how much is left out: an agent may say megabytes."""
    left_out = len(text) - RAW_CHARS
    note = f"\n[{left_out:,} characters left out of this page; the tables have them]"
    return text if left_out <= 0 else text[:RAW_CHARS] + note


FORMS: Mapping[str, Form] = {
    "score": score, "difference": difference, "p_value": p_value, "count": count,
    "percent": lambda share: unbroken(percent(share)), "milliseconds": milliseconds, "dollars": dollars, "utc": utc,
    "words": words, "pretty": pretty, "said": str, "in_letters": in_letters, "as_set": as_set,
}
"""The filters that templates use."""


def breakable(name: str) -> Markup:
    """A name that may break after each `_`, `.` and `-`, so that it does not break within a word, unless that is long.

    Otherwise a hundred letters without any of these would push a table's other columns out of view.
    """
    return Markup("<wbr>").join(_BREAKS.split(visible(name)))


def unbroken(sentence: str) -> str:
    """A sentence of Stoic Eval, or a template, in which no line breaks between a number and its percent sign."""
    return _BEFORE_PERCENT.sub("\u00a0%", sentence)


def with_code(message: str) -> Markup:
    """A message of Stoic Eval for a page: `unbroken`, and what stands between backticks is code."""
    parts = re.split(r"`([^`]+)`", message)
    return Markup("").join(
        Markup("<code>{}</code>").format(visible(part)) if place % 2 else unbroken(visible(part))
        for place, part in enumerate(parts)
    )


def fenced(message: str) -> Markup:
    """A message as it was written, its fenced blocks as code: indentation and tables need letters of one width.

    Where some of it is read from the right, each other line is an element: Chromium mirrors the brackets of a line that
    is read from the left if the line before is read from the right.
    """
    shown = str(escape(visible(message)))
    block, line = r'<code class="block" dir="ltr">\1</code>', r'<span class="line" dir="auto">\g<0></span>'
    if not _FROM_THE_RIGHT.search(shown):
        return Markup(_FENCED.sub(block, shown))  # noqa: S704 - escaped before
    pieces = _FENCED_OR_LINE.sub(lambda piece: piece.expand(block if piece[1] else line), shown)
    return Markup(pieces)  # noqa: S704 - escaped before


def dashed(form: Form, value: Any) -> str:
    """A value in a form, as plain text; a dash for a missing one."""
    return DASH if is_missing(value) else form(value)


def or_dash(form: Form) -> Callable[..., Markup]:
    """A template filter that writes a value in a form, and a dash with the reason on hover where there is none."""

    def written(value: Any, why: str = "not recorded") -> Markup:
        if is_missing(value):
            return Markup('<abbr class="none" title="{}">{}</abbr>').format(visible(why), DASH)
        return escape(visible(form(value)))

    return written


def explained(part: Markup) -> Markup:
    """A part of a page, and below it the reasons of its dashes that it does not state itself.

    Touch, keyboard and paper have no hover. The dashes are those of `or_dash`.
    """
    reasons = [why for why in dict.fromkeys(_REASON.findall(part)) if f">{why}<" not in part]
    below = Markup('<p class="note">{} {}</p>').format(DASH, "; ".join(map(html.unescape, reasons)))
    return part + below if reasons else part
