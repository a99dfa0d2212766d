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

-- In order: several threads read the jobs, and the last digits of avg() depend on who comes first.
suites as (
    select
        agent_version,
        evaluation_id,
        measure,
        list_avg(list_sort(list(mean))) as mean,
        count(mean) as jobs
    from jobs
    group by agent_version, evaluation_id, measure
),

scored as (
    select
        agent_version,
        evaluation_id,
        max(evaluated_at) as scored_at
    from {{ ref('job_measures') }}
    group by agent_version, evaluation_id
),

-- A side that was judged again has other scores than its verdicts are about. greatest() skips nulls: a base may be gone.
comparisons as (
    select verdicts.*
    from {{ source('evidence', 'version_comparisons') }} as verdicts
    left join scored as after
        on after.agent_version = verdicts.agent_version and after.evaluation_id = verdicts.evaluation_id
    left join scored as before
        on before.agent_version = verdicts.base and before.evaluation_id = verdicts.base_evaluation_id
    where verdicts.condition = 'pooled' and verdicts.evaluated_at >= greatest(after.scored_at, before.scored_at)
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
left join comparisons
    on
        comparisons.agent_version = suites.agent_version
        and comparisons.evaluation_id = suites.evaluation_id
        and comparisons.measure = suites.measure
