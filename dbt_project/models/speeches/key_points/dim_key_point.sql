{# Key points of analyses of justifications, and whose sentence stands for the others. #}
select
    key_points.* exclude (text),
    key_points.text as key_point,
    ranks.polarity_rank,
    sentences.judge_id,
    sentences.item_id
from {{ loaded('key_points') }} as key_points
inner join
    (select * from {{ ref('int_key_point_ranks') }} where judge_id = {{ all_judges() }}) as ranks
    using (analysis_id, key_point_id)
left join {{ loaded('key_point_sentences') }} as sentences using (analysis_id, sentence_id)
