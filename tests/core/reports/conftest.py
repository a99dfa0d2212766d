"""Reports on a realistic evaluation, of any size."""

import sys
from pathlib import Path

import pytest

# What tests share besides fixtures are modules, not tests: importlib mode leaves sys.path alone.
sys.path.insert(0, str(Path(__file__).parent / "parts"))

from rendered_page import Make, PutText, render_report
from sample_report import make, with_text


@pytest.fixture(scope="session")
def usual_page() -> str:
    """The report of `make()`, rendered once: charts are slow."""
    return render_report(make())


@pytest.fixture
def make_data() -> Make:
    """`make` of the sample report."""
    return make


@pytest.fixture
def put_text() -> PutText:
    """`with_text` of the sample report."""
    return with_text
