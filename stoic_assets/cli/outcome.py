"""The end of an evaluation in the terminal: what was found, where to look, and with which exit code to leave."""

from dataclasses import dataclass
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import console
from stoic_assets.core.conversation.evidence import SCORED
from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.reports.confidence import calibrated_share, whose_confidence
from stoic_assets.core.reports.formatting import dashed, score
from stoic_assets.core.scoring.evaluation_document import DOCUMENT_TABLES, evaluation_document

OFFLINE_WARNING = "offline: a scripted user and a lexical judge played; the scores mean nothing"
GATE_SAYS_NO, NO_VERDICT = 1, 3
Document = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """A stored evaluation: the document of `stoic eval --json`, and whether a verdict may rest on it.

    `planned` counts trials; fewer were held when the cost ceiling was reached. `finished` is false also when verdicts
    are missing for that reason. `conclusive` is false when too many trials are invalid, or none was scored. `reasons`
    says why a trial did not end plainly, by its id.
    """

    document: Document
    planned: int
    finished: bool
    conclusive: bool
    reasons: dict[str, str]

    @property
    def held(self) -> int:
        """Trials that came to an end."""
        return len(self.document["trials"])


def evaluation_outcome(workplace: Workplace, agent_version: str, evaluation_id: str) -> Outcome:
    """What became of an evaluation."""
    read = workplace.warehouse.read
    tables = {table: read(table, agent_version, evaluation_id) for table in DOCUMENT_TABLES}
    [evaluation], [scores] = tables["evaluations"], tables["evaluation_scores"]
    faults = [*tables["trials"], *tables["task_scores"], *read("virtue_scores", agent_version, evaluation_id)]
    reasons = {row["trial_id"]: reason for row in reversed(faults) if (reason := row.get("detail") or row.get("error"))}
    finished = evaluation["status"] == "finished"
    return Outcome(evaluation_document(tables), evaluation["planned_trials"], finished, scores["conclusive"], reasons)


def finish(outcome: Outcome, workplace: Workplace, as_json: bool, fail_under: float | None) -> None:
    """Prints an outcome and leaves: 3 without a verdict, 1 below `fail_under`, else 0."""
    if as_json:
        console.print_json(outcome.document)
    else:
        show(outcome, workplace)
    refusal = no_verdict(outcome, workplace.settings.invalid_trials_threshold)
    average = outcome.document["average_score"]
    if refusal:
        console.err.print(console.foreign(f"stoic: no verdict: {refusal}"))
        raise typer.Exit(NO_VERDICT)
    if fail_under is not None and (average is None or average < fail_under):
        console.err.print(f"stoic: the average score {dashed(score, average)} is below {fail_under:g}")
        raise typer.Exit(GATE_SAYS_NO)


def no_verdict(outcome: Outcome, threshold: float) -> str | None:
    """Why no verdict is given, and what to do; None when one is. This outranks any gate: it would judge nothing."""
    if outcome.held < outcome.planned:
        return (
            f"{outcome.held} of {outcome.planned} trials were held before the cost ceiling; go on with --resume and a "
            "higher --max-cost"
        )
    if not outcome.finished:
        return "the cost ceiling was reached before all verdicts were had; go on with --resume and a higher --max-cost"
    if not outcome.conclusive:
        invalid = [trial for trial in outcome.document["trials"] if trial["outcome"] not in SCORED]
        return (
            f"{len(invalid)} of {outcome.held} trials are invalid, more than the {threshold:.0%} that stoic.yml allows"
            f"; the first: {_ending(invalid[0], outcome.reasons)}"
        )
    return None


def show(outcome: Outcome, workplace: Workplace) -> None:
    """The outcome for a person."""
    document = outcome.document
    version = Text(document["agent_version"], "bold")
    console.out.print(Text.assemble("\n", version, f"  evaluation {document['evaluation_id']}"))
    console.print_table(_trials(document))
    console.print_table(_virtues(document))
    for trial in document["trials"]:
        if trial["outcome"] not in ("signed_off", "max_turns"):
            console.out.print(console.foreign(_ending(trial, outcome.reasons)))
    for assertion in _failures(document):
        console.out.print(console.foreign(assertion))
    console.out.print(_summary(document))
    console.out.print(whose_confidence(_calibrated(document)), style="dim")
    if document["offline"]:
        console.out.print(OFFLINE_WARNING, style="yellow")
    report = workplace.reports / document["agent_version"] / f"{document['evaluation_id']}.html"
    console.out.print(f"report: {report}")


def _summary(document: Document) -> Text:
    weak = ", ".join(f"{weak['virtue']} {score(weak['score'])}" for weak in document["weak_virtues"]) or "none"
    return Text.assemble(
        "average score ", (dashed(score, document["average_score"]), "bold"),
        f"   fitness {dashed(score, document['fitness'])}   weak virtues: {weak}"
        f"   invalid trials: {document['invalid_trials']} of {len(document['trials'])}",
    )


def _calibrated(document: Document) -> float:
    """The share, 0–1, of confidences that were read from a map that was fitted to people's ratings."""
    return calibrated_share([virtue for trial in document["trials"] for virtue in trial["virtues"].values()])


def _ending(trial: Document, reasons: dict[str, str]) -> str:
    """How a trial ended, and why."""
    return f"{trial['outcome']}  {_name(trial)}: {reasons.get(trial['trial_id'], 'see the report')}"


def _name(trial: Document) -> str:
    return f"{trial['job']} {trial['condition']} {trial['repeat']}"


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
            *(dashed(score, part) for part in [*parts, trial["virtue_overall"]["score"]]),
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
        table.add_row(virtue.replace("_", " "), dashed(score, mean), dashed(score, confidence), str(len(scored)))
    return table


def _failures(document: Document) -> list[str]:
    """One line for each failed assertion."""
    return [
        f"failed  {_name(trial)}: {' '.join(assertion['text'].split())}  ({assertion['error'] or 'it was false'})"
        for trial in document["trials"]
        for assertion in trial["assertions"]
        if assertion["passed"] is False
    ]
