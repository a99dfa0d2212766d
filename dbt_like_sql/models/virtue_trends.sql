-- How each virtue of an agent moves from release to release; looks across evaluations, so it is a view.
with releases as (
    {{ releases() }}
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
        releases.place,
        virtues.judges,
        releases.suite,
        row_number() over (
            partition by virtues.agent, virtues.virtue
            order by releases.place
        ) as n
    from {{ ref('evaluation_virtues') }} as virtues
    inner join releases using (agent_version, evaluation_id)
    where virtues.score is not null
),

sloped as (
    select
        *,
        -- The slope of a single point is NaN, which DuckDB holds to be greater than any number.
        case when lag(n) over judged is not null then regr_slope(mean, n) over judged end as slope,
        count(mean) over judged as slope_n
    from placed
    -- Each panel of judges has a scale of its own, and so has each set of jobs: ten hard ones more are no decline, and
    -- neither is a condition that was left out. An evaluation of which they are not known is like no other.
    window judged as (
        partition by agent, virtue, judges, coalesce(suite, [evaluation_id])
        order by n
        rows between 4 preceding and current row
    )
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
        when {{ falls_short(var('trend_slope'), 'slope') }} then 'improving'
        when {{ falls_short('slope', -var('trend_slope')) }} then 'declining'
        else 'stable'
    end as trend,
    released_at,
    place,
    judges,
    slope_n
from sloped
