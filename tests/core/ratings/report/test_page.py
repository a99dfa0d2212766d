"""The report page: complete, self-contained, and dead whatever raters and replies say."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from analysed_ratings import analyse_rows
from rendered_page import Structure

from stoic_assets.core.presentation.page_environment import policy_hash
from stoic_assets.core.ratings.analysis import RatingAnalysis, analyse
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.reliability.estimate import Estimate, Resampling
from stoic_assets.core.ratings.reliability.gate import Gate
from stoic_assets.core.ratings.report import page as report_page
from stoic_assets.core.ratings.report.charts import kappas_of_pairs, rater_kappas
from stoic_assets.core.ratings.report.discussion_sheet import discussion_sheet
from stoic_assets.core.ratings.report.page import render_analysis
from stoic_assets.core.ratings.study import Study

Rows = list[dict[str, Any]]
HOSTILE = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style><style>*{}", "{{ 7 * 7 }}",
    "</details></main>", "<meta http-equiv=refresh content=0;url=http://evil>", "' onmouseover='alert(1)",
)  # fmt: skip


def study(make_study: Callable[..., Rows], text: str) -> RatingAnalysis:
    """A study in which every text that somebody else wrote is this one, or begins with it."""
    rows = make_study(14, 3, noise=1.5)
    for row in rows:
        row |= {"comments": text, "rater_id": f"{text} {row['rater_id']}"}
    known = {row["test_id"]: RatedItem(input=text, reply=text, effectiveness=0.5) for row in rows}
    return analyse_rows(rows, known, resampling=Resampling(30))


@pytest.fixture
def without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes nearly all of the time of a page; what charts do with names of raters is tested with them."""
    for name in ("forest_chart_svg", "distribution_chart_svg", "kappa_heat_map_svg", "leniency_chart_svg"):
        monkeypatch.setattr(report_page, name, lambda *_: "<svg></svg>")


@pytest.fixture(scope="module")
def page(make_study: Callable[..., Rows]) -> str:
    return render_analysis(study(make_study, "plain text"))


def test_everything_has_its_place(page: str) -> None:
    text = " ".join(Structure(page).text.split())
    for said in (
        "42 ratings of 14 items by 3 raters", "Do the raters agree?", "Without weights, for comparison",
        "How lenient each rater is", "Who agrees with whom", "Alpha without one rater",
        "may judge differently from the others", "look at leniency and flags too",
        "Against the agent’s own effectiveness", "A weak correlation is to be expected", "one of the two never varies",
        "Best: mean over the dimensions", "To discuss",
    ):  # fmt: skip
        assert said in text or said in page, said
    assert page.count("<svg") == 4


