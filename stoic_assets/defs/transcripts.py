"""The conversations: the one stage that talks to the agent and to its graph."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import dagster as dg
from pydantic import Field

from stoic_assets.adapters.evaluation.beginning import Wanted
from stoic_assets.adapters.evaluation.conversations import HeldEvaluation, hold_evaluation
from stoic_assets.adapters.evaluation.live_releases import refuse_withdrawn
from stoic_assets.adapters.http.endpoint import parse_url
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.conversation.evidence import SCORED
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.jobs.names import trial_name
from stoic_assets.core.rounding import mean
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.defs.asset_metadata import OWNERS, numbers, shown
from stoic_assets.defs.evaluation_run import claim, own_evaluation_id, version_of
from stoic_assets.defs.failures import RETRIES, is_unattended, reported
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.preparation import graph_setup, job_configs
from stoic_assets.defs.releases import refuse_replaced
from stoic_assets.defs.run_config import Bounds, checked


class ConversationConfig(dg.Config):
    """What to run. Where a field is left out, the release manifest, the jobs and `stoic.yml` decide."""

    files: list[str] = Field(default=[], description="Paths of job files to run.")
    jobs: list[str] = Field(default=[], description="Names of jobs to run.")
    tags: list[str] = Field(default=[], description="Run the jobs with one of these tags.")
    conditions: str | None = Field(default=None, description="Conditions to run: `withheld`, `supplied` or `both`.")
    repeats: int | None = Field(default=None, description="How many times to run each trial, 1 or more.")
    judge_samples: int | None = Field(default=None, description="Verdicts of each judge on each virtue, 1 to 50.")
    model: str | None = Field(default=None, description="The model that the agent is asked to use.")
    agent_url: str | None = Field(default=None, description="Where the agent listens.")
    at_once: int | None = Field(default=None, description="How many conversations to hold at once, 1 or more.")
    max_cost: float | None = Field(default=None, description="Ask no model once this many US dollars are spent.")

    def request(self) -> EvaluationRequest:
        """The part that defines the evaluation. Raises `ConfigurationError` for an invalid value of any part."""
        bounded = {"at_once", "max_cost"}
        checked(Bounds, self.model_dump(include=bounded))
        request = checked(EvaluationRequest, self.model_dump(exclude=bounded))
        if request.agent_url:
            parse_url(request.agent_url, "agent_url")  # later its fault would name the option of the command
        return request


_SCHEMA = dg.TableSchema(
    [
        dg.TableColumn("trial"), dg.TableColumn("outcome"), dg.TableColumn("turns", "int"),
        dg.TableColumn("failures", "int"), dg.TableColumn("detail"),
    ]
)  # fmt: skip
"""For tables that are empty if the cost ceiling was reached before a trial ended."""


@dg.asset(
    group_name="conversations",
    kinds={"python", "parquet"},
    owners=OWNERS,
    partitions_def=agent_versions,
    retry_policy=RETRIES,
    deps=[job_configs, graph_setup],
)
def transcripts(
    context: dg.AssetExecutionContext, config: ConversationConfig, workplace: dg.ResourceParam[Workplace]
) -> dg.MaterializeResult:
    """Conversations with this version, and the evidence of what it did, captured the moment each trial ended.

    To continue an interrupted run, start one with the same tag `stoic/evaluation_id`.
    """
    with reported(workplace, context):
        version, evaluation_id = version_of(context), own_evaluation_id(context.run)
        if is_unattended(context.run):  # its manifest may have changed while it waited for its turn, or for the agent
            refuse_withdrawn(workplace, version)
            refuse_replaced(workplace, version, evaluation_id)
        claim(context, workplace.evidence, version, evaluation_id)
        wanted = Wanted(version, evaluation_id, config.request())
        held = run_async(hold_evaluation(workplace, wanted, context.run.run_id, config.at_once, config.max_cost))
    return dg.MaterializeResult(metadata=_metadata(held, workplace.redactor))


def _metadata(held: HeldEvaluation, redactor: Redactor) -> dict[str, Any]:
    outcomes, trials = Counter(row["outcome"] for row in held.trials), len(held.trials)
    in_question_first = sorted(held.trials, key=lambda row: row["outcome"] == "signed_off")
    return {
        "dagster/row_count": trials,
        "evaluation_id": held.manifest.evaluation_id,
        "turns": sum(row["turns"] for row in held.trials),
        **numbers(
            {
                "invalid_share": mean(row["outcome"] not in SCORED for row in held.trials),
                "agent_error_share": mean(row["outcome"] == "agent_error" for row in held.trials),
            }
        ),
        "not_held": held.planned - trials,
        "outcomes": dg.MetadataValue.json(dict(outcomes)),
        "offline": held.manifest.offline,
        **_talked_to(held.manifest.spec, redactor),
        "trials": shown((_shown(row, held.manifest.evaluation_id) for row in in_question_first), _SCHEMA),
        **{f"path_{table}": dg.MetadataValue.path(path) for table, path in held.files.items()},
    }


def _talked_to(spec: EvaluationSpec, redactor: Redactor) -> dict[str, str]:
    """Where the agent listened, what it spoke, and who the simulated user was."""
    protocols = sorted({job.target.protocol for job in spec.jobs})
    return {
        "agent_url": redactor.text(", ".join(sorted({*spec.addresses.values()}))),
        "protocol": ", ".join(protocols),
        "agent_model": spec.agent_model,
        "simulated_user": spec.evaluator_model,
    }


def _shown(trial: Mapping[str, Any], evaluation_id: str) -> dict[str, Any]:
    return {
        "trial": trial_name(trial["trial_id"], evaluation_id),
        "outcome": trial["outcome"],
        "turns": trial["turns"],
        "failures": trial["failure_count"],
        "detail": trial["detail"] or "",
    }
