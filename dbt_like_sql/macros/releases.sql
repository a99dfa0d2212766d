{% macro release_number(agent_version) -%}
-- Sorts 1.9 before 1.10, and 2.0.0-rc.1 before 2.0.0, as `core/order_of_releases` does. A number may be longer than any
-- integer.
[
    row(
        length(ltrim(regexp_extract(part, '^[0-9]*'), '0')),
        ltrim(regexp_extract(part, '^[0-9]*'), '0'),
        not regexp_matches(part, '^[0-9]*-'),
        ltrim(part, '0123456789')
    )
    for part in regexp_extract_all(split_part({{ agent_version }}, '@', 2), '[0-9]+[^0-9]*|[^0-9]+|$')
]
{%- endmacro %}

{% macro release_series(agent_version) -%}
-- Numbers are compared after the same text only. A hash of git is none, though it may begin with a digit.
case
    when regexp_matches({{ agent_version }}, '@[0-9]*[a-f][0-9a-f]*$') and regexp_matches({{ agent_version }}, '@.{7}')
        then {{ agent_version }}
    else regexp_replace({{ agent_version }}, '(@[^0-9]*)[0-9].*', '\1#')
end
{%- endmacro %}

{% macro releases() %}
-- The releases of every agent, oldest first by `place`, each with the evaluation that speaks for it.
with recursive conclusive as (
    select
        heads.*,
        scores.suite,
        -- A few jobs that somebody tried by hand do not speak for a version that was evaluated with all.
        2 * scores.jobs < max(scores.jobs) over (partition by heads.agent_version, heads.offline) as is_partial
    from {{ source('evidence', 'evaluations') }} as heads
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

evaluated as (
    select
        heads.agent_version,
        {{ release_series('heads.agent_version') }} as series,
        {{ release_number('heads.agent_version') }} as number,
        arg_max(heads.released_at, heads.started_at) as dated_at,
        -- What has no number, as `dev`, goes along with its evaluations.
        case
            when regexp_matches(heads.agent_version, '@.*[0-9]') then min(heads.started_at)
            else coalesce(max(newest.started_at), min(heads.started_at))
        end as evaluated_at,
        -- Without a manifest both are missing.
        arg_max(heads.parents, heads.started_at)
            filter (where heads.released_at is not null or len(heads.parents) > 0) as parents
    from {{ source('evidence', 'evaluations') }} as heads
    left join newest using (agent_version)
    group by heads.agent_version
),

dated as (
    select
        *,
        -- Without a date a release follows the newest of lower numbers, or else precedes those of higher ones.
        coalesce(
            dated_at,
            max(dated_at) over (
                partition by series
                order by number, agent_version
            ),
            min(coalesce(dated_at, evaluated_at)) over (
                partition by series
                order by number desc, agent_version desc
            )
        ) as moment
    from evaluated
),

versions as (
    select
        agent_version,
        parents,
        coalesce(dated_at, evaluated_at) as released_at,
        row_number() over (order by moment, number, agent_version) as due
    from dated
),

descent as (
    select
        agent_version,
        unnest(parents) as parent
    from versions
),

-- A version comes after its parents, whatever the dates say: one that would come later is due with its child.
due as (
    select
        agent_version,
        due,
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
        on versions.agent_version = descent.parent and versions.due > due.due
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
        order by placed.place, versions.due
    ) as place
from newest
inner join versions using (agent_version)
inner join placed using (agent_version)
{% endmacro %}
