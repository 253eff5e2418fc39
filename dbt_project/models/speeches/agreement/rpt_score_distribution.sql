{#
Shares of every value given, failures as a row of their own; the human rows are single ratings. Where
people have rated, judges are shown on the same speeches: on others they would differ from people for
what they were shown.
#}
with

ratings as (select * from {{ ref('fct_rating') }}),

rated_items as (select distinct dataset_id, dimension, item_id from ratings),

rated as (select distinct dataset_id, dimension from ratings),

answers as (
    select pooled.dataset_id, pooled.dimension, judge_id, template, debate_id, value
    from {{ ref('int_answers_pooled') }} as pooled
    left join rated_items using (dataset_id, dimension, item_id)
    left join rated using (dataset_id, dimension)
    where is_answered and (rated_items.item_id is not null or rated.dataset_id is null)
    union all
    select dataset_id, dimension, {{ human() }}, {{ human() }}, debate_id, value
    from ratings
),

cluster_totals as (
    select dataset_id, dimension, judge_id, template, debate_id, count(*) as cluster_count
    from answers
    group by all
),

totals as (
    select
        * exclude (debate_id, cluster_count),
        sum(cluster_count)::bigint as n_answers,
        count(*) as n_units
    from cluster_totals
    group by all
),

-- Every point of the scale has a row, also where nobody used it.
points as (
    select
        dataset_id,
        dimension,
        unnest(generate_series(scale_min::bigint, scale_max::bigint))::double as score
    from {{ loaded('dimensions') }}
    where scale_max - scale_min <= 20
    union all
    select dataset_id, dimension, null from {{ loaded('dimensions') }}
),

cells as (
    select totals.*, points.score
    from totals
    inner join points using (dataset_id, dimension)
    -- People fill in a form: there is nothing of theirs that could not be read.
    where points.score is not null or totals.judge_id != {{ human() }}
    union
    select totals.*, answers.value
    from answers
    inner join totals using (dataset_id, dimension, judge_id, template)
),

shares as (
    select
        cells.*,
        count(answers.judge_id) as answer_count,
        count(answers.judge_id) / any_value(cells.n_answers)::double as share
    from cells
    left join answers
        on
            cells.dataset_id = answers.dataset_id
            and cells.dimension = answers.dimension
            and cells.judge_id = answers.judge_id
            and cells.template = answers.template
            and cells.score is not distinct from answers.value
    group by all
),

cluster_cells as (
    select
        shares.*,
        cluster_totals.debate_id,
        any_value(cluster_totals.cluster_count) as cluster_count,
        count(answers.judge_id) as cluster_sum
    from shares
    inner join cluster_totals using (dataset_id, dimension, judge_id, template)
    left join answers
        on
            shares.dataset_id = answers.dataset_id
            and shares.dimension = answers.dimension
            and shares.judge_id = answers.judge_id
            and shares.template = answers.template
            and cluster_totals.debate_id = answers.debate_id
            and shares.score is not distinct from answers.value
    group by all
),

variances as (
    select
        * exclude (debate_id, cluster_count, cluster_sum),
        {{ clustered_variance(
            'cluster_sum', 'cluster_count', 'share', 'n_answers', 'n_units'
        ) }} as variance
    from cluster_cells
    group by all
),

-- Answers on one topic resemble each other, so the interval is that of as many independent answers
-- as would vary this much; a share of 0 or 1 shows no variation, and then every topic counts once.
effective as (
    select
        *,
        case
            when share in (0, 1) or n_units < 2 then n_units
            else least(n_answers, share * (1 - share) / nullif(variance, 0))
        end::double as n_effective
    from variances
)

select
    * exclude (variance, n_effective),
    case
        when score is null then {{ unparsed() }}
        -- A larger one may be no whole number of 64 bits.
        when score = round(score) and abs(score) < 1e15 then score::bigint::varchar
        else score::varchar
    end as score_label,
    {{ wilson_ends('share', 'coalesce(n_effective, n_answers)') }}
from effective
