"""The environment of all pages: templates in which no text that they show can become markup or script.

Every text passes two steps on its way into a page, independent of the template: invisible characters are named
(`finalize`), then the text is escaped (`autoescape`).
Style sheets and scripts of Stoic Eval itself go into pages as they are. What several pages use is in the folder `page`.
"""

import base64
import hashlib
from typing import Any

from jinja2 import BytecodeCache, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from stoic_assets.core.presentation.formatting import (
    DASH,
    FORMS,
    breakable,
    explained,
    fenced,
    is_missing,
    or_dash,
    plural,
    unbroken,
    with_code,
)
from stoic_assets.core.text.foreign_text import visible

SHARED = "core/presentation/page"


class _UnbrokenPercents(Extension):
    """Applies `unbroken` to what templates say; values of others are shown as they are."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return unbroken(source)


class PageEnvironment(Environment):
    """The files in `folders` of the package and in `SHARED`, the first of equal names.

    The filters in `FORMS` write figures; `own_text` and `own_script` read style sheets and scripts. `compiled` keeps
    the compiled templates between processes.
    """

    def __init__(self, *folders: str, compiled: BytecodeCache | None = None) -> None:
        super().__init__(
            loader=ChoiceLoader([PackageLoader("stoic_assets", folder) for folder in (*folders, SHARED)]),
            autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_finalize,
            bytecode_cache=compiled, extensions=[_UnbrokenPercents],
        )
        self.filters |= {name: or_dash(form) for name, form in FORMS.items()} | {
            "breakable": breakable, "explained": explained, "fenced": fenced, "unbroken": unbroken,
            "with_code": with_code, "plural": plural, "policy_hash": policy_hash,
        }
        self.globals |= {"own_text": self._own_text, "own_script": self._own_script}
        self.tests["missing"] = is_missing

    def _own_text(self, name: str) -> Markup:
        """A style sheet or script of Stoic Eval, which goes into the page as it is."""
        text, _, _ = self.loader.get_source(self, name)  # type: ignore[union-attr]
        return Markup(text)  # noqa: S704

    def _own_script(self, *names: str) -> Markup:
        """Scripts of Stoic Eval, in this order and in one function scope."""
        parts = Markup("\n").join(self._own_text(f"{name}.js") for name in names)
        return Markup('(() => {{\n"use strict";\n{}\n}})();').format(parts)


def _finalize(value: Any) -> Any:
    """The last step for every value that a template writes."""
    if isinstance(value, str):
        return value if isinstance(value, Markup) else visible(value)
    if is_missing(value):
        return DASH
    return f"{value:g}" if isinstance(value, float) else value


def policy_hash(text: str) -> str:
    """The source expression that lets a content security policy allow exactly this text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
