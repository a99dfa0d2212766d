"""The stored comparison of an evaluation with its base, and whether it still holds for the scores beside it.

Either side can be judged again without the comparison: only an evaluation, or a regrade of the candidate, renews it.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from stoic_assets.adapters.evaluation.comparison_side import ASSERTION, read_side
from stoic_assets.adapters.evaluation.version_comparison import compare_sides
from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.paired_assertions import PairedAssertion, asked_alike, held, paired_assertions
from stoic_assets.core.comparison.side import ComparisonRefused, Side
from stoic_assets.core.comparison.weaker_assertions import stored_as_weaker
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.evaluation_id import EvaluationKey
from stoic_assets.core.evaluation.next_command import judge_again
from stoic_assets.core.table_rows import Row, Rows


def why_outdated(workplace: Workplace, rows: Rows) -> str | None:
    """Why rows of `version_comparisons` of one evaluation no longer hold, and what to do; None while they do.

    If scores are newer than the rows, these still hold where a comparison by the scores gives the same results: judging
    again may only have stored cached verdicts anew.
    """
    if not rows:
        return None
    newer = [key for key in _sides(rows) if _scored_after(workplace.warehouse, key, rows[0]["evaluated_at"])]
    try:
        if not newer or _results(compare_again(workplace, rows).rows()) == _results(rows):
            return None
    except (ComparisonRefused, ConfigurationError) as refusal:  # the latter, if a side has lost a table
        return str(refusal)
    judged = " and ".join(f"{version} (evaluation {evaluation_id})" for version, evaluation_id in newer)
    renew = f"{judge_again(*_sides(rows)[1])}, or by materialising `version_comparisons` and what depends on it"
    return f"{judged} was judged again since, with other results; renew the comparison with {renew}"


def compare_again(workplace: Workplace, rows: Rows, without: Collection[str] = ()) -> Comparison:
    """The same two evaluations compared by their present scores, `without` some jobs. Raises `ComparisonRefused`."""
    base, candidate = (_without(read_side(workplace, *key), without) for key in _sides(rows))
    return compare_sides(workplace, base, candidate)


def assertions_since(warehouse: Warehouse, rows: Rows, tables: Mapping[str, Rows]) -> list[PairedAssertion]:
    """The assertions of jobs that ask the same as in the base, as far as its tables are stored.

    `tables` are the candidate's.
    """
    base = StoredTables(warehouse, _sides(rows)[0])
    before = held(base.read_if_stored("composite_scores"), base.read_if_stored("assertion_results", ASSERTION))
    pairs = paired_assertions(before, held(tables["composite_scores"], tables["assertion_results"]))
    return asked_alike(pairs, base.read_if_stored("trials", ("job", "job_hash")), tables["trials"])


def outdated_by(workplace: Workplace, agent_version: str, evaluation_id: str) -> Iterator[str]:
    """For each stored comparison with this evaluation as its base that no longer holds, why, and what to do."""
    held = (
        "select distinct agent_version, evaluation_id from version_comparisons "
        "where base = ? and base_evaluation_id = ? order by all"
    )
    for found in workplace.warehouse.query(held, [agent_version, evaluation_id]):
        key = found["agent_version"], found["evaluation_id"]
        rows = workplace.warehouse.read("version_comparisons", *key)
        if why := why_outdated(workplace, rows):
            yield f"the stored comparison of {key[0]} (evaluation {key[1]}) no longer holds: {why}"


def _sides(rows: Rows) -> tuple[EvaluationKey, EvaluationKey]:
    """The base and the candidate."""
    return base_key(rows[0]), (rows[0]["agent_version"], rows[0]["evaluation_id"])


def base_key(row: Row) -> EvaluationKey:
    """The evaluation that a row of `version_comparisons` compares with."""
    return row["base"], row["base_evaluation_id"]


def _scored_after(warehouse: Warehouse, key: EvaluationKey, moment: datetime) -> bool:
    """Whether a trial's score comes from a later verdict. An evaluation that is gone has no score."""
    rows = warehouse.read_if_stored("composite_scores", *key, ["evaluated_at"])
    return any(row["evaluated_at"] > moment for row in rows)


def _results(rows: Rows) -> dict[EvaluationKey, Row]:
    """What a comparison found, by measure and condition."""
    found, weaker = ("base_mean", "candidate_mean", "verdict"), stored_as_weaker(rows)
    return {
        (row["measure"], row["condition"]): {"weaker": weaker, **{name: row[name] for name in found}} for row in rows
    }


def _without(side: Side, jobs: Collection[str]) -> Side:
    return replace(side, jobs={job: content for job, content in side.jobs.items() if job not in jobs})
