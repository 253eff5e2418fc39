{#
A judge beside people who said of the same debates who won, debate by debate: each person alone, the mean
over them, and the majority. A person is compared with the others: each pair once, and the majority
without the person's own verdict. Intervals delete one cluster at a time (jackknife); what a mean
loses with a cluster is the sum of what its pairs lose.
#}
{% set judged = ['experiment', 'dataset_id', 'judge_id', 'variant_id', 'is_human'] %}
{% set of_pair = judged + ['reference'] %}
{% set of_row = judged + ['compared_with'] %}
{% set counts = ['both_con', 'only_judge_con', 'only_people_con', 'both_pro'] %}
with

settings as (
    select setting_id, {{ judged | join(', ') }} from {{ ref('int_verdict_settings') }}
),

units as not materialized (
    select {{ judged | join(', ') }}, units.debate_key, units.cluster_key, units.is_con
    from {{ ref('int_verdict_units') }} as units
    inner join settings using (setting_id)
    where units.parsed_count > 0
),

people as (
    select dataset_id, judge_id as person_id, debate_key, is_con from units where is_human
),

votes as (
    select
        debate_key,
        count(*) as person_count,
        count(*) filter (where is_con) as con_count,
        count(*) filter (where not is_con) as pro_count
    from people
    group by debate_key
),

beside_each as (
    select
        {{ judged | join(', ') }}, person_id as reference, cluster_key, units.debate_key,
        units.is_con, people.is_con as people_con
    from units
    inner join people using (dataset_id, debate_key)
    where not units.is_human or units.judge_id < people.person_id
),

-- Without one's own verdict where one is of the people.
others as (
    select
        units.*,
        person_count - is_human::bigint as other_count,
        con_count - (is_human and coalesce(is_con, false))::bigint as others_con,
        pro_count - (is_human and coalesce(not is_con, false))::bigint as others_pro
    from units
    inner join votes using (debate_key)
),

beside_majority as (
    select
        {{ judged | join(', ') }}, 'majority' as reference, cluster_key, debate_key, is_con,
        case when others_con != others_pro then others_con > others_pro end as people_con
    from others
    where other_count > 0
),

-- All people together are one judge of people.
pooled as (
    select * replace ({{ human() }} as judge_id, judge_id || ' and ' || reference as reference)
    from beside_each
    where is_human
    union all
    select * replace ({{ human() }} as judge_id, judge_id || ' and the others' as reference)
    from beside_majority
    where is_human
),

pairs as (
    select *, reference as compared_with from beside_each
    union all
    select *, reference from beside_majority
    union all
    select *, 'each person' from beside_each where not is_human
    union all
    select *, case when reference like '% and the others' then 'majority' else 'each person' end
    from pooled
),

cells as (
    select
        {{ of_pair | join(', ') }},
        compared_with,
        cluster_key,
        count(*) filter (where is_con and people_con) as both_con,
        count(*) filter (where is_con and not people_con) as only_judge_con,
        count(*) filter (where not is_con and people_con) as only_people_con,
        count(*) filter (where not is_con and not people_con) as both_pro,
        count(*) filter (where is_con is null or people_con is null) as split_count
    from pairs
    group by {{ of_pair | join(', ') }}, compared_with, cluster_key
),

summed as (
    select
        *,
    {% for name in counts %}
        sum({{ name }}) over pair_of as all_{{ name }},
        sum({{ name }}) over pair_of - {{ name }} as rest_{{ name }}{{ ',' if not loop.last }}
    {% endfor %}
    from cells
    window pair_of as (partition by {{ of_pair | join(', ') }}, compared_with)
),

compared as (
    select
        *,
    {% for part in ['all', 'rest'] %}
        ({{ part }}_both_con + {{ part }}_both_pro) / nullif(
            {{ part }}_both_con + {{ part }}_both_pro + {{ part }}_only_judge_con
            + {{ part }}_only_people_con, 0
        ) as {{ part }}_agreement,
            {{ cohen_kappa(
                part ~ '_both_con', part ~ '_only_judge_con', part ~ '_only_people_con', part ~ '_both_pro'
            ) }} as {{ part }}_kappa{{ ',' if not loop.last }}
    {% endfor %}
    from summed
),

per_pair as (
    select
        {{ of_pair | join(', ') }}, compared_with,
        any_value(all_agreement) as agreement,
        any_value(all_kappa) as kappa,
        sum(split_count) as split_count,
        sum(both_con + only_judge_con + only_people_con + both_pro) as comparison_count
    from compared
    group by {{ of_pair | join(', ') }}, compared_with
),

means as (
    select
        {{ of_row | join(', ') }},
        count(*) filter (where agreement is not null) as pair_count,
        count(kappa) as kappa_count,
        count(*) filter (where agreement is not null and kappa is null) as undefined_count,
        sum(comparison_count)::bigint as comparison_count,
        sum(split_count)::bigint as split_count,
        avg(agreement) as agreement,
        avg(kappa) as kappa
    from per_pair
    group by {{ of_row | join(', ') }}
),

-- A pair that has nothing left without a cluster keeps its value.
deleted as (
    select
        {{ of_row | join(', ') }},
        cluster_key,
        sum(coalesce(rest_agreement - all_agreement, 0)) as agreement_lost,
        sum(coalesce(rest_kappa - all_kappa, 0)) as kappa_lost
    from compared
    where both_con + only_judge_con + only_people_con + both_pro > 0
    group by {{ of_row | join(', ') }}, cluster_key
),

spread_out as (
    select
        {{ of_row | join(', ') }},
        count(*) as n_clusters,
        var_pop(agreement_lost / nullif(pair_count, 0)) as agreement_variance,
        var_pop(kappa_lost / nullif(kappa_count, 0)) as kappa_variance
    from deleted
    inner join means using ({{ of_row | join(', ') }})
    group by {{ of_row | join(', ') }}
),

debates as (
    select
        {{ of_row | join(', ') }},
        count(distinct debate_key) filter (where is_con is not null and people_con is not null)
            as n_units
    from pairs
    group by {{ of_row | join(', ') }}
),

widths as (
    select
        means.*,
        debates.n_units,
        coalesce(n_clusters, 0) as n_clusters,
        {{ jackknife_half_width('agreement_variance', 'n_clusters') }} as agreement_half,
        {{ jackknife_half_width('kappa_variance', 'n_clusters') }} as kappa_half
    from means
    inner join debates using ({{ of_row | join(', ') }})
    left join spread_out using ({{ of_row | join(', ') }})
)

select
    {{ of_row | join(', ') }},
    pair_count,
    n_units,
    n_clusters,
    comparison_count,
    split_count,
    agreement,
    {{ clipped_ends('agreement', 'agreement_half', '0.0', '1.0') }},
    kappa,
    {{ clipped_ends('kappa', 'kappa_half', '-1.0', '1.0') }},
    undefined_count,
    case
        when n_units = 0 then 'no debate that both sides decided'
        when n_clusters < {{ var('min_units_for_interval') }}
            then 'an interval needs {{ var("min_units_for_interval") }} debates'
        when agreement_half is null then 'every debate is alike'
        when kappa is null then 'kappa is undefined: both name one side alone'
    end as reason
from widths
