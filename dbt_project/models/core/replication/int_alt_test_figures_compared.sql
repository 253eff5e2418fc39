{#
The alternative annotator test's reference values beside the plain test's here, where the studies are loaded
under the names that `rostrum replicate alt_test --from` gives them. Each value stands as the notebook prints it, in
two digits, and as it follows from the notebook's data, in twelve.
#}
{% set measures = {
    'winning rate': ['winning_rate', 'winning_rate_paper'],
    'advantage probability': ['advantage_probability', 'advantage_probability'],
} %}
with

own as (
    select *
    from {{ ref('rpt_judge_replacement') }}
    where task = 'study' and judge_id != {{ human() }}
),

compared as (
    select
        published.*,
        own.winning_rate_paper as own_winning_rate,
        own.advantage_probability as own_advantage_probability,
        coalesce(own.n_instances, 0) as n
    from {{ ref('alt_test') }} as published
    left join own
        on
            own.dataset_id = 'alt-test-' || replace(published.dataset, '_', '-')
            and split_part(own.judge_id, '/', -1) = published.judge
            and own.epsilon = published.epsilon
)

{% for statistic, (column, ours) in measures.items() %}
    {% for digits, text in {
        'as printed': 'printed_' ~ column ~ '::varchar', 'from the data': "printf('%.12f', " ~ column ~ '::double)'
    }.items() %}
        select
            'alt_test' as paper_id,
            -- A figure that differs on its own data is a failure; without them nothing can fail.
            case
                when n > 0
                    then
                        concat_ws('_', 'alt_test', dataset, judge, '{{ column }}', '{{ digits }}')
            end as check_id,
            'Notebook, ' || dataset as location,
            '{{ statistic }}' as statistic,
            judge || ', ε = ' || epsilon || ', {{ digits }}' as qualifier,
            {{ text }} as published_text,
            'proportion' as unit,
            'plain t-test' as method_variant,
            own_{{ column }} as warehouse_value,
            n,
            'recompute' as kind,
            false as is_contradicted,
            case when n = 0 then 'its annotations are not loaded: --from FOLDER' end as note
        from compared
        {{ 'union all' if not loop.last }}
    {% endfor %}
    {{ 'union all' if not loop.last }}
{% endfor %}
