with

sides as (
    select
        dataset_id,
        unnest(['panel', judge_id]) as board,
        debate_id,
        cluster_id,
        share,
        margin,
        pro_debater,
        con_debater
    from {{ ref('int_board_games') }}
),

won as (
    select
        dataset_id,
        board,
        debate_id,
        unnest([pro_debater, con_debater]) as debater_id,
        unnest([share, 1 - share]) as share,
        unnest([share - 0.5, 0.5 - share]) * 2 * abs(margin) as margin
    from sides
),

counted as (
    select
        dataset_id,
        board,
        debater_id,
        avg(share) as win_share,
        avg(margin) as mean_margin,
        count(distinct debate_id) filter (share is not null) as n_debates,
        count(*) filter (share is null) as failed_count
    from won
    group by dataset_id, board, debater_id
),

fitted as (select * from {{ ref('int_boards_fitted') }} where quantity = 'rating')

select
    counted.*,
    fitted.estimate as rating,
    fitted.low as rating_low,
    fitted.high as rating_high,
    case
        when fitted.estimate is not null
            then rank() over (
                partition by counted.dataset_id, counted.board
                order by fitted.estimate desc nulls last
            )
    end as rating_rank,
    fitted.minus_panel as rating_minus_panel,
    fitted.minus_panel_low as rating_minus_panel_low,
    fitted.minus_panel_high as rating_minus_panel_high,
    coalesce(fitted.n_units, 0) as n_units,
    fitted.component,
    fitted.n_components,
    fitted.is_separated,
    case when fitted.estimate is null then coalesce(fitted.reason, 'no verdict could be read') end
        as null_reason,
    coalesce(fitted.reason, case when fitted.estimate is null then 'no verdict could be read' end)
        as interval_reason
from counted
left join fitted
    on
        counted.dataset_id = fitted.dataset_id
        and counted.board = fitted.board
        and counted.debater_id = fitted.name
