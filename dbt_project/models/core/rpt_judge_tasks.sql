{#
A judge stands above or below people where the paired interval excludes 0, level with them where it lies
within the margin, and else nobody can tell. Of several people each must say the same.
#}
with

tasks as (select * from {{ ref('int_judge_tasks') }}),

datasets as (
    select
        dataset_id,
        is_sample,
        starts_with(dataset_id, 'published:') as is_published
    from {{ ref('dim_dataset') }}
),

-- The way of asking that most judges share stands for the task; among such, the plainest by name.
settings as (
    select
        tasks.task,
        tasks.dataset_id,
        tasks.setting,
        any_value(coalesce(datasets.is_sample, false)) as is_sample,
        any_value(coalesce(datasets.is_published, starts_with(tasks.dataset_id, 'published:')))
            as is_published,
        count(tasks.estimate) as n_judges,
        min(tasks.preference) as preference,
        min(tasks.asked) as asked
    from tasks
    left join datasets using (dataset_id)
    group by tasks.task, tasks.dataset_id, tasks.setting
),

-- Real data come before a sample, and both before the figures a paper prints.
placed as (
    select
        *,
        row_number() over (
            partition by task, dataset_id
            order by n_judges desc, preference asc, asked asc, setting asc
        ) as setting_place,
        max(n_judges) over (partition by task, dataset_id) as most_judges
    from settings
),

chosen as (
    select
        * exclude (asked, preference),
        dense_rank() over (
            partition by task
            order by is_published asc, is_sample asc, most_judges desc, dataset_id asc
        ) = 1 as is_main_data
    from placed
),

biases as (
    select
        experiment,
        dataset_id,
        judge_id,
        count(p_adjusted) as bias_test_count,
        max(n_units) filter (where p_adjusted is not null) as bias_n_units,
        first(
            {
                'bias': bias, 'share_change': share_change, 'share_change_low': share_change_low,
                'share_change_high': share_change_high
            }
            order by abs(share_change) desc nulls last, bias
        ) filter (where is_significant) as largest
    from {{ ref('rpt_bias_battery') }}
    where role = 'test' and family = 'contrasts'
    group by experiment, dataset_id, judge_id
),

stood as (
    select
        tasks.*,
        case
            when tasks.estimate is null or tasks.n_people is null then 'cannot_tell'
            when tasks.is_above_all then 'above'
            when tasks.is_below_all then 'below'
            when tasks.is_level_with_all then 'level'
            else 'cannot_tell'
        end as standing,
        case
            when standing != 'cannot_tell' then null
            when tasks.estimate is null then 'no_value'
            when tasks.n_people is null then 'no_people'
            when tasks.lacks_interval then 'no_interval'
            when tasks.differs_from_one then 'people_differ'
            else 'wide_interval'
        end as standing_reason
    from tasks
)

select
    stood.* exclude (
        preference, n_people, is_above_all, is_below_all, differs_from_one, is_level_with_all,
        lacks_interval
    ),
    chosen.is_sample,
    chosen.is_published,
    coalesce(stood.n_people, 0) as n_people,
    biases.largest.bias as largest_bias,
    biases.largest.share_change as largest_bias_change,
    biases.largest.share_change_low as largest_bias_change_low,
    biases.largest.share_change_high as largest_bias_change_high,
    biases.bias_test_count,
    biases.bias_n_units,
    runs.answered_count::bigint as answered_count,
    runs.unreadable_share,
    runs.cost_usd_per_1000,
    case
        when runs.answered_count is null then 'no_run'
        when runs.cost_usd_per_1000 is null then 'no_price'
    end as cost_reason,
    chosen.is_main_data,
    chosen.setting_place = 1 as is_main_setting,
    chosen.is_main_data
    and row_number() over (
        partition by stood.task, stood.dataset_id, stood.judge_id
        order by stood.estimate is null, chosen.setting_place
    ) = 1 as is_headline
from stood
inner join chosen using (task, dataset_id, setting)
left join biases
    on
        stood.task = 'debates'
        and stood.experiment = biases.experiment
        and stood.dataset_id = biases.dataset_id
        and stood.judge_id = biases.judge_id
left join {{ ref('int_judge_prices') }} as runs
    on stood.judge_id = runs.judge_id and stood.template = runs.template
