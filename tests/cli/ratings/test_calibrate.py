"""What `stoic ratings calibrate` says."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from stoic_assets.adapters.ratings import calibration_store
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.ratings import calibrate
from stoic_assets.core.calibration.judge_agreement import MEASURES
from stoic_assets.core.calibration.judge_calibration import EDGES, JudgeComparison
from stoic_assets.core.calibration.map_fitting import measure_names
from stoic_assets.core.judging.confidence_map import ConfidenceMap, Signal
from stoic_assets.core.ratings.reliability.estimate import Estimate, undefined


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> JudgeComparison:
    """One virtue as one judge scores it, beside three raters."""
    known = Estimate(0.5, 0.4, 0.6, None)
    measures = dict.fromkeys((*MEASURES, *measure_names("spread"), *measure_names("self"), *EDGES), known)
    measures["map_spread"] = undefined("not calibrated: 30 replies with 3 verdicts are needed; there are 0")
    measures["map_self"] = undefined("not calibrated: 30 replies are needed; there are 27")
    found = JudgeComparison("wisdom", "sage", 27, 3, measures, {}, rated=27, rated_by=3)
    monkeypatch.setattr(calibration_store, "calibrate", lambda _: ([found], ""))
    return found


def test_a_calibration_is_stored_and_its_main_figures_are_shown(
    workplace: Workplace, compared: JudgeComparison, capsys: pytest.CaptureFixture[str]
) -> None:
    calibrate()
    shown = capsys.readouterr().out
    _, row, agree, why, *_ = shown.splitlines()
    assert row.split() == ["wisdom", "sage", "27", "3", "0.50", "0.50", "0.50", "no"]
    assert agree == "sage: Scores that agree with people's: wisdom."
    assert why == f"{compared.measures['map_self'].why} (wisdom by sage)"
    assert len(calibration_store.calibration_rows(workplace.warehouse)) == len(compared.measures)
    report = workplace.reports / "ratings" / "calibration.html"
    assert f"report: {report}" in shown
    assert "Is the judge like one more rater?" in report.read_text(encoding="utf-8")
    report.unlink()
    calibrate(as_json=True)
    document = json.loads(capsys.readouterr().out)
    rows = document["measures"]
    assert [(row["measure"], row["items"]) for row in rows] == [(measure, 27) for measure in compared.measures]
    assert document["report"] == str(report)
    assert report.exists()


def test_raters_who_do_not_agree_are_told_of(
    compared: JudgeComparison, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = {**compared.measures, "alpha_people": Estimate(0.0, -0.1, 0.1, None)}
    monkeypatch.setattr(calibration_store, "calibrate", lambda _: ([replace(compared, measures=measures)], ""))
    calibrate()
    raters = (
        "sage: The raters do not agree with each other over the 27 replies that the judge scored (wisdom: alpha 0.00, "
        "95 % interval −0.10 to 0.10): `stoic ratings analyze` takes all replies of a page."
    )
    assert raters in capsys.readouterr().out.splitlines()


def test_raters_who_were_inattentive_are_told_of_first(
    compared: JudgeComparison, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "2 of 2 raters missed attention items: talk to them."
    monkeypatch.setattr(calibration_store, "calibrate", lambda _: ([compared], said))
    calibrate()
    assert capsys.readouterr().out.splitlines()[0] == said


@pytest.mark.parametrize(
    ("signals", "said"), [((), "no"), (("self",), "own"), (("spread",), "spread"), (("self", "spread"), "own, spread")]
)
def test_which_confidences_are_calibrated_is_told(
    compared: JudgeComparison, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    signals: Sequence[Signal], said: str,
) -> None:
    points = ((0.0, 0.2), (1.0, 0.8))
    maps = {
        f"map_{signal}": ConfidenceMap(
            virtue="wisdom", judges=("sage",), signal=signal, prompt_hashes=("p",), points=points
        )
        for signal in signals
    }
    monkeypatch.setattr(calibration_store, "calibrate", lambda _: ([replace(compared, maps=maps)], ""))
    calibrate()
    assert capsys.readouterr().out.splitlines()[1].rstrip().endswith(f"0.50  {said}")


@pytest.mark.parametrize(("judge", "offline"), [("sage", False), ("sage,offline", True), ("offline", True)])
def test_a_calibration_of_the_offline_judge_says_that_it_means_nothing(
    compared: JudgeComparison, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, judge: str,
    offline: bool,
) -> None:
    monkeypatch.setattr(calibration_store, "calibrate", lambda _: ([replace(compared, judge=judge)], ""))
    calibrate()
    assert ("Scores mean nothing" in " ".join(capsys.readouterr().out.split())) is offline


def test_a_calibration_fits_a_terminal_of_80_columns_with_all_words_whole(
    workplace: Workplace, compared: JudgeComparison, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, screen: Callable[[int], None],
) -> None:
    screen(80)
    panel = [replace(compared, virtue="practical_wisdom", judge="gpt-4.1-mini,claude-opus")]
    monkeypatch.setattr(calibration_store, "calibrate", lambda _: (panel, ""))
    calibrate()
    shown = capsys.readouterr().out
    assert max(len(line) for line in shown.splitlines() if not line.startswith("report: ")) <= 80
    assert {"practical", "wisdom", "mini,claude-", "calibrated", "calibrated:", "needed;"} <= {*shown.split()}


def test_without_rated_verdicts_the_way_to_some_is_told(
    workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    calibrate()
    assert "`stoic ratings build` makes a page for raters" in capsys.readouterr().out
