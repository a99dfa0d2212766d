"""The stages of an evaluation, by the names of their assets, which a command, a release and a night materialise."""

PARTITIONS = "agent_version"
"""Dagster's name for their partitions, each of which is a version of an agent."""
PARTITION_TAG = "dagster/partition"
"""Dagster's tag of a run for its partition."""
WORKER_TAG = "stoic/worker"
"""Our tag of a run for the Celery worker that has it, or had it; empty while it waits for one to resume another run."""

PREPARATION = ("job_configs", "graph_setup")
DECIDED = ("virtue_scores", "task_scores", "assertion_results")
"""The results of judges and assertions for stored conversations; all further stages are based on them."""
VERDICTS = (
    *DECIDED, "trial_virtues", "composite_scores", "evaluation_virtues", "evaluation_scores", "job_measures",
    "job_reliability", "evaluations", "version_comparisons", "measure_history", "weak_virtues", "virtue_trends",
    "weak_virtue_reports", "evaluation_reports", "fitness_updates", "stoic_graph_projection",
)  # fmt: skip
"""Everything that follows from stored conversations."""
EVALUATION = (*PREPARATION, "transcripts", *VERDICTS)
