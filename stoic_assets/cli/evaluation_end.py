"""The end of an evaluation in the terminal: the results, where to look, and the exit code."""

from collections.abc import Sequence
from pathlib import Path

import typer
from rich.text import Text

from stoic_assets.adapters.disk.files import StorageError, write_whole
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import console
from stoic_assets.cli.outcome import EvaluationDocument, Outcome
from stoic_assets.cli.outcome_tables import trials_table, virtues_table, worst_trials
from stoic_assets.cli.outcome_trials import ending, endings, failures
from stoic_assets.core.conversation.evidence import PLAIN, SCORED
from stoic_assets.core.evaluation.next_command import judge_again, way_to_repeat
from stoic_assets.core.evaluation.status import FINISHED
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.confidence import (
    OFFLINE_NOTE,
    Sources,
    confidence_sources,
    weak_above,
    whose_confidence,
)
from stoic_assets.core.presentation.formatting import dashed, dollars, listed, plural, score, short_of, words
from stoic_assets.core.reports.data import values
from stoic_assets.core.rounding import falls_short
from stoic_assets.core.scoring.evaluation_document import NOT_JUDGED, TrialEntry
from stoic_assets.core.scoring.evaluation_junit import evaluation_junit
from stoic_assets.core.scoring.gates import shortfalls
from stoic_assets.core.scoring.validity import ceiling_reached, too_many_invalid

GATE_SAYS_NO, NO_VERDICT = 1, 3
NAMED_ASSERTIONS = 3
"""Lines on assertions that got worse, and jobs that a line names."""


def finish(
    outcome: Outcome, workplace: Workplace, as_json: bool, fail_under: float | None = None,
    min_passed: float | None = None, junit: Path | None = None,
) -> None:
    """Prints an outcome, writes it as JUnit XML, and exits: 3 without a verdict, 1 if a gate fails, else 0.

    Where the file cannot be written, the verdict and the gates come first; then it exits with 2.
    """
    if as_json:
        console.print_json(outcome.document)
        ends = [outcome.never_replied] if outcome.never_replied else _ends(outcome)
        for line in (*ends, *outcome.remarks, *_against_base(outcome)):
            console.err.print(line)
        if outcome.document["offline"]:
            console.err.print(OFFLINE_NOTE)
    else:
        _show(outcome, workplace)
    refusal = _why_no_verdict(outcome, workplace.settings.invalid_trials_threshold)
    unwritten = junit and _write_junit(junit, outcome, workplace, refusal)
    if refusal:
        console.complain(f"no verdict: {refusal}")
        raise typer.Exit(NO_VERDICT)
    if lacking := shortfalls(outcome.average, _decided(outcome.document), fail_under, min_passed):
        console.complain("; ".join(lacking))
        raise typer.Exit(GATE_SAYS_NO)
    if unwritten:
        raise typer.Exit(unwritten.exit_code)


def _write_junit(file: Path, outcome: Outcome, workplace: Workplace, refusal: str | None) -> StorageError | None:
    """Writes the file, or returns why it could not, after a complaint that says how to get it without conversations."""
    try:
        task_at_least = workplace.settings.passing.task_at_least
        document = {**outcome.document, "trials": outcome.shown_trials}
        write_whole(file, evaluation_junit(document, outcome.names, task_at_least, refusal))
    except StorageError as unwritten:
        again = judge_again(outcome.document["agent_version"], outcome.document["evaluation_id"])
        console.complain(f"{unwritten}; then {again} with --junit FILE writes it")
        return unwritten
    return None


def _decided(document: EvaluationDocument) -> list[bool]:
    """Whether each trial passed, for trials that have something to pass."""
    return [trial["passed"] for trial in document["trials"] if trial["passed"] is not None]


def _why_no_verdict(outcome: Outcome, threshold: float) -> str | None:
    """Why there is no verdict, and what to do; None if there is one. Without a verdict no gate is looked at."""
    version, evaluation_id = outcome.document["agent_version"], outcome.document["evaluation_id"]
    if outcome.held < outcome.planned or outcome.status != FINISHED:
        return ceiling_reached(version, evaluation_id, outcome.status, outcome.held, outcome.planned)
    if not outcome.conclusive:
        invalid = [trial for trial in outcome.document["trials"] if trial["outcome"] not in SCORED]
        too_many = too_many_invalid(len(invalid), outcome.held, threshold)
        return (
            f"{too_many}; the first: {ending(invalid[0], outcome.names)}; "
            f"once the cause is corrected, {_how_to_repeat(invalid, outcome)}"
        )
    return None


def _how_to_repeat(invalid: Sequence[TrialEntry], outcome: Outcome) -> str:
    """How to get rid of invalid trials, and how many stay so."""
    version, evaluation_id = outcome.document["agent_version"], outcome.document["evaluation_id"]
    lack_verdicts_alone = all(trial["outcome"] == "judge_error" for trial in invalid)
    way = way_to_repeat(version, evaluation_id, outcome.status, lack_verdicts_alone)
    return f"{way}{_lost(invalid, outcome)}"


