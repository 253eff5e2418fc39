{#
score = topic + speaker + slope * feature, each side of a topic weighing as much as the other, so that
without the feature the speaker's term is the mean paired difference. Every sum of that fit is one over
topics: of the two sides' differences, and of what varies within a side. Errors cluster by topic.
#}
{% set key = 'dataset_id, dimension, judge_id, template, source, feature' %}
with

sides as (
    select
        {{ key }},
        debate_id,
        is_speaker,
        any_value(feature_sd) as feature_sd,
        avg(score) as y,
        avg(feature_value) as feature_mean,
        avg(feature_value / feature_sd) as x,
        var_pop(feature_value / feature_sd) as sum_xx,
        covar_pop(feature_value / feature_sd, score) as sum_xy,
        count(*) as n_speeches,
        sum(feature_rank) as rank_sum
    from {{ ref('int_style_compared') }} as compared
    group by {{ key }}, debate_id, is_speaker
),

topics as (
    select
        {{ key }},
        debate_id,
        any_value(feature_sd) as feature_sd,
        sum(case when is_speaker then y else -y end) as y,
        sum(case when is_speaker then x else -x end) as x,
        sum(sum_xx) as sum_xx,
        sum(sum_xy) as sum_xy,
        any_value(feature_mean) filter (is_speaker) as speaker_feature,
        any_value(feature_mean) filter (not is_speaker) as human_feature,
        coalesce(sum(n_speeches) filter (is_speaker), 0) as n_speeches,
        coalesce(sum(n_speeches) filter (not is_speaker), 0) as n_human_speeches,
        sum(rank_sum) filter (is_speaker) as rank_sum
    from sides
    group by {{ key }}, debate_id
),

means as (
    select
        {{ key }},
        avg(y) as difference,
        avg(x) as feature_difference,
        any_value(feature_sd) as feature_sd,
        avg(speaker_feature) as speaker_feature_mean,
        avg(human_feature) as human_feature_mean,
        count(*) as n_units,
        sum(n_speeches)::bigint as n_speeches,
        sum(n_human_speeches)::bigint as n_human_speeches,
        -- Twice the smaller chance that of two speeches, one of each, the first has less, ties a
        -- half.
        1 - abs(
            2 * (sum(rank_sum) - sum(n_speeches) * (sum(n_speeches) + 1) / 2.0)
            / (sum(n_speeches) * sum(n_human_speeches)) - 1
        ) as overlap_share
    from topics
    group by {{ key }}
),

centred as (
    select
        {{ key }},
        means.* exclude ({{ key }}),
        topics.y - means.difference as dy,
        topics.x - means.feature_difference as dx,
        topics.sum_xx + (topics.x - means.feature_difference) ^ 2 / 2 as xx,
        topics.sum_xy
        + (topics.x - means.feature_difference) * (topics.y - means.difference) / 2 as xy
    from topics
    inner join means using ({{ key }})
),

influences as (
    select
        *,
        sum(xx) over fit as total_xx,
        case
            when total_xx > 1e-9 and n_units >= {{ var('min_units_for_interval') }}
                then sum(xy) over fit / total_xx
        end as slope,
        (xy - slope * xx) / total_xx as of_slope,
        (dy - slope * dx) / n_units - feature_difference * of_slope as of_adjusted,
        dy / n_units as of_difference
    from centred
    window fit as (partition by {{ key }})
),

estimated as (
    select
        {{ key }},
        feature_sd,
        speaker_feature_mean,
        human_feature_mean,
        feature_difference,
        overlap_share,
        n_units,
        n_speeches,
        n_human_speeches,
        total_xx,
        difference,
        slope,
        case when overlap_share > 1e-9 then difference - slope * feature_difference end as adjusted,
        case when overlap_share > 1e-9 then slope * feature_difference end as explained,
        {% for part, influence in [
            ('difference', 'of_difference'), ('slope', 'of_slope'), ('adjusted', 'of_adjusted'),
            ('explained', 'of_difference - of_adjusted')
        ] %}
            any_value(n_units / nullif(n_units - 1.0, 0)) * sum(({{ influence }}) ^ 2)
                as {{ part }}_variance,
        {% endfor %}
    from influences
    group by all
),

speakers as (
    select dataset_id, source, speaker_kind from {{ ref('int_speakers') }}
)

select
    {{ key }},
    speakers.speaker_kind,
    speaker_feature_mean,
    human_feature_mean,
    feature_sd,
    overlap_share,
    {% for name, part in [
        ('difference', 'difference'), ('slope', 'slope'), ('difference_adjusted', 'adjusted'),
        ('explained', 'explained')
    ] %}
        {{ part }} as {{ name }},
        {% for end, sign in [('low', '-'), ('high', '+')] %}
            {{ part }} {{ sign }} {{ clustered_half_width(part ~ '_variance', 'n_units') }}
                as {{ name }}_{{ end }},
        {% endfor %}
    {% endfor %}
    n_units,
    n_speeches,
    n_human_speeches,
    case
        when feature_sd is null then 'every speech has the same value'
        {{ when_too_few('n_units', 'topics') }}
        when slope is null then 'the feature varies only with topic and speaker'
    end as slope_reason,
    case
        when feature_sd is null then 'every speech has the same value'
        when overlap_share <= 1e-9
            then
                'the speaker and people do not overlap: '
                || 'what is style and what is speaker cannot be told'
        {{ when_too_few('n_units', 'topics') }}
        when slope is null then 'the feature varies only with topic and speaker'
    end as adjusted_reason
from estimated
left join speakers using (dataset_id, source)
