"""The documents, and what stands in their code blocks and tables."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
ROW = re.compile(r"^\| (`[^|]+?) \|", re.MULTILINE)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def rows(text: str) -> list[str]:
    """What stands in backticks in the first cell of every table row."""
    return [name for cell in ROW.findall(text) for name in re.findall(r"`([^`]+)`", cell)]
