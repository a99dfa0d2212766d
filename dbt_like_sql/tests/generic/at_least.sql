{% test at_least(model, column_name, low) %}
select * from {{ model }} where {{ column_name }} < {{ low }}
{% endtest %}
