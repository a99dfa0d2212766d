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
    count(trial_virtues.score) as trials,
    count(*) filter (where trial_virtues.score is null and not trial_virtues.exercised) as not_exercised
from {{ ref('trial_virtues') }} as trial_virtues
inner join {{ ref('composite_scores') }} as composite_scores
    using (agent_version, evaluation_id, trial_id)
inner join {{ source('evidence', 'evaluations') }} as evaluations
    using (agent_version, evaluation_id)
where composite_scores.valid
group by agent_version, evaluation_id, evaluations.agent, trial_virtues.virtue