def test_nothing_is_asked_of_anybody(page: str) -> None:
    structure = Structure(page)
    assert all(link.startswith(("#", "data:")) for link in structure.links)
    assert not re.search(r"@import|url\((?!#)", page)
    assert "default-src 'none'" in page
    [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert f"script-src '{policy_hash(script)}'" in page
    assert page.count("<script") == 1


@pytest.mark.usefixtures("without_charts")
@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_others_comes_alive(make_study: Callable[..., Rows], text: str) -> None:
    hostile = Structure(render_analysis(study(make_study, text)))
    assert hostile.elements == Structure(render_analysis(study(make_study, "plain text"))).elements
    assert any(text in said for said in hostile.texts)


def test_unseen_characters_are_named(make_study: Callable[..., Rows]) -> None:
    page = render_analysis(study(make_study, "left\u202eright\x00"))
    assert "\u202e" not in page
    assert "left[U+202E]right[U+0000]" in page


@pytest.mark.usefixtures("without_charts")
def test_states_and_numbers_of_raters_are_said_in_words(make_study: Callable[..., Rows]) -> None:
    agreed = render_analysis(analyse_rows(make_study(80, 4, noise=0.3), resampling=Resampling(50)))
    alone = render_analysis(analyse_rows(make_study(20, 1), resampling=Resampling(50)))
    assert agreed.count(">agreed</span>") == 5
    assert alone.count("Ask 2 more raters.") == 5
    assert "One rater gave marks: agreement needs two." in alone
    assert "The agent reported no effectiveness" in alone


@pytest.mark.usefixtures("without_charts")
def test_a_figure_does_not_contradict_its_gate(make_study: Callable[..., Rows]) -> None:
    analysis = analyse_rows(make_study(10, 2), resampling=Resampling(10))
    alpha, why = Estimate(0.49978, 0.28, 0.49994, None), "the whole interval lies below 0.5"
    found = analysis.dimensions["helpfulness"]
    found = replace(found, coefficients={**found.coefficients, "alpha_ordinal": alpha}, gate=Gate("fail", None, why))
    page = render_analysis(replace(analysis, dimensions={**analysis.dimensions, "helpfulness": found}))
    assert page.count("0.4998 <small>(0.28 to 0.4999)</small>") == 2


@pytest.mark.usefixtures("without_charts")
def test_what_the_charts_of_raters_show_is_also_said(make_row: Callable[..., dict[str, Any]]) -> None:
    marks = {"up": (1, 2, 3, 4, 5), "up-too": (1, 2, 3, 4, 5), "down": (5, 4, 3, 2, 1)}
    rows = [make_row(rater, f"item-{n}", mark) for rater, given in marks.items() for n, mark in enumerate(given)]
    page = render_analysis(analyse_rows(rows, resampling=Resampling(10))).replace("<wbr>", "")
    [lenient] = re.findall(r'aria-label="How far each rater marks above or below the others: ([^"]*)"', page)
    assert sorted(said.split()[0] for said in lenient.split(", ")) == ["down", "up", "up-too"]
    assert all(re.fullmatch(r"\S+ [+−±]\d\.\d+", said) for said in lenient.split(", "))
    pairs = re.findall(r'<th scope="row">(\S+)</th><td>(\S+)</td><td class="number">(\S+)</td>', page)
    assert sorted(tuple(sorted(pair[:2])) for pair in pairs[:2]) == [("down", "up"), ("down", "up-too")]
    assert [float(pair[2].replace("−", "-")) for pair in pairs] == [-1.0, -1.0, 1.0]


@pytest.mark.usefixtures("without_charts")
def test_of_many_pairs_of_raters_those_that_agree_least_are_listed(make_study: Callable[..., Rows]) -> None:
    analysis = analyse_rows(make_study(12, 65), resampling=Resampling(10))
    page = render_analysis(analysis).replace("<wbr>", "")
    listed = re.findall(r'<th scope="row">(\S+)</th><td>(\S+)</td><td class="number">\S+</td>', page)
    every = kappas_of_pairs(rater_kappas(analysis.table), analysis.table.raters)
    assert listed == [(one, other) for _, one, other in every[:30]]
    assert f"The 30 pairs of raters that agree least; the chart shows {len(every) - 30:,} more" in page
    assert len(every) > 2_000


@pytest.mark.usefixtures("without_charts")
def test_the_report_says_which_study_it_is_about(make_study: Callable[..., Rows]) -> None:
    rated = Study("8fb2", "r1", make_study(10, 2), ("77aa",))
    page = render_analysis(analyse(rated, {}, Resampling(50)))
    assert "Page 8fb2, rubric r1. Ratings of other pages are analysed apart: 77aa." in page


@pytest.mark.usefixtures("without_charts")
def test_each_rater_has_a_row_in_which_no_figure_is_missing_without_a_reason(
    make_study: Callable[..., Rows], make_row: Callable[..., dict[str, Any]]
) -> None:
    rows = [*make_study(10, 2, missing=0.3), make_row("rater-0", "heed", 5), make_row("rater-1", "heed", 1)]
    items = {"heed": RatedItem(attention={"helpfulness": 5})}
    page = render_analysis(analyse_rows(rows, items, Resampling(10))).replace("<wbr>", "")
    own = re.findall(r'<th scope="row">(rater-\d)</th><td class="number">10 of 10</td>.*?>(\d) of 1<', page)
    assert own == [("rater-0", "1"), ("rater-1", "0")]
    assert "– no time was recorded; marked no item twice</p>" in page


@pytest.mark.usefixtures("without_charts")
@pytest.mark.parametrize(("answer", "said"), [(5, 0), (1, 1)])
def test_raters_who_were_inattentive_come_first(
    make_study: Callable[..., Rows], make_row: Callable[..., dict[str, Any]], answer: int, said: int
) -> None:
    rows = [*make_study(10, 2), make_row("rater-0", "heed", answer)]
    items = {"heed": RatedItem(attention={"helpfulness": 5})}
    before, _ = render_analysis(analyse_rows(rows, items, Resampling(10))).split("Do the raters agree?")
    assert before.count("<strong>1 of 2 raters missed attention items: talk to them before you ask more") == said


@pytest.mark.usefixtures("without_charts")
def test_versions_and_scenarios_are_named_where_they_are_known(make_study: Callable[..., Rows]) -> None:
    rows = make_study(24, 3, noise=2.0)
    known = {
        f"item-{n:03}": RatedItem(agent_version=f"marcus@1.{n % 2}", scenario=f"scenario-{n}") for n in range(24)
    }
    analysis = analyse_rows(rows, known, Resampling(50))
    page = render_analysis(analysis).replace("<wbr>", "")
    for place, version in enumerate(("marcus@1.0", "marcus@1.1")):
        [mean] = re.findall(rf'>{version}</th><td class="number">12</td><td class="number">(\d\.\d\d) <', page)
        assert float(mean) == pytest.approx(analysis.versions[place].dimensions["appropriateness"].estimate, abs=0.01)
        assert f"{version}, scenario-{place}<" in page
    assert page.count('href="#versions"') == 1
    alone = render_analysis(analyse_rows(rows, dict.fromkeys(known, known["item-000"]), Resampling(50)))
    assert "Replies of marcus@1.0." in alone
    assert 'id="versions"' not in alone
    assert "marcus" not in discussion_sheet(analysis)
    assert "scenario-" not in discussion_sheet(analysis)


@pytest.mark.usefixtures("without_charts")
def test_negative_figures_and_small_ones_are_written_with_care(make_study: Callable[..., Rows]) -> None:
    page = render_analysis(analyse_rows(make_study(40, 3, noise=30.0), resampling=Resampling(50)))
    assert "−0." in page
    assert "-0." not in re.sub(r"<(svg|style).*?</\1>", "", page, flags=re.DOTALL)
