-- One row for each evaluation: the means over its scored trials, and whether they can be believed.
with means as (
    select
        scores.agent_version,
        scores.evaluation_id,
        max(scores.evaluated_at) as evaluated_at,
        count(*) filter (where scores.valid) as scored_trials,
        count(*) filter (where not scores.valid) as invalid_trials,
        count(distinct scores.job) as jobs,
        list_sort(list(distinct scores.job || '.' || scores.condition)) as suite,
        -- Where nothing is asked in any trial, the only totals are the zeros of failed ones: no mean of the suite.
        case
            when bool_or(scores.overall is not null and {{ total_measures_something() }}) then avg(scores.overall)
        end as average_overall,
        avg(scores.virtue_overall) as fitness,
        avg(scores.task) as task,
        avg(scores.timing) as timing,
        avg(scores.assertion) as assertion,
        avg(scores.tone) as tone
    from {{ ref('composite_scores') }} as scores
    inner join {{ source('evidence', 'trials') }} as trials
        using (agent_version, evaluation_id, trial_id)
    group by scores.agent_version, scores.evaluation_id
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
    means.tone,
    means.suite
from {{ source('evidence', 'evaluations') }} as evaluations
left join means using (agent_version, evaluation_id)
