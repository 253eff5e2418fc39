{#
What a reader has to decide about a judge, each with its answer, what it rests on, what would change it
and what that would cost. A topic is one model, `int_decisions_<topic>`, with the columns below.
#}
{% set topics = ['replacement', 'rate', 'routing', 'drift', 'scale', 'pressure'] %}
{% set columns = [
    'topic', 'task', 'dataset_id', 'dimension', 'experiment', 'judge_id', 'template', 'variant_id',
    'question', 'answer', 'reason', 'numbers', 'would_change', 'cost',
] %}
{% for topic in topics %}
    select columns(*)::varchar
    from (select {{ columns | join(', ') }} from {{ ref('int_decisions_' ~ topic) }})
    {{ 'union all' if not loop.last }}
{% endfor %}
