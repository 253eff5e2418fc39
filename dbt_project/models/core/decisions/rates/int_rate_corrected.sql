{#
The share of debates that Con wins, or of answers aware of a dispute, from a judge's share corrected by its sensitivity and specificity on
the labelled debates (Rogan and Gladen), with the interval of Lee et al.; null with the reason where the
judge tells no winner from a loser.
#}
with

-- Each with one more debate of both kinds, and the judge's share with z^2 / 2 more of both.
varied as (
    select
        totals.*, means.mean_answer, variances.* exclude (frame_key, setting_key),
        {{ moved_share('(mean_answer + share)', 'n_others', 1.9207294103470627) }} as moved_share,
        {{ moved_share('(1 - mean_answer - negative_answer)', '(n_labelled - positive_count)', 1) }}
            as specificity,
        {{ moved_share('(mean_answer + positive_answer)', 'positive_count', 1) }} as sensitivity,
        case
            when is_clustered or n_strata > 1
                then greatest(
                    1.0, {{ cluster_correction() }} * corrected_clustered
                    / nullif(corrected_independent, 0)
                )
            else 1.0
        end as design_effect,
        case
            when is_clustered or n_strata > 1
                then student_t_quantile(0.975::double, greatest(n_clusters - n_strata, 1)::double)
            else 1.959963984540054
        end as quantile,
        sensitivity + specificity - 1 as moved_youden,
        (moved_share + specificity - 1) / nullif(sensitivity + specificity - 1, 0) as moved_rate,
        moved_share * (1 - moved_share) / (n_others + 3.8414588206941254) as share_variance,
        specificity * (1 - specificity) / (n_labelled - positive_count + 2) as specificity_variance,
        sensitivity * (1 - sensitivity) / (positive_count + 2) as sensitivity_variance
    from {{ ref('int_rate_totals') }} as totals
    inner join {{ ref('int_rate_settings') }} as means using (frame_key, setting_key)
    inner join {{ ref('int_rate_variances') }} as variances using (frame_key, setting_key)
    where means.task != 'speeches'
)

select
    frame_key,
    setting_key,
    mean_answer + positive_answer as sensitivity,
    1 - mean_answer - negative_answer as specificity,
    {{ clip('corrected', '0.0', '1.0') }} as value,
    {{ corrected_bound(-1) }} as low,
    {{ corrected_bound(1) }} as high,
    case
        when tied_count > 0
            then 'people call some of the labelled debates a tie, or are evenly divided'
        when positive_count in (0, n_labelled) then 'all labels are alike'
        when n_others = 0 then 'no debate is left for the judge alone'
        when least(youden, moved_youden) <= 0
            then 'sensitivity and specificity together are at most 1: the judge tells no winner'
    end as null_reason
from varied
