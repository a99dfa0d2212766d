{# Whether the total of a trial measures something; `scores` are composite scores, `trials` their trials. #}
{# Where nothing was asked of an agent that broke down, no other trial of the job has a total either. #}
{% macro total_measures_something() %}
(scores.outcome <> 'agent_error' or scores.passed is not null or trials.aspirational_ms is not null)
{% endmacro %}
