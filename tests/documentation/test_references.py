"""Links, files and modules that documents name are there, and no text names a machine."""

import re
import subprocess
from pathlib import Path

import pytest
from documents import DOCUMENTS, ROOT

TEXT = {".md", ".py", ".yml", ".yaml", ".toml", ".sql", ".jinja", ".css", ".js", ".json", ".xml", ".example", ""}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FILE = re.compile(r"(?<![\w/.])(?:tests|benchmarks|deploy|stoic_assets)/[\w/.-]+\.[a-z]+\b")
MODULE = re.compile(r"python -m ((?:benchmarks|stoic_assets)[\w.]*)")
MACHINE = re.compile(r"(?<![\w.$~{}*])/(?:tmp|work|root|home)/\w|pypi[.]org|files[.]pythonhosted|repo1[.]maven")
"""Places and hosts of one machine; written so that this file does not hold what it forbids."""


def anchors(text: str) -> set[str]:
    """The fragments of a document's headings, as Markdown pages make them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for link in LINK.findall(text):
        if re.match(r"https?://", link):
            continue
        target, _, fragment = link.partition("#")
        file = (document.parent / target) if target else document
        assert file.exists(), f"{link} is not there"
        if fragment:
            assert fragment in anchors(file.read_text(encoding="utf-8")), f"{link} has no such heading"


def test_every_document_is_reached_from_the_readme() -> None:
    reached, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        document = waiting.pop()
        reached.add(document)
        links = [link.partition("#")[0] for link in LINK.findall(document.read_text(encoding="utf-8"))]
        linked = {(document.parent / link).resolve() for link in links if link}
        waiting += [path for path in DOCUMENTS if path in linked - reached]
    assert reached == set(DOCUMENTS)


def test_the_pictures_are_small() -> None:
    pictures = sorted((ROOT / "docs" / "pictures").glob("*.png"))
    assert [picture.name for picture in pictures] == ["asset_graph.png", "report.png"]
    assert all(picture.stat().st_size < 300_000 for picture in pictures)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_and_modules_that_are_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert [file for file in FILE.findall(text) if not (ROOT / file).exists()] == []
    modules = [ROOT / module.replace(".", "/") for module in MODULE.findall(text)]
    assert [each for each in modules if not each.is_dir() and not each.with_suffix(".py").is_file()] == []


def test_no_text_names_a_machine() -> None:
    # Containers often run as another user than the one who cloned.
    listing = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    files = [ROOT / name for name in names if Path(name).suffix in TEXT and (ROOT / name).is_file()]
    assert len(files) > 100
    found = {
        f"{file.relative_to(ROOT)}: {hit.group()}"
        for file in files
        if (hit := MACHINE.search(file.read_text(encoding="utf-8")))
    }
    assert found == set()
