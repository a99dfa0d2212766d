"""What every report about ratings is: one HTML document that needs nothing else, with figures and their intervals.

The policy in the head forbids every request, and every script except the page's own. Style sheet and script are those
of the evaluation report.
"""

from functools import cache, partial
from typing import Any

from markupsafe import Markup

from stoic_assets.core.presentation.formatting import Form, or_dash, score
from stoic_assets.core.presentation.page_environment import PageEnvironment
from stoic_assets.core.ratings.reliability.estimate import Estimate
from stoic_assets.core.ratings.reliability.gate import as_alpha
from stoic_assets.core.text.foreign_text import visible

TEMPLATES = "core/ratings/report/templates"


def render_document(template: str, *folders: str, **values: Any) -> str:
    """A template that extends `layout.html.jinja`, from `folders` of the package or from here, to be written as UTF-8.

    Its charts must be `Markup`.
    """
    return _environment(*folders).get_template(template).render(**values)


@cache
def _environment(*folders: str) -> PageEnvironment:
    environment = PageEnvironment(*folders, TEMPLATES)
    alphas = partial(_with_interval, form=as_alpha)
    environment.filters |= {"with_interval": _with_interval, "alpha_with_interval": alphas}
    return environment


def _with_interval(found: Estimate, form: Form = score) -> Markup:
    """`0.62 (0.51 to 0.71)`; a missing part is a dash with the reason on hover."""
    if found.estimate is None:
        return or_dash(str)(None, found.why)
    figure = form(found.estimate)
    if found.low is None or found.high is None:
        return Markup('{} <abbr class="none" title="{}">(–)</abbr>').format(figure, visible(found.why or ""))
    return Markup("{} <small>({} to {})</small>").format(figure, form(found.low), form(found.high))
