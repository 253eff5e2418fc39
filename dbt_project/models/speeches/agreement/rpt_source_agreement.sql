with

estimates as (select * from {{ ref('int_source_correlations') }} where replicate = 0),

intervals as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        {% for measure in ['pearson', 'tau_b'] %}
            {{ percentile_ends(measure, 'n_units') }},
        {% endfor %}
    from {{ ref('int_source_correlations') }}
    where replicate > 0
    group by all
)

select
    estimates.* exclude (replicate),
    intervals.* exclude (dataset_id, dimension, judge_id, template),
    case
        when estimates.n_sources < 3 then 'fewer than three sources'
        when estimates.pearson is null then 'every source has the same mean on one side'
    end as undefined_reason
from estimates
left join intervals using (dataset_id, dimension, judge_id, template)
