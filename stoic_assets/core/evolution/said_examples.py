"""Which of the examples that judges gave were really said: evolution must not learn from invented ones."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation
from stoic_assets.core.function_calls import stored_events
from stoic_assets.core.judging.exhibit import function_calls
from stoic_assets.core.judging.quotes import SearchableRecord
from stoic_assets.core.table_rows import Row, by_trial


def only_said(evaluations: Iterable[StoicEvaluation], turns: Iterable[Row]) -> list[StoicEvaluation]:
    """The evaluations of trials without the examples that do not occur in what the judge was shown.

    `turns` are rows of the table `turns`; a trial without rows keeps no example.
    """
    shown = by_trial(turns)
    return [_only_said(each, _record(shown[each.id])) for each in evaluations]


def _only_said(evaluation: StoicEvaluation, record: SearchableRecord) -> StoicEvaluation:
    findings = {
        virtue: replace(
            found,
            supporting_examples=tuple(
                quote.text for quote in record.quotes(found.supporting_examples, virtue) if quote.said
            ),
        )
        for virtue, found in evaluation.virtue_scores.items()
    }
    return replace(evaluation, virtue_scores=findings)


def _record(turns: Sequence[Row]) -> SearchableRecord:
    calls = (function_calls(stored_events(row["events"])) for row in turns)
    return SearchableRecord((row["content"] for row in turns), calls)
