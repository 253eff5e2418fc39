{#
Everything that is estimated, whatever it is about: what the generic parts read. The id is a hash of what
the estimate is of, so that two versions of the warehouse can be compared by it.
#}
{% set subjects = [
    'speeches', 'debates', 'questions', 'parliamentary', 'oversight', 'core', 'decision',
] %}
with

estimates as (
    {% for subject in subjects %}
        select '{{ subject }}' as subject, * from {{ ref('int_' ~ subject ~ '_estimates') }}
        {{ 'union all' if not loop.last }}
    {% endfor %}
)

select
    md5(
        to_json({
            dataset_id: dataset_id,
            experiment: experiment,
            judge_id: judge_id,
            measure: measure,
            population: population::json,
            setting: setting::json,
            subject: subject
        })::varchar
    ) as estimate_id,
    *
from estimates
