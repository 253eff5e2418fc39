{#
Do a judge and the humans rank the sources of speeches alike: Pearson and Kendall tau-b over the
means per source, on the items both have scored. Replicate 0 is the estimate; the others draw topics
with replacement, the same draws for every judge that has scored the same topics.
#}
with

speeches as (select item_id, debate_id, source from {{ ref('stg_raw__speeches') }}),

cells as (
    select
        item_scores.dataset_id,
        item_scores.dimension,
        item_scores.judge_id,
        item_scores.template,
        speeches.debate_id,
        speeches.source,
        count(*) as n_items,
        sum(item_scores.score) as score_sum,
        sum(human_means.human_mean) as human_sum
    from {{ ref('int_item_scores') }} as item_scores
    inner join {{ ref('int_human_means') }} as human_means using (dataset_id, dimension, item_id)
    inner join speeches using (item_id)
    where item_scores.failure_rule = {{ excluded() }}
    group by all
),

topics as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        debate_id,
        row_number() over (
            partition by dataset_id, dimension, judge_id, template order by debate_id
        ) as unit_index,
        count(*) over (partition by dataset_id, dimension, judge_id, template) as n_units
    from (select distinct dataset_id, dimension, judge_id, template, debate_id from cells)
),

sizes as (select distinct n_units from topics),

draws as (
    select
        n_units,
        replicate,
        resample_counts({{ var('bootstrap_seed') }}::bigint, n_units, replicate) as counts
    from sizes
    cross join (
        select unnest(range(1, {{ var('bootstrap_replicates') }} + 1)) as replicate
    )
),

weights as (
    select topics.*, draws.replicate, draws.counts[topics.unit_index] as weight
    from topics
    inner join draws using (n_units)
    where draws.counts[topics.unit_index] > 0
    union all
    select topics.*, 0, 1 from topics
),

means as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        replicate,
        n_units,
        source,
        sum(weight * n_items)::bigint as n_items,
        round(sum(weight * score_sum) / sum(weight * n_items), 9) as judge_mean,
        round(sum(weight * human_sum) / sum(weight * n_items), 9) as human_mean
    from cells
    inner join weights using (dataset_id, dimension, judge_id, template, debate_id)
    group by all
),

source_sums as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        replicate,
        n_units,
        count(*) as n_sources,
        sum(n_items)::bigint as n_items,
        case
            when min(judge_mean) < max(judge_mean) and min(human_mean) < max(human_mean)
                then corr(judge_mean, human_mean)
        end as pearson
    from means
    group by all
),

source_pairs as (
    select
        means.dataset_id,
        means.dimension,
        means.judge_id,
        means.template,
        means.replicate,
        sum(sign(means.judge_mean - other.judge_mean) * sign(means.human_mean - other.human_mean))
            as concordance,
        count(*) filter (means.judge_mean = other.judge_mean) as tied_judge,
        count(*) filter (means.human_mean = other.human_mean) as tied_human
    from means
    inner join means as other
        on
            means.dataset_id = other.dataset_id
            and means.dimension = other.dimension
            and means.judge_id = other.judge_id
            and means.template = other.template
            and means.replicate = other.replicate
            and means.source < other.source
    group by all
)

select
    source_sums.* exclude (pearson),
    case when n_sources >= 3 then pearson end as pearson,
    case
        when n_sources >= 3
            then {{ tau_b('concordance', 'n_sources', 'tied_judge', 'tied_human') }}
    end as tau_b
from source_sums
left join source_pairs using (dataset_id, dimension, judge_id, template, replicate)
