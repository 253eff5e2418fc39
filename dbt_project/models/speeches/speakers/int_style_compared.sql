{#
The speeches of a speaker and of people on topics where both have a score and the feature, a row per
feature, with what a fit within topics needs of them. Ranks stand for how far the two sides overlap.
#}
{% set key = 'dataset_id, dimension, judge_id, template, source, feature' %}
with

styles as (
    select
        item_id, dataset_id, word_count, paragraph_count, mean_sentence_words, reading_ease,
        heading_count + list_marker_count as marker_count
    from {{ ref('dim_speech_style') }}
),

features as (
    unpivot (select * replace (
        word_count::double as word_count, paragraph_count::double as paragraph_count,
        marker_count::double as marker_count
    ) from styles)
    on word_count, paragraph_count, marker_count, mean_sentence_words, reading_ease
    into name feature value feature_value
),

-- One unit for all judges and speakers of a data set, so that slopes can be laid side by side.
units as (
    select dataset_id, feature, nullif(stddev_samp(feature_value), 0) as feature_sd
    from features
    group by all
),

scored as (select * from {{ ref('int_speeches_scored') }} where score is not null),

speakers as (
    select distinct dataset_id, dimension, judge_id, template, source
    from scored
    where speaker_kind is distinct from {{ human() }}
),

sides as (
    select
        dataset_id, dimension, judge_id, template, source, debate_id, item_id, score,
        true as is_speaker
    from scored
    where speaker_kind is distinct from {{ human() }}
    union all
    select speakers.*, scored.debate_id, scored.item_id, scored.score, false as is_speaker
    from speakers
    inner join scored using (dataset_id, dimension, judge_id, template)
    where scored.speaker_kind = {{ human() }}
),

measured as (
    select
        sides.*,
        features.feature,
        features.feature_value,
        units.feature_sd,
        bool_or(sides.is_speaker) over on_topic and not bool_and(sides.is_speaker) over on_topic
            as is_shared
    from sides
    inner join features using (dataset_id, item_id)
    inner join units using (dataset_id, feature)
    window on_topic as (partition by {{ key }}, sides.debate_id)
)

select
    * exclude (is_shared),
    {{ mid_rank('feature_value', key) }} as feature_rank
from measured
where is_shared
