{#
What the mean score of speeches, or the share of debates that Con wins, or one debater against another,
or of answers aware of a dispute, is by people, if all items of a frame were labelled: from the labels of a random sample with a judge's answers to all items
(prediction-powered), by its error rates, from the labels alone, and by the judge alone.
#}
with

widths as (
    select
        settings.*,
        totals.* exclude (frame_key, setting_key),
        variances.* exclude (frame_key, setting_key),
        corrected.sensitivity,
        corrected.specificity,
        corrected.value as corrected_value,
        corrected.low as corrected_value_low,
        corrected.high as corrected_value_high,
        corrected.null_reason as corrected_reason,
        samples.is_complete,
        samples.label_policy,
        coalesce(scales.scale_min, 0.0) as scale_min,
        coalesce(scales.scale_max, 1.0) as scale_max,
        case
            when sample_id is null
                then 'no labels of people on a recorded random sample; rostrum sample draws one'
            when not is_complete
                then 'labels are still being given: a figure now would invite stopping on it'
            when fewest_labelled < 2 then 'a stratum of the frame has fewer than two labels'
            when n_clusters < {{ var('min_units_for_interval') }} or n_clusters <= n_strata
                then 'labels of fewer than {{ var("min_units_for_interval") }} clusters'
        end as null_reason,
        {{ cluster_correction() }} * human_squares as human_variance,
        {{ cluster_correction() }} * rate_squares as rate_variance,
        n_clusters_judged / nullif(n_clusters_judged - 1.0, 0) * naive_squares / n_judged ^ 2
            as naive_variance,
        human_mean + tuning * answer_shift as rate,
        {{ rate_half_width('human_variance') }} as human_width,
        {{ rate_half_width('rate_variance') }} as rate_width,
        {{ clustered_half_width('naive_variance', 'n_clusters_judged') }} as naive_width
    from {{ ref('int_rate_settings') }} as settings
    inner join {{ ref('int_rate_totals') }} as totals using (frame_key, setting_key)
    left join {{ ref('int_rate_variances') }} as variances using (frame_key, setting_key)
    left join {{ ref('int_rate_corrected') }} as corrected using (frame_key, setting_key)
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
    n_items::bigint as n_items,
    n_judged,
    n_drawn,
    n_labelled::bigint as n_labelled,
    coalesce(n_clusters, 0) as n_clusters,
    case when null_reason is null then {{ rate_end() }} end as true_rate,
    case when null_reason is null then {{ rate_end(-1) }} end as true_rate_low,
    case when null_reason is null then {{ rate_end(1) }} end as true_rate_high,
    case when null_reason is null then human_mean end as human_rate,
    case
        when null_reason is null then {{ mean_end('human_mean', 'human_width', 'n_clusters', -1) }}
    end
        as human_rate_low,
    case
        when null_reason is null then {{ mean_end('human_mean', 'human_width', 'n_clusters', 1) }}
    end
        as human_rate_high,
    case when coalesce(null_reason, corrected_reason) is null then corrected_value end
        as corrected_rate,
    case when coalesce(null_reason, corrected_reason) is null then corrected_value_low end
        as corrected_rate_low,
    case when coalesce(null_reason, corrected_reason) is null then corrected_value_high end
        as corrected_rate_high,
    coalesce(
        null_reason, corrected_reason,
        case when task = 'speeches' then 'a score has no sensitivity and specificity' end
    ) as corrected_rate_reason,
    mean_answer as naive_rate,
    {{ mean_end('mean_answer', 'naive_width', 'n_clusters_judged', -1) }} as naive_rate_low,
    {{ mean_end('mean_answer', 'naive_width', 'n_clusters_judged', 1) }} as naive_rate_high,
    case when null_reason is null then tuning end as judge_weight,
    case when null_reason is null then sensitivity end as sensitivity,
    case when null_reason is null then specificity end as specificity,
    case when null_reason is null then n_labelled * (human_variance / nullif(rate_variance, 0) - 1)
    end as labels_saved,
    null_reason
from widths
