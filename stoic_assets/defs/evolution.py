"""What an agent-evolution loop receives, and our own graph of versions, evaluations and trends."""

import dagster as dg

from stoic_assets.adapters.evaluation.publishing import publish
from stoic_assets.adapters.evaluation.stoic_graph_projection import project
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.defs.asset_metadata import OWNERS, numbers
from stoic_assets.defs.evaluation_run import current_evaluation
from stoic_assets.defs.failures import RETRIES, delivery_faults, reported
from stoic_assets.defs.partitions import agent_versions

_FIGURES = ("fitness", "fitness_low", "fitness_high", "fitness_of_trials")


@dg.asset(
    group_name="evolution",
    kinds={"python", "parquet"},
    owners=OWNERS,
    partitions_def=agent_versions,
    retry_policy=RETRIES,
    deps=[
        "evaluations", "trial_virtues", "composite_scores", "assertion_results", "weak_virtues", "version_comparisons",
    ],
)
def fitness_updates(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
    """Fitness, weak virtues and suggestions for an evolution service, events for the webhook, put into the outbox."""
    with reported(workplace):
        published = run_async(publish(workplace, current_evaluation(context, workplace)))
    update, delivery = published.update, published.delivery
    return dg.MaterializeResult(
        metadata={
            "evaluation_id": update.head.evaluation_id,
            "revision": update.revision,
            "scale": update.scale.key,
            **numbers({each: getattr(update, each) for each in _FIGURES}),
            **({"fitness_why": update.fitness_why} if update.fitness_why else {}),
            "scored_trials": update.scored_trials,
            "failed_trials": update.failed_trials,
            **({} if update.checks.passed_trials is None else {"passed_trials": update.checks.passed_trials}),
            "human_evaluations": update.human_evaluations,
            "conclusive": update.conclusive,
            "offline": update.head.offline,
            "weak_virtues": ", ".join(update.weak_virtues) or ("none" if update.objectives else "not known"),
            "improvement_areas": dg.MetadataValue.json(
                {str(virtue): advice for virtue, advice in update.improvement_areas.items()}
            ),
            "delivered": delivery.delivered,
            "in_outbox": delivery.pending,
            **delivery_faults([delivery]),
            **{f"path_{table}": dg.MetadataValue.path(path) for table, path in published.files.items()},
        }
    )


@dg.asset(
    group_name="evolution",
    kinds={"neo4j"},
    owners=OWNERS,
    partitions_def=agent_versions,
    retry_policy=RETRIES,
    deps=["evaluations", fitness_updates, "virtue_trends", "graph_setup"],
)
def stoic_graph_projection(
    context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]
) -> dg.MaterializeResult:
    """This evaluation with its virtue scores, fitness and trends in the stoic graph; rerunning changes nothing.

    Others of its version that are not there are written too, so that a lost graph is made again.
    """
    with reported(workplace, context):
        written = project(workplace, current_evaluation(context, workplace))
    return dg.MaterializeResult(metadata=written)
