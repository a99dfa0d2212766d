-- pass^k of each job and condition: the chance that k attempts all pass, by the unbiased C(c, k) / C(n, k).
with asked as (
    select
        agent_version,
        evaluation_id,
        trial_id
    from {{ source('evidence', 'trials') }}
    where planned_tasks > 0
    union
    select
        agent_version,
        evaluation_id,
        trial_id
    from {{ source('evidence', 'assertion_results') }}
    where weight > 0
),

cells as (
    select
        scores.agent_version,
        scores.evaluation_id,
        max(scores.evaluated_at) as evaluated_at,
        scores.job,
        scores.scenario,
        scores.condition,
        count(scores.passed) as trials,
        count(*) filter (where scores.passed) as passed,
        count(*) filter (where not scores.valid) as invalid_trials,
        max(count(*)) over (partition by scores.agent_version, scores.evaluation_id) as repeats
    from {{ ref('composite_scores') }} as scores
    inner join asked
        using (agent_version, evaluation_id, trial_id)
    group by scores.agent_version, scores.evaluation_id, scores.job, scores.scenario, scores.condition
),

attempts as (
    select
        *,
        unnest(range(1, repeats + 1)) as k
    from cells
)

select
    agent_version,
    evaluation_id,
    evaluated_at,
    job,
    scenario,
    condition,
    trials,
    passed,
    invalid_trials,
    k,
    -- C(c, k) / C(n, k) is the product of (c - i) / (n - i) for i below k: each k adds one factor.
    case
        when k <= trials then product(greatest(passed - k + 1, 0) / (trials - k + 1)) over (
            partition by agent_version, evaluation_id, job, scenario, condition
            order by k
        )
    end as estimate
from attempts
