{% test between(model, column_name, low=0, high=1) %}
select * from {{ model }} where {{ column_name }} not between {{ low }} and {{ high }}
{% endtest %}
