select
    setting_id,
    judge_id,
    dataset_id,
    template,
    min(wording) as wording,
    task,
    manual,
    house_order,
    strategy,
    has_motion,
    has_info_slide,
    {{ key_of(adjudication_factors(['judge_id'])) }} as variant_id,
    string_agg(distinct experiment, ', ' order by experiment) as experiments,
    count(distinct debate_id) filter (is_counted) as debate_count,
    count(*) as request_count,
    count(*) filter (not is_counted and not is_stale) as superseded_count,
    count(*) filter (is_stale) as stale_count,
    count(*) filter (is_counted and parse_status in ('parsed', 'supplied')) as parsed_count,
    {% for status, column in [
        ('partly', 'partly'), ('unparsed', 'unparsed'), ('not_answered', 'unanswered')
    ] %}
    count(*) filter (is_counted and parse_status = '{{ status }}') as {{ column }}_count
    {{- ',' if not loop.last }}
{% endfor %}
from {{ ref('int_adjudications_current') }}
group by
    setting_id, judge_id, dataset_id, template, task, manual, house_order, strategy, has_motion,
    has_info_slide
