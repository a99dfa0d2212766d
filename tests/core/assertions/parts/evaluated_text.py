"""What expressions in Kotlin come to on plain data."""

from stoic_assets.core.assertions.bindings import evaluation, object_context
from stoic_assets.core.assertions.kotlin.evaluation import evaluate
from stoic_assets.core.assertions.kotlin.syntax import parse_expression

REMINDER = {"id": "1", "name": "mum", "labels": ["DomainNode", "Reminder"], "properties": {"due": 5, "size": "big"}}
EVENTS = [{"request": {"function": {"name": "remind"}, "arguments": {"n": 1}, "context": ""}}, {"output": "done"}]
BINDINGS: dict[str, object] = {
    "objectContext": object_context({"context": "", "resources": [REMINDER], "functions": []}),
    "evaluation": evaluation(
        session_id="s",
        model="Müller 😀",
        job={"list": [1, 2.0, 3], "none": None, "map": {"a": 1}, "empty": [], "big": 2**70, "yes": True},
        transcript=[{"content": "Hello", "role": "user", "timeTakenMillis": 0, "events": EVENTS}],
        failure_count=2,
        done=False,
    ),
}


def value_of(text: str, /, **job: object) -> object:
    """The value of an expression in which `job` stands for `evaluation.job`."""
    bindings = {**BINDINGS, "evaluation": {"job": job}} if job else BINDINGS
    return evaluate(parse_expression(text.replace("job", "evaluation.job")), bindings)
