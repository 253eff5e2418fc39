{#
Does the longer side win more of a judge's verdicts than people gave it? Least squares slopes of being
for Con on the number of doublings of Con's words over Pro's, judge and people on the same debates.

Standard errors are clustered (Liang and Zeger 1986) with the usual small-sample factor
G / (G - 1) * (n - 1) / (n - 2), and t has G - 1 degrees of freedom, G the clusters. Debates that are
their own cluster need no sum per cluster, which is most of them.
#}
{%- set scores = ['judge', 'human', 'paired', 'longer_judge', 'longer_paired'] -%}
{%- set minimum = var('min_units_for_interval') %}
with

shared_clusters as (
    select cluster_key
    from {{ ref('int_debates_judged') }}
    group by cluster_key
    having count(*) > 1
),

units as not materialized (
    select
        setting_id,
        cluster_key,
        case when cluster_key in (select cluster_key from shared_clusters) then cluster_key end
            as shared_cluster,
        log2_length_ratio as doublings,
        con_share as judge,
        human_is_con::integer::double as human,
        case
            when log2_length_ratio > 0 then con_share
            when log2_length_ratio < 0 then 1 - con_share
        end as longer_judge,
        case
            when log2_length_ratio > 0 then human_is_con::integer::double
            when log2_length_ratio < 0 then 1 - human_is_con::integer::double
        end as longer_human,
        parsed_count
    from {{ ref('int_verdict_units') }}
    where log2_length_ratio is not null and human_is_con is not null and parsed_count > 0
),

totals as (
    select
        setting_id,
        count(*) as n_units,
        sum(parsed_count)::bigint as n_answers,
        count(longer_judge) as n_longer,
        avg(doublings) as mean_doublings,
        avg(judge) as mean_judge,
        avg(human) as mean_human,
        regr_sxx(judge, doublings) as spread,
        min(doublings) < max(doublings) as is_varied,
        regr_sxy(judge, doublings) as judge_product,
        regr_sxy(human, doublings) as human_product,
        avg(longer_judge) as longer_judge,
        avg(longer_human) as longer_human
    from units
    group by setting_id
),

-- Rounded, so that no slope depends on the order in which threads add up; 0.0 takes its sign from
-- -0.0.
slopes as (
    select
        * exclude (is_varied, judge_product, human_product),
        case when is_varied then round(judge_product / spread, 12) + 0.0 end as judge_slope,
        case when is_varied then round(human_product / spread, 12) + 0.0 end as human_slope
    from totals
),

influences as not materialized (
    select
        units.setting_id,
        units.shared_cluster,
        units.longer_judge is not null as is_longer,
        units.doublings - slopes.mean_doublings as distance,
        -- Names of their own: a name that units has as well would mean that one below.
        distance * (units.judge - slopes.mean_judge - slopes.judge_slope * distance)
            as judge_influence,
        distance * (units.human - slopes.mean_human - slopes.human_slope * distance)
            as human_influence,
        judge_influence - human_influence as paired_influence,
        coalesce(units.longer_judge - slopes.longer_judge, 0) as longer_judge_influence,
        coalesce(
            units.longer_judge - units.longer_human - slopes.longer_judge + slopes.longer_human, 0
        ) as longer_paired_influence
    from units
    inner join slopes using (setting_id)
),

shared as (
    select
        setting_id,
        bool_or(is_longer) as is_longer,
    {% for score in scores %}
        sum({{ score }}_influence) as {{ score }}_influence{{ ',' if not loop.last }}
    {% endfor %}
    from influences
    where shared_cluster is not null
    group by setting_id, shared_cluster
),

squares as (
    {% for source in ['influences where shared_cluster is null', 'shared'] %}
        select
            setting_id,
            count(*) as n_clusters,
            count(*) filter (where is_longer) as n_longer_clusters,
        {% for score in scores %}
            sum({{ score }}_influence ^ 2) as {{ score }}{{ ',' if not loop.last }}
        {% endfor %}
        from {{ source }}
        group by setting_id
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

spreads as (
    select
        setting_id,
        sum(n_clusters)::bigint as n_clusters,
        sum(n_longer_clusters)::bigint as n_longer_clusters,
    {% for score in scores %}
        sum({{ score }}) as {{ score }}{{ ',' if not loop.last }}
    {% endfor %}
    from squares
    group by setting_id
),

errors as (
    select
        slopes.*,
        spreads.n_clusters,
        spreads.n_longer_clusters,
        judge_slope - human_slope as difference,
        greatest(abs(judge_slope), abs(human_slope), abs(judge_slope - human_slope)) as steepest,
        slopes.longer_judge - longer_human as longer_difference,
        {% for score in scores[:3] %}
            sqrt(
                n_clusters / nullif(n_clusters - 1.0, 0) * (n_units - 1) / nullif(n_units - 2.0, 0)
                * spreads.{{ score }}
            ) / spread as {{ score }}_error,
        {% endfor %}
        {% for score in scores[3:] %}
            sqrt(n_longer_clusters / nullif(n_longer_clusters - 1.0, 0) * spreads.{{ score }})
            / n_longer as {{ score }}_error,
        {% endfor %}
        case
            when n_clusters >= {{ minimum }}
                then student_t_quantile(0.975::double, (n_clusters - 1)::double)
        end as quantile,
        case
            when n_longer_clusters >= {{ minimum }}
                then student_t_quantile(0.975::double, (n_longer_clusters - 1)::double)
        end as longer_quantile,
        -- Where judge and people differ by a straight line, rounding alone is left of the error. A
        -- change of a share that is withheld keeps no test.
        case
            when
                n_clusters >= {{ minimum }} and paired_error > 1e-12
                and {{ why_beyond_a_share('difference') }} is null
                then difference / paired_error
        end as statistic
    from slopes
    inner join spreads using (setting_id)
),

settings as (select * from {{ ref('int_verdict_settings') }})

select
    {{ verdict_setting_columns('settings') }},
    {{ or_zero(['n_units', 'n_clusters', 'n_answers']) }},
    judge_slope,
    judge_slope - {{ spread('quantile * judge_error') }} as judge_slope_low,
    judge_slope + {{ spread('quantile * judge_error') }} as judge_slope_high,
    human_slope,
    human_slope - {{ spread('quantile * human_error') }} as human_slope_low,
    human_slope + {{ spread('quantile * human_error') }} as human_slope_high,
    difference,
    difference - {{ spread('quantile * paired_error') }} as difference_low,
    difference + {{ spread('quantile * paired_error') }} as difference_high,
    {% for slope in ['judge_slope', 'human_slope', 'difference'] %}
        {% for end in ['', '_low', '_high'] %}
            {{ per_ten_pct_words(slope, end) }}
                as {{ slope | replace('_slope', '') }}_per_ten_pct_words{{ end }},
        {% endfor %}
    {% endfor %}
    statistic,
    case when statistic is not null then (n_clusters - 1)::double end as df,
    student_t_two_sided(statistic, (n_clusters - 1)::double) as p,
    longer_judge as longer_wins_judge,
    {{ share_ends(
        'longer_judge', 'longer_quantile * longer_judge_error', 'n_longer_clusters',
        'longer_wins_judge'
    ) }},
    longer_human as longer_wins_human,
    longer_difference,
    {{ clipped_ends('longer_difference', spread('longer_quantile * longer_paired_error'), -1, 1) }},
    case
        when
            n_units is null
            then 'no debate with words on both sides, a winner and a readable verdict'
        when judge_slope is null then 'every debate has the same length ratio'
        when steepest * log2(1.1) > 1 then {{ why_beyond_a_share('steepest') }}
        {{ when_too_few('n_clusters', 'clusters') }}
        when statistic is null then 'no residual variation'
    end as reason
from settings
left join errors using (setting_id)