def _lost(invalid: Sequence[TrialEntry], outcome: Outcome) -> str:
    """How many of the invalid trials cannot be run again, if any; a missing verdict can always be given."""
    played = [trial for trial in invalid if trial["outcome"] != "judge_error"]
    lost = sum(trial["trial_id"] in outcome.not_again for trial in played)
    return f", except {lost} whose user has told the agent the withheld facts: run a new evaluation" if lost else ""


def _show(outcome: Outcome, workplace: Workplace) -> None:
    """Prints the outcome for a person."""
    document = outcome.document
    version = Text(document["agent_version"], "bold")
    console.out.print(Text.assemble("\n", version, f"  evaluation {document['evaluation_id']}"))
    trials = outcome.shown_trials
    shown = worst_trials(trials)
    console.print_table(trials_table(shown, outcome.names))
    if left := len(trials) - len(shown):
        console.say(f"and {plural(left, 'trial')} with a higher overall score, which the report shows", style="dim")
    console.print_table(virtues_table(outcome.virtues, outcome.intervals))
    failed = failures(document["trials"], outcome.names, workplace.settings.passing.task_at_least)
    for line in (*endings(trials, outcome.names), *failed):
        console.say(line, indent=2)
    for line in filter(None, (outcome.never_replied, *outcome.remarks)):
        console.say(line, style="yellow", indent=2)
    console.say(_summary(document, trials, _weak(outcome, workplace.settings.weakness.score_below)))
    for line in _against_base(outcome):
        console.say(line, style="bold" if outcome.compared else "dim")
    whose = whose_confidence(_sources(document), outcome.agreement)
    if trusted := f"{whose} {weak_above(outcome.virtues)}".strip():
        console.say(trusted, style="dim")
    if document["offline"]:
        console.say(OFFLINE_NOTE, style="yellow")
    console.say(f"cost: {_cost(document['cost_usd'], outcome.unpriced)}")
    console.out.print(f"report: {workplace.report_file(document['agent_version'], document['evaluation_id'])}")


def _against_base(outcome: Outcome) -> list[str]:
    """The verdict against the base, the worst assertions, and what says more; or why there is no verdict, if known."""
    if not (comparison := outcome.compared):
        return [outcome.uncompared] if outcome.uncompared else []
    lines = [f"{comparison.headline}: {comparison.what}"]
    for turn in comparison.worse_assertions(NAMED_ASSERTIONS):
        lines += [f"{turn.heading}:", *(f"  {line}" for line in turn.lines)]
        lines += [f"  and {turn.more} more"] if turn.more else []
    row = comparison.gating[0]
    these = f"--evaluation {row['base_evaluation_id']} --evaluation {outcome.document['evaluation_id']}"
    in_full = f"`stoic compare {comparison.base} {outcome.document['agent_version']} {these}`"
    return [*lines, f"{in_full} compares the two in full"]


def _weak(outcome: Outcome, below: float) -> str:
    """The weak virtues; a score under `below` of little confidence does not make one."""
    found = outcome.document["weak_virtues"]
    weak = [f"{words(each['virtue']).lower()} {short_of(each['score'], below)}" for each in found]
    if weak or not (scores := values(outcome.virtues, "score")):
        return ", ".join(weak) or "no virtue was scored"
    return "none surely" if any(falls_short(each, below) for each in scores) else "none"


def _summary(document: EvaluationDocument, shown: Sequence[TrialEntry], weak: str) -> Text:
    unpaid = sum(trial["outcome"] == NOT_JUDGED for trial in shown)
    decided = _decided(document)
    passed = f"   passed: {sum(decided)} of {len(decided)}" if decided else ""
    return Text.assemble(
        "average score ", (dashed(score, document["average_score"]), "bold"),
        f"   fitness {dashed(score, document['fitness'])}   weak virtues: {weak}{passed}"
        f"   invalid trials: {document['invalid_trials']} of {len(document['trials'])}"
        + (f" ({unpaid} {NOT_JUDGED})" if unpaid else ""),
    )


def _cost(cost_usd: float | None, unpriced: Sequence[str]) -> str:
    if cost_usd is not None:
        return dollars(cost_usd)
    has, its = ("have", "their") if len(unpriced) > 1 else ("has", "its")
    models = listed(unpriced) or "a model"
    return f"unknown; {models} {has} no price in stoic.yml, or {its} server does not report tokens"


def _sources(document: EvaluationDocument) -> Sources:
    """Where the confidences come from."""
    return confidence_sources([virtue for trial in document["trials"] for virtue in trial["virtues"].values()])


def _ends(outcome: Outcome) -> list[str]:
    """A line for each unusual way in which trials ended. Too many invalid ones are reported elsewhere."""
    ends = grouped(
        (trial["outcome"], trial)
        for trial in outcome.document["trials"]
        if trial["outcome"] not in PLAIN and (outcome.conclusive or trial["outcome"] in SCORED)
    )
    return [f"{len(ended)} of {outcome.held} trials: {ending(ended[0], outcome.names)}" for ended in ends.values()]
