"""The charts: SVG that parses, says what the rows say, is the same twice, and carries no foreign markup."""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from stoic_assets.core.presentation.drawing import PAGE_INK, PALETTE
from stoic_assets.core.reports.data import ReportData
from stoic_assets.core.reports.forest_chart import forest_chart_svg
from stoic_assets.core.reports.reply_times import response_time_chart_svg
from stoic_assets.core.reports.trend_chart import releases, trend_chart_svg
from stoic_assets.core.reports.virtue_charts import virtue_chart_svg, virtue_radar_svg

ALL = ("wisdom", "courage", "justice", "temperance", "practical_wisdom")
MARK_COLOUR = PALETTE[4]
SVG = "{http://www.w3.org/2000/svg}"
VIRTUES = [
    {"virtue": "wisdom", "score": 0.83, "confidence": 0.9}, {"virtue": "justice", "score": None, "confidence": None},
    {"virtue": "temperance", "score": 0.47, "confidence": None},
]


def texts(svg: str) -> list[str]:
    """The labels of a chart."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture(params=["virtues", "radar", "trends", "times", "forest"])
def draw(request: pytest.FixtureRequest, make_data: Callable[..., ReportData]) -> Callable[..., str]:
    """One of the charts, drawn from a realistic evaluation."""
    data = make_data()
    times = [row["response_ms"] for row in data.turns if row["speaker"] == "agent"]
    charts: dict[str, Callable[..., str]] = {
        "virtues": lambda: virtue_chart_svg(data.evaluation_virtues, {"courage"}, data.evaluation_virtues, PAGE_INK),
        "radar": lambda: virtue_radar_svg(data.evaluation_virtues, data.evaluation_virtues),
        "forest": lambda: forest_chart_svg([row for row in data.version_comparisons if row["gating"]]),
        "trends": lambda: trend_chart_svg(data.virtue_trends),
        "times": lambda: response_time_chart_svg(times),
    }
    return charts[request.param]


def test_a_chart_is_the_same_twice_and_takes_the_ink_of_its_page(draw: Callable[..., str]) -> None:
    assert draw() == draw()
    assert "#010203" not in draw()
    assert "currentColor" in draw()


def test_a_chart_has_ids_of_its_own_and_every_reference_has_its_target(draw: Callable[..., str]) -> None:
    svg = draw()
    ids = re.findall(r' id="([^"]+)"', svg)
    assert len(ids) == len(set(ids)) > 0
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', svg)) <= set(ids)
    assert len({name.partition("-")[0] for name in ids}) == 1


def test_the_virtue_chart_says_what_was_scored() -> None:
    labels = texts(virtue_chart_svg(VIRTUES))
    assert {"0.83", "0.47", "Wisdom", "Practical wisdom"} <= set(labels)
    assert labels.count("not scored") == 3


def test_a_weak_virtue_and_a_base_change_the_picture() -> None:
    plain = virtue_chart_svg(VIRTUES)
    weak = virtue_chart_svg(VIRTUES, weak={"temperance"})
    assert ("<pattern" in plain, weak.count("<pattern")) == (False, 1)  # hatched: the colour alone would not do
    assert plain != virtue_chart_svg(VIRTUES, base=VIRTUES)


def test_the_radar_names_the_versions_and_leaves_a_gap_for_what_was_not_scored() -> None:
    whole = [{"virtue": virtue, "score": 0.5} for virtue in ALL]
    svg = virtue_radar_svg(whole, VIRTUES, ("m@2", "m@1"))
    assert {"m@2", "m@1", "Wisdom", "Justice"} <= set(texts(svg))
    assert virtue_radar_svg(whole).count("<path") > virtue_radar_svg(VIRTUES).count("<path")
    assert "m@1" not in texts(virtue_radar_svg(whole, (), ("m@2", "m@1")))


def finding(measure: str, verdict: str, *numbers: float | None) -> dict[str, Any]:
    """A row of `version_comparisons` with its difference, interval and δ."""
    columns = dict(zip(("difference", "low", "high", "delta"), numbers, strict=True))
    return {"measure": measure, "verdict": verdict, **columns}


def test_the_forest_shows_each_measure_and_the_verdicts_that_occur() -> None:
    rows = [
        finding("practical_wisdom", "regressed", -0.3, -0.4, -0.2, 0.05),
        finding("timing", "inconclusive", None, None, None, 0.05),
    ]
    labels = texts(forest_chart_svg(rows))
    assert {"Practical wisdom", "Timing", "not measured", "regressed", "inconclusive", "0"} <= set(labels)
    assert not {"improved", "unchanged"} & set(labels)


def test_a_measure_that_was_not_tested_has_a_hollow_mark_and_no_interval_and_so_has_its_key() -> None:
    tested = forest_chart_svg([finding("task", "regressed", -0.3, -0.4, -0.2, 0.1) | {"p": 0.01}])
    by_sign = forest_chart_svg([finding("task", "regressed", -0.3, None, None, 0.1) | {"p": 0.01}])
    untested = forest_chart_svg([finding("task", "regressed", -0.3, None, None, 0.1)])
    assert [chart.count(MARK_COLOUR) for chart in (tested, by_sign, untested)] == [4, 2, 0]


@pytest.mark.parametrize(("change", "anchor"), [(-0.7, "end"), (0.7, "start")])
def test_what_was_not_measured_says_so_on_the_side_where_there_is_room(change: float, anchor: str) -> None:
    rows = [finding(measure, "inconclusive", found, None, None, 0.1) for measure, found in (("a", change), ("b", None))]
    [style] = re.findall('<text style="([^"]*)"[^>]*>not measured', forest_chart_svg(rows))
    assert f"text-anchor: {anchor};" in style


def trend(version: str, place: int, virtue: str = "wisdom") -> dict[str, Any]:
    """A row of `virtue_trends`."""
    return {"virtue": virtue, "agent_version": version, "mean": 0.5, "place": place}


def test_releases_stand_in_their_order() -> None:
    rows = [trend("m@1.10", 3), trend("m@1.9", 2), trend("m@1.8", 1, "courage")]
    assert releases(rows) == ["m@1.8", "m@1.9", "m@1.10"]
    assert texts(trend_chart_svg(rows))[:3] == ["1.8", "1.9", "1.10"]


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("</text><script>", "</text><script>"), ("$\\frac{1}{0}$", "$\\frac{1}{0}$"),
        ("\x00\u202e日", "[U+0000][U+202E]日"), ("long" * 999, "longlonglon…nglonglong"),
    ],
)
def test_labels_are_text_and_nothing_else(hostile: str, shown: str) -> None:
    svg = trend_chart_svg([trend("m@1", 1), trend(f"m@{hostile}", 2)])
    assert shown in texts(svg)
    assert "<script" not in svg


@pytest.mark.parametrize(
    ("name", "count", "named"),
    [
        ("1.{}.0", 13, ["1.0.0", "1.2.0", "1.4.0", "1.7.0", "1.9.0", "1.12.0"]),
        ("2026.11.2{}", 6, ["2026.11.20", "2026.11.22", "2026.11.25"]),
        ("20261101-ab{}", 10, ["20261101-ab0", "20261101-ab4", "20261101-ab9"]),
        ("1.{}.0-rc.2026-11-22+arm64", 13, ["1.0.0-rc.20…1-22+arm64", "1.12.0-rc.2…1-22+arm64"]),
    ],
)
def test_as_many_releases_are_named_as_fit_and_the_first_and_the_newest_always(
    name: str, count: int, named: list[str]
) -> None:
    labels = texts(trend_chart_svg([trend(f"m@{name.format(number)}", number) for number in range(count)]))
    assert labels[: labels.index("0.0")] == named


def test_one_long_name_does_not_push_out_the_others() -> None:
    names = ["1.0", "1.1-beta.1+build.20261101.linux-x86_64", "1.2", "1.3", "1.4"]
    labels = texts(trend_chart_svg([trend(f"m@{name}", number) for number, name in enumerate(names)]))
    assert labels[: labels.index("0.0")] == ["1.0", "1.2", "1.4"]


@pytest.mark.parametrize(("own", "times"), [("m@1.8", 2), ("m@1.9", 2), ("m@1.10", 1), ("m@2", 0)])
def test_the_release_of_the_report_is_marked_where_later_ones_follow(own: str, times: int) -> None:
    rows = [trend(f"m@1.{number}", number) for number in (8, 9, 10)]
    assert texts(trend_chart_svg(rows, own)).count(own.removeprefix("m@")) == times


@pytest.mark.parametrize("times", [[0.0], [5.0] * 3, [1.0, 2.0, 90_000.0]])
def test_reply_times_of_any_shape_can_be_drawn(times: list[float]) -> None:
    assert "replies" in texts(response_time_chart_svg(times))
