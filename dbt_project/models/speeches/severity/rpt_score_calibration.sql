{#
What mapping a judge's scores to people's buys: errors, agreement and order before (method none) and
after, and their paired differences, each topic predicted by a fit to the others.
#}
{% set measures = ['mae', 'rmse', 'bias', 'tau_c'] %}

with

series as (
    select
        series_id,
        dataset_id,
        dimension,
        judge_id,
        template,
        count(distinct debate_id) as n_units,
        count(distinct fold) as n_folds
    from {{ ref('int_calibration_items') }}
    group by all
),

methods as (select unnest(['none', 'linear', 'isotonic']) as method),

replicates as (select * from {{ ref('int_calibration_replicates') }}),

paired as (
    select
        replicates.*,
    {% for measure in measures %}
        replicates.{{ measure }} - before.{{ measure }} as {{ measure }}_change
        {{- "," if not loop.last }}
    {% endfor %}
    from replicates
    inner join replicates as before
        on
            replicates.series_id = before.series_id
            and replicates.group_index = before.group_index
            and before.method = 'none'
),

estimates as (select * from paired where group_index = -1),

intervals as (
    select
        series_id,
        method,
    {% for measure in measures %}
        {{ jackknife_half_width('var_pop(' ~ measure ~ ')', 'count(*)') }}
            as {{ measure }}_half_width,
        {{ jackknife_half_width('var_pop(' ~ measure ~ '_change)', 'count(*)') }}
            as {{ measure }}_change_half_width
        {{- "," if not loop.last }}
    {% endfor %}
    from paired
    where group_index >= 0
    group by all
),

kappas as (
    select
        after.*,
        after.mean_kappa - before.mean_kappa as kappa_change
    from {{ ref('int_calibration_kappas') }} as after
    inner join {{ ref('int_calibration_kappas') }} as before
        on
            after.series_id = before.series_id
            and after.replicate = before.replicate
            and before.method = 'none'
),

kappa_estimates as (select * from kappas where replicate = 0),

kappa_intervals as (
    select
        series_id,
        method,
    {% for value in ['mean_kappa', 'kappa_change'] %}
        {{ percentile_ends(value, 'n_units') }}{{ "," if not loop.last }}
    {% endfor %}
    from kappas
    where replicate > 0
    group by all
),

keyed as (
    select answer_counts.*, methods.method, series.series_id, series.n_units, series.n_folds
    from {{ ref('int_answer_counts') }} as answer_counts
    cross join methods
    left join series using (dataset_id, dimension, judge_id, template)
    where answer_counts.judge_id != {{ human() }}
)

select
    keyed.dataset_id,
    keyed.dimension,
    keyed.judge_id,
    keyed.template,
    keyed.method,
    coalesce(estimates.n_items, 0)::bigint as n_items,
    coalesce(keyed.n_units, 0) as n_units,
    coalesce(keyed.n_folds, 0) as n_folds,
    {% for measure in measures %}
        estimates.{{ measure }},
        {% if measure in ['mae', 'rmse'] %}
            {{ clip(
                'estimates.' ~ measure ~ ' - ' ~ measure ~ '_half_width', 0, 'estimates.' ~ measure
            ) }}
                as {{ measure }}_low,
        {% else %}
            estimates.{{ measure }} - {{ measure }}_half_width as {{ measure }}_low,
        {% endif %}
        estimates.{{ measure }} + {{ measure }}_half_width as {{ measure }}_high,
        case when keyed.method != 'none' then estimates.{{ measure }}_change end
            as {{ measure }}_change,
        {{ ends('estimates.' ~ measure ~ '_change', measure ~ '_change_half_width') }},
    {% endfor %}
    kappa_estimates.mean_kappa,
    kappa_intervals.mean_kappa_low,
    kappa_intervals.mean_kappa_high,
    case when keyed.method != 'none' then kappa_estimates.kappa_change end as mean_kappa_change,
    case when keyed.method != 'none' then kappa_intervals.kappa_change_low end
        as mean_kappa_change_low,
    case when keyed.method != 'none' then kappa_intervals.kappa_change_high end
        as mean_kappa_change_high,
    coalesce(kappa_estimates.pair_count, 0) as pair_count,
    coalesce(kappa_estimates.n_units, 0) as n_annotators,
    case
        when estimates.mae is not null then null
        when keyed.series_id is null then 'no speech has both a score and a human rating'
        else 'fewer than two topics'
    end as undefined_reason,
    case
        when estimates.tau_c is not null then null
        when keyed.series_id is null then 'no speech has both a score and a human rating'
        when estimates.mae is null then 'fewer than two topics'
        else 'one side has the same value on every speech'
    end as tau_c_reason,
    case
        when kappa_estimates.mean_kappa is not null then null
        when keyed.series_id is null then 'no speech has both a score and a human rating'
        when estimates.mae is null then 'fewer than two topics'
        when kappa_estimates.pair_count is null
            then 'no annotator pair keeps {{ kappa_min_shared() }} speeches this judge has scored'
        else 'both raters are constant in every pair'
    end as kappa_reason
from keyed
left join estimates using (series_id, method)
left join intervals using (series_id, method)
left join kappa_estimates using (series_id, method)
left join kappa_intervals using (series_id, method)
