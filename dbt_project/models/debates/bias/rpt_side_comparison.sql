{#
Which of two judges gives Pro more, on the motions both judged with sides exchanged and in the ways both
were asked: what the motion gives a side cancels, too.
#}
with

arms as (
    select setting_id, experiment, dataset_id, judge_id, variant_id, template, wording, outcome
    from {{ ref('int_bias_arms') }}
),

sides as (
    select arms.*, sides.motion_key, sides.pro_lead, sides.parsed_count
    from {{ ref('int_side_units') }} as sides
    inner join arms using (setting_id)
    where sides.pro_lead is not null
),

motions as (
    select
        one.experiment,
        one.dataset_id,
        one.judge_id as judge_a,
        other.judge_id as judge_b,
        one.template,
        one.wording,
        one.outcome,
        one.motion_key,
        avg(one.pro_lead) as lead_a,
        avg(other.pro_lead) as lead_b,
        sum(one.parsed_count + other.parsed_count)::bigint as n_answers
    from sides as one
    inner join sides as other
        on
            one.experiment = other.experiment
            and one.dataset_id = other.dataset_id
            and one.variant_id = other.variant_id
            and one.motion_key = other.motion_key
            and one.judge_id < other.judge_id
    group by all
),

tested as (
    select
        experiment,
        dataset_id,
        judge_a,
        judge_b,
        template,
        wording,
        outcome,
        count(*) as n_units,
        sum(n_answers)::bigint as n_answers,
        0.5 + avg(lead_a) as pro_share_a,
        0.5 + avg(lead_b) as pro_share_b,
        avg(lead_a - lead_b) as difference,
        {{ spread('stddev_samp(lead_a - lead_b)') }} as spread,
        case
            when n_units >= {{ var('min_units_for_interval') }} then spread / sqrt(n_units)
        end as error,
        (n_units - 1)::double as degrees,
        student_t_quantile(0.975::double, degrees) * error as half_width,
        difference / error as statistic,
        student_t_two_sided(difference / error, degrees) as p,
        experiment || ' / ' || dataset_id || ' / side of judges' as family_id
    from motions
    group by all
),

adjusted as (
    {{ benjamini_hochberg('tested', 'family_id') }}
)

select
    * exclude (spread, error, degrees, half_width),
    {{ clipped_ends('difference', 'half_width', '-1.0', '1.0') }},
    case when statistic is not null then degrees end as df,
    difference / spread as effect_size,
    case
        {{ when_too_few('n_units', 'motions') }}
        when spread is null then 'every motion differs alike'
    end as reason
from adjusted
