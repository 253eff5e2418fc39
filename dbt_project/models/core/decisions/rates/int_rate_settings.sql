{# Every way of asking a judge about a frame: what it says on average, and how often. #}
with

answers as (
    select
        frame_key,
        setting_key,
        {{ alike_in_group(['experiment', 'judge_id', 'template', 'variant_id']) }},
        avg(answer) as mean_answer,
        count(*) as n_judged
    from {{ ref('int_rate_answers') }}
    group by frame_key, setting_key
),

frames as (
    select
        frame_key,
        {{ alike_in_group(['sample_id', 'task', 'dataset_id', 'dimension', 'source']) }},
        count(*) as n_items,
        count(*) filter (is_drawn) as n_drawn,
        count(label) as n_labelled
    from {{ ref('int_rate_frames') }}
    group by frame_key
),

spread as (
    select
        frame_key,
        setting_key,
        count(*) as n_clusters_judged,
        sum((answer_sum + other_sum) ^ 2) as naive_squares
    from (
        select
            frame_key,
            setting_key,
            cluster_key,
            sum(answer_sum) as answer_sum,
            sum(other_sum) as other_sum
        from {{ ref('int_rate_clusters') }}
        group by all
    )
    group by frame_key, setting_key
)

select *
from answers
inner join frames using (frame_key)
inner join spread using (frame_key, setting_key)
