{#
The error that is left when the most uncertain answers go to annotators, whose word is taken as the truth,
and the judge's stand for the others; over all answers, so that everything sent leaves none. With it what
sending as many at random leaves, and what is left at random where a constant stands in the judge's
place, the baseline: annotators' mean, or their more frequent label.

Equally uncertain answers are in no order: where the cut falls among them, each stands by the share of them
that people do not see.

Where the cut lies is estimated, too: an answer's part in the variance is error * kept - e * kept, with e
the error just at the cut (the influence of an answer on a mean up to a quantile).
#}
{% set steps = 20 %}
{% set unseen = '(last_place - ceil(n_answers * {} / {}.0)) / n_alike' %}
with

answers as (
    select
        series_id,
        cluster_id,
        error,
        baseline_error,
        count(*) over up_to as last_place,
        count(*) over alike as n_alike,
        count(*) over (partition by series_id) as n_answers
    from {{ ref('rpt_routing_answers') }}
    where error is not null
    window
        up_to as (partition by series_id order by round(uncertainty, 9) desc),
        alike as (partition by series_id, round(uncertainty, 9))
),

clusters as (
    select
        series_id,
        cluster_id,
        any_value(n_answers) as n_answers,
        count(*) as answer_count,
        sum(error) as error_sum,
        sum(baseline_error) as baseline_sum,
        [
            {% for step in range(steps + 1) -%}
                sum(error * {{ clip(unseen.format(step, steps), 0, 1) }}){{ ',' if not loop.last }}
            {% endfor %}
        ] as kept_sums,
        [
            {% for step in range(steps + 1) -%}
                sum({{ clip(unseen.format(step, steps), 0, 1) }}){{ ',' if not loop.last }}
            {% endfor %}
        ] as kept_counts
    from answers
    group by series_id, cluster_id
),

stepped as (
    select
        clusters.* exclude (kept_sums, kept_counts),
        steps.step,
        ceil(n_answers * steps.step / {{ steps }}.0) / n_answers as sent_share,
        kept_sums[steps.step + 1] as kept_sum,
        kept_counts[steps.step + 1] as kept_count
    from clusters
    cross join (select unnest(range({{ steps + 1 }})) as step) as steps
),

wholes as (
    select
        series_id,
        step,
        any_value(sent_share) as sent_share,
        count(*) as n_clusters,
        sum(kept_sum) / any_value(n_answers) as combined_error,
        sum(error_sum) / any_value(n_answers) as whole_error,
        sum(baseline_sum) / any_value(n_answers) as whole_baseline
    from stepped
    group by series_id, step
),

-- How much one more answer that people see takes away, from the steps to both sides.
slopes as (
    select
        *,
        -- Rounded: equally uncertain answers gain nothing, to the last digit.
        round((1 - sent_share) * whole_error - combined_error, 12) + 0.0 as gain,
        round((1 - sent_share) * whole_baseline - combined_error, 12) + 0.0 as baseline_gain,
        coalesce(
            (
                lag(combined_error, 1, combined_error) over series
                - lead(combined_error, 1, combined_error) over series
            ) / nullif(
                lead(sent_share, 1, sent_share) over series
                - lag(sent_share, 1, sent_share) over series, 0
            ), 0
        ) as local_error
    from wholes
    window series as (partition by series_id order by step)
),

errors as (
    select
        stepped.*,
        slopes.* exclude (series_id, step, sent_share),
        stepped.kept_sum - slopes.local_error * stepped.kept_count as kept_part,
        slopes.combined_error - slopes.local_error * (1 - slopes.sent_share) as mean_part,
        (1 - slopes.sent_share) * stepped.error_sum as random_sum,
        (1 - slopes.sent_share) * stepped.baseline_sum as baseline_part,
        (1 - slopes.sent_share) * slopes.whole_baseline as baseline_mean
    from stepped
    inner join slopes using (series_id, step)
),

halved as (
    select
        series_id,
        step,
        any_value(sent_share) as sent_share,
        any_value(combined_error) as combined_error,
        any_value((1 - sent_share) * whole_error) as random_error,
        any_value(gain) as gain,
        any_value(baseline_mean) as baseline_error,
        any_value(baseline_gain) as baseline_gain,
        any_value(n_answers) as n_answers,
        any_value(n_clusters) as n_units,
        {{ clustered_variance(
            'kept_part', 'answer_count', 'mean_part', 'n_answers', 'n_clusters'
        ) }} as error_variance,
        {{ clustered_variance(
            '(random_sum - kept_part)', 'answer_count',
            '((1 - sent_share) * whole_error - mean_part)', 'n_answers', 'n_clusters'
        ) }} as gain_variance,
        {{ clustered_variance(
            'baseline_part', 'answer_count', 'baseline_mean', 'n_answers', 'n_clusters'
        ) }} as baseline_variance,
        {{ clustered_variance(
            '(baseline_part - kept_part)', 'answer_count', '(baseline_mean - mean_part)', 'n_answers',
            'n_clusters'
        ) }} as baseline_gain_variance,
        {{ clustered_half_width('error_variance', 'n_units') }} as error_half_width,
        {{ clustered_half_width('gain_variance', 'n_units') }} as gain_half_width,
        {{ clustered_half_width('baseline_variance', 'n_units') }} as baseline_half_width,
        {{ clustered_half_width('baseline_gain_variance', 'n_units') }} as baseline_gain_half_width
    from errors
    group by series_id, step
)

select
    series.* exclude (scale_min, scale_max),
    halved.step / {{ steps }}.0 as wanted_share,
    halved.sent_share,
    halved.combined_error,
    case
        when halved.sent_share < 1
            then {{ clustered_share_bound('combined_error', 'error_half_width', 'n_units', -1) }}
    end as combined_error_low,
    case
        when halved.sent_share < 1
            then {{ clustered_share_bound('combined_error', 'error_half_width', 'n_units', 1) }}
    end as combined_error_high,
    halved.random_error,
    halved.gain,
    halved.gain - halved.gain_half_width as gain_low,
    halved.gain + halved.gain_half_width as gain_high,
    halved.baseline_error,
    case
        when halved.sent_share < 1
            then {{ clustered_share_bound('baseline_error', 'baseline_half_width', 'n_units', -1) }}
    end as baseline_error_low,
    case
        when halved.sent_share < 1
            then {{ clustered_share_bound('baseline_error', 'baseline_half_width', 'n_units', 1) }}
    end as baseline_error_high,
    halved.baseline_gain,
    halved.baseline_gain - halved.baseline_gain_half_width as baseline_gain_low,
    halved.baseline_gain + halved.baseline_gain_half_width as baseline_gain_high,
    halved.n_answers,
    halved.n_units
from halved
inner join {{ ref('int_routing_series') }} as series using (series_id)
