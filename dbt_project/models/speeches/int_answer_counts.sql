{#
How much each judge has answered about items that people have rated, which alone can enter an agreement
with people; answers about other items are counted apart. People stand beside the judges. Every judge
that was asked has a row, also where nothing can be said about its agreement.
#}
with

answers as (
    select pooled.*, human_means.item_id is not null as is_rated
    from {{ ref('int_answers_pooled') }} as pooled
    left join {{ ref('int_human_means') }} as human_means using (dataset_id, dimension, item_id)
)

select
    dataset_id,
    dimension,
    judge_id,
    template,
    count(*) filter (is_rated) as n_answers,
    count(*) filter (is_rated and value is null and is_answered) as unparsed_count,
    count(*) filter (is_rated and not is_answered) as unanswered_count,
    count(*) filter (not is_rated) as unrated_count
from answers
group by all
union all
select dataset_id, dimension, {{ human() }}, {{ human() }}, sum(n_ratings)::bigint, 0, 0, 0
from {{ ref('int_human_means') }}
group by all
