{# What compares with others has its topics among those of the speeches that others rated, too. #}
{% set compared = ['harshness', 'spread_ratio', 'residual_sd', 'kappa'] %}
{% set shares = ['extreme_share', 'modal_share'] %}
{% set ranks = ['tau_c', 'spearman'] %}
with

raters as (
    select
        ratings.panel_index,
        ratings.annotator_index,
        {{ alike_in_group(['dataset_id', 'dimension', 'annotator_id'], of='ratings') }},
        count(distinct clusters.debate_id) as n_units
    from {{ ref('int_ratings_indexed') }} as ratings
    inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
    group by all
),

whole as (select * from {{ ref('int_rater_jackknifed') }} where group_index is null),

widths as (
    select
        panel_index,
        annotator_index,
    {% for measure in ['mean_rating'] + compared + shares %}
        {% set units = 'is_shared' if measure in compared else 'true' %}
        case
            when count({{ measure }}) filter ({{ units }}) = count(*) filter ({{ units }})
                then {{ jackknife_half_width(
                        'var_pop(' ~ measure ~ ') filter (' ~ units ~ ')',
                        'count(*) filter (' ~ units ~ ')'
                    ) }}
        end as {{ measure }}_half_width{{ ',' if not loop.last }}
    {% endfor %}
    from {{ ref('int_rater_jackknifed') }}
    where group_index is not null
    group by all
),

series as (
    select
        judges.panel_index,
        statistics.annotator_index,
        statistics.series_index,
        statistics.tau_c,
        statistics.spearman
    from {{ ref('int_rank_statistics') }} as statistics
    inner join {{ ref('int_rank_judges') }} as judges using (judge_index)
    where statistics.role = 'human'
),

-- A deletion that leaves one side constant, or no pair at all, leaves no interval either.
rank_widths as (
    select
        series.panel_index,
        series.annotator_index,
    {% for measure in ranks %}
        case
            when
                count({{ 'jackknifed' if measure == 'tau_c' else 'spearmans' }}.{{ measure }})
                = count(*)
                then {{ jackknife_half_width(
                        'var_pop(' ~ ('jackknifed' if measure == 'tau_c' else 'spearmans') ~ '.'
                        ~ measure ~ ')',
                        'count(*)'
                    ) }}
        end as {{ measure }}_half_width{{ ',' if not loop.last }}
    {% endfor %}
    from series
    inner join {{ ref('int_rank_jackknifed') }} as jackknifed using (series_index)
    left join {{ ref('int_spearman_jackknifed') }} as spearmans using (series_index, group_index)
    group by all
)

select
    raters.* exclude (panel_index, annotator_index),
    whole.n_ratings,
    whole.n_shared,
    {% for measure in ['mean_rating', 'harshness', 'spread_ratio', 'residual_sd'] %}
        whole.{{ measure }},
        {% if measure == 'mean_rating' %}
            {{ scale_bound('whole.mean_rating', 'mean_rating_half_width', -1, 'dimensions') }}
        {% elif measure in ['spread_ratio', 'residual_sd'] %}
            greatest(whole.{{ measure }} - {{ measure }}_half_width, 0 * {{ measure }}_half_width)
        {% else %}
            whole.{{ measure }} - {{ measure }}_half_width
        {% endif %}
            as {{ measure }}_low,
        {% if measure == 'mean_rating' %}
            {{ scale_bound('whole.mean_rating', 'mean_rating_half_width', 1, 'dimensions') }}
        {% else %}
            whole.{{ measure }} + {{ measure }}_half_width
        {% endif %}
            as {{ measure }}_high,
    {% endfor %}
    {% for measure in ranks %}
        series.{{ measure }},
        {{ clipped_ends('series.' ~ measure, measure ~ '_half_width', -1, 1) }},
    {% endfor %}
    case when is_enough then whole.kappa end as kappa,
    case
        when is_enough then {{ clip('whole.kappa - kappa_half_width', -1, 1) }}
    end as kappa_low,
    case
        when is_enough then {{ clip('whole.kappa + kappa_half_width', -1, 1) }}
    end as kappa_high,
    {% for measure in shares %}
        whole.{{ measure }},
        {{ share_ends('whole.' ~ measure, measure ~ '_half_width', 'raters.n_units') }},
    {% endfor %}
    whole.others_extreme_share,
    case when n_ratings >= {{ var('min_items_per_annotator') }} then modal_share >= 0.9 end
        as is_straight_lining,
    case
        when harshness is null then 'nobody else rated these speeches'
    end as undefined_reason,
    case
        when spread_ratio is not null then null
        when n_shared < 2 then 'fewer than two speeches that others rated too'
        else 'the others gave one score throughout'
    end as spread_undefined_reason,
    case
        when series.tau_c is not null then null
        when not is_enough
            then 'fewer than {{ var("min_items_per_annotator") }} speeches that others rated too'
        else 'one side has the same value on every speech'
    end as agreement_undefined_reason
from raters
inner join
    (
        select *, n_shared >= {{ var('min_items_per_annotator') }} as is_enough from whole
    ) as whole
    using (panel_index, annotator_index)
left join widths using (panel_index, annotator_index)
left join series using (panel_index, annotator_index)
left join rank_widths using (panel_index, annotator_index)
inner join {{ loaded('dimensions') }} as dimensions using (dataset_id, dimension)
