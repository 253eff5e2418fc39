{#
Reliability of the raters as a crowd: Krippendorff's alpha and one-way intraclass correlations, over
items that two or more people rated. Replicate 0 is the estimate; the others draw topics with
replacement.

Ordinal alpha is interval alpha on mid-ranks: with n_v ratings of value v, Krippendorff's ordinal
difference between c and k, the ratings from c to k less half of those at either end, is the difference
of their mid-ranks.
#}
with

ratings as (
    select
        ratings.panel_index,
        clusters.debate_id,
        ratings.item_index,
        ratings.value
    from {{ ref('int_ratings_indexed') }} as ratings
    inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
    qualify count(*) over (partition by ratings.panel_index, ratings.item_index) > 1
),

topics as (
    select
        panel_index,
        debate_id,
        row_number() over (partition by panel_index order by debate_id) as unit_index,
        count(*) over (partition by panel_index) as n_units
    from (select distinct panel_index, debate_id from ratings)
),

draws as (
    select
        n_units,
        replicate,
        resample_counts({{ var('bootstrap_seed') }}::bigint, n_units, replicate) as counts
    from (select distinct n_units from topics)
    cross join (
        select unnest(range(1, {{ var('bootstrap_replicates') }} + 1)) as replicate
    )
),

weights as (
    select topics.panel_index, topics.debate_id, draws.replicate, draws.counts[unit_index] as weight
    from topics
    inner join draws using (n_units)
    where draws.counts[unit_index] > 0
    union all
    select panel_index, debate_id, 0, 1 from topics
),

item_values as (
    select panel_index, debate_id, item_index, value, count(*)::double as n
    from ratings
    group by all
),

topic_values as (
    select panel_index, debate_id, value, sum(n) as n from item_values group by all
),

value_counts as (
    select panel_index, replicate, value, sum(weight * n) as n
    from topic_values
    inner join weights using (panel_index, debate_id)
    group by all
),

-- Mid-ranks of the values in each replicate.
levels as (
    select
        panel_index,
        replicate,
        value,
        sum(n) over (partition by panel_index, replicate order by value) - n / 2 as mid_rank
    from value_counts
),

items as (
    select
        item_values.panel_index,
        weights.replicate,
        item_values.item_index,
        any_value(weights.weight) as weight,
        sum(n) as n,
        sum(n * value) as value_sum,
        sum(n * value * value) as value_squares,
        sum(n * mid_rank) as rank_sum,
        sum(n * mid_rank * mid_rank) as rank_squares
    from item_values
    inner join weights using (panel_index, debate_id)
    inner join levels using (panel_index, replicate, value)
    group by all
),

-- within: over items the squared differences of all ordered pairs of ratings, halved, each item's
-- over its number of ratings less one.
sums as (
    select
        panel_index,
        replicate,
        sum(weight)::double as n_items,
        sum(weight * n)::double as n,
        sum(weight * n * n)::double as n_squares,
        sum(weight * value_sum)::double as value_sum,
        sum(weight * value_squares)::double as value_squares,
        sum(weight * value_sum * value_sum / n)::double as item_squares,
        sum(weight * (n * value_squares - value_sum * value_sum) / (n - 1))::double as value_within,
        sum(weight * rank_sum)::double as rank_sum,
        sum(weight * rank_squares)::double as rank_squares,
        sum(weight * (n * rank_squares - rank_sum * rank_sum) / (n - 1))::double as rank_within
    from items
    group by all
),

varied as (
    select panel_index, replicate, count(*) > 1 as is_varied from value_counts group by all
),

-- One-way analysis of variance of unequal groups (Donner 1986).
correlated as (
    select
        sums.*,
        varied.is_varied,
        n / n_items as mean_raters,
        (n - n_squares / n) / nullif(n_items - 1, 0) as effective_raters,
        (item_squares - value_sum * value_sum / n) / nullif(n_items - 1, 0) as between_variance,
        greatest(value_squares - item_squares, 0) / (n - n_items) as within_variance,
        case
            when is_varied
                then
                    (between_variance - within_variance)
                    / (between_variance + (effective_raters - 1) * within_variance)
        end as icc_1
    from sums
    inner join varied using (panel_index, replicate)
)

select
    panel_index,
    replicate,
    case
        when is_varied
            then 1 - (n - 1) * value_within / (n * value_squares - value_sum * value_sum)
    end as alpha_interval,
    case
        when is_varied
            then 1 - (n - 1) * rank_within / (n * rank_squares - rank_sum * rank_sum)
    end as alpha_ordinal,
    icc_1,
    -- Where every item has the same mean, Spearman and Brown's formula divides by 0.
    case
        when 1 + (mean_raters - 1) * icc_1 > 1e-9
            then mean_raters * icc_1 / (1 + (mean_raters - 1) * icc_1)
    end as icc_k
from correlated
