"""The web UI of `stoic ui` as real processes, in headless Chromium: for `make_pictures.py` and `tests/browser`."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx

STOIC = str(Path(sys.executable).with_name("stoic"))
CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)
START_SECONDS, STOP_SECONDS = 100, 100
GRAPH_VIEW = {
    "asset-graph-direction": "vertical",
    "asset-node-facets": ["checks", "status", "kind-tag", "unsynced-tag"],
}
"""How to draw the graph, under the names by which the page remembers it: all assets in a row would be too small."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser, as playwright's `Browser`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def web_ui(project: Path, env: Mapping[str, str]) -> Iterator[str]:
    """`stoic ui` on a project while the block runs; gives its URL. Raises RuntimeError if it does not start."""
    port = free_port()
    command = [STOIC, "ui", "--port", str(port)]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, cwd=project, env={**os.environ, **env}, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            if not answers(url, process):
                log.seek(0)
                raise RuntimeError(f"stoic ui did not start:\n{log.read()[-3000:]}")
            yield url
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)


def free_port() -> int:
    """A port that is free now; `stoic ui` takes a number only."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str, process: "subprocess.Popen[bytes]") -> bool:
    """Whether the web server answers, also with a 401, before its time is up or its process has ended."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            return httpx.get(f"{url}/server_info", timeout=5, trust_env=False).status_code in (200, 401)
        except httpx.TransportError:
            time.sleep(0.2)
    return False


def graphql(url: str, query: str, **variables: Any) -> Any:
    """The data of one GraphQL call, which is also what the pages are made from. Raises RuntimeError for a fault."""
    body = {"query": query, "variables": variables}
    answer = httpx.post(f"{url}/graphql", json=body, timeout=30, trust_env=False).json()
    if answer.get("errors"):
        raise RuntimeError(answer["errors"][0]["message"])
    return answer["data"]


def assets(url: str) -> dict[str, list[str]]:
    """The names of all assets of the project by group."""
    query = "{repositoriesOrError{... on RepositoryConnection{nodes{assetNodes{assetKey{path} groupName}}}}}"
    grouped: dict[str, list[str]] = {}
    for repository in graphql(url, query)["repositoriesOrError"]["nodes"]:
        for node in repository["assetNodes"]:
            grouped.setdefault(node["groupName"], []).append("/".join(node["assetKey"]["path"]))
    return grouped


def open_asset_graph(browser: Any, url: str, folded: Collection[str] = ()) -> Any:
    """A page with the graph of all assets; the groups `folded` are one box each.

    Raises playwright's TimeoutError if an asset does not show.
    """
    unfolded = {group: names for group, names in assets(url).items() if group not in folded}
    names = [name for group in unfolded.values() for name in group]
    # The page fits the graph in; where that makes the assets too small, it cuts their names.
    page = browser.new_page(viewport={"width": 180 * len(names), "height": 95 * len(names)})
    remembered = [f"localStorage.setItem({json.dumps(k)}, {json.dumps(json.dumps(v))})" for k, v in GRAPH_VIEW.items()]
    page.add_init_script(";".join(remembered))
    page.goto(f"{url}/asset-groups?{urlencode({'expanded': ','.join(f'global@global:{group}' for group in unfolded)})}")
    for name in names:
        page.locator("foreignObject").get_by_text(name, exact=True).first.wait_for()
    return page


def extent(page: Any, margin: int = 24) -> dict[str, float]:
    """The part of the page that the asset graph covers, in pixels."""
    boxes = [box for box in (each.bounding_box() for each in page.locator("foreignObject").all()) if box]
    left, top = min(box["x"] for box in boxes) - margin, min(box["y"] for box in boxes) - margin
    right = max(box["x"] + box["width"] for box in boxes) + margin
    bottom = max(box["y"] + box["height"] for box in boxes) + margin
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}
