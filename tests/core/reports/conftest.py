"""Reports on a realistic evaluation, of any size."""

import pickle
from collections.abc import Callable

import pytest
from rendered_page import Make, PutText, render_report
from sample_report import make, with_text

from stoic_assets.core.reports import page

CHARTS = ("virtue_chart_svg", "virtue_radar_svg", "trend_chart_svg", "response_time_chart_svg", "forest_chart_svg")


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


@pytest.fixture(scope="session")
def drawn() -> dict[bytes, str]:
    """Charts by what they show."""
    return {}


@pytest.fixture
def charts_drawn_once(monkeypatch: pytest.MonkeyPatch, drawn: dict[bytes, str]) -> None:
    """Each chart is drawn once for all tests that show the same: of the time of a page it takes three quarters."""
    for name in CHARTS:
        monkeypatch.setattr(page, name, _drawn_once(getattr(page, name), drawn))


def _drawn_once(draw: Callable[..., str], drawn: dict[bytes, str]) -> Callable[..., str]:
    def chart(*shown: object) -> str:
        key = pickle.dumps((draw.__name__, shown))
        if key not in drawn:
            drawn[key] = draw(*shown)
        return drawn[key]

    return chart
