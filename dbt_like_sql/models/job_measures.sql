-- What each job says of each measure, condition by condition: what versions are compared on.
with measured as (
    select
        scores.agent_version,
        scores.evaluation_id,
        scores.evaluated_at,
        scores.job,
        scores.scenario,
        scores.condition,
        scores.valid,
        measures.measure,
        case measures.measure
            -- What was asked of an agent that broke down was not done.
            when 'task' then case
                when scores.outcome = 'agent_error' and trials.planned_tasks > 0 then 0
                else scores.task
            end
            when 'assertion' then scores.assertion
            -- The time of its replies before it broke down says nothing of the one that did not come.
            when 'timing' then case when scores.outcome <> 'agent_error' then scores.timing end
            when 'overall' then case when {{ total_measures_something() }} then scores.overall end
            when 'passed' then scores.passed::integer
            else virtues.score
        end as value
    from {{ ref('composite_scores') }} as scores
    inner join {{ source('evidence', 'trials') }} as trials
        using (agent_version, evaluation_id, trial_id)
    cross join (
        select unnest([
            'wisdom', 'courage', 'justice', 'temperance', 'practical_wisdom',
            'task', 'assertion', 'timing', 'overall', 'passed'
        ]) as measure
    ) as measures
    left join {{ ref('trial_virtues') }} as virtues
        on
            virtues.agent_version = scores.agent_version
            and virtues.evaluation_id = scores.evaluation_id
            and virtues.trial_id = scores.trial_id
            and virtues.virtue = measures.measure
)

select
    agent_version,
    evaluation_id,
    max(evaluated_at) as evaluated_at,
    job,
    scenario,
    condition,
    measure,
    avg(value) filter (where valid) as mean,
    count(value) filter (where valid) as trials,
    count(*) filter (where not valid) as invalid_trials
from measured
group by agent_version, evaluation_id, job, scenario, condition, measure
having count(value) filter (where valid) > 0
