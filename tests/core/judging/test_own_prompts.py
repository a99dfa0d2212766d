"""A template of a job that would fail is refused when the job is read."""

from typing import Any

import pytest

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import Job, PromptName
from stoic_assets.core.judging.own_prompts import refuse_prompt

TASK = {"task": "Ask", "acceptanceCriteria": "It answers", "requirements": {"length": "short"}}
SCENARIO = {"id": "loss", "category": "grief", "input": "My dog died."}


def job(**more: Any) -> Job:
    return Job.model_validate({"target": {"user": "ada", "chatbot": "marcus"}, "tasks": [TASK], **more})


@pytest.mark.parametrize(
    ("prompt", "text", "problem"),
    [
        ("tasks", "{% for t in tasks %}{{ t.acceptanceCriteria }}{% endfor %}", "no attribute 'acceptanceCriteria'"),
        ("wisdom", "{{ aspects.courtesy }}", "no attribute 'courtesy'"),
        ("wisdom", '{% extends "virtue.jinja" %}{% block levels %}{{ x }}{% endblock %}', "unknown variables: x"),
        ("evaluator", "{{ config.nope }}", "no attribute 'nope'"),
        ("evaluator", "{{ transcript[2].content }}", "no element 2"),
        ("evaluator", "{% for fact in config.facts %}{{ fact.text }}{% endfor %}", "no attribute 'text'"),
        ("evaluator", "{{ config.facts[0] }}", "no element 0"),  # they are withheld in one condition
    ],
)
def test_what_fails_when_it_is_rendered_is_refused(prompt: PromptName, text: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^own\.jinja: .*{problem}"):
        refuse_prompt(job(facts=["The user is in Sydney"]), prompt, text, "own.jinja")


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("tasks", "{% for t in tasks %}{{ t.acceptance_criteria }}{{ t.requirements }}{% endfor %}"),
        ("courage", '{% extends "virtue.jinja" %}{% block meaning %}{{ title }}{{ aspects | length }}{% endblock %}'),
        ("evaluator", "{{ config.target.chatbot }}{{ transcript[0].content }}{{ (transcript | last).content }}"),
        ("evaluator", "{% if config.facts %}{{ config.facts[0] }}{% endif %}"),
    ],
)
def test_what_renders_in_every_condition_passes(prompt: PromptName, text: str) -> None:
    assert refuse_prompt(job(facts=["The user is in Sydney"]), prompt, text, "own.jinja") is None


def test_a_rubric_may_show_a_further_part_of_tasks_and_is_checked_with_what_it_is_rendered_with() -> None:
    begin, end = '{% extends "virtue.jinja" %}{% set parts = parts + ', " %}"
    refuse_prompt(job(), "temperance", f"{begin}['context']{end}", "own.jinja")
    with pytest.raises(ConfigurationError, match="can only concatenate list"):
        refuse_prompt(job(), "temperance", f"{begin}('context',){end}", "own.jinja")


def test_where_scenarios_speak_the_evaluator_is_asked_nothing() -> None:
    text = "{{ config.tasks[1].task }}"
    refuse_prompt(job(tasks=[], scenarios=[SCENARIO]), "evaluator", text, "own.jinja")
    with pytest.raises(ConfigurationError, match="no element 1"):
        refuse_prompt(job(), "evaluator", text, "own.jinja")


def test_a_rubric_may_count_on_a_scenario_where_the_job_has_some() -> None:
    text = "{{ scenario.upper() }}"
    refuse_prompt(job(tasks=[], scenarios=[SCENARIO]), "wisdom", text, "own.jinja")
    with pytest.raises(ConfigurationError, match="no attribute 'upper'"):
        refuse_prompt(job(), "wisdom", text, "own.jinja")
