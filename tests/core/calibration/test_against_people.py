"""How judges' scores go with people's, in words."""

from typing import Any

import pytest

from stoic_assets.core.calibration.against_people import against_people, in_short, raters_in_short

Row = dict[str, Any]
Figure = tuple[float | None, float | None, float | None, str | None]
GOES: Figure = (0.723, 0.55, 0.83, None)
TOUCHES: Figure = (0.3, 0.0, 0.6, None)
REFUTED: Figure = (-0.08, -0.23, 0.0, None)
FEW: Figure = (0.9, None, None, "5 items: an interval needs at least 10")
GOOD: Figure = (0.81, 0.7, 0.9, None)
CONSTANT: Figure = (None, None, None, "it never varies")
UNSHOWN = "are not shown to agree"
APART = "these scores do not agree with people’s."
ALPHA = "raters’ alpha 0.81 (95 % interval 0.70 to 0.90)"


def calibration(
    virtue: str, spearman: Figure, judge: str = "gpt", items: int = 80, alpha: Figure = GOOD
) -> list[Row]:
    figures = {"spearman": spearman, "alpha_people": alpha, "qwk": spearman}
    return [
        {"virtue": virtue, "judge_model": judge, "measure": measure, "items": items}
        | dict(zip(("estimate", "low", "high", "why"), figure, strict=True))
        for measure, figure in figures.items()
    ]


def verdicts(*judges: str) -> list[Row]:
    return [{"judge_model": judge, "score": 0.5} for judge in judges] + [{"judge_model": "silent", "score": None}]


@pytest.mark.parametrize(
    ("spearman", "said"),
    [
        (GOES, f"0.72 (95 % interval 0.55 to 0.83) over 80 trials, {ALPHA}."),
        (REFUTED, f"−0.08 (95 % interval −0.23 to 0.00) over 80 trials, {ALPHA}: {APART}"),
        (TOUCHES, f"0.30 (95 % interval 0.00 to 0.60) over 80 trials, {ALPHA}: these scores {UNSHOWN} with people’s."),
        (CONSTANT, f"not known (it never varies) over 80 trials, {ALPHA}: these scores {UNSHOWN} with people’s."),
        (FEW, f"0.90 (5 items: an interval needs at least 10) over 5 trials, {ALPHA}."),
    ],
)
def test_a_sentence_holds_the_figures_and_says_plainly_what_is_refuted(spearman: Figure, said: str) -> None:
    items = 5 if spearman is FEW else 80
    [found] = against_people(calibration("practical_wisdom", spearman, items=items), {"gpt"})
    assert found.sentence == f"Practical wisdom by gpt: rank correlation with people {said}"


@pytest.mark.parametrize(
    ("spearman", "items", "agree"),
    [
        ((0.1, -0.1, 0.29, None), 80, "do not agree"),
        ((0.1, 0.02, 0.2, None), 400, "do not agree"),  # surely a little, and surely too little
        ((0.1, -0.1, 0.3, None), 80, UNSHOWN),  # people may agree with it to a useful degree
        ((0.3, 0.02, 0.5, None), 80, "agree"),
        (CONSTANT, 10, UNSHOWN),
        (CONSTANT, 9, None),  # nine trials say nothing in any case
    ],
)
def test_agreement_is_refuted_or_open_or_not_known(spearman: Figure, items: int, agree: str | None) -> None:
    [found] = against_people(calibration("wisdom", spearman, items=items), {"gpt"})
    assert found.agree == agree


@pytest.mark.parametrize(
    ("spearman", "alpha", "shown"),
    [
        ((0.3, 0.003, 0.5, None), GOOD, ["0.30 (95 % interval 0.003 to 0.50)", "0.81 (95 % interval 0.70 to 0.90)"]),
        ((0.3, -0.003, 0.5, None), GOOD, ["0.30 (95 % interval −0.003 to 0.50)", "are not shown to agree"]),
        ((0.15, -0.2, 0.298, None), GOOD, ["0.15 (95 % interval −0.20 to 0.298)", "do not agree"]),
        (GOES, (0.4, 0.297, 0.498, None), ["0.40 (95 % interval 0.30 to 0.498)", "the raters do not agree"]),
    ],
)
def test_a_bound_is_seen_to_be_on_the_side_of_its_line_that_the_words_say(
    spearman: Figure, alpha: Figure, shown: list[str]
) -> None:
    [found] = against_people(calibration("wisdom", spearman, alpha=alpha), {"gpt"})
    assert all(each in found.sentence for each in shown), found.sentence


def test_judges_stand_alone_and_together_and_others_and_what_nobody_rated_are_left_out() -> None:
    rows = [
        *calibration("wisdom", GOES, "a,b"), *calibration("justice", GOES, "b"), *calibration("wisdom", GOES, "b"),
        *calibration("wisdom", GOES, "a"), *calibration("wisdom", GOES, "a,c"), *calibration("courage", GOES, "a", 0),
    ]  # fmt: skip
    found = [(each.judge, each.virtue) for each in against_people(rows, {"a", "b"})]
    assert found == [("a", "wisdom"), ("b", "wisdom"), ("b", "justice"), ("a,b", "wisdom")]


def test_where_raters_do_not_agree_no_judge_is_blamed() -> None:
    rows = [
        *calibration("wisdom", REFUTED, alpha=(0.004, -0.1, 0.1, None)),
        *calibration("practical_wisdom", GOES, items=14, alpha=(0.2, 0.1, 0.4999, None)),
        *calibration("justice", REFUTED, alpha=(0.2, 0.1, 0.5, None)),
        *calibration("courage", REFUTED, alpha=(None, None, None, "it never varies")),
    ]  # fmt: skip
    told = (
        "The raters do not agree with each other over the 14 to 80 replies that the judge scored (wisdom, practical "
        "wisdom: alpha 0.00 to 0.20, 95 % intervals within −0.10 to 0.4999): `stoic ratings analyze` takes all "
        "replies of a page."
    )
    assert in_short(rows, verdicts("gpt")) == f"Scores that do not agree with people's: courage, justice. {told}"
    assert raters_in_short(rows) == told
    assert raters_in_short(calibration("wisdom", REFUTED)) == ""
    wisdom, *_ = against_people(rows, {"gpt"})
    assert wisdom.sentence.endswith("(95 % interval −0.10 to 0.10): the raters do not agree with each other.")


def test_in_short_the_judges_together_count() -> None:
    rows = [
        *calibration("wisdom", GOES, "a,b"), *calibration("practical_wisdom", GOES, "a,b"),
        *calibration("justice", REFUTED, "a,b"), *calibration("temperance", FEW, "a,b", 5),
        *calibration("wisdom", REFUTED, "a"), *calibration("courage", TOUCHES, "a,b"),
    ]  # fmt: skip
    goes = "Scores that agree with people's: wisdom, practical wisdom."
    not_so = "Scores that do not agree with people's: "
    unclear = f"Scores that {UNSHOWN} with people's: courage."
    assert in_short(rows, verdicts("b", "a")) == f"{goes} {unclear} {not_so}justice."
    assert in_short(rows, verdicts("a")) == f"{not_so}wisdom."
    assert in_short(rows, verdicts("b")) == in_short([], verdicts("a")) == in_short(rows, []) == ""
