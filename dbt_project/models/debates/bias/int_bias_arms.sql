{#
Which ways of asking leave neither position nor labels to sway a judge. Settings that differ in nothing
else are a block; the block is neutral where each debate is asked in both positions with both orders of
the labels, or where a run drew what is not asked both ways. All neutral settings of a judge that were
asked for the same thing with the same template and kind of prompt are pooled: a group.
#}
with

settings as (
    select
        *,
        label_order = 'random' as is_label_drawn,
        position = 'shuffled' as is_position_drawn,
        dense_rank() over (
            order by experiment, dataset_id, judge_id, template, wording, outcome
        ) as group_id,
        dense_rank() over (
            order by
                experiment,
                dataset_id,
                judge_id,
                template,
                wording,
                outcome,
                reasoning,
                answer_order,
                label_set, is_label_drawn, is_position_drawn
        ) as block_id
    from {{ ref('int_verdict_settings') }}
),

blocks as (
    select
        block_id,
        count(*) as block_arm_count,
        count(distinct position) as position_count,
        count(distinct label_order) as label_order_count,
        count(distinct concat_ws(' ', position, label_order)) as way_count
    from settings
    group by block_id
),

reasoned as (
    select
        settings.*,
        blocks.block_arm_count,
        case
            when position is null then 'which side is named first is unknown'
            when is_position_drawn and not is_drawn_here
                then 'positions were drawn elsewhere and no seed is known'
            when not is_position_drawn and position_count < 2
                then
                    'Con is always named '
                    || case position when 'pro_first' then 'second' else 'first' end
        end as position_reason,
        case
            when label_order is null then 'labels are unknown'
            when is_label_drawn and not is_drawn_here
                then 'labels were drawn elsewhere and no seed is known'
            when
                not is_label_drawn and label_order_count < 2
                then 'labels are always ' || verbalizer
        end as label_reason,
        case
            when way_count < position_count * label_order_count
                then 'not every order of the labels was asked in both positions'
        end as crossing_reason
    from settings
    inner join blocks using (block_id)
)

select
    setting_id,
    group_id,
    block_id,
    block_arm_count,
    experiment,
    dataset_id,
    judge_id,
    template,
    variant_id,
    wording,
    outcome,
    nullif(
        coalesce(crossing_reason, concat_ws(', ', position_reason, label_reason)), ''
    ) as why_descriptive,
    why_descriptive is null as is_neutral
from reasoned
