"""A report as one page, and what is in it."""

import re
from collections.abc import Callable
from html.parser import HTMLParser

from stoic_assets.core.reports.data import ReportData
from stoic_assets.core.reports.page import report_parts

Make = Callable[..., ReportData]
PutText = Callable[[ReportData, str], ReportData]
REACHING_OUT = {"href", "src", "action", "formaction", "xlink:href", "srcset", "data", "poster", "background"}


def render_report(data: ReportData) -> str:
    """The page in one piece."""
    return "".join(report_parts(data))


class Structure(HTMLParser):
    """The elements of a page with the names of their attributes, the values that could reach out, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, ...]] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if (tag, attrs) == ("wbr", []):  # a name may break where a hostile one has its dots
            return
        self.elements.append((tag, *(name for name, _ in attrs)))
        self.links += [value or "" for name, value in attrs if name in REACHING_OUT]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def table_rows(html: str) -> list[list[str]]:
    """The words of each row of a page's tables; a name is one, wherever it may break."""
    rows = re.findall("<tr>.*?</tr>", html.replace("<wbr>", ""), re.DOTALL)
    return [" ".join(Structure(row).texts).split() for row in rows]
