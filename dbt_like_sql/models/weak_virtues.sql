-- Virtues that score low although the judge is sure, with what judges advise in most trials, or in the worst.
with mentions as (
    select
        verdicts.agent_version,
        verdicts.evaluation_id,
        verdicts.virtue,
        verdicts.trial_id,
        trial_virtues.score,
        trim(unnest(verdicts.improvement_suggestions)) as suggestion
    from {{ source('evidence', 'virtue_scores') }} as verdicts
    inner join {{ ref('trial_virtues') }} as trial_virtues
        using (agent_version, evaluation_id, trial_id, virtue)
    inner join {{ ref('composite_scores') }} as composite_scores
        using (agent_version, evaluation_id, trial_id)
    where composite_scores.valid and verdicts.score is not null and verdicts.error is null
),

ranked as (
    select
        agent_version,
        evaluation_id,
        virtue,
        suggestion,
        row_number() over (
            partition by agent_version, evaluation_id, virtue
            order by count(distinct trial_id) desc, min(score), suggestion
        ) as place
    from mentions
    where suggestion <> ''
    group by agent_version, evaluation_id, virtue, suggestion
),

advice as (
    select
        agent_version,
        evaluation_id,
        virtue,
        list(suggestion order by place) as suggestions
    from ranked
    where place <= 10
    group by agent_version, evaluation_id, virtue
)

select
    agent_version,
    evaluation_id,
    virtues.evaluated_at,
    virtue,
    virtues.score,
    virtues.confidence,
    (1 - virtues.score) * virtues.confidence as severity,
    coalesce(advice.suggestions, []) as suggestions,
    virtues.trials
from {{ ref('evaluation_virtues') }} as virtues
left join advice using (agent_version, evaluation_id, virtue)
where
    {{ falls_short('virtues.score', var('weak_score_below')) }}
    and {{ falls_short('virtues.confidence_above', 'virtues.confidence') }}
