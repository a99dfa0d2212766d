-- Every measure over the releases of an agent, with the verdict on each release; looks across evaluations, so a view.
with releases as (
    {{ releases() }}
),

jobs as (
    select
        agent_version,
        evaluation_id,
        measure,
        avg(mean) as mean
    from {{ ref('job_measures') }}
    group by agent_version, evaluation_id, measure, job, scenario
),

suites as (
    select
        agent_version,
        evaluation_id,
        measure,
        avg(mean) as mean,
        count(mean) as jobs
    from jobs
    group by agent_version, evaluation_id, measure
)

select
    agent_version,
    evaluation_id,
    releases.evaluated_at,
    releases.agent,
    suites.measure,
    suites.mean,
    suites.jobs,
    row_number() over (
        partition by releases.agent, suites.measure
        order by releases.place
    ) as n,
    comparisons.base,
    comparisons.verdict,
    releases.released_at
from suites
inner join releases using (agent_version, evaluation_id)
left join {{ source('evidence', 'version_comparisons') }} as comparisons
    on
        comparisons.agent_version = suites.agent_version
        and comparisons.evaluation_id = suites.evaluation_id
        and comparisons.measure = suites.measure
        and comparisons.condition = 'pooled'
