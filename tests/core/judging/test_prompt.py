from collections.abc import Callable

import pytest

from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging.prompt import prompt_hash, source
from stoic_assets.core.judging.question import Questions
from stoic_assets.core.text import templates
from stoic_assets.core.virtues import ASPECTS, VIRTUES, Virtue


@pytest.mark.parametrize("virtue", VIRTUES)
def test_every_virtue_has_aspects_levels_and_a_case_of_no_occasion(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence], virtue: Virtue
) -> None:
    rubric = Questions(make_job(), make_evidence("Salve.")).virtue(virtue).rubric
    assert len(ASPECTS[virtue]) == 4
    assert all(f"- `{aspect}`: " in rubric for aspect in ASPECTS[virtue])
    assert [line.split(":")[0] for line in rubric.split("\n") if line.startswith(("- 0", "- 1"))] == [
        "- 0", "- 0.25", "- 0.5", "- 0.75", "- 1",
    ]
    assert "High: " in rubric
    assert "Low: " in rubric
    assert "That is so when\n   " in rubric
    assert "{%" not in rubric
    assert "\n\n\n" not in rubric


@pytest.mark.parametrize(
    ("virtue", "shown"),
    [
        ("wisdom", "The user lives in Sydney"), ("courage", "difficulty: treacherous"), ("justice", None),
        ("temperance", 'requirements: {"length": "one line"}'), ("practical_wisdom", "context: a tired nurse"),
    ],
)
def test_each_virtue_sees_its_own_side_of_the_job(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence], virtue: Virtue, shown: str | None
) -> None:
    rubric = Questions(make_job(), make_evidence("Salve.")).virtue(virtue).rubric
    others = ["lives in Sydney", "treacherous", "one line", "a tired nurse", "is confirmed"]
    assert shown is None or shown in rubric
    assert [other for other in others if other in rubric] == [other for other in others if shown and other in shown]
    assert "Ask how to be fair to a colleague" in rubric


@pytest.mark.parametrize(
    ("virtue", "shown"),
    [
        ("courage", "difficulty: treacherous"), ("temperance", 'requirements: {"length": "one line"}'),
        ("practical_wisdom", "context: a tired nurse"),
    ],
)
def test_an_own_template_on_the_shared_one_shows_what_bears_on_its_virtue(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence], virtue: Virtue, shown: str
) -> None:
    own = '{% extends "virtue.jinja" %}{% block meaning %}Ours.{% endblock %}'
    rubric = Questions(make_job(prompts={virtue: own}), make_evidence("x")).virtue(virtue).rubric
    others = ["treacherous", "one line", "a tired nurse"]
    assert shown in rubric
    assert [other for other in others if other in rubric] == [other for other in others if other in shown]


def test_tasks_are_graded_by_their_criteria_and_the_facts(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence]
) -> None:
    rubric = Questions(make_job(), make_evidence("Salve.")).tasks().rubric
    for text in ("A reminder for 9 is confirmed", "Both sides are heard", "lives in Sydney", "`task_2`, and `tone`"):
        assert text in rubric
    assert "treacherous" not in rubric


def test_an_own_template_takes_the_place_and_may_build_on_the_shared_one(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence]
) -> None:
    own = '{% extends "virtue.jinja" %}{% block meaning %}Ours, for {{ tasks | length }} tasks.{% endblock %}'
    rubric = Questions(make_job(prompts={"wisdom": own}), make_evidence("x")).virtue("wisdom").rubric
    assert "Ours, for 2 tasks." in rubric
    assert "`factual_accuracy`" in rubric


def test_text_is_not_escaped_and_values_are_not_rendered_again(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence]
) -> None:
    job = make_job(facts=["{{ 7 * 7 }} <b> & 'x'"])
    assert "- {{ 7 * 7 }} <b> & 'x'" in Questions(job, make_evidence("x")).virtue("wisdom").rubric


@pytest.mark.parametrize(
    "template",
    [
        "{{ transcript }}", "{{ turns }}", "{{ ''.__class__.__mro__ }}", "{% if %}", '{% extends "../judge.py" %}',
        "{{ 1 / 0 }}", "{{ tasks.append(1) }}", "{{ facts[9] }}",
    ],
)
def test_a_template_that_does_not_render_is_a_configuration_error(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence], template: str
) -> None:
    with pytest.raises(ConfigurationError, match="prompt 'wisdom' of job 'mentor'"):
        Questions(make_job(prompts={"wisdom": template}), make_evidence("x")).virtue("wisdom")


@pytest.mark.parametrize(("changed", "tasks"), [("evidence.jinja", 7), ("virtue.jinja", 8)])
def test_the_hash_changes_with_every_built_in_text_of_the_prompt(
    make_job: Callable[..., Job], monkeypatch: pytest.MonkeyPatch, changed: str, tasks: int
) -> None:
    read, known = templates.source, prompt_hash(make_job(), "wisdom")
    new = {changed: "{# new #}"}
    monkeypatch.setattr(templates, "source", lambda package, name: read(package, name) + new.get(name, ""))
    templates.sources.cache_clear()
    # A virtue's hash does not depend on the number of tasks, but it is kept for each number.
    found = prompt_hash(make_job(tasks=[{"task": "Ask", "acceptanceCriteria": "It answers"}] * tasks), "wisdom")
    templates.sources.cache_clear()
    assert found != known


def test_the_hash_changes_with_whatever_the_prompt_is_made_of(make_job: Callable[..., Job]) -> None:
    plain = prompt_hash(make_job(), "wisdom")
    own = source("wisdom.jinja")
    assert prompt_hash(make_job(facts=[]), "wisdom") == plain
    assert prompt_hash(make_job(prompts={"wisdom": own}), "wisdom") == plain
    assert prompt_hash(make_job(prompts={"wisdom": own + "\n"}), "wisdom") != plain
    built_on_another = own.replace("virtue.jinja", "tasks.jinja")
    assert prompt_hash(make_job(prompts={"wisdom": built_on_another}), "wisdom") != plain
    assert prompt_hash(make_job(prompts={"courage": own}), "courage") != plain, "its reply has other aspects"
    of_one = make_job(tasks=[{"task": "Ask", "acceptanceCriteria": "It answers"}])
    assert prompt_hash(of_one, "wisdom") == plain
    assert prompt_hash(of_one, "tasks") != prompt_hash(make_job(), "tasks"), "its reply has fewer marks"
