{#
Every speech that a judge was asked about, or people rated, with who speaks. Ends are what the score would
be with every failure at an end of the scale: an unrated speech has no human mean to bound failures by.
#}
with

speeches as (select item_id, debate_id, source from {{ ref('stg_raw__speeches') }}),

scores as (
    select
        answers.dataset_id,
        answers.dimension,
        answers.judge_id,
        answers.template,
        answers.item_id,
        avg(answers.value) as score,
        avg(coalesce(answers.value, dimensions.scale_min)) as score_lowest,
        avg(coalesce(answers.value, dimensions.scale_max)) as score_highest,
        count(answers.value) as n_answers,
        count(*) - count(answers.value) as failure_count
    from {{ ref('int_answers_pooled') }} as answers
    inner join {{ loaded('dimensions') }} as dimensions using (dataset_id, dimension)
    group by all
    union all
    select
        dataset_id,
        dimension,
        {{ human() }},
        {{ human() }},
        item_id,
        human_mean as score,
        human_mean as score_lowest,
        human_mean as score_highest,
        n_ratings,
        0
    from {{ ref('int_human_means') }}
)

select
    scores.*,
    speeches.debate_id,
    speakers.* exclude (dataset_id)
from scores
inner join speeches using (item_id)
inner join {{ ref('int_speakers') }} as speakers
    on scores.dataset_id = speakers.dataset_id and speeches.source = speakers.source
