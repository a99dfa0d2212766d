"""Whether a job's own prompt templates render: checked when the job is read, before anything is paid for."""

from stoic_assets.core.conversation import evaluator
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.jobs.job import Job, PromptName
from stoic_assets.core.jobs.plan import conditions_of
from stoic_assets.core.judging import prompt as judging
from stoic_assets.core.judging.question import rubric_variables
from stoic_assets.core.text import templates


def refuse_prompt(job: Job, prompt: PromptName, text: str, source: str) -> None:
    """Raises `ConfigurationError` where `text`, from `source`, does not render as this prompt of the job.

    A rubric is rendered from the job alone. The evaluator's template gets a conversation as it is at the first request:
    a greeting and an answer; with scenarios it is not used.
    """
    if prompt == "evaluator":
        begun = [Turn(0, "user", job.greetings[0]), Turn(1, "agent", job.greetings[0])]
        conditions = () if job.scenarios else conditions_of(job, None)
        known = [evaluator.prompt_variables(job, condition, begun) for condition in conditions]
        package = evaluator.PACKAGE
    else:
        known = [rubric_variables(job, prompt, job.scenarios[0].id if job.scenarios else None)]
        package = judging.PACKAGE
    for variables in known:
        templates.refuse_unusable(package, text, variables.keys(), source)
        templates.render(package, text, variables, source)
