"""What axe finds on the rating page, in each of its states."""

from typing import Any

import pytest

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")


# Contrast takes axe half its time; test_appearance.py measures it in both colour schemes.
OPTIONS = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}


def test_axe_finds_nothing(visit: Any, write_page: Any, phone: Any) -> None:
    rater = visit(write_page(replies=1)[0], **phone)

    def look() -> None:
        found = axe.Axe().run(rater.page, options=OPTIONS).response["violations"]
        assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []

    look()
    rater.enter("no name!")
    look()
    rater.page.fill("#rater", "")
    rater.page.keyboard.type("ann")
    for keys in (">", "12", ">", "345y", ">" + "54543y>" * 4, ">", "u", "12345y>" * 3):
        rater.press(keys)
        look()
    for key in "ls?":
        rater.press(key)
        look()
        rater.escape()
