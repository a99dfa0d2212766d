-- The verdicts of the whole panel and all its samples on one virtue of one trial, as one score.
with verdicts as (
    select
        *,
        score is not null and error is null and exercised is distinct from false as scored
    from {{ source('evidence', 'virtue_scores') }}
)

select
    agent_version,
    evaluation_id,
    max(evaluated_at) as evaluated_at,
    trial_id,
    virtue,
    avg(score) filter (where scored) as score,
    avg(coalesce(confidence, 0)) filter (where scored) as confidence,
    max(confidence_source) filter (where scored) as confidence_source, -- 'calibrated' comes first: where all are
    count(*) filter (where scored) as verdicts,
    count(*) filter (where error is not null) as failed,
    bool_or(exercised) as exercised,
    avg(grounded) filter (where scored) as grounded,
    list_sort(list(distinct judge_model) filter (where error is null)) as judges
from verdicts
group by agent_version, evaluation_id, trial_id, virtue
