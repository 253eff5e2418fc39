{#
Two ways of asking one model that differ in one thing only, within an experiment. A setting belongs to
every experiment that asked for it, whichever of them has the answer that counts.
#}
with

asked as (
    select distinct
        experiment, setting_id, dataset_id, split, judge_id, template, temperature, top_p,
        target_tokens, retrieval, is_trusted_only, retriever
    from {{ ref('int_answers_current') }}
    where not is_stale
),

ordered as (
    select
        *,
        case retrieval when 'none' then 0 when 'vanilla' then 1 else 2 end as retrieval_place
    from asked
),

-- Which documents could be retrieved does not apply where nothing was.
counted as (
    select
        one.experiment,
        one.dataset_id,
        one.split,
        one.judge_id,
        one.setting_id as setting_a,
        other.setting_id as setting_b,
        {% for factor, a, b, order in [
            ('prompt', 'one.template', 'other.template', ['one.template', 'other.template']),
            ('temperature', 'one.temperature', 'other.temperature', none),
            ('top_p', 'one.top_p', 'other.top_p', none),
            ('length', 'one.target_tokens', 'other.target_tokens', none),
            ('retrieval', 'one.retrieval', 'other.retrieval', ['one.retrieval_place', 'other.retrieval_place']),
            ('documents', 'one.is_trusted_only', 'other.is_trusted_only', none),
        ] %}
            {%- set low, high = order or [a, b] %}
            coalesce({{ a }} != {{ b }}, ({{ a }} is null) != ({{ b }} is null))
                as {{ factor }}_differs,
            coalesce(
                {{ low }} < {{ high }}, {{ low }} is null and {{ high }} is not null
            )
                as {{ factor }}_rises,
            coalesce({{ a }}::varchar, 'not set') as {{ factor }}_a,
            coalesce({{ b }}::varchar, 'not set') as {{ factor }}_b,
        {% endfor %}
        'none' in (one.retrieval, other.retrieval) as is_from_none,
        documents_differs and not (retrieval_differs and is_from_none) as documents_counts,
        prompt_differs::int + temperature_differs::int + top_p_differs::int + length_differs::int
        + retrieval_differs::int + documents_counts::int as n_factors
    from ordered as one
    inner join ordered as other
        on
            one.experiment = other.experiment
            and one.dataset_id = other.dataset_id
            and one.split is not distinct from other.split
            and one.judge_id = other.judge_id
            and one.setting_id != other.setting_id
            -- Other documents are no retrieval of another kind.
            and coalesce(one.retriever = other.retriever, true)
),

levelled as (
    select
        *,
        case
            when prompt_differs then 'prompt'
            when temperature_differs then 'temperature'
            when top_p_differs then 'top_p'
            when length_differs then 'length'
            when retrieval_differs then 'retrieval'
            else 'documents'
        end as factor,
        case factor
            {% for factor in [
                'prompt', 'temperature', 'top_p', 'length', 'retrieval', 'documents'
            ] %}
                when '{{ factor }}' then {{ factor }}_rises
            {% endfor %}
        end as is_rising,
    {% for side in ['a', 'b'] %}
        case factor
            {% for factor in ['prompt', 'temperature', 'top_p', 'length', 'retrieval'] %}
                when '{{ factor }}' then {{ factor }}_{{ side }}
            {% endfor %}
            else case documents_{{ side }}
                when 'true' then 'trusted' when 'false' then 'all' else documents_{{ side }}
                end
        end as level_{{ side }}{{ ',' if not loop.last }}
    {% endfor %}
    from counted
    where n_factors = 1
)

select experiment, dataset_id, split, judge_id, factor, level_a, level_b, setting_a, setting_b
from levelled
where is_rising
