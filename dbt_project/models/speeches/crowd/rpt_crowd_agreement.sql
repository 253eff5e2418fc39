{% set measures = ['alpha_interval', 'alpha_ordinal', 'icc_1', 'icc_k'] %}
with

panels as (select * from {{ ref('int_crowd_panels') }}),

resampled as (
    {% for measure in measures %}
        select panel_index, replicate, '{{ measure }}' as measure, {{ measure }} as value
        from {{ ref('int_crowd_resampled') }}
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

intervals as (
    select
        resampled.panel_index,
        resampled.measure,
        any_value(resampled.value) filter (resampled.replicate = 0) as value,
        {% for name, probability in [('low', 0.025), ('high', 0.975)] %}
            case
                when max(panels.n_units) >= {{ var('min_units_for_interval') }}
                    then
                        quantile_cont(resampled.value, {{ probability }})
                        filter (resampled.replicate > 0)
            end as {{ name }},
        {% endfor %}
    from resampled
    inner join panels using (panel_index)
    group by all
),

measured as (
    select
        panels.dataset_id,
        panels.dimension,
        measures.measure,
        1 as min_shared_items,
        intervals.value,
        case when intervals.value is not null then intervals.low end as low,
        case when intervals.value is not null then intervals.high end as high,
        'topics' as resampled_unit,
        panels.n_units,
        0 as pair_count,
        case
            when intervals.value is not null then null
            when panels.n_rated_items = 0 then 'nobody has rated these speeches'
            when panels.n_items = 0 then 'no speech was rated by two people'
            when measures.measure like 'icc%' and panels.n_items < 2
                then 'fewer than two speeches were rated by two people'
            else 'all ratings are equal, or every speech has the same mean'
        end as undefined_reason
    from panels
    cross join (select unnest({{ measures }}) as measure) as measures
    left join intervals
        on
            panels.panel_index = intervals.panel_index
            and measures.measure = intervals.measure
),

kappas as (
    select
        panels.dataset_id,
        panels.dimension,
        'mean_kappa' as measure,
        thresholds.min_shared_items,
        kappas.mean_kappa as value,
        resampled.kappa_low as low,
        resampled.kappa_high as high,
        'annotators' as resampled_unit,
        coalesce(resampled.n_units, 0) as n_units,
        coalesce(kappas.comparison_count, 0) as pair_count,
        case
            when kappas.mean_kappa is not null then null
            when panels.n_rated_items = 0 then 'nobody has rated these speeches'
            when kappas.comparison_count is null
                then 'no two annotators share ' || thresholds.min_shared_items || ' items'
            else 'both raters are constant in every pair'
        end as undefined_reason
    from panels
    cross join (select unnest({{ var('min_shared_items') }}) as min_shared_items) as thresholds
    left join {{ ref('int_kappas') }} as kappas
        on
            panels.dataset_id = kappas.dataset_id
            and panels.dimension = kappas.dimension
            and thresholds.min_shared_items = kappas.min_shared_items
            and kappas.judge_id = {{ human() }}
            and kappas.failure_rule = {{ excluded() }}
    left join {{ ref('int_kappas_resampled') }} as resampled
        on
            panels.dataset_id = resampled.dataset_id
            and panels.dimension = resampled.dimension
            and thresholds.min_shared_items = resampled.min_shared_items
            and resampled.judge_id = {{ human() }}
),

together as (
    select * from measured
    union all
    select * from kappas
)

select
    together.* exclude (min_shared_items, n_units, pair_count),
    together.min_shared_items::bigint as min_shared_items,
    together.n_units::bigint as n_units,
    together.pair_count::bigint as pair_count,
    panels.n_items,
    panels.n_rated_items - panels.n_items as n_items_left_out,
    panels.n_raters,
    panels.n_pairable_ratings as n_ratings,
    panels.mean_raters,
    panels.harmonic_raters
from together
inner join panels using (dataset_id, dimension)
