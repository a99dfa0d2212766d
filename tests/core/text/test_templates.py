from pathlib import Path

import pytest

from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.text import templates

JUDGING, CONVERSATION = "stoic_assets.core.judging", "stoic_assets.core.conversation"
OF_VIRTUES = "aspects, scenario, seeds, title"


@pytest.mark.parametrize("package", [JUDGING, CONVERSATION])
def test_the_built_in_templates_of_a_package_are_the_files_in_its_folder(package: str) -> None:
    folder = Path(templates.__file__).parents[3].joinpath(*package.split("."), "prompts")
    files = {file.name: file.read_text(encoding="utf-8").rstrip("\n") for file in folder.iterdir()}
    assert {name: templates.source(package, name).rstrip("\n") for name in templates.names(package)} == files
    assert files


def test_values_are_neither_escaped_nor_rendered_again() -> None:
    own = "{% if fact %}\n<{{ fact }}>\n{% endif %}\n"
    text = templates.render(JUDGING, own, {"fact": "{{ 7 * 7 }} & 'x'"}, "mine")
    assert text == "<{{ 7 * 7 }} & 'x'>"


def test_an_own_template_may_build_on_those_of_its_package_only() -> None:
    assert "clause" in templates.render(
        JUDGING, '{% include "evidence.jinja" %} clause', {"opening": "<", "closing": ">"}, "mine"
    )
    with pytest.raises(ConfigurationError, match=r"^mine: .*evidence\.jinja"):
        templates.render(CONVERSATION, '{% include "evidence.jinja" %}', {}, "mine")


@pytest.mark.parametrize(
    "text",
    [
        "{{ unknown }}", "{{ a.unknown }}", "{{ ''.__class__.__mro__ }}", "{{ a.append(1) }}", "{{ 1 / 0 }}",
        "{{ a[9] }}", "{{ 'long'|truncate(2) }}", "{{ cycler() }}",
        "{% for i in range(10 ** 9) %}{% endfor %}", '{% include "../templates.py" %}', "{{ a + 1 }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    ],
)
def test_what_does_not_render_is_a_configuration_error_in_one_line(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^mine") as caught:
        templates.render(JUDGING, text, {"a": [1]}, "mine")
    assert "\n" not in str(caught.value)


def test_malformed_text_is_refused_with_its_line() -> None:
    with pytest.raises(DocumentError, match=r"^own\.jinja:3: not a valid template: "):
        refuse("line\n\n{% if %}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{ tasks }} {{ nosuch.thing }}", "own.jinja: unknown variables: nosuch; known here are tasks"),
        ("{% if tasks %}{% for t in tasks %}{{ tt }}{% endfor %}{% endif %}", "own.jinja: unknown variables: tt; "),
        ('{% extends "virtue.jinja" %}', f"own.jinja: unknown variables: {OF_VIRTUES}"),
        ('{% include "virtue.jinja" ignore missing %}', f"own.jinja: unknown variables: {OF_VIRTUES}"),
        ('{% include "nope.jinja" %}', "own.jinja: there is no template nope.jinja; it can extend courage.jinja, "),
        ("{{ tasks | nosuch }}", "own.jinja:1: not a valid template: No filter named 'nosuch'."),
        ("{{ " + "(" * 9000 + ")" * 9000 + " }}", "own.jinja: not a valid template: maximum recursion depth"),
    ],
)
def test_what_could_not_render_is_refused_before_it_is_wanted(text: str, problem: str) -> None:
    with pytest.raises(DocumentError) as caught:
        refuse(text)
    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "{{ tasks.any.member }} {% raw %}{{ x }}{% endraw %} {# {{ x }} #}",
        "{% set a = 1 %}{% block b %}{{ a }}{{ self.b }}{% endblock %}{% set c %}text{% endset %}{{ c }}",
        "{% set ns = namespace(n=0) %}{% for k, t in tasks %}{{ loop.index }}{{ k }}{% set ns.n = t %}{% endfor %}",
        "{% macro m(x, y=2) %}{{ x }}{{ varargs }}{{ caller(y) }}{% endmacro %}{% call(u) m(1) %}{{ u }}{% endcall %}",
        "{% with a = 1 %}{{ a }}{% endwith %}{{ range(2) }}",
        '{% from "occasion.jinja" import occasion as on, ground_truth %}{{ on(tasks, none) }}{{ ground_truth([]) }}',
        '{% extends "occasion.jinja" %}{% block b %}{{ ground_truth(tasks) }}{% endblock %}',
        "{{ unknown | default('x') }}",
        "{% if unknown is defined %}{{ unknown }}{{ other }}{% endif %}",
        "{% include tasks %}",
        "{% include 'nope.jinja' ignore missing %}{% include ['nope.jinja', 'neither.jinja'] ignore missing %}",
    ],
)
def test_what_a_template_provides_for_itself_or_asks_about_is_not_unknown(text: str) -> None:
    assert refuse(text) is None


def refuse(text: str) -> None:
    return templates.refuse_unusable(JUDGING, text, frozenset({"tasks"}), "own.jinja")


def test_sources_are_a_template_and_all_that_it_builds_on() -> None:
    own = '{% extends "wisdom.jinja" %}'
    found = templates.sources(JUDGING, own)
    assert found[0] == own
    assert found[1] == templates.source(JUDGING, "wisdom.jinja")
    assert templates.source(JUDGING, "virtue.jinja") in found
