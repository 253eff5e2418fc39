{#
How often a judge contradicts itself: in two samples of one question, in two settings that differ in one
factor, and on twins: two debates on one motion that their source declares to differ in nothing but
exchanged sides. Debates that share a cluster are no twins.
#}
{% set factors = {
    'templates': 'template',
    'labels': 'verbalizer',
    'positions': 'position',
} %}
{% set setting_columns = [
    'experiment', 'dataset_id', 'judge_id', 'template', 'verbalizer', 'position', 'outcome',
    'reasoning', 'answer_order',
] %}
with

settings as (select * from {{ ref('int_verdict_settings') }}),

units as not materialized (
    select setting_id, debate_key, cluster_key, is_con, con_share, parsed_count, tie_count
    from {{ ref('int_verdict_units') }}
    where parsed_count > 0
),

clusters as (select debate_key, cluster_key from {{ ref('int_debates_judged') }}),

judges as (
    select
        experiment, dataset_id, judge_id,
        dense_rank() over (order by experiment, dataset_id, judge_id) as judge_key,
        setting_id, variant_id
    from settings
),

-- Settings that differ in one factor alone have one group.
{% for kind, factor in factors.items() %}
    {{ kind }}_groups as (
        select
            setting_id,
            min(setting_id) over (asked_alike) as group_id,
            count(*) over (asked_alike) as setting_count
        from settings
        where not is_human and {{ factor }} is not null
        window asked_alike as (
            partition by
            {% for column in setting_columns if column != factor -%}
                    {{ column }}{{ ", " if not loop.last }}
            {%- endfor %}
        )
    ),

    {{ kind }}_chosen as (
        select
            groups.group_id,
            units.debate_key,
            sum(units.is_con::integer)::bigint as con_count,
            count(units.is_con) as all_count
        from units
        inner join {{ kind }}_groups as groups using (setting_id)
        where groups.setting_count > 1
        group by groups.group_id, units.debate_key
    ),
{% endfor %}

repeated as (
    select
        setting_id,
        cluster_key,
        parsed_count,
        tie_count,
        con_share * parsed_count - tie_count / 2.0 as con_count
    from units
    where parsed_count > 1
),

declared as (
    select dataset_id, debate_id, twin_id
    from {{ ref('stg_raw__debates') }}
    where twin_id != debate_id
),

twins as (
    select distinct one.debate_key, other.debate_key as twin_key, one.cluster_key
    from declared
    inner join {{ ref('int_debates_judged') }} as one
        on least(declared.debate_id, declared.twin_id) = one.debate_id
    inner join {{ ref('int_debates_judged') }} as other
        on greatest(declared.debate_id, declared.twin_id) = other.debate_id
),

compared as (
    select
        judges.judge_key,
        'repeats' as kind,
        judges.variant_id,
        repeated.cluster_key,
        1 as n_units,
        parsed_count * (parsed_count - 1) / 2 as n_pairs,
        (
            parsed_count ^ 2 - con_count ^ 2 - tie_count ^ 2
            - (parsed_count - con_count - tie_count) ^ 2
        ) / 2 as flip_count
    from repeated
    inner join judges using (setting_id)
    {% for kind in factors %}
        union all
        select
            judges.judge_key,
            '{{ kind }}' as kind,
            null as variant_id,
            any_value(clusters.cluster_key) as cluster_key,
            1 as n_units,
            sum(all_count * (all_count - 1) / 2) as n_pairs,
            sum(con_count * (all_count - con_count)) as flip_count
        from {{ kind }}_chosen as chosen
        inner join judges on chosen.group_id = judges.setting_id
        inner join clusters using (debate_key)
        where all_count > 1
        group by judges.judge_key, chosen.debate_key
    {% endfor %}
    union all
    select
        judges.judge_key,
        'twins' as kind,
        null as variant_id,
        any_value(twins.cluster_key) as cluster_key,
        2 as n_units,
        count(*) as n_pairs,
        -- Who names one side of both names two debaters.
        count(*) filter (one.is_con = other.is_con) as flip_count
    from twins
    inner join units as one using (debate_key)
    inner join units as other
        on twins.twin_key = other.debate_key and one.setting_id = other.setting_id
    inner join judges on one.setting_id = judges.setting_id
    where one.is_con is not null and other.is_con is not null
    group by judges.judge_key, twins.debate_key, twins.twin_key
),

of_clusters as (
    select
        judge_key, kind, variant_id, cluster_key,
        sum(n_units) as n_units,
        sum(n_pairs) as n_pairs,
        sum(flip_count) as flip_count
    from compared
    group by all
),

sums as (
    select
        judge_key, kind, variant_id,
        sum(n_units)::bigint as n_units,
        sum(n_pairs)::bigint as n_pairs,
        count(*) as n_clusters,
        sum(flip_count) / sum(n_pairs) as flip_share,
        sum(flip_count ^ 2) as squares,
        sum(flip_count * n_pairs) as products,
        sum(n_pairs ^ 2) as pair_squares,
        min(flip_count / n_pairs) < max(flip_count / n_pairs) as is_varied
    from of_clusters
    group by all
),

estimates as (
    select
        *,
        {{ paired_half_width(
            'flip_share', 'squares', 'products', 'pair_squares', 'n_pairs', 'n_clusters', 'is_varied',
            'student_t_quantile(0.975::double, (n_clusters - 1)::double)'
        ) }} as half_width
    from sums
),

asked as (
    select judge_key, experiment, dataset_id, judge_id, variant_id, 'repeats' as kind
    from judges
    union all
    select distinct
        judge_key, experiment, dataset_id, judge_id, null as variant_id,
        unnest(['templates', 'labels', 'positions', 'twins']) as kind
    from judges
)

select
    asked.* exclude (judge_key),
    {{ or_zero(['n_units', 'n_clusters', 'n_pairs'], of='estimates') }},
    estimates.flip_share,
    {{ share_ends('estimates.flip_share', 'estimates.half_width', 'estimates.n_clusters') }},
    case
        when estimates.n_pairs is null
            then case asked.kind
                when 'repeats' then 'no debate has two verdicts'
                when
                    'templates'
                    then 'no debate was judged with two templates that differ in nothing else'
                when
                    'labels'
                    then 'no debate was judged with two pairs of labels and nothing else changed'
                when
                    'positions'
                    then 'no debate was judged in two positions and nothing else changed'
                when 'twins'
                    then if(
                        asked.dataset_id in (select declared.dataset_id from declared),
                        'no two debates that are declared as twins were both judged',
                        'the data set declares no debates as twins with exchanged sides'
                    )
            end
        {{ when_too_few('estimates.n_clusters', 'clusters') }}
    end as reason
from asked
left join estimates on {{ alike('asked', 'estimates', ['judge_key', 'kind', 'variant_id']) }}
