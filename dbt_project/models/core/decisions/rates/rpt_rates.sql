{#
The mean score of speeches, or the share of debates that Con or one of two debaters wins, or of answers
aware of a dispute, that people would give all items of a frame: from the labels of a random sample and
a judge's answers to all items (prediction-powered), by the judge's error rates, from the labels alone,
and by the judge alone.
#}
with

rates as (
    select
        settings.*,
        fitted.* exclude (frame_key, setting_key),
        samples.label_policy,
        coalesce(scales.scale_min, 0.0) as scale_min,
        coalesce(scales.scale_max, 1.0) as scale_max,
        case
            when sample_id is null
                then 'no labels of people on a recorded random sample; rostrum sample draws one'
            when not samples.is_complete
                then 'labels are still being given: a figure now would invite stopping on it'
            when coalesce(fewest_labelled, 0) < 2
                then 'a stratum of the frame has fewer than two labels'
            when n_clusters < {{ var('min_units_for_interval') }}
                then 'labels of fewer than {{ var("min_units_for_interval") }} clusters'
        end as null_reason,
        {{ clustered_half_width(
            'n_clusters_judged / nullif(n_clusters_judged - 1.0, 0) * naive_squares / n_judged ^ 2',
            'n_clusters_judged'
        ) }} as naive_width
    from {{ ref('int_rate_settings') }} as settings
    left join {{ ref('int_rate_fitted') }} as fitted using (frame_key, setting_key)
    left join {{ ref('int_samples_filled') }} as samples using (sample_id)
    left join {{ ref('dim_dimension') }} as scales
        on settings.dataset_id = scales.dataset_id and settings.dimension = scales.dimension
)

select
    sample_id,
    task,
    dataset_id,
    dimension,
    source,
    experiment,
    judge_id,
    template,
    variant_id,
    label_policy,
    n_items,
    n_judged,
    n_drawn,
    n_labelled,
    coalesce(n_clusters, 0) as n_clusters,
    {% for name, column in {'true_rate': 'rate', 'human_rate': 'human'}.items() %}
        {% for end in ['', '_low', '_high'] %}
            case
                when null_reason is null
                    then {{ clip(column ~ end, 'scale_min', 'scale_max') }}
            end as {{ name ~ end }},
        {% endfor %}
    {% endfor %}
    case when null_reason is null then human_error end as human_rate_error,
    case when null_reason is null then interval_reason end as true_rate_interval_reason,
    {% for end in ['', '_low', '_high'] %}
        case when null_reason is null then corrected{{ end }} end as corrected_rate{{ end }},
    {% endfor %}
    case
        when null_reason is not null then null_reason
        when task = 'speeches' then 'a score has no sensitivity and specificity'
        else corrected_reason
    end as corrected_rate_reason,
    case when null_reason is null then corrected_interval_reason end
        as corrected_rate_interval_reason,
    mean_answer as naive_rate,
    {{ naive_end(-1) }} as naive_rate_low,
    {{ naive_end(1) }} as naive_rate_high,
    case when null_reason is null then tuning end as judge_weight,
    case when null_reason is null then mean_answer + positive_answer end as sensitivity,
    case when null_reason is null then 1 - mean_answer - negative_answer end as specificity,
    case when null_reason is null then n_labelled * (variance_ratio - 1) end as labels_saved,
    null_reason
from rates
