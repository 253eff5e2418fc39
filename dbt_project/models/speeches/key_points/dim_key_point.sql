{# Key points of analyses of justifications, and whose sentence stands for the others. #}
select
    key_points.analysis_id,
    key_points.key_point_id,
    key_points.polarity,
    key_points.text as key_point,
    ranks.polarity_rank,
    key_points.position,
    key_points.gain,
    key_points.sentence_id,
    sentences.judge_id,
    sentences.item_id
from {{ ref('stg_raw__key_points') }} as key_points
inner join {{ ref('int_key_point_ranks') }} as ranks
    on
        key_points.analysis_id = ranks.analysis_id
        and key_points.key_point_id = ranks.key_point_id
        and ranks.judge_id = {{ all_judges() }}
left join {{ ref('stg_raw__key_point_sentences') }} as sentences
    on
        key_points.analysis_id = sentences.analysis_id
        and key_points.sentence_id = sentences.sentence_id
