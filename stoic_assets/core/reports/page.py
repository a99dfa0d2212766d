"""The report page: one HTML document that needs nothing else and lets nothing of what it shows come alive.

Every text passes two gates on its way into the page, whatever the template does: unseen characters are named
(`finalize`), then the text is escaped (`autoescape`). The policy in the head forbids every request and every script but
ours.
"""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.reports.data import ReportData, Row, Rows, values
from stoic_assets.core.reports.formatting import DASH, FORMS, is_missing, lasted, or_dash
from stoic_assets.core.reports.job_table import failed_assertions, job_rows
from stoic_assets.core.reports.model_calls import model_calls
from stoic_assets.core.reports.response_time_chart import quantile, response_time_chart_svg
from stoic_assets.core.reports.summary import measures, summary
from stoic_assets.core.reports.trend_chart import releases, trend_chart_svg
from stoic_assets.core.reports.trial_view import trial_views
from stoic_assets.core.reports.version_differences import differences
from stoic_assets.core.reports.virtue_chart import virtue_chart_svg
from stoic_assets.core.reports.visible_text import visible
from stoic_assets.core.reports.weak_virtues import OFFLINE, weak_virtues

PAGE_INK = "currentColor"


class _PageEnvironment(Environment):
    """Reads a row's column by name, null where the row has no such column; a dictionary's methods are not to be had."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        return obj.get(attribute) if isinstance(obj, Mapping) else super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        return obj.get(argument) if isinstance(obj, Mapping) else super().getitem(obj, argument)


@cache
def _environment() -> Environment:
    environment = _PageEnvironment(
        loader=PackageLoader("stoic_assets", "core/reports/templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=_finalize,
    )
    environment.filters |= {name: or_dash(form) for name, form in FORMS.items()}
    environment.filters |= {"lasted": lasted}
    environment.tests["missing"] = is_missing
    return environment


def _finalize(value: Any) -> Any:
    """The last look at every value that a template writes."""
    if is_missing(value):
        return DASH
    if isinstance(value, float):
        return f"{value:g}"
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def render_report(data: ReportData) -> str:
    """The report as one HTML document, to be written as UTF-8."""
    trials = trial_views(data)
    style, script = _own_text("report.css"), _own_text("report.js")
    return _environment().get_template("report.html.jinja").render(
        data=data, style=style, script=script, script_hash=_policy_hash(script), offline_note=OFFLINE,
        summary=summary(data, trials), measures=measures(data.composite_scores), differences=differences(data),
        jobs=job_rows(trials), failures=failed_assertions(trials), trials=trials,
        virtues=_in_order(data.evaluation_virtues), trends=_in_order(data.virtue_trends),
        weak=weak_virtues(data.weak_virtues, trials), calls=model_calls(data.llm_calls), **_charts(data),
    )


def _in_order(rows: Rows) -> list[Row]:
    """Rows that name a virtue, in the order in which we always name them."""
    return sorted(rows, key=lambda row: VIRTUES.index(row["virtue"]))


def _charts(data: ReportData) -> dict[str, Any]:
    """The charts that there is something for, and the figures that stand beside them."""
    weak = {row["virtue"] for row in data.weak_virtues}
    base = data.base.evaluation_virtues if data.base else ()
    versions = releases(data.virtue_trends)
    times = values((row for row in data.turns if row["speaker"] == "agent"), "response_ms")
    # The markup is our own: matplotlib escapes the labels, which are ASCII.
    return {
        "virtue_chart": Markup(virtue_chart_svg(data.evaluation_virtues, weak, base, PAGE_INK)),  # noqa: S704
        "versions": versions,
        "trend_chart": Markup(trend_chart_svg(data.virtue_trends, PAGE_INK)) if len(versions) > 1 else None,  # noqa: S704
        "time_chart": Markup(response_time_chart_svg(times, PAGE_INK)) if times else None,  # noqa: S704
        "replies": len(times),
        "quantiles": {share: quantile(times, share) for share in (0.5, 0.9, 0.99, 1.0)} if times else {},
    }


def _own_text(name: str) -> Markup:
    """A style sheet or script of ours, which goes into the page as it is."""
    environment = _environment()
    text, _, _ = environment.loader.get_source(environment, name)  # type: ignore[union-attr]
    return Markup(text)  # noqa: S704


def _policy_hash(script: str) -> str:
    """The source expression that lets a content security policy allow exactly this script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
