{#
What one rater's own ratings say about the rater: on all topics (group_index null), and with one group
of topics deleted at a time. Everything comes from sums per group, so that a deletion is a subtraction.

Others are everybody else who rated the same item; what compares a rater with them takes only items
that somebody else rated too. Pairs are all pairs of the rater's value and one other's on the same item.
#}
with

ratings as (select * from {{ ref('int_ratings_indexed') }}),

scales as (select dataset_id, dimension, scale_min, scale_max from {{ loaded('dimensions') }}
),

modes as (
    -- The smallest where several are as frequent.
    select panel_index, annotator_index, min(value) as modal_value
    from (
        select
            panel_index,
            annotator_index,
            value,
            rank() over (partition by panel_index, annotator_index order by count(*) desc) as place
        from ratings
        group by panel_index, annotator_index, value
    )
    where place = 1
    group by all
),

observations as (
    select
        ratings.panel_index,
        ratings.annotator_index,
        clusters.group_index,
        ratings.value,
        ratings.value in (scales.scale_min, scales.scale_max) as is_extreme,
        ratings.value = modes.modal_value as is_modal,
        count(*) over item - 1 as n_others,
        sum(ratings.value) over item - ratings.value as others_sum,
        sum(ratings.value * ratings.value) over item
        - ratings.value * ratings.value as others_squares,
        sum((ratings.value in (scales.scale_min, scales.scale_max))::integer) over item
        - (ratings.value in (scales.scale_min, scales.scale_max))::integer as others_extreme
    from ratings
    inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
    inner join scales using (dataset_id, dimension)
    inner join modes using (panel_index, annotator_index)
    window item as (partition by ratings.panel_index, ratings.item_index)
),

{% set sums = {
    'n': '1',
    'own': 'value',
    'extreme': 'is_extreme::integer',
    'modal': 'is_modal::integer',
    'n_shared': '(n_others > 0)::integer',
    'shared_own': 'if(n_others > 0, value, 0)',
    'shared_squares': 'if(n_others > 0, value * value, 0)',
    'gap': 'if(n_others > 0, others_sum / n_others - value, 0)',
    'gap_squares': 'if(n_others > 0, (others_sum / n_others - value) ^ 2, 0)',
    'pairs': 'n_others',
    'pair_own': 'n_others * value',
    'pair_own_squares': 'n_others * value * value',
    'pair_others': 'others_sum',
    'pair_others_squares': 'others_squares',
    'pair_products': 'value * others_sum',
    'others_extreme': 'others_extreme',
} %}

group_sums as (
    select
        panel_index,
        annotator_index,
        group_index,
    {% for name, value in sums.items() %}
        sum({{ value }})::double as {{ name }}{{ ',' if not loop.last }}
    {% endfor %}
    from observations
    group by all
),

totals as (
    select
        panel_index,
        annotator_index,
        null::bigint as group_index,
        true as is_shared,
    {% for name in sums %}
        sum({{ name }}) as {{ name }}{{ ',' if not loop.last }}
    {% endfor %}
    from group_sums
    group by all
),

samples as (
    select * from totals
    union all
    select
        group_sums.panel_index,
        group_sums.annotator_index,
        group_sums.group_index,
        group_sums.n_shared > 0 as is_shared,
    {% for name in sums %}
        totals.{{ name }} - group_sums.{{ name }} as {{ name }}{{ ',' if not loop.last }}
    {% endfor %}
    from group_sums
    inner join totals using (panel_index, annotator_index)
),

spreads as (
    select
        *,
        (shared_squares - shared_own ^ 2 / nullif(n_shared, 0)) / nullif(n_shared - 1, 0)
            as own_variance,
        (pair_others_squares - pair_others ^ 2 / nullif(pairs, 0)) / nullif(pairs - 1, 0)
            as others_variance,
        (gap_squares - gap ^ 2 / nullif(n_shared, 0)) / nullif(n_shared - 1, 0) as gap_variance,
        pairs * (pair_own_squares + pair_others_squares) - 2 * pair_own * pair_others
            as chance_disagreement
    from samples
)

select
    panel_index,
    annotator_index,
    group_index,
    is_shared,
    n::bigint as n_ratings,
    n_shared::bigint as n_shared,
    own / nullif(n, 0) as mean_rating,
    gap / nullif(n_shared, 0) as harshness,
    case
        when others_variance > 1e-9
            then sqrt({{ clip('own_variance', 0, 'own_variance') }} / others_variance)
    end as spread_ratio,
    sqrt({{ clip('gap_variance', 0, 'gap_variance') }}) as residual_sd,
    case
        when chance_disagreement > 1e-9
            then
                1 - pairs * (pair_own_squares + pair_others_squares - 2 * pair_products)
                / chance_disagreement
    end as kappa,
    extreme / nullif(n, 0) as extreme_share,
    others_extreme / nullif(pairs, 0) as others_extreme_share,
    modal / nullif(n, 0) as modal_share
from spreads
