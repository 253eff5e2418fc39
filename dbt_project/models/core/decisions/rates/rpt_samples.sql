{#
How far the labels of each random sample have come, and how well its people agree. Nothing here says
what the labels are, so that it can be looked at while they are being given.
#}
with

values_per_item as (
    select
        sample_id,
        item_id,
        count(value) as n_values,
        var_pop(value) * count(value) as squares
    from {{ ref('int_sample_labels') }}
    group by all
),

pairable as (
    select
        labels.sample_id,
        count(*) as n_values,
        count(distinct labels.item_id) as n_items,
        2 * var_samp(labels.value) as expected
    from {{ ref('int_sample_labels') }} as labels
    inner join values_per_item using (sample_id, item_id)
    where labels.value is not null and values_per_item.n_values > 1
    group by labels.sample_id
),

observed as (
    select sample_id, sum(2 * n_values * squares / (n_values - 1)) as squares
    from values_per_item
    where n_values > 1
    group by sample_id
),

raters as (
    select
        sample_id,
        count(distinct annotator_id) as n_raters,
        count(distinct item_id) filter (value is not null) as n_labelled
    from {{ ref('int_sample_labels') }}
    group by sample_id
)

select
    samples.* exclude (is_of_log) replace (samples.n_drawn::bigint as n_drawn),
    coalesce(raters.n_labelled, 0) as n_labelled,
    coalesce(raters.n_raters, 0) as n_raters,
    coalesce(pairable.n_items, 0) as n_items,
    1 - observed.squares / pairable.n_values / nullif(pairable.expected, 0) as label_alpha,
    case
        when pairable.n_items is null then 'no item has the labels of two people'
        when coalesce(pairable.expected, 0) = 0 then 'all labels are alike'
    end as label_alpha_reason
from {{ ref('int_samples_filled') }} as samples
left join raters using (sample_id)
left join pairable using (sample_id)
left join observed using (sample_id)
