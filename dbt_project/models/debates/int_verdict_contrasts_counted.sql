{#
The counts and sums of each contrast, over the debates that both of its settings judged. How many
clusters of a block show which two patterns is counted first; what two patterns mean together is worked
out once. Counts are added up as doubles, which are exact here and several times faster.
#}
{% set outcomes = {'con': 'is_con', 'right': 'is_right'} %}
{% set counts = ['split', 'both', 'only_a', 'only_b', 'neither', 'clusters_a', 'clusters_b'] %}
with

packed as (
    select * replace (bits::bit as bits)
    from {{ ref('int_verdict_contrasts_packed') }}
),

-- A step by itself: where nothing is known of how many rows there are, as on a lake, DuckDB joined
-- everything of a block with everything else of it first.
firsts as materialized (
    select
        contrasts.contrast_id,
        contrasts.setting_b,
        packed.block_id,
        packed.pattern_id,
        packed.bits
    from {{ ref('int_verdict_contrasts') }} as contrasts
    inner join packed on contrasts.setting_a = packed.setting_id
),

joint as (
    select
        firsts.contrast_id,
        firsts.pattern_id as pattern_a,
        packed.pattern_id as pattern_b,
        bit_count(firsts.bits & packed.bits)::double as weight
    from firsts
    inner join packed
        on firsts.setting_b = packed.setting_id and firsts.block_id = packed.block_id
),

patterns as (select pattern_id, any_value(pattern) as pattern from packed group by pattern_id),

said as (
    select pattern_id, unnest(pattern, recursive := true)
    from patterns
),

debates as (
    select
        *,
        is_con as con,
        is_con = human_is_con as is_right,
        con_share,
        case when human_is_con then con_share else 1 - con_share end as right_share,
        true as is_con_known,
        human_is_con is not null as is_right_known
    from said
),

met as (select distinct pattern_a, pattern_b from joint),

meanings as (
    select
        met.pattern_a,
        met.pattern_b,
        sum(one.parsed_count + other.parsed_count)::double as n_answers,
    {% for outcome, yes in outcomes.items() %}
        count(*) filter (where one.is_{{ outcome }}_known)::double as {{ outcome }}_units,
        count(*) filter (
            where one.is_{{ outcome }}_known and (one.is_con is null or other.is_con is null)
        )::double as {{ outcome }}_split,
        count(*) filter (where one.{{ yes }} and other.{{ yes }})::double as {{ outcome }}_both,
        count(*) filter (where one.{{ yes }} and not other.{{ yes }})::double
            as {{ outcome }}_only_a,
        count(*) filter (where not one.{{ yes }} and other.{{ yes }})::double
            as {{ outcome }}_only_b,
        count(*) filter (where not one.{{ yes }} and not other.{{ yes }})::double
            as {{ outcome }}_neither,
        coalesce(
            sum(one.{{ outcome }}_share) filter (where one.is_{{ outcome }}_known), 0
        ) as {{ outcome }}_sum_a,
        coalesce(
            sum(other.{{ outcome }}_share) filter (where one.is_{{ outcome }}_known), 0
        ) as {{ outcome }}_sum_b{{ "," if not loop.last }}
    {% endfor %}
    from met
    inner join debates as one on met.pattern_a = one.pattern_id
    inner join debates as other
        on met.pattern_b = other.pattern_id and one.debate_number = other.debate_number
    group by met.pattern_a, met.pattern_b
),

differences as (
    select
        *,
    {% for outcome in outcomes %}
        ({{ outcome }}_units > 0)::integer::double as {{ outcome }}_clusters,
        ({{ outcome }}_only_a > {{ outcome }}_only_b)::integer::double as {{ outcome }}_clusters_a,
        ({{ outcome }}_only_a < {{ outcome }}_only_b)::integer::double as {{ outcome }}_clusters_b,
        ({{ outcome }}_only_a - {{ outcome }}_only_b) ^ 2 as {{ outcome }}_discordance_squares,
        {{ outcome }}_sum_a - {{ outcome }}_sum_b as {{ outcome }}_difference,
        {{ outcome }}_difference ^ 2 as {{ outcome }}_squares,
        {{ outcome }}_difference * {{ outcome }}_units as {{ outcome }}_products,
        {{ outcome }}_units ^ 2 as {{ outcome }}_unit_squares,
        round({{ outcome }}_difference / nullif({{ outcome }}_units, 0), 12)
            as {{ outcome }}_mean_difference{{ "," if not loop.last }}
    {% endfor %}
    from meanings
),

sums as (
    select
        joint.contrast_id,
        sum(weight * n_answers) as n_answers,
    {% for outcome in outcomes %}
            {% for name in counts + [
                'units', 'clusters', 'sum_a', 'sum_b', 'discordance_squares', 'squares', 'products',
                'unit_squares',
            ] %}
            sum(weight * {{ outcome }}_{{ name }}) as {{ outcome }}_{{ name }},
        {% endfor %}
        min({{ outcome }}_mean_difference) filter (where weight > 0)
        < max({{ outcome }}_mean_difference) filter (where weight > 0)
            as {{ outcome }}_is_varied{{ "," if not loop.last }}
    {% endfor %}
    from joint
    inner join differences using (pattern_a, pattern_b)
    group by joint.contrast_id
    having con_units > 0
),

-- The quantile is the slow part, and only a few numbers of clusters occur.
sizes as (
    {% for outcome in outcomes %}
        select {{ outcome }}_clusters as n_clusters from sums
        {{ 'union' if not loop.last }}
    {% endfor %}
),

quantiles as (
    select n_clusters, student_t_quantile(0.975::double, n_clusters - 1) as quantile
    from sizes
)

select
    sums.contrast_id,
    sums.n_answers::bigint as n_answers,
{% for outcome in outcomes %}
    {% set mean -%}
        ((sums.{{ outcome }}_sum_a - sums.{{ outcome }}_sum_b) / sums.{{ outcome }}_units)
    {%- endset %}
    {% for name in counts + ['units', 'clusters'] %}
        sums.{{ outcome }}_{{ name }}::bigint as {{ outcome }}_{{ name }},
    {% endfor %}
    sums.{{ outcome }}_discordance_squares,
    sums.{{ outcome }}_sum_a / nullif(sums.{{ outcome }}_units, 0) as {{ outcome }}_share_a,
    sums.{{ outcome }}_sum_b / nullif(sums.{{ outcome }}_units, 0) as {{ outcome }}_share_b,
    sums.{{ outcome }}_is_varied,
        {{ paired_half_width(
            mean, 'sums.' ~ outcome ~ '_squares', 'sums.' ~ outcome ~ '_products',
            'sums.' ~ outcome ~ '_unit_squares', 'sums.' ~ outcome ~ '_units',
            'sums.' ~ outcome ~ '_clusters', 'sums.' ~ outcome ~ '_is_varied',
            outcome ~ '_quantiles.quantile'
        ) }} as {{ outcome }}_half_width{{ "," if not loop.last }}
{% endfor %}
from sums
{% for outcome in outcomes %}
    inner join quantiles as {{ outcome }}_quantiles
        on sums.{{ outcome }}_clusters = {{ outcome }}_quantiles.n_clusters
{% endfor %}
