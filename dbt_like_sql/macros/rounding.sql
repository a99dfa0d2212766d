{# Whether a value is below a bound by more than rounding, as `core/rounding` has it. #}
{# The mean of 0.6, 0.7 and 0.8 lies a hair below 0.7 in binary, and so does 0.7 · 0.8 ÷ 0.8. #}
{% macro falls_short(value, bound) %}({{ value }} < {{ bound }} - 1e-9){% endmacro %}
