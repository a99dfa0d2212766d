{% macro releases() %}
-- The releases of every agent, oldest first by `place`, each with the evaluation that speaks for it.
with recursive heads as (
    select
        agent_version,
        evaluation_id,
        evaluated_at,
        agent,
        started_at,
        released_at,
        parents,
        status,
        offline
    from {{ source('evidence', 'evaluations') }}
),

conclusive as (
    select
        heads.*,
        scores.suite,
        -- A few jobs that somebody tried by hand do not speak for a version that was evaluated with all.
        2 * scores.jobs < max(scores.jobs) over (partition by heads.agent_version, heads.offline) as is_partial
    from heads
    inner join {{ ref('evaluation_scores') }} as scores
        using (agent_version, evaluation_id)
    where heads.status = 'finished' and scores.conclusive
    -- Stand-ins have a scale of their own: where a real model judged the agent, their evaluations do not count.
    qualify heads.offline = bool_and(heads.offline) over (partition by heads.agent)
),

newest as (
    select *
    from conclusive
    qualify row_number() over (
        partition by agent_version
        order by is_partial, started_at desc, evaluation_id desc
    ) = 1
),

versions as (
    select
        heads.agent_version,
        coalesce(
            arg_max(heads.released_at, heads.started_at),
            -- Without a date a release stands where it was evaluated first, and what has no number, as `dev`, goes along.
            case
                when regexp_matches(heads.agent_version, '@.*[0-9]') then min(heads.started_at)
                else coalesce(max(newest.started_at), min(heads.started_at))
            end
        ) as released_at,
        -- Without a manifest both are missing.
        arg_max(heads.parents, heads.started_at)
            filter (where heads.released_at is not null or len(heads.parents) > 0) as parents
    from heads
    left join newest using (agent_version)
    group by heads.agent_version
),

descent as (
    select
        agent_version,
        unnest(parents) as parent
    from versions
),

-- A version comes after its parents, whatever the dates say: one that is dated no earlier is due with its child.
due as (
    select
        agent_version,
        released_at as due,
        0 as generation
    from versions
    union
    select
        versions.agent_version,
        due.due,
        due.generation - 1 as generation
    from due
    inner join descent using (agent_version)
    inner join versions
        on versions.agent_version = descent.parent and versions.released_at >= due.due
    -- Where versions name each other as parents, this is the end.
    where -due.generation < (select count(*) from versions)
),

placed as (
    select
        agent_version,
        min(row(due, generation)) as place
    from due
    group by agent_version
)

select
    agent_version,
    newest.evaluation_id,
    newest.evaluated_at,
    newest.agent,
    newest.suite,
    versions.released_at,
    row_number() over (
        partition by newest.agent
        order by placed.place, agent_version
    ) as place
from newest
inner join versions using (agent_version)
inner join placed using (agent_version)
{% endmacro %}
