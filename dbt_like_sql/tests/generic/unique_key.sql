{% test unique_key(model, columns) %}
select {{ columns | join(", ") }} from {{ model }} group by {{ columns | join(", ") }} having count(*) > 1
{% endtest %}
