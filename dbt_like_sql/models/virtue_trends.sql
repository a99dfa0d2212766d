-- How each virtue of an agent moves from release to release; looks across evaluations, so it is a view.
with heads as (
    select
        agent_version,
        evaluation_id,
        agent,
        started_at,
        released_at,
        status,
        offline
    from {{ source('evidence', 'evaluations') }}
),

releases as (
    select
        agent_version,
        coalesce(max(released_at), min(started_at)) as released_at
    from heads
    group by agent_version
),

newest as (
    select
        heads.agent_version,
        heads.evaluation_id
    from heads
    inner join {{ ref('evaluation_scores') }} as scores
        using (agent_version, evaluation_id)
    where heads.status = 'finished' and scores.conclusive
    -- Stand-ins have a scale of their own: where a real model judged the agent, their evaluations do not count.
    qualify heads.offline = bool_and(heads.offline) over (partition by heads.agent)
        and row_number() over (
            partition by heads.agent_version
            order by heads.offline, heads.started_at desc, heads.evaluation_id desc
        ) = 1
),

placed as (
    select
        virtues.agent_version,
        virtues.evaluation_id,
        virtues.evaluated_at,
        virtues.agent,
        virtues.virtue,
        virtues.score as mean,
        releases.released_at,
        row_number() over (
            partition by virtues.agent, virtues.virtue
            order by releases.released_at, virtues.agent_version
        ) as n
    from {{ ref('evaluation_virtues') }} as virtues
    inner join newest using (agent_version, evaluation_id)
    inner join releases using (agent_version)
    where virtues.score is not null
),

sloped as (
    select
        *,
        -- The slope of a single point is NaN, which DuckDB holds to be greater than any number.
        case
            when n > 1 then regr_slope(mean, n) over (
                partition by agent, virtue
                order by n
                rows between 4 preceding and current row
            )
        end as slope
    from placed
)

select
    agent_version,
    evaluation_id,
    evaluated_at,
    agent,
    virtue,
    mean,
    n,
    slope,
    case
        when round(slope, 9) > {{ var('trend_slope') }} then 'improving'
        when round(slope, 9) < -{{ var('trend_slope') }} then 'declining'
        else 'stable'
    end as trend,
    released_at
from sloped
