"""The results of an analysis as data: the document of `stoic ratings analyze --json`, and rows for two tables.

Its shape is public. Every figure is a number, or null with a reason next to it.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from stoic_assets.core.ratings.analysis import RatingAnalysis
from stoic_assets.core.ratings.reliability.dimension_reliability import DimensionReliability
from stoic_assets.core.ratings.reliability.estimate import Estimate
from stoic_assets.core.table_rows import Row

PUBLIC_COEFFICIENTS = ("alpha_ordinal", "alpha_nominal", "ac2", "icc_a1", "icc_ak", "qwk_mean")


def analysis_document(analysis: RatingAnalysis) -> dict[str, Any]:
    """The document, ready for `json.dumps`."""
    table = analysis.table
    return {
        "raters": len(table.raters),
        "items": len(table.items),
        "ratings": table.ratings,
        "dimensions": {name: _dimension(found) for name, found in analysis.dimensions.items()},
        "overall": {name: asdict(estimate) for name, estimate in analysis.overall.items()},
        "versions": [asdict(version) for version in analysis.versions],
        "by_rater": [asdict(rater) for rater in analysis.raters],
        "flags": [asdict(flag) for flag in analysis.checks.flags],
        "not_checked": dict(analysis.checks.not_made),
        **_study(analysis),
        "other_pages": list(analysis.study.others),
    }


def _dimension(found: DimensionReliability) -> dict[str, Any]:
    figures: dict[str, Any] = {name: asdict(found.coefficients[name]) for name in PUBLIC_COEFFICIENTS}
    return figures | {"gate": found.gate.state, "more_raters": found.gate.more_raters}


def reliability_rows(analysis: RatingAnalysis) -> list[Row]:
    """Rows of `rater_reliability`: one for each question and coefficient.

    Columns: question (a dimension or `overall`), coefficient, estimate, low, high, why; gate, more_raters and gate_why
    of the dimension, null for `overall`; page_id and rubric of the study.
    """
    no_gate = {"gate": None, "more_raters": None, "gate_why": None}
    rows = _coefficient_rows("overall", analysis.overall, no_gate)
    for name, found in analysis.dimensions.items():
        gate = {"gate": found.gate.state, "more_raters": found.gate.more_raters, "gate_why": found.gate.why}
        rows += _coefficient_rows(name, found.coefficients, gate)
    return [{**row, **_study(analysis)} for row in rows]


def rater_check_rows(analysis: RatingAnalysis) -> list[Row]:
    """Rows of `rater_checks`: rater_id, check, detail, and page_id and rubric of the study."""
    return [asdict(flag) | _study(analysis) for flag in analysis.checks.flags]


def _study(analysis: RatingAnalysis) -> dict[str, str | None]:
    return {"page_id": analysis.study.page_id, "rubric": analysis.study.rubric}


def _coefficient_rows(question: str, estimates: Mapping[str, Estimate], gate: Row) -> list[Row]:
    return [
        {"question": question, "coefficient": name, **asdict(estimate), **gate} for name, estimate in estimates.items()
    ]
