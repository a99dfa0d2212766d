"""The end of an evaluation in the terminal: what was found, where to look, and with which exit code to leave."""

from typing import Any

import typer
from rich.table import Table

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import console
from stoic_assets.core.conversation.evidence import SCORED
from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.scoring.evaluation_document import DOCUMENT_TABLES, evaluation_document

OFFLINE_WARNING = "offline: a scripted user and a lexical judge played; the scores mean nothing"
GATE_SAYS_NO, TOO_MANY_INVALID = 1, 3
Document = dict[str, Any]


def evaluation_outcome(workplace: Workplace, agent_version: str, evaluation_id: str) -> Document:
    """The document of `stoic eval --json` for a stored evaluation."""
    read = workplace.warehouse.read
    tables = {table: read(table, agent_version, evaluation_id) for table in DOCUMENT_TABLES}
    keyed = [{**row, "agent_version": agent_version, "evaluation_id": evaluation_id} for row in tables["evaluations"]]
    return evaluation_document({**tables, "evaluations": keyed})


def finish(document: Document, workplace: Workplace, as_json: bool, fail_under: float | None) -> None:
    """Prints an outcome and leaves: 3 with too many invalid trials, 1 below `fail_under`, else 0."""
    if as_json:
        console.print_json(document)
    else:
        show(document, workplace)
    code = exit_code(document, workplace.settings.invalid_trials_threshold, fail_under)
    if code:
        console.err.print(f"stoic: {_why(code, document, workplace, fail_under)}")
        raise typer.Exit(code)


def exit_code(document: Document, threshold: float, fail_under: float | None) -> int:
    """3 outranks 1: a gate that judges by invalid trials would be a gate on nothing."""
    if document["invalid_trials"] > threshold * len(document["trials"]) or not document["trials"]:
        return TOO_MANY_INVALID
    average = document["average_score"]
    return GATE_SAYS_NO if fail_under is not None and (average is None or average < fail_under) else 0


def _why(code: int, document: Document, workplace: Workplace, fail_under: float | None) -> str:
    if code == GATE_SAYS_NO:
        return f"the average score {_number(document['average_score'])} is below {fail_under:g}"
    causes = sorted({trial["outcome"] for trial in document["trials"]} - SCORED)
    return (
        f"{document['invalid_trials']} of {len(document['trials'])} trials are invalid ({', '.join(causes) or 'none was held'}), "
        f"more than the {workplace.settings.invalid_trials_threshold:.0%} that stoic.yml allows: no verdict; the report says why"
    )


def show(document: Document, workplace: Workplace) -> None:
    """The outcome for a person."""
    console.out.print(f"\n[bold]{document['agent_version']}[/]  evaluation {document['evaluation_id']}")
    console.out.print(_trials(document))
    console.out.print(_virtues(document))
    for assertion in _failures(document):
        console.out.print(assertion)
    weak = ", ".join(f"{weak['virtue']} {weak['score']:.2f}" for weak in document["weak_virtues"]) or "none"
    console.out.print(
        f"average score [bold]{_number(document['average_score'])}[/]   fitness {_number(document['fitness'])}   "
        f"weak virtues: {weak}   invalid trials: {document['invalid_trials']} of {len(document['trials'])}"
    )
    if document["offline"]:
        console.out.print(OFFLINE_WARNING, style="yellow")
    report = workplace.reports / document["agent_version"] / f"{document['evaluation_id']}.html"
    console.out.print(f"report: {report}")


def _trials(document: Document) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("job", "condition", "#", "outcome"):
        table.add_column(heading)
    for heading in ("timing", "task", "assertion", "penalty", "overall", "virtues"):
        table.add_column(heading, justify="right")
    for trial in document["trials"]:
        scores = trial["scores"]
        parts = [scores[part] for part in ("timing", "task", "assertion", "failure_penalty", "overall")]
        table.add_row(
            trial["job"], trial["condition"], str(trial["repeat"]), trial["outcome"],
            *map(_number, [*parts, trial["virtue_overall"]["score"]]),
        )
    return table


def _virtues(document: Document) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("virtue", "mean", "confidence", "trials"):
        table.add_column(heading, justify="left" if heading == "virtue" else "right")
    for virtue in VIRTUES:
        found = [trial["virtues"][virtue] for trial in document["trials"]]
        scored = [each for each in found if each["score"] is not None]
        weight = sum(each["confidence"] for each in scored)
        mean = sum(each["score"] * each["confidence"] for each in scored) / weight if weight else None
        confidence = weight / len(scored) if scored else None
        table.add_row(virtue.replace("_", " "), _number(mean), _number(confidence), str(len(scored)))
    return table


def _failures(document: Document) -> list[Any]:
    """One line for each failed assertion."""
    return [
        console.foreign(
            f"failed  {trial['job']} {trial['condition']} {trial['repeat']}: {assertion['text'].strip()}"
            f"  ({assertion['error'] or 'it was false'})"
        )
        for trial in document["trials"]
        for assertion in trial["assertions"]
        if assertion["passed"] is False
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
