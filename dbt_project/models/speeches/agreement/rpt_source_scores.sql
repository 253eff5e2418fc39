{#
Mean score per source of speeches. The human row pools single ratings; a judge's repeats are averaged
per item first. Of a source that people have rated, judges are shown on the speeches people rated: on
others they would differ from people for what they were shown. Intervals cluster by topic.
#}
with

speeches as (select item_id, debate_id, source from {{ ref('stg_raw__speeches') }}),

human_means as (select * from {{ ref('int_human_means') }}),

rated as (
    select distinct human_means.dataset_id, human_means.dimension, speeches.source
    from human_means
    inner join speeches using (item_id)
),

observations as (
    select
        item_scores.dataset_id,
        item_scores.dimension,
        speeches.source,
        item_scores.judge_id,
        item_scores.template,
        item_scores.item_id,
        speeches.debate_id,
        item_scores.score as value_sum,
        1 as value_count,
        item_scores.n_answers,
        item_scores.score - human_means.human_mean as difference
    from {{ ref('int_item_scores') }} as item_scores
    inner join speeches using (item_id)
    left join human_means using (dataset_id, dimension, item_id)
    left join rated using (dataset_id, dimension, source)
    where
        item_scores.failure_rule = {{ excluded() }}
        and (human_means.item_id is not null or rated.source is null)
    union all
    select
        human_means.dataset_id,
        human_means.dimension,
        speeches.source,
        {{ human() }},
        {{ human() }},
        human_means.item_id,
        speeches.debate_id,
        human_means.rating_sum,
        human_means.n_ratings as value_count,
        human_means.n_ratings as n_answers,
        null as difference
    from human_means
    inner join speeches using (item_id)
),

clusters as (
    select
        dataset_id,
        dimension,
        source,
        judge_id,
        template,
        debate_id,
        sum(value_sum) as cluster_sum,
        sum(value_count) as cluster_count,
        sum(difference) as difference_sum,
        count(difference) as difference_count,
        count(*) as n_items,
        sum(n_answers) as n_answers
    from observations
    group by all
),

means as (
    select
        dataset_id,
        dimension,
        source,
        judge_id,
        template,
        sum(cluster_sum) / sum(cluster_count) as mean_score,
        {{ half_width_over_clusters('cluster_sum', 'cluster_count') }} as half_width,
        sum(difference_sum) / nullif(sum(difference_count), 0) as minus_human,
        {{ half_width_over_clusters(
            'difference_sum', 'difference_count', 'count(*) filter (difference_count > 0)'
        ) }} as minus_human_half_width,
        sum(n_items)::bigint as n_items,
        sum(n_answers)::bigint as n_answers,
        count(*) as n_units
    from clusters
    group by all
),

failures as (
    select
        answers.dataset_id,
        answers.dimension,
        speeches.source,
        answers.judge_id,
        answers.template,
        count(*) filter (answers.value is null and answers.is_answered) as unparsed_count
    from {{ ref('int_answers_pooled') }} as answers
    inner join speeches using (item_id)
    left join human_means using (dataset_id, dimension, item_id)
    left join rated using (dataset_id, dimension, source)
    where human_means.item_id is not null or rated.source is null
    group by all
),

keyed as (
    select dataset_id, dimension, source, judge_id, template from failures
    union
    select dataset_id, dimension, source, judge_id, template from means
)

select
    keyed.*,
    mean_score,
    {{ scale_ends('mean_score', 'half_width', 'dimensions') }},
    {{ or_zero(['n_items', 'n_answers', 'n_units', 'unparsed_count']) }},
    minus_human,
    {{ ends('minus_human', 'minus_human_half_width') }},
    case when mean_score is null then 'no answer of this judge on this source has a score' end
        as undefined_reason
from keyed
inner join {{ loaded('dimensions') }} as dimensions using (dataset_id, dimension)
left join means using (dataset_id, dimension, source, judge_id, template)
left join failures using (dataset_id, dimension, source, judge_id, template)
