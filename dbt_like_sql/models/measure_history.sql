-- Every measure over the releases of an agent, with the verdict on each release; looks across evaluations, so a view.
with heads as (
    select
        agent_version,
        evaluation_id,
        evaluated_at,
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
        heads.evaluation_id,
        heads.evaluated_at,
        heads.agent
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
    newest.evaluated_at,
    newest.agent,
    suites.measure,
    suites.mean,
    suites.jobs,
    row_number() over (
        partition by newest.agent, suites.measure
        order by releases.released_at, agent_version
    ) as n,
    comparisons.base,
    comparisons.verdict,
    releases.released_at
from suites
inner join newest using (agent_version, evaluation_id)
inner join releases using (agent_version)
left join {{ source('evidence', 'version_comparisons') }} as comparisons
    on
        comparisons.agent_version = suites.agent_version
        and comparisons.evaluation_id = suites.evaluation_id
        and comparisons.measure = suites.measure
        and comparisons.condition = 'pooled'
