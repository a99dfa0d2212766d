-- One row for each evaluation: the means over its scored trials, and whether they can be believed.
with means as (
    select
        agent_version,
        evaluation_id,
        max(evaluated_at) as evaluated_at,
        count(*) filter (where valid) as scored_trials,
        count(*) filter (where not valid) as invalid_trials,
        count(distinct job) as jobs,
        avg(overall) as average_overall,
        avg(virtue_overall) as fitness,
        avg(task) as task,
        avg(timing) as timing,
        avg(assertion) as assertion,
        avg(tone) as tone
    from {{ ref('composite_scores') }}
    group by agent_version, evaluation_id
)

select
    agent_version,
    evaluation_id,
    coalesce(means.evaluated_at, evaluations.evaluated_at) as evaluated_at,
    evaluations.agent,
    means.average_overall,
    means.fitness,
    evaluations.planned_trials,
    coalesce(means.scored_trials, 0) as scored_trials,
    coalesce(means.invalid_trials, 0) as invalid_trials,
    coalesce(
        means.scored_trials > 0
        and means.invalid_trials / (means.scored_trials + means.invalid_trials)
        <= {{ var('invalid_trials_threshold') }},
        false
    ) as conclusive,
    coalesce(means.jobs, 0) as jobs,
    means.task,
    means.timing,
    means.assertion,
    means.tone
from {{ source('evidence', 'evaluations') }} as evaluations
left join means using (agent_version, evaluation_id)
