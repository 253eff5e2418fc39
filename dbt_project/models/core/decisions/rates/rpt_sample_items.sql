{#
The drawn items of each random sample in the order they are handed out, and how many people answered.
#}
with answered as (
    select sample_id, item_id, count(*) as rater_count
    from {{ ref('int_sample_labels') }}
    group by all
)

select
    samples.sample_id,
    items.position,
    items.item_id,
    samples.raters,
    coalesce(answered.rater_count, 0) as rater_count,
    samples.labels = 'campaign' and samples.label_policy is null and not samples.is_complete
    and not samples.is_of_log as is_open
from {{ loaded('sampled_items') }} as items
inner join {{ ref('int_samples_filled') }} as samples using (sample_id)
left join answered using (sample_id, item_id)
where items.position <= samples.size
