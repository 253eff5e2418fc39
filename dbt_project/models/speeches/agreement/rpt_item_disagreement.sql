with

item_scores as (
    select * from {{ ref('int_item_scores') }} where failure_rule = {{ excluded() }}
),

items as (select item_id, source from {{ ref('dim_item') }}),

compared as (
    select
        item_scores.* exclude (failure_rule, debate_id),
        items.source,
        human_means.human_mean,
        case
            when human_means.n_ratings >= 2
                then {{ spread(
                    'student_t_quantile(0.975::double, (human_means.n_ratings - 1)::double)'
                    ~ ' * sqrt(human_means.human_variance / human_means.n_ratings)'
                ) }}
        end as half_width,
        human_means.n_ratings,
        item_scores.score - human_means.human_mean as score_minus_human
    from item_scores
    inner join {{ ref('int_human_means') }} as human_means using (dataset_id, dimension, item_id)
    inner join items using (item_id)
)

select
    dataset_id,
    dimension,
    judge_id,
    template,
    item_id,
    source,
    score,
    human_mean,
    {{ scale_ends('human_mean', 'half_width', 'dimensions') }},
    n_ratings,
    n_answers,
    score_minus_human,
    row_number() over (
        partition by dataset_id, dimension, judge_id, template
        order by abs(score_minus_human) desc, item_id
    ) as disagreement_rank
from compared
inner join {{ loaded('dimensions') }} as dimensions using (dataset_id, dimension)
