-- Each virtue over all scored trials of an evaluation, weighted by the confidence of the verdicts.
select
    agent_version,
    evaluation_id,
    max(trial_virtues.evaluated_at) as evaluated_at,
    evaluations.agent,
    trial_virtues.virtue,
    -- Where every confidence is 0 no trial outweighs another: the plain mean.
    coalesce(
        sum(trial_virtues.score * trial_virtues.confidence) / nullif(sum(trial_virtues.confidence), 0),
        avg(trial_virtues.score)
    ) as score,
    avg(trial_virtues.confidence) as confidence,
    -- Calibrated confidences and judges' own are two scales: their mean is held against the mean of their bounds.
    avg(
        case trial_virtues.confidence_source
            when 'calibrated' then {{ var('weak_calibrated_confidence_above') }}
            else {{ var('weak_confidence_above') }}
        end
    ) filter (where trial_virtues.score is not null) as confidence_above,
    count(trial_virtues.score) as trials,
    count(*) filter (where trial_virtues.score is null and not trial_virtues.exercised) as not_exercised,
    list_sort(list_distinct(flatten(list(trial_virtues.judges)))) as judges
from {{ ref('trial_virtues') }} as trial_virtues
inner join {{ ref('composite_scores') }} as composite_scores
    using (agent_version, evaluation_id, trial_id)
inner join {{ source('evidence', 'evaluations') }} as evaluations
    using (agent_version, evaluation_id)
where composite_scores.valid
group by agent_version, evaluation_id, evaluations.agent, trial_virtues.virtue
