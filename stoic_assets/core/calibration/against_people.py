"""How judges' scores agree with people's, in words; the figures are those of `judge_calibration`.

A confidence can be calibrated for a judge that agrees with nobody: it is then low, but does not say why.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from stoic_assets.core.presentation.formatting import beside, is_missing, plural, score, span, words
from stoic_assets.core.ratings.reliability.gate import REVIEW
from stoic_assets.core.ratings.study import FEWEST_ITEMS
from stoic_assets.core.table_rows import Row
from stoic_assets.core.virtues import VIRTUES

_AGREE, _UNCERTAIN, _APART = "agree", "are not shown to agree", "do not agree"
_USEFUL = 0.3
"""A rank correlation below it leaves nine tenths of the differences between replies unexplained."""


@dataclass(frozen=True)
class AgainstPeople:
    """One virtue as one judge scores it; `judge` is a model, or several, comma-separated.

    `spearman` and `alpha_people` are rows of `judge_calibration`: rank correlation of judge and raters, and the raters'
    own agreement.
    """

    virtue: str
    judge: str
    spearman: Row
    alpha_people: Row

    @property
    def agree(self) -> str | None:
        """Whether the scores agree with people's, in words; None for too few trials.

        An interval that reaches 0 shows no agreement, but only one below `_USEFUL` shows that there is none worth the
        name: of 15 trials, one in three studies of a judge with a correlation of 0.57 reaches 0.
        """
        if is_missing(self.spearman["low"]):  # of enough trials, it is so because the scores hardly vary
            return _UNCERTAIN if self.spearman["items"] >= FEWEST_ITEMS else None
        return _APART if self.spearman["high"] < _USEFUL else _AGREE if self.spearman["low"] > 0 else _UNCERTAIN

    @property
    def raters_differ(self) -> bool:
        """Whether the raters surely do not agree with each other: nobody's scores can then agree with theirs."""
        return not is_missing(self.alpha_people["high"]) and self.alpha_people["high"] < REVIEW

    @property
    def sentence(self) -> str:
        """The figures, with a clear statement unless the scores agree with people's."""
        said = f": these scores {self.agree} with people’s" if self.agree in (_APART, _UNCERTAIN) else ""
        judge, raters = _figure(self.spearman, 0.0, _USEFUL), _figure(self.alpha_people, None, REVIEW)
        return (
            f"{words(self.virtue)} by {self.judge}: rank correlation with people {judge} over "
            f"{plural(self.spearman['items'], 'trial')}, raters’ alpha {raters}"
            f"{': the raters do not agree with each other' if self.raters_differ else said}."
        )


def judges_of(verdicts: Iterable[Row]) -> frozenset[str]:
    """The models that gave a score; `verdicts` are rows of `virtue_scores`."""
    return frozenset(row["judge_model"] for row in verdicts if row["score"] is not None)


def against_people(calibration: Iterable[Row], judges: Collection[str] | None = None) -> list[AgainstPeople]:
    """How each of these judges, or of all, alone and together, compares with people; empty without ratings.

    `calibration` are rows of `judge_calibration`.
    """
    known = {(row["virtue"], row["judge_model"], row["measure"]): row for row in calibration if row.get("items")}
    names = {judge for _, judge, _ in known if judges is None or set(judge.split(",")) <= set(judges)}
    return [
        AgainstPeople(virtue, judge, known[virtue, judge, "spearman"], known[virtue, judge, "alpha_people"])
        for judge in sorted(names, key=lambda judge: (judge.count(","), judge))
        for virtue in VIRTUES
        if (virtue, judge, "spearman") in known
    ]


def in_short(calibration: Iterable[Row], verdicts: Iterable[Row]) -> str:
    """On which virtues the scores of these judges together agree with people's; empty where that is not known.

    The rows are those of `judge_calibration` and of `virtue_scores`.
    """
    return panel_in_short(calibration, judges_of(verdicts))


def panel_in_short(calibration: Iterable[Row], judges: Collection[str]) -> str:
    """As `in_short`, of these judges together. Where the raters do not agree with each other, no judge is blamed."""
    found = [each for each in against_people(calibration, judges) if each.judge == ",".join(sorted(judges))]
    said = [
        f"Scores that {agree} with people's: {', '.join(names)}."
        for agree in (_AGREE, _UNCERTAIN, _APART)
        if (names := [_name(each) for each in found if each.agree == agree and not each.raters_differ])
    ]
    return " ".join([*said, *filter(None, [_about_raters(found)])])


def raters_in_short(calibration: Iterable[Row]) -> str:
    """On which virtues raters do not agree with each other; empty where there is none.

    The rows are those of `judge_calibration`.
    """
    return _about_raters(against_people(calibration))


def _about_raters(found: Iterable[AgainstPeople]) -> str:
    differ = {_name(each): each for each in found if each.raters_differ}
    if not differ:
        return ""
    alphas = [each.alpha_people for each in differ.values()]
    replies = span((each.spearman["items"] for each in differ.values()), str)
    alpha, one = span((row["estimate"] for row in alphas), score), len(alphas) == 1
    low, high = min(row["low"] for row in alphas), max(row["high"] for row in alphas)
    interval = f"95 % {'interval' if one else 'intervals within'} {score(low)} to {beside(high, REVIEW)}"
    return (
        f"The raters do not agree with each other over the {replies} replies that the judge scored "
        f"({', '.join(differ)}: alpha {alpha}, {interval}): `stoic ratings analyze` takes all replies of a page."
    )


def _name(found: AgainstPeople) -> str:
    return words(found.virtue).lower()


def _figure(row: Row, low_line: float | None, high_line: float | None) -> str:
    """A figure with its interval, each bound seen to be on its side of the line that the words go by, if any."""
    if is_missing(row["estimate"]):
        return f"not known ({row['why']})"
    if is_missing(row["low"]):
        return f"{score(row['estimate'])} ({row['why']})"
    bounds = f"{beside(row['low'], low_line)} to {beside(row['high'], high_line)}"
    return f"{score(row['estimate'])} (95 % interval {bounds})"
