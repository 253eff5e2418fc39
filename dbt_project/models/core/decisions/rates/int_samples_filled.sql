{#
How far the labels of each random sample have come. Labels are handed out in the order drawn, so a
sample that was closed early ends with the last item that anybody answered; an item before it without a
label is a non-response. An estimate is made only of a sample that is complete.
#}
with

items_labelled as (
    select
        sample_id,
        item_id,
        position,
        count(*) as rater_count,
        count(value) as label_count
    from {{ ref('int_sample_labels') }}
    group by all
),

labelled as (
    select
        samples.sample_id,
        count(items_labelled.item_id) as n_answered,
        count(*) filter (items_labelled.rater_count >= samples.raters) as n_full,
        max(items_labelled.position) as last_position
    from {{ loaded('samples') }} as samples
    left join items_labelled using (sample_id)
    group by samples.sample_id
),

frames as (
    select sample_id, count(*) as n_frame
    from {{ loaded('sampled_items') }}
    group by sample_id
)

select
    samples.* exclude (policy),
    -- A data set's own people had its instructions.
    case when samples.labels = 'people' then datasets.policy else samples.policy end
        as label_policy,
    frames.n_frame,
    -- A log has no texts to show: its sheet names the debates.
    samples.dataset_id in (select dataset_id from {{ loaded('logged_verdicts') }})
        as is_of_log,
    case
        when samples.closed_at is null then samples.size else coalesce(labelled.last_position, 0)
    end as n_drawn,
    labelled.n_answered,
    labelled.n_full,
    samples.labels = 'people' or samples.closed_at is not null
    or labelled.n_full = samples.size as is_complete
from {{ loaded('samples') }} as samples
inner join frames using (sample_id)
inner join labelled using (sample_id)
left join {{ ref('stg_raw__datasets') }} as datasets using (dataset_id)
